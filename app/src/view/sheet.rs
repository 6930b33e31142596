//! The print sheet: the matrix of two short texts to be filled in by hand, and its key on a second page. `/print#a=…&b=…&fill=…`.

use explain::matrix::document::Sheet;
use explain::matrix::optimal::{Path, first};
use explain::matrix::{Cell, Input, Matrix};
use kernels::alignment::Edit;
use kernels::job::Task;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::icon::{Icon, icon};
use super::late::late;
use super::later::later;
use super::message::Message;
use super::parts;
use super::share::link::Code;
use super::sign::sign;
use crate::form::Form;
use crate::fragment;
use crate::look::Look;
use crate::page::Page;
use crate::rows::pictures;
use crate::source::local;
use crate::tr;
use crate::tr::t;
use crate::visit::task_title;

/// Whether there is a sheet for a task: its recurrence, and what its last cell is called, are known here.
fn has_sheet(task: Task) -> bool {
    wording(task).is_some()
}

/// How a cell of a task follows from its neighbours, and what its last cell is called.
fn wording(task: Task) -> Option<(&'static str, &'static str)> {
    match task {
        Task::EditDistance => Some((
            t("*D*[*i*, *j*] = min(*D*[*i*−1, *j*−1] + (0 where equal, else 1), *D*[*i*−1, *j*] + 1, *D*[*i*, *j*−1] + 1)"),
            t("Distance"),
        )),
        Task::Lcs => {
            Some((t("*L*[*i*, *j*] = *L*[*i*−1, *j*−1] + 1 where equal, else max(*L*[*i*−1, *j*], *L*[*i*, *j*−1])"), t("Length")))
        }
        Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch => None,
    }
}

/// Symbols of a text for which a sheet has room.
pub const MOST: usize = 24;

/// Which values are there before anybody writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fill {
    /// None.
    Blank,
    /// The first row and column.
    #[default]
    Border,
    /// All but every so many-th.
    But(usize),
}

impl Fill {
    /// Those that can be chosen.
    const ALL: [Self; 5] = [Self::Border, Self::Blank, Self::But(2), Self::But(3), Self::But(5)];

    /// Name in the address.
    fn name(self) -> String {
        match self {
            Self::Blank => "blank".into(),
            Self::Border => "border".into(),
            Self::But(every) => every.to_string(),
        }
    }

    /// The choice of this name.
    fn of(name: &str) -> Self {
        match name {
            "blank" => Self::Blank,
            _ => name.parse().ok().filter(|every| (2..100).contains(every)).map_or(Self::Border, Self::But),
        }
    }

    fn title(self) -> String {
        match self {
            Self::Blank => t("Blank").to_owned(),
            Self::Border => t("First row and column filled").to_owned(),
            Self::But(2) => t("Every second cell blank").to_owned(),
            Self::But(3) => t("Every third cell blank").to_owned(),
            Self::But(every) => tr!("Every {n}th cell blank", n = every),
        }
    }

    /// Whether the value of a cell is printed, in a matrix of so many columns.
    fn gives(self, Cell { i, j }: Cell, columns: usize) -> bool {
        match self {
            Self::Blank => false,
            Self::Border => i == 0 || j == 0,
            // By lines the same cells would be blank in every row of some matrices.
            Self::But(every) => (i * columns + j + i / every) % every != every - 1,
        }
    }
}

