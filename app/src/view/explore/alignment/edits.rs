//! The visible edits in words with their positions ([`EditList`]). Screen readers read this list instead of the rows.

use std::sync::Arc;

use explain::difference_filter::EditKinds;
use kernels::alignment::EditKind;
use leptos::prelude::*;

use super::scroller::AlignmentScroller;
use crate::backend::document::composed;
use crate::model::alignment::rows::{AlignmentRow, RowPiece};
use crate::model::text::humanize::{grouped, position};
use crate::model::text::{invisible, lookalikes};
use crate::page::Page;
use crate::page::view_state::SettingLifetime;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::chip::chip;
use crate::view::widgets::more_button::more_button;
use crate::view::widgets::prose::{placed, prose};

/// Maximum number of edits that the list shows at first.
pub const INITIAL_LISTED_EDITS: usize = 12;

/// Number of further edits that the button below the list adds.
const MORE_EDITS_STEP: usize = 48;

/// Maximum number of letters quoted from the text of an edit.
const MAX_QUOTED_LETTERS: usize = 24;

/// An edit in the list of visible edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedEdit {
    pub edit: EditKind,
    /// First alignment column of the edit.
    pub column: u64,
    /// Position of the edit in `a` and in `b`.
    pub positions: (u64, u64),
    /// The deleted text, shortened for quotation.
    pub old: String,
    /// The inserted text, shortened for quotation.
    pub new: String,
    /// Names of the deleted and of the inserted text; `None` unless the text is one invisible symbol.
    pub names: [Option<String>; 2],
}

/// Returns the first `most` edits of `rows` with a kind in `kinds`, and the number of further edits.
pub fn listed_edits(rows: &[Arc<AlignmentRow>], kinds: EditKinds, most: usize) -> (Vec<ListedEdit>, usize) {
    let edits = runs(rows.iter().flat_map(|row| &row.pieces).filter(|piece| kinds.has(piece.edit)));
    let say = |piece: &RowPiece| ListedEdit {
        edit: piece.edit,
        column: piece.column,
        positions: (piece.a_at, piece.b_at),
        old: quoted(&piece.a),
        new: quoted(&piece.b),
        names: piece.names(),
    };
    (edits.iter().take(most).map(say).collect(), edits.len().saturating_sub(most))
}

/// Joins the pieces of an edit that continues in the next row, so that each edit is one piece.
fn runs<'p>(pieces: impl Iterator<Item = &'p RowPiece>) -> Vec<RowPiece> {
    let mut runs: Vec<RowPiece> = Vec::new();
    for piece in pieces {
        match runs.last_mut().filter(|last| last.edit == piece.edit && last.column + last.len == piece.column) {
            Some(last) => {
                last.len += piece.len;
                // Quotations are short, so that no more text is needed.
                if last.a.len().max(last.b.len()) <= MAX_QUOTED_LETTERS {
                    last.a.extend_from_slice(&piece.a);
                    last.b.extend_from_slice(&piece.b);
                }
            }
            None => runs.push(piece.clone()),
        }
    }
    runs
}

/// Draws an edit as a sentence, such as "substitute x by y". `old` and `new` are the drawn texts.
pub fn in_words(edit: EditKind, old: AnyView, new: AnyView) -> AnyView {
    let said = match edit {
        EditKind::Substitute => t("substitute {old} by {new}"),
        EditKind::Insert => t("insert {new}"),
        EditKind::Transpose => t("exchange {old} for {new}"),
        EditKind::Equal | EditKind::Delete => t("delete {old}"),
    };
    placed(said, vec![("old", old), ("new", new)]).into_any()
}

/// Draws `text` as a quotation. If it is an invisible symbol, `name` is the symbol's name and is shown after it.
pub fn code(text: String, name: Option<String>) -> AnyView {
    let name = name.map(|name| format!(" ({name})"));
    view! { <code>{text}</code> {name} }.into_any()
}

/// Draws a remark if `old` and `new` look alike but differ: in letters of another script, in the encoding of letters
/// or, if `names_invisible` is set, in invisible characters.
pub(super) fn note(old: &str, new: &str, names_invisible: bool) -> impl IntoView + use<> {
    let names = if names_invisible { invisible::differing_names(old, new) } else { Vec::new() };
    let is_stored_otherwise = old != new && !old.is_ascii() && composed(old) == composed(new);
    let says = lookalikes::named(old, new)
        .or_else(|| is_stored_otherwise.then(|| t("the same letters, stored differently (Unicode NFC and NFD)").to_owned()));
    let says = says.or_else(|| (!names.is_empty()).then(|| names.join(", ")));
    let page = expect_context::<Page>();
    let ignore = is_stored_otherwise.then(|| {
        view! {
            <button class="go" type="button" on:click=move |_| page.set_options(|options| options.normalize = true)>
                {t("Ignore this difference")}
            </button>
        }
    });
    says.map(|says| view! { <small class="why-differs">{says} " " {ignore}</small> })
}

