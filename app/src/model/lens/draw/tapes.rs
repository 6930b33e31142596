//! Drawings of tapes (rows of cells), with their rulers and arrows.

use std::fmt::Write as _;

use explain::lens::frame::{CellTape, TapeArrow, TapeTable};

use super::{ARCH, CELL, COLUMN_GAP, GAP, MIN_SPLIT_ROWS, PanelPen, sentence_parts};

impl PanelPen<'_> {
    /// Returns the x coordinate of the left edge of cell number `at` of a tape (a row of cells) that begins at `left`.
    fn cell_left(tape: &CellTape, left: f64, at: usize) -> f64 {
        let gaps = at.checked_div(tape.group).unwrap_or(0);
        left + CELL * (tape.offset + at) as f64 + GAP * gaps as f64
    }

    /// Draws a tape (a row of cells) from the point (`left`, `top`) on. The name of the tape ends before the x
    /// coordinate `names`.
    pub(super) fn tape(&mut self, tape: &CellTape, left: f64, top: f64, names: f64) {
        let name = sentence_parts::label(&tape.label, self.watched);
        let class = if tape.label.is_code { "q m end" } else { "q end" };
        if self.letter_height("q") < CELL {
            self.text(names - 8.0, self.base("q", top + CELL / 2.0), class, &name);
        }
        for (at, entry) in tape.cells.iter().enumerate() {
            self.cell(entry, [Self::cell_left(tape, left, at), top, CELL, CELL]);
        }
        for (group, value) in tape.values.iter().enumerate().filter(|_| tape.group > 0) {
            let (x, right) = (Self::cell_left(tape, left, group * tape.group), Self::cell_left(tape, left, (group + 1) * tape.group) - GAP);
            self.text((x + right) / 2.0, top + CELL + self.letter_height("t") + 1.0, "t mid", &value.to_string());
        }
        for (border, carry) in tape.carries.iter().enumerate().filter(|_| tape.group > 0) {
            let x = Self::cell_left(tape, left, (border + 1) * tape.group) - GAP / 2.0;
            self.text(x, top - 4.0, if *carry { "t mid strong p" } else { "t mid" }, if *carry { "1" } else { "0" });
        }
        if let Some(cursor) = tape.cursor {
            let x = Self::cell_left(tape, left, cursor) + CELL / 2.0;
            let _ = write!(self.out, r#"<path class="tip" d="M{x:.1} {:.1}l-6 9h12z"/>"#, top + CELL + 2.0);
            self.reach(x + CELL / 2.0, top + CELL + 11.0);
        }
        if let Some(note) = &tape.note {
            let right = Self::cell_left(tape, left, tape.cells.len());
            self.note(note, right + 10.0, top + CELL / 2.0);
        }
    }

    pub(super) fn tapes(&mut self, tapes: &TapeTable) {
        let (top, columns) = (self.head_height(), self.setting.columns);
        let names = self.widest(tapes.tapes.iter().map(|tape| &tape.label));
        let left = if names > 0.0 { names + 12.0 } else { 0.0 };
        let rows: Vec<usize> = (0..tapes.tapes.len()).collect();
        if columns < 2 || rows.len() < MIN_SPLIT_ROWS || !tapes.arrows.is_empty() {
            let tops = self.rows(tapes, rows, left, [left, top]);
            for arrow in &tapes.arrows {
                self.tape_arrow(arrow, tapes, &tops, left);
            }
            return;
        }
        let mut x = left;
        for rows in in_columns(tapes, columns) {
            self.rows(tapes, rows, left, [x, top]);
            x = self.right + COLUMN_GAP + left;
        }
    }

    /// Draws the tapes with the numbers `rows` below each other from the point `[left, top]` on. Their names end before
    /// the x coordinate `names`. Returns the y coordinate of the upper edge of each tape.
    fn rows(&mut self, tapes: &TapeTable, rows: Vec<usize>, names: f64, [left, top]: [f64; 2]) -> Vec<f64> {
        let mut y = top;
        if let Some(first) = tapes.numbered {
            // Tapes below the first one may be longer, but have no positions after its end.
            let numbered = tapes.tapes.first().map_or(0, |first| first.offset + first.cells.len());
            let last = (numbered + first as usize).saturating_sub(1).to_string();
            let every = if numbered > 12 || self.width("t", &last) > CELL - 4.0 { 5 } else { 1 };
            for column in (0..numbered).filter(|column| (column + first as usize).is_multiple_of(every)) {
                let number = (column + first as usize).to_string();
                self.text(left + CELL * (column as f64 + 0.5), y + self.letter_height("t") - 2.0, "t mid", &number);
            }
            y += self.letter_height("t") + 6.0;
        }
        // Leaves room for one more column, for notes after the last cell.
        self.reach(left + CELL * tapes.columns as f64, y);
        let mut tops = Vec::new();
        for tape in rows.into_iter().map(|row| &tapes.tapes[row]) {
            if tape.carries.iter().any(|_| true) {
                y += self.letter_height("t");
            }
            tops.push(y);
            let shift = if tape.is_on_lines { -CELL / 2.0 } else { 0.0 };
            self.tape(tape, left + shift, y, left);
            let below = match (tape.has_arrows, tape.cursor) {
                (true, _) => ARCH + self.letter_height("q") + 8.0,
                (false, Some(_)) => 16.0,
                (false, None) => 8.0,
            };
            y += CELL + below + if tape.values.is_empty() { 0.0 } else { self.letter_height("t") + 2.0 };
        }
        self.reach(left - names, y - 8.0);
        tops
    }

    fn tape_arrow(&mut self, arrow: &TapeArrow, tapes: &TapeTable, tops: &[f64], left: f64) {
        let place = |(tape, cell): (usize, usize)| {
            let row = tapes.tapes.get(tape)?;
            Some((Self::cell_left(row, left, cell) + CELL / 2.0, *tops.get(tape)?))
        };
        let (Some((x, y)), Some((to_x, to_y))) = (place(arrow.from), place(arrow.to)) else { return };
        if arrow.from.0 == arrow.to.0 {
            // An arrow within a tape goes below it.
            let low = y + CELL + ARCH;
            let _ = write!(
                self.out,
                r#"<path class="go" d="M{x:.1} {:.1}C{x:.1} {low:.1} {to_x:.1} {low:.1} {to_x:.1} {:.1}"/>"#,
                y + CELL + 2.0,
                y + CELL + 10.0
            );
            let _ = write!(self.out, r#"<path class="tip" d="M{to_x:.1} {:.1}l-5 9h10z"/>"#, y + CELL + 2.0);
            self.reach(x.max(to_x), low);
            if let Some(note) = &arrow.note {
                let text = sentence_parts::plain(note, self.watched);
                self.text((x + to_x) / 2.0, low + self.letter_height("q") - 3.0, "q p strong mid", &text);
            }
        } else {
            self.arrow("go", [x, y + CELL + 1.0], [to_x, to_y - 1.0]);
            if let Some(note) = &arrow.note {
                self.note(note, x.max(to_x) + 8.0, (y + CELL + to_y) / 2.0);
            }
        }
    }
}

/// Splits the numbers of the tapes into `columns` columns: whole groups, or else equal parts of the tapes below the
/// first one.
fn in_columns(tapes: &TapeTable, columns: usize) -> Vec<Vec<usize>> {
    let rows = tapes.tapes.len();
    let ends: Vec<usize> = (0..rows).filter(|row| tapes.tapes[*row].ends_group).map(|row| row + 1).collect();
    if ends.is_empty() {
        let below: Vec<usize> = (1..rows).collect();
        return below.chunks((rows - 1).div_ceil(columns)).map(|rows| [&[0], rows].concat()).collect();
    }
    let mut from = 0;
    let column = |ends: &[usize]| (std::mem::replace(&mut from, ends[ends.len() - 1])..ends[ends.len() - 1]).collect();
    ends.chunks(ends.len().div_ceil(columns)).map(column).collect()
}

#[cfg(test)]
mod tests {
    use explain::lens::frame::{LensPanel, LensSentence, PanelBody, PanelCell, PanelPosition, SentenceValue, ShownValue};

    use super::super::{LensInput, PanelSettings, lens_keys};
    use super::*;

    /// Texts of a drawing with their positions, and the positions of its cells.
    type Drawn = (Vec<(f64, f64, String)>, Vec<(f64, f64)>);

    fn drawn(body: TapeTable) -> Drawn {
        let letters: Vec<String> = "abacabacabadabacababa".chars().map(String::from).collect();
        let watched = LensInput { a: letters.clone(), b: letters, ..LensInput::default() };
        let panel = LensPanel::new("text", PanelPosition::Main, PanelBody::Tapes(body));
        let body = super::super::panel(&panel, &watched, PanelSettings::default()).body;
        let number = |part: &str, name: &str| -> f64 {
            let from = part.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
            part[from..].split('"').next().unwrap().parse().unwrap()
        };
        let text =
            |part: &str| (number(part, "x"), number(part, "y"), part[part.find('>').unwrap() + 1..].split('<').next().unwrap().to_owned());
        let texts = body.split("<text").skip(1).map(text).collect();
        let cells = body.split("<rect").skip(1).map(|part| (number(part, "x"), number(part, "y"))).collect();
        (texts, cells)
    }

    #[test]
    fn note_of_an_arrow_is_above_the_next_row() {
        let row = |has_arrows| CellTape { cells: vec![PanelCell::number(7_usize); 6], has_arrows, ..CellTape::default() };
        let note = LensSentence::new("sliding.fall-back", [("from", SentenceValue::number(1)), ("to", SentenceValue::number(0))]);
        let arrow = TapeArrow { from: (0, 4), to: (0, 1), note: Some(note) };
        let (texts, cells) =
            drawn(TapeTable { columns: 6, tapes: vec![row(true), row(false)], arrows: vec![arrow], ..TapeTable::default() });
        let (_, base, _) = texts.iter().find(|(.., text)| text != "7" && text != lens_keys::label("text")).unwrap();
        let next = cells.iter().map(|(_, y)| *y).fold(0.0, f64::max);
        assert!(next > base + 4.0, "{next} {base}");
        // The next tape has the same position in steps without an arrow.
        let (_, without) = drawn(TapeTable { columns: 6, tapes: vec![row(true), row(false)], ..TapeTable::default() });
        assert_eq!(without.iter().map(|(_, y)| *y).fold(0.0, f64::max), next);
    }

    #[test]
    fn ruler_ends_with_its_text() {
        let text = CellTape { cells: (0..21).map(|at| PanelCell::new(ShownValue::B(at))).collect(), ..CellTape::default() };
        let pattern = CellTape { offset: 19, cells: (0..6).map(|at| PanelCell::new(ShownValue::A(at))).collect(), ..CellTape::default() };
        let (texts, _) = drawn(TapeTable { columns: 27, numbered: Some(0), tapes: vec![text, pattern], ..TapeTable::default() });
        let numbers: Vec<u32> = texts.iter().filter_map(|(.., text)| text.parse().ok()).collect();
        assert_eq!(numbers, [0, 5, 10, 15, 20]);
    }

    #[test]
    fn grouped_rows_stay_together_when_a_table_is_split() {
        let tapes = |ends: &[bool]| {
            let tape = |ends_group: &bool| CellTape { ends_group: *ends_group, ..CellTape::default() };
            TapeTable { tapes: ends.iter().map(tape).collect(), ..TapeTable::default() }
        };
        let streams: Vec<bool> = (0..12).map(|row| row % 3 == 2).collect();
        assert_eq!(in_columns(&tapes(&streams), 2), [(0..6).collect::<Vec<_>>(), (6..12).collect()]);
        assert_eq!(in_columns(&tapes(&streams[..9]), 2), [(0..6).collect::<Vec<_>>(), (6..9).collect()]);
        assert_eq!(in_columns(&tapes(&[false; 6]), 2), [vec![0, 1, 2, 3], vec![0, 4, 5]]);
    }
}
