//! The print sheet ([`PrintPage`]): the matrix of two short texts, to be filled in by hand, and the filled matrix (the
//! key) on a second page. Its address is `/print#a=…&b=…&fill=…`.

use explain::matrix::document::MatrixSymbols;
use explain::matrix::optimal::{OptimalPath, first};
use explain::matrix::{CellInput, DpMatrix, MatrixCell, MatrixLayer, MatrixNode};
use kernels::alignment::EditKind;
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;

use super::share::link::Code;
use crate::model::alignment::rows::visible_text;
use crate::model::alignment::sign::sign;
use crate::model::form::FormState;
use crate::model::link::fragment;
use crate::model::link::link_view::{LinkView, Tab};
use crate::model::matrix::recurrence::{RecurrenceRule, RecurrenceText};
use crate::model::matrix::{MAX_PRINTED_SYMBOLS, MatrixBoard, scores};
use crate::model::task::{MatrixSentences, TaskDescription};
use crate::model::text::humanize::cell_value;
use crate::page::Page;
use crate::tr;
use crate::tr::t;
use crate::view::browser::client_only::client_only;
use crate::view::browser::lazy::{LazyPart, draw_into, lazy};
use crate::view::form::message::Message;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::prose::{formula, prose};

/// The choice of the values that are printed in the matrix to fill in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SheetFill {
    /// No values.
    Blank,
    /// The values of the first row and column.
    #[default]
    Border,
    /// All values except every n-th one, for the given n, and except the cells that may hold the answer.
    But(usize),
}

impl SheetFill {
    /// The choices that the page offers, in the order of the menu.
    const ALL: [Self; 5] = [Self::Border, Self::Blank, Self::But(2), Self::But(3), Self::But(5)];

    /// Returns the name of the choice in the address.
    fn name(self) -> String {
        match self {
            Self::Blank => "blank".into(),
            Self::Border => "border".into(),
            Self::But(every) => every.to_string(),
        }
    }

    /// Returns the choice with the name `name` in the address, or the default for an unknown name.
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

    /// Returns whether the value of the given cell is printed. Cells that may hold the answer stay empty. `last` is the
    /// last cell of the matrix.
    fn gives(self, MatrixCell { i, j }: MatrixCell, last: MatrixCell) -> bool {
        let is_border = i == 0 || j == 0;
        match self {
            Self::Blank => false,
            Self::Border => is_border,
            // Without the shift `i / every`, the same columns would be empty in every row of some matrices.
            Self::But(every) => (i != last.i || is_border) && (i * (last.j + 1) + j + i / every) % every != every - 1,
        }
    }
}

/// Renders the page of the print sheet.
#[component]
pub fn PrintPage() -> impl IntoView {
    let page = expect_context::<Page>();
    let solved = RwSignal::new(None::<MatrixSymbols>);
    let sheet = Signal::derive(move || solved.get().filter(|sheet| sheet.a.len().max(sheet.b.len()) <= MAX_PRINTED_SYMBOLS));
    // The worker reads the texts as for a run of the task; this page fills the matrix.
    Effect::new(move |_| {
        if page.shown.with(Option::is_none) {
            return solved.set(None);
        }
        if let Some(acts) = page.action_table() {
            (acts.sheet)(solved);
        }
    });
    let trouble = Memo::new(move |_| page.trouble());
    let is_long = move || {
        page.form_facts.with(|read| read.as_ref().is_some_and(|read| read.a.symbols.max(read.b.symbols) > MAX_PRINTED_SYMBOLS as u64))
    };
    view! {
        <main id="main" class="printing">
            {client_only(move || trouble.get(), |problem| view! { <Message problem /> })}
            <p class="say" hidden=move || sheet.with(Option::is_some)>
                {move || {
                    if is_long() {
                        tr!("A sheet has room for {n} symbols of each text.", n = MAX_PRINTED_SYMBOLS)
                    } else {
                        t("A sheet shows the matrix of two short texts.").to_owned()
                    }
                }}
            </p>
            {lazy(move || sheet.get(), part)}
        </main>
    }
}

/// Draws the two pages to print, for the given matrix.
#[inline(never)]
#[wasm_split(sheet, wasm_split_path = ::leptos::wasm_split, fallible)]
fn part() -> LazyPart<MatrixSymbols> {
    Ok(|place, sheet| draw_into(place, move || view! { <Sheets sheet /> }))
}