/// The page for it.
#[component]
pub fn PrintPage() -> impl IntoView {
    let page = expect_context::<Page>();
    let sheet = RwSignal::new(None::<Sheet>);
    // The solver reads the texts as the task does; the matrix is filled here.
    Effect::new(move |_| {
        if page.shown.with(Option::is_none) {
            return sheet.set(None);
        }
        spawn_local(async move {
            sheet.try_set(local::sheet().await.filter(|sheet| has_sheet(sheet.task) && sheet.a.len().max(sheet.b.len()) <= MOST));
        });
    });
    let trouble = Memo::new(move |_| page.trouble());
    let is_long = move || page.read.with(|read| read.as_ref().is_some_and(|read| read.a.symbols.max(read.b.symbols) > MOST as u64));
    view! {
        <main id="main" class="printing">
            {late(move || trouble.get(), |problem| view! { <Message problem /> })}
            <p class="say" hidden=move || sheet.with(Option::is_some)>
                {move || {
                    if is_long() && page.form.with(|form| has_sheet(form.task)) {
                        tr!("A sheet has room for {n} symbols of each text.", n = MOST)
                    } else {
                        t("A sheet shows the matrix of two short texts, of edit distance or of a common subsequence.").to_owned()
                    }
                }}
            </p>
            {later(move || sheet.get(), parts::sheets)}
        </main>
    }
}

/// Controls and both pages.
#[component]
pub fn Sheets(sheet: Sheet) -> impl IntoView {
    let page = expect_context::<Page>();
    let fill = Memo::new(move |_| page.look.with(|look| Fill::of(look.detail("fill").unwrap_or_default())));
    let key = Memo::new(move |_| page.look.with(|look| look.detail("key") != Some("off")));
    let matrix = sheet.matrix().ok();
    let choices =
        Fill::ALL.map(|choice| view! { <option value=choice.name() selected=move || fill.get() == choice>{choice.title()}</option> });
    let choose = move |event| page.remember("fill", Some(event_target_value(&event)).filter(|name| *name != Fill::default().name()));
    let with_key = move |event| page.remember("key", (!event_target_checked(&event)).then(|| "off".into()));
    let print = |_| {
        if let Some(window) = web_sys::window() {
            let _ = window.print();
        }
    };
    let link = Signal::derive(move || page.form.with(link));
    matrix.map(|matrix| {
        let printed = StoredValue::new(Printed { path: first(&matrix), sheet, matrix });
        view! {
            <div class="row apart sheetbar">
                <div class="row wide">
                    <h1>{t("Print sheet")}</h1>
                    <span class="select">
                        <select aria-label=t("What is filled in") on:change=choose>
                            {choices.collect_view()}
                        </select>
                        {icon(Icon::Chevron)}
                    </span>
                    <label class="check">
                        <input type="checkbox" prop:checked=key on:change=with_key />
                        <span>{t("Answer key on a second page")}</span>
                    </label>
                </div>
                <button class="btn main" type="button" on:click=print>
                    {t("Print")}
                </button>
            </div>
            {move || printed.with_value(|printed| exercise(printed, fill.get(), link))}
            {move || key.get().then(|| printed.with_value(answers))}
        }
    })
}

/// What is printed.
#[derive(Clone)]
struct Printed {
    sheet: Sheet,
    matrix: Matrix,
    path: Option<Path>,
}

impl Printed {
    fn names(&self) -> [String; 2] {
        let between = if self.sheet.a.iter().chain(&self.sheet.b).any(|symbol| symbol.chars().count() > 3) { " " } else { "" };
        [&self.sheet.a, &self.sheet.b].map(|symbols| pictures(&symbols.join(between)))
    }
}

/// The address that shows the same on the page.
fn link(form: &Form) -> String {
    let look = Look::read("view=matrix");
    let origin = web_sys::window().and_then(|window| window.location().origin().ok()).unwrap_or_default();
    fragment::address(form, &look).map(|place| origin + &place).unwrap_or_default()
}