pub(super) fn quoted(units: &[String]) -> String {
    let between = if units.iter().any(|unit| unit.chars().count() > 3) { " " } else { "" };
    let text = units.join(between);
    match text.char_indices().nth(MAX_QUOTED_LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Renders the list of the visible edits in words.
#[component]
pub fn EditList() -> impl IntoView {
    let scroller = expect_context::<AlignmentScroller>();
    let most = expect_context::<Page>().stored_setting(SettingLifetime::WithTexts, "edits", INITIAL_LISTED_EDITS, |most| most);
    // While the visitor scrolls, the list does not change.
    let found = Memo::new(move |before: Option<&(Vec<ListedEdit>, usize)>| match (scroller.rests.get(), before) {
        (false, Some(before)) => before.clone(),
        _ => listed_edits(&scroller.rows_in_view(), scroller.kinds.get(), most.get()),
    });
    let row = move |said: ListedEdit| {
        let column = said.column;
        let current = move || scroller.current.get().is_some_and(|current| current.column == column).then_some("true");
        let ListedEdit { edit, positions, old, new, names: [old_name, new_name], .. } = said;
        let why = note(&old, &new, false);
        view! {
            <tr aria-current=current>
                <td>{chip(edit)}</td>
                <td>
                    <button class="go" type="button" on:click=move |_| scroller.choose(column)>
                        {in_words(edit, code(old, old_name), code(new, new_name))}
                    </button>
                    {why}
                </td>
                <td class="r">{position(positions.0)}</td>
                <td class="r">{position(positions.1)}</td>
            </tr>
        }
    };
    let rows = view! {
        <For each=move || found.with(|(said, _)| said.clone()) key=|said| (said.column, said.edit, said.old.clone()) let:said>
            {row(said)}
        </For>
    };
    view! {
        {table(move || found.with(|(said, _)| said.is_empty()), [t("at *a*"), t("at *b*")], rows)}
        {more(Memo::new(move |_| found.with(|(said, rest)| said.len() + rest)), most)}
    }
}

/// Draws a button below the list that raises `most`, the maximum number of listed edits. `all` is the number of visible edits.
pub(super) fn more(all: Memo<usize>, most: RwSignal<usize>) -> impl IntoView {
    let says = move || {
        let rest = all.get().saturating_sub(most.get());
        tr!("Show {n} more edits in view", n = grouped(rest.min(MORE_EDITS_STEP) as u64))
    };
    more_button(most, MORE_EDITS_STEP, move || all.get(), says)
}

/// Draws a table of edits with the body `rows`: kind, words, and positions below the headings `at_a` and `at_b`. The
/// table is hidden while `is_empty` returns true.
pub(super) fn table(
    is_empty: impl Fn() -> bool + Send + Sync + 'static,
    [at_a, at_b]: [&'static str; 2],
    rows: impl IntoView + 'static,
) -> impl IntoView {
    view! {
        <table class="figures" hidden=is_empty>
            <caption class="vh">{t("Edits in view")}</caption>
            <thead>
                <tr>
                    <th>
                        <span class="vh">{t("Kind")}</span>
                    </th>
                    <th>{t("Description")}</th>
                    <th class="r">{prose(at_a)}</th>
                    <th class="r">{prose(at_b)}</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
}

#[cfg(test)]
mod tests {
    use explain::window::AlignmentWindow;
    use kernels::text::{Pair, ReadingOptions};

    use super::*;

    #[test]
    fn edits_are_listed_in_words_with_positions() {
        let pair = Pair::parse(&b"kitten"[..], &b"sitting"[..], &ReadingOptions::default()).unwrap();
        let window = AlignmentWindow::new(&"1X3=1X1=1I".parse().unwrap(), &pair, 0, 100);
        let rows: Vec<_> = crate::model::alignment::rows::rows(&window, 80).into_iter().map(Arc::new).collect();
        assert_eq!(listed_edits(&rows, "I".parse().unwrap(), INITIAL_LISTED_EDITS).0.len(), 1);
        let (first, rest) = listed_edits(&rows, EditKinds::ALL, 2);
        assert_eq!((first.len(), rest), (2, 1));
        let (said, rest) = listed_edits(&rows, EditKinds::ALL, INITIAL_LISTED_EDITS);
        assert_eq!(rest, 0);
        let told: Vec<_> = said.iter().map(|said| (said.edit, said.positions, said.old.as_str(), said.new.as_str())).collect();
        assert_eq!(
            told,
            [(EditKind::Substitute, (0, 0), "k", "s"), (EditKind::Substitute, (4, 4), "e", "i"), (EditKind::Insert, (6, 6), "", "g")]
        );
    }

    #[test]
    fn invisible_characters_are_called_by_name() {
        let reading = ReadingOptions { unit: kernels::text::Unit::Chars, ..ReadingOptions::default() };
        let pair = Pair::parse("a\tb".as_bytes(), "a\u{202e}b\u{200d}".as_bytes(), &reading).unwrap();
        let window = AlignmentWindow::new(&"1=1X1=1I".parse().unwrap(), &pair, 0, 100);
        let rows: Vec<_> = crate::model::alignment::rows::rows(&window, 80).into_iter().map(Arc::new).collect();
        let (said, _) = listed_edits(&rows, EditKinds::ALL, INITIAL_LISTED_EDITS);
        let told: Vec<_> = said.iter().map(|said| (said.old.as_str(), said.new.as_str(), said.names.clone())).collect();
        let named = |name: &str| Some(name.to_owned());
        let expected =
            [("→", "RLO", [named("tab"), named("U+202E right-to-left override")]), ("", "ZWJ", [None, named("zero-width joiner")])];
        assert_eq!(told, expected);
    }

    #[test]
    fn long_edits_are_truncated() {
        let letters = vec!["é".to_owned(); 100];
        assert_eq!(quoted(&letters).chars().count(), MAX_QUOTED_LETTERS + 1);
        assert_eq!(quoted(&["hello".into(), "you".into()]), "hello you");
    }
}