/// Renders the controls and the two pages to print: the matrix to fill in, and its key (the filled matrix).
#[component]
fn Sheets(sheet: MatrixSymbols) -> impl IntoView {
    let page = expect_context::<Page>();
    let fill = Memo::new(move |_| page.link_view.with(|look| SheetFill::of(look.detail("fill").unwrap_or_default())));
    let key = Memo::new(move |_| page.link_view.with(|look| look.detail("key") != Some("off")));
    let board = MatrixBoard::new(sheet.clone()).ok();
    let choices =
        SheetFill::ALL.map(|choice| view! { <option value=choice.name() selected=move || fill.get() == choice>{choice.title()}</option> });
    let choose = move |event| page.remember("fill", Some(event_target_value(&event)).filter(|name| *name != SheetFill::default().name()));
    let with_key = move |event| page.remember("key", (!event_target_checked(&event)).then(|| "off".into()));
    let print = |_| {
        if let Some(window) = web_sys::window() {
            let _ = window.print();
        }
    };
    let link = Signal::derive(move || page.form.with(link));
    board.map(|board| {
        let printed = StoredValue::new(PrintedSheet { path: first(&board.matrix), sheet, board });
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

/// The content that both printed pages share: the matrix and an optimal path through it.
#[derive(Clone)]
struct PrintedSheet {
    sheet: MatrixSymbols,
    board: MatrixBoard,
    path: Option<OptimalPath>,
}

impl PrintedSheet {
    fn names(&self) -> [String; 2] {
        let between = if self.sheet.a.iter().chain(&self.sheet.b).any(|symbol| symbol.chars().count() > 3) { " " } else { "" };
        [&self.sheet.a, &self.sheet.b].map(|symbols| visible_text(&symbols.join(between)))
    }
}

/// Returns the address at which Editscope shows the matrix of `form`.
fn link(form: &FormState) -> String {
    let look = LinkView::from_tab(Tab::Matrix);
    let origin = web_sys::window().and_then(|window| window.location().origin().ok()).unwrap_or_default();
    fragment::address(form, &look, None).map(|place| origin + &place).unwrap_or_default()
}

/// Draws the page with the matrix to fill in, in which `fill` selects the printed values. `link` is the address that
/// shows this matrix on a screen.
fn exercise(printed: &PrintedSheet, fill: SheetFill, link: Signal<String>) -> impl IntoView + use<> {
    let [a, b] = printed.names();
    let task = printed.sheet.task;
    let name = TaskDescription::of(task).title();
    let described = MatrixSentences::of(task);
    let title = crate::tr::fill(t(described.sheet), &[("task", name.to_owned()), ("a", a), ("b", b)]);
    let blank = |class: &'static str| view! { <span class=class>"\u{a0}"</span> };
    let ways = described.ways().map(|ways| view! { " \u{2003} " {ways} " " {blank("fill brief")} });
    let rows = |name: &'static str| {
        view! {
            <span class="fill-row">
                <var>{name}</var>
                " "
                {blank("fill long")}
            </span>
        }
    };
    view! {
        <article class="a4" aria-label=t("Sheet")>
            <div class="head">
                <div>
                    <h2>{title}</h2>
                    <p>{t("Fill in the matrix, draw the arrows, mark an optimal path.")}</p>
                </div>
                <div class="small">{t("Name")} " " {blank("fill")}</div>
            </div>
            {recurrence(&printed.board)}
            {tables(printed, Some(fill))}
            <p>
                {described.score()} " " {blank("fill brief")} {ways}
            </p>
            <div class="head last">
                <p class="rows">{t("Alignment")} {rows("a")} {rows("")} {rows("b")}</p>
                <Code link plain=true />
            </div>
            <p class="small check-yourself">
                {t("Check yourself: open the link.")} " " {link}
            </p>
        </article>
    }
}

/// Draws the recurrence of the matrix: base cases and sums, one line each.
fn recurrence(board: &MatrixBoard) -> impl IntoView + use<> {
    let RecurrenceText { base, head, sums } = RecurrenceText::of(&board.matrix);
    let line = |rule: RecurrenceRule| {
        view! {
            <li>
                <span class="formula">{formula(&rule.formula)}</span>
                <span class="why">{prose(&rule.says)}</span>
            </li>
        }
    };
    view! {
        <ul class="recurrence">
            {base.map(line).into_iter().collect_view()}
            {(!head.is_empty()).then(|| view! { <li><span class="formula">{prose(head)}</span></li> })}
            {sums.into_iter().map(line).collect_view()}
        </ul>
    }
}

/// Draws the page with the key: the filled matrix and an optimal alignment.
fn answers(printed: &PrintedSheet) -> impl IntoView + use<> {
    let [a, b] = printed.names();
    let described = MatrixSentences::of(printed.sheet.task);
    let optimal = printed.sheet.optimal.clone().unwrap_or_default();
    let found = tr!("{score}: {n}.", score = described.score(), n = printed.board.score().to_string());
    let said = match described.ways() {
        Some(ways) => format!("{found} {}", tr!("{score}: {n}.", score = ways, n = optimal)),
        None => found,
    };
    // A search without a hit has no path.
    let path = if printed.path.is_some() { t("Arrows point to every winning neighbour; the grey cells are one of the paths.") } else { "" };
    view! {
        <article class="a4" aria-label=t("Answer key")>
            <div class="head">
                <h2>{tr!("Answer key: {a} and {b}", a = a, b = b)}</h2>
            </div>
            {tables(printed, None)}
            <p>{said} " " {path}</p>
            {printed.path.as_ref().map(|path| view! { <pre class="answer-key">{three_rows(&printed.sheet, path)}</pre> })}
        </article>
    }
}

/// Returns the alignment of `path` as three rows: `a`, signs, `b`. Each column is as wide as the wider one of its two
/// symbols. An exchange has two columns.
fn three_rows(sheet: &MatrixSymbols, path: &OptimalPath) -> String {
    let mut rows: [Vec<String>; 3] = Default::default();
    let columns = path.cells.iter().zip(&path.edits).flat_map(|(&cell, &edit)| {
        let second = (edit == EditKind::Transpose).then_some((MatrixCell { i: cell.i + 1, j: cell.j + 1 }, edit));
        std::iter::once((cell, edit)).chain(second)
    });
    for (cell, edit) in columns {
        let (of_a, of_b) =
            (visible_text(sheet.a.get(cell.i).map_or("", String::as_str)), visible_text(sheet.b.get(cell.j).map_or("", String::as_str)));
        let gap = || "–".to_owned();
        let (a, b) = match edit {
            EditKind::Equal | EditKind::Substitute | EditKind::Transpose => (of_a, of_b),
            EditKind::Insert => (gap(), of_b),
            EditKind::Delete => (of_a, gap()),
        };
        let width = a.chars().count().max(b.chars().count());
        let wide = if width > 1 { " " } else { "" };
        rows[0].push(format!("{a:width$}{wide}"));
        rows[1].push(format!("{:width$}{wide}", sign(edit)));
        rows[2].push(format!("{b:width$}{wide}"));
    }
    rows.map(|row| row.concat()).join("\n")
}

/// Draws a table for each layer of the matrix, below the letter of the layer if there are three.
fn tables(printed: &PrintedSheet, fill: Option<SheetFill>) -> impl IntoView + use<> {
    let has_layers = printed.board.has_layers();
    let all = printed.board.matrix.layers().iter().map(|&layer| {
        let name = has_layers.then(|| view! { <p><var>{layer.name()}</var> " " {prose(scores::caption(layer))}</p> });
        view! { {name} {table(printed, layer, fill)} }
    });
    view! { <div class:of-layers=has_layers>{all.collect::<Vec<_>>()}</div> }
}

/// Draws one layer of the matrix. With `fill`, it has only the values that `fill` selects. Without, it is the key with all values,
/// arrows and a path.
fn table(printed: &PrintedSheet, layer: MatrixLayer, fill: Option<SheetFill>) -> impl IntoView + use<> {
    let PrintedSheet { sheet, board, path } = printed;
    let matrix = &board.matrix;
    let last = matrix.last();
    let MatrixCell { i: rows, j: columns } = last;
    let of = |symbols: &[String], at: usize| at.checked_sub(1).map_or("ε".to_owned(), |at| visible_text(&symbols[at]));
    let on = |node: MatrixNode| fill.is_none() && path.as_ref().is_some_and(|path| path.nodes().any(|other| other == node));
    let head: Vec<_> = (0..=columns).map(|j| view! { <th scope="col">{of(&sheet.b, j)} <small>{j}</small></th> }).collect();
    let body = (0..=rows).map(|i| {
        let cells = (0..=columns).map(|j| {
            let cell = MatrixCell { i, j };
            let node = layer.at(cell);
            let shown = fill.is_none_or(|fill| fill.gives(cell, last));
            let value = shown.then(|| cell_value(matrix.value(node)));
            let arrows = fill.is_none().then(|| arrows(matrix, node)).filter(|arrows| !arrows.is_empty());
            let arrows = arrows.map(|d| view! { <svg viewBox="0 0 40 40" aria-hidden="true"><path d=d></path></svg> });
            view! { <td class:on=on(node)>{value} {arrows}</td> }
        });
        let cells: Vec<_> = cells.collect();
        view! {
            <tr>
                <th scope="row">{of(&sheet.a, i)} <small>{i}</small></th>
                {cells}
            </tr>
        }
    });
    let body: Vec<_> = body.collect();
    let caption = if fill.is_some() { t("To fill in") } else { t("Answer key") };
    view! {
        <table class="sheet" style=("--columns", (columns + 2).to_string()) style=("--rows", (rows + 2).to_string())>
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

/// Returns the SVG path of arrows from a cell to the inputs in the same layer that give its value. The cell has 40 × 40
/// units.
fn arrows(matrix: &DpMatrix, node: MatrixNode) -> String {
    let of = |input: CellInput| match input {
        CellInput::Corner => "M11 11 3 3M3 7V3h4",
        CellInput::Above => "M20 10V3M17.5 5.5 20 3l2.5 2.5",
        CellInput::Left => "M10 20H3M5.5 17.5 3 20l2.5 2.5",
        CellInput::TwoBack => "M17 13 9 5M9 9V5h4M13 13V9h4",
    };
    matrix.sums(node).filter(|sum| sum.wins && sum.layer == node.layer).map(|sum| of(sum.input)).collect()
}

#[cfg(test)]
mod tests {
    use kernels::job::{EditCosts, JobOptions, Task};
    use kernels::text::{Pair, ReadingOptions};

    use super::*;
    use crate::model::points::PointsPreset;

    fn printed(task: Task, a: &str, b: &str) -> PrintedSheet {
        printed_with_costs(task, EditCosts::LEVENSHTEIN, a, b)
    }

    fn printed_with_costs(task: Task, costs: EditCosts, a: &str, b: &str) -> PrintedSheet {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions::default()).unwrap();
        let (sheet, matrix) = MatrixSymbols::from_pair(task, &JobOptions { costs, ..JobOptions::DEFAULT }, &pair).unwrap();
        PrintedSheet { path: first(&matrix), board: MatrixBoard::new(sheet.clone()).unwrap(), sheet }
    }

    #[test]
    fn fill_gives_exactly_the_chosen_cells_and_hides_the_answer() {
        let last = MatrixCell { i: 6, j: 8 };
        let count =
            |fill: SheetFill| (0..7).flat_map(|i| (0..9).map(move |j| MatrixCell { i, j })).filter(|cell| fill.gives(*cell, last)).count();
        assert_eq!((count(SheetFill::Blank), count(SheetFill::Border), count(SheetFill::But(3))), (0, 15, 36));
        // No fill reveals the answer, wherever in the last row a search finds it.
        assert!((1..9).all(|j| SheetFill::ALL.iter().all(|fill| !fill.gives(MatrixCell { i: 6, j }, last))));
        for fill in SheetFill::ALL {
            assert_eq!(SheetFill::of(&fill.name()), fill);
        }
        assert_eq!(
            (SheetFill::of(""), SheetFill::of("1"), SheetFill::of("tea")),
            (SheetFill::Border, SheetFill::Border, SheetFill::Border)
        );
    }

    #[test]
    fn solution_states_the_answer_of_its_task() {
        let said = |task: Task, a: &str, b: &str| {
            let owner = Owner::new();
            let printed = printed(task, a, b);
            let html = owner.with(|| answers(&printed).into_view().to_html());
            let from = html.find("</table>").unwrap();
            html[from..].split(['<', '>']).find(|part| part.contains(':')).unwrap().split(" Arrows").next().unwrap().trim().to_owned()
        };
        assert_eq!(said(Task::EditDistance, "kitten", "sitting"), "Distance: 3. Number of optimal alignments: 1.");
        assert_eq!(said(Task::ApproximateSearch, "kitten", "sitting"), "Fewest edits: 2. Number of optimal alignments: 2.");
        assert_eq!(said(Task::Lcs, "kitten", "sitting"), "Length: 4. Number of optimal alignments: 4.");
        assert_eq!(said(Task::MatchCount, "ana", "bananas"), "Most equal symbols: 3. Offsets with this count: 2.");
        assert_eq!(said(Task::ExactSearch, "ana", "bananas"), "Occurrences: 2.");
        assert_eq!(said(Task::SequenceAlignment, "kitten", "sitting"), "Score: 1. Number of optimal alignments: 1.");
    }

    #[test]
    fn solution_contains_the_alignment() {
        let printed = printed(Task::EditDistance, "SUNDAY", "SATURDAY");
        let rows = three_rows(&printed.sheet, printed.path.as_ref().unwrap());
        let lines: Vec<&str> = rows.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!((lines[0].replace('–', ""), lines[2].replace('–', "")), ("SUNDAY".to_owned(), "SATURDAY".to_owned()));
        assert_eq!(lines[1].chars().filter(|sign| *sign != '|').count(), 3);
    }

    #[test]
    fn solution_with_an_exchange_has_both_of_its_columns() {
        let printed = printed_with_costs(Task::EditDistance, EditCosts::OSA, "xab", "xba");
        let rows = three_rows(&printed.sheet, printed.path.as_ref().unwrap());
        assert_eq!(rows, "xab\n|⇄⇄\nxba");
    }

    #[test]
    fn every_winning_input_has_an_arrow() {
        let heads = |costs: EditCosts, a: &str, b: &str, cell: MatrixCell| {
            arrows(&printed_with_costs(Task::EditDistance, costs, a, b).board.matrix, cell.into()).matches('M').count()
        };
        assert_eq!(heads(EditCosts::LEVENSHTEIN, "a", "b", MatrixCell::default()), 0);
        assert_eq!(heads(EditCosts::INDEL, "a", "b", MatrixCell { i: 1, j: 1 }), 6);
        let exchange = EditCosts { transpose: Some(2), ..EditCosts::INDEL };
        assert_eq!(heads(exchange, "ab", "ba", MatrixCell { i: 2, j: 2 }), 2 + 2 + 3);
    }

    #[test]
    fn layers_are_tables_below_their_letters() {
        let pair = Pair::parse(&b"GCTT"[..], &b"GCA"[..], &ReadingOptions::default()).unwrap();
        let options = PointsPreset::Gotoh.scoring();
        let options = JobOptions { equal: options.equal.into(), gap: options.numbers().gap, ..JobOptions::DEFAULT };
        let (sheet, matrix) = MatrixSymbols::from_pair(Task::SequenceAlignment, &options, &pair).unwrap();
        let printed = PrintedSheet { path: first(&matrix), board: MatrixBoard::new(sheet.clone()).unwrap(), sheet };
        let html = Owner::new().with(|| tables(&printed, None).to_html());
        assert_eq!((html.matches("<table").count(), html.matches("<td").count()), (3, 60));
        assert!(html.contains("ends in a gap in <var>b"), "{html}");
    }

    #[test]
    fn sheets_are_rendered_with_all_cells() {
        let printed = printed(Task::Lcs, "AB", "CAB");
        let html = Owner::new().with(|| table(&printed, MatrixLayer::Main, None).to_html());
        assert_eq!((html.matches("<td").count(), html.matches("class=\"on\"").count()), (12, 4));
        let blank = Owner::new().with(|| table(&printed, MatrixLayer::Main, Some(SheetFill::Blank)).to_html());
        // Only headings of rows and columns contain numbers.
        let cells: Vec<&str> = blank.split("<td").skip(1).filter_map(|cell| cell.split("</td>").next()).collect();
        assert!(!blank.contains("<svg") && cells.len() == 12 && cells.iter().all(|cell| !cell.contains(char::is_numeric)), "{blank}");
    }
}