/// The page to fill in.
fn exercise(printed: &Printed, fill: Fill, link: Signal<String>) -> impl IntoView + use<> {
    let [a, b] = printed.names();
    let title = tr!("{task} of {a} and {b}", task = task_title(printed.sheet.task).0, a = a, b = b);
    let (recurrence, score) = wording(printed.sheet.task).unwrap_or_default();
    let blank = |class: &'static str| view! { <span class=class>"\u{a0}"</span> };
    view! {
        <article class="a4" aria-label=t("Sheet")>
            <div class="head">
                <div>
                    <h2>{title}</h2>
                    <p>{t("Fill in the matrix, draw the arrows, mark an optimal path.")}</p>
                </div>
                <div class="small">{t("Name")} " " {blank("fill")}</div>
            </div>
            <p class="say recurrence">{super::prose::prose(recurrence)}</p>
            {table(printed, Some(fill))}
            <p>
                {score} " " {blank("fill brief")} " \u{2003} " {t("Number of optimal alignments")} " " {blank("fill brief")}
            </p>
            <p>{t("Alignment")} " " {blank("fill long")}</p>
            <div class="head">
                <p class="small check-yourself">
                    {t("Check yourself: open the link.")} <br /> {link}
                </p>
                <Code link plain=true />
            </div>
        </article>
    }
}

/// The page with the answers.
fn answers(printed: &Printed) -> impl IntoView + use<> {
    let [a, b] = printed.names();
    let value = printed.matrix.value(printed.matrix.last());
    let optimal = printed.sheet.optimal.clone().unwrap_or_default();
    let (_, score) = wording(printed.sheet.task).unwrap_or_default();
    let said = tr!("{score} {n}; optimal alignments: {all}.", score = score, n = value, all = optimal);
    view! {
        <article class="a4" aria-label=t("Answer key")>
            <div class="head">
                <h2>{tr!("Answer key: {a} and {b}", a = a, b = b)}</h2>
            </div>
            {table(printed, None)}
            <p>{said} " " {t("Arrows point to every winning neighbour; the grey cells are one of the paths.")}</p>
            {printed.path.as_ref().map(|path| view! { <pre class="answer-key">{three_rows(&printed.sheet, path)}</pre> })}
        </article>
    }
}

/// The alignment of a path: a, signs, b; every symbol as wide as the widest.
fn three_rows(sheet: &Sheet, path: &Path) -> String {
    let mut rows: [Vec<String>; 3] = Default::default();
    for (cell, edit) in path.cells.iter().zip(&path.edits) {
        let (of_a, of_b) =
            (pictures(sheet.a.get(cell.i).map_or("", String::as_str)), pictures(sheet.b.get(cell.j).map_or("", String::as_str)));
        let gap = || "–".to_owned();
        let (a, b) = match edit {
            Edit::Equal | Edit::Substitute => (of_a, of_b),
            Edit::Insert => (gap(), of_b),
            Edit::Delete => (of_a, gap()),
        };
        let width = a.chars().count().max(b.chars().count());
        let wide = if width > 1 { " " } else { "" };
        rows[0].push(format!("{a:width$}{wide}"));
        rows[1].push(format!("{:width$}{wide}", sign(*edit)));
        rows[2].push(format!("{b:width$}{wide}"));
    }
    rows.map(|row| row.concat()).join("\n")
}

/// The matrix: with what is given, or as the key with arrows and a path.
fn table(printed: &Printed, fill: Option<Fill>) -> impl IntoView + use<> {
    let Printed { sheet, matrix, path } = printed;
    let Cell { i: rows, j: columns } = matrix.last();
    let of = |symbols: &[String], at: usize| at.checked_sub(1).map_or("ε".to_owned(), |at| pictures(&symbols[at]));
    let on = |cell: Cell| fill.is_none() && path.as_ref().is_some_and(|path| path.cells.contains(&cell));
    let head: Vec<_> = (0..=columns).map(|j| view! { <th scope="col">{of(&sheet.b, j)}</th> }).collect();
    let body = (0..=rows).map(|i| {
        let cells = (0..=columns).map(|j| {
            let cell = Cell { i, j };
            let shown = fill.is_none_or(|fill| fill.gives(cell, columns + 1));
            let value = shown.then(|| matrix.value(cell).to_string());
            let arrows = fill.is_none().then(|| arrows(matrix.winners(cell))).filter(|arrows| !arrows.is_empty());
            let arrows = arrows.map(|d| view! { <svg viewBox="0 0 40 40" aria-hidden="true"><path d=d></path></svg> });
            view! { <td class:on=on(cell)>{value} {arrows}</td> }
        });
        let cells: Vec<_> = cells.collect();
        view! {
            <tr>
                <th scope="row">{of(&sheet.a, i)}</th>
                {cells}
            </tr>
        }
    });
    let body: Vec<_> = body.collect();
    let size = match columns.max(rows) {
        0..=9 => "sheet",
        10..=14 => "sheet middling",
        _ => "sheet small",
    };
    let caption = if fill.is_some() { t("To fill in") } else { t("Answer key") };
    view! {
        <table class=size>
            <caption class="vh">{caption}</caption>
            <thead>
                <tr>
                    <th>
                        <span class="vh">{t("rows a, columns b")}</span>
                    </th>
                    {head}
                </tr>
            </thead>
            <tbody>{body}</tbody>
        </table>
    }
}

/// The arrows of these inputs, in a cell of 40 units.
fn arrows(inputs: u8) -> String {
    let of = |input: Input| match input {
        Input::Corner => "M11 11 3 3M3 7V3h4",
        Input::Above => "M20 10V3M17.5 5.5 20 3l2.5 2.5",
        Input::Left => "M10 20H3M5.5 17.5 3 20l2.5 2.5",
    };
    Input::ALL.into_iter().filter(|input| inputs & input.bit() != 0).map(of).collect()
}

#[cfg(test)]
mod tests {
    use kernels::text::{Pair, Reading};

    use super::*;

    fn printed(task: Task, a: &str, b: &str) -> Printed {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &Reading::default()).unwrap();
        let (sheet, matrix) = Sheet::of(task, &pair).unwrap();
        Printed { path: first(&matrix), sheet, matrix }
    }

    #[test]
    fn what_is_given_is_what_was_chosen() {
        let count = |fill: Fill| (0..7).flat_map(|i| (0..9).map(move |j| Cell { i, j })).filter(|cell| fill.gives(*cell, 9)).count();
        assert_eq!((count(Fill::Blank), count(Fill::Border), count(Fill::But(3))), (0, 15, 42));
        for fill in Fill::ALL {
            assert_eq!(Fill::of(&fill.name()), fill);
        }
        assert_eq!((Fill::of(""), Fill::of("1"), Fill::of("tea")), (Fill::Border, Fill::Border, Fill::Border));
    }

    #[test]
    fn only_tasks_whose_recurrence_is_printed_have_a_sheet() {
        let with_sheet: Vec<Task> = Task::ALL.into_iter().filter(|task| has_sheet(*task)).collect();
        assert_eq!(with_sheet, [Task::EditDistance, Task::Lcs]);
    }

    #[test]
    fn the_key_has_the_alignment() {
        let printed = printed(Task::EditDistance, "SUNDAY", "SATURDAY");
        let rows = three_rows(&printed.sheet, printed.path.as_ref().unwrap());
        let lines: Vec<&str> = rows.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!((lines[0].replace('–', ""), lines[2].replace('–', "")), ("SUNDAY".to_owned(), "SATURDAY".to_owned()));
        assert_eq!(lines[1].chars().filter(|sign| *sign != '|').count(), 3);
    }

    #[test]
    fn every_winner_has_an_arrow() {
        assert_eq!(arrows(0), "");
        assert_eq!(arrows(7).matches('M').count(), 6);
    }

    #[test]
    fn sheets_are_rendered_with_all_cells() {
        let printed = printed(Task::Lcs, "AB", "CAB");
        let html = Owner::new().with(|| table(&printed, None).to_html());
        assert_eq!((html.matches("<td").count(), html.matches("class=\"on\"").count()), (12, 4));
        let blank = Owner::new().with(|| table(&printed, Some(Fill::Blank)).to_html());
        assert!(!blank.contains("<svg") && !blank.contains(">0<"));
    }
}
