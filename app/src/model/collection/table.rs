//! A column of a table as the texts of a collection: [`rows`], [`ColumnChoice`].

use std::borrow::Cow;

use kernels::collection::part_name;
use kernels::reading::mark_len;

/// Bytes that may separate the cells of a row.
const SEPARATORS: [u8; 4] = *b",;\t|";

/// The column of a table that has the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnChoice {
    pub text: usize,
    /// Column with the names of the texts.
    pub name: Option<usize>,
    /// Whether the first row names the columns.
    pub has_headings: bool,
}

/// Reads a table of comma-separated values (RFC 4180), with the separator that occurs most often in the first line. Rows
/// may have different lengths. A text that is neither UTF-8 nor marked as UTF-16 has no rows.
pub fn rows(bytes: &[u8]) -> Vec<Vec<String>> {
    let Some(text) = decoded(bytes) else { return Vec::new() };
    let first = text.as_bytes().split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let count = |separator: u8| first.iter().filter(|byte| **byte == separator).count();
    // Of equal counts the last one is the largest, so that the comma comes last.
    let separator = SEPARATORS.into_iter().rev().max_by_key(|separator| count(*separator)).unwrap_or(b',');
    let text = without_marks(&text, separator);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(separator).from_reader(text.as_bytes());
    // Reading from memory does not fail, and rows of any length are accepted.
    let rows = reader.byte_records().filter_map(Result::ok);
    rows.map(|row| row.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect()).collect()
}

/// Removes the byte order marks at the starts of rows, which a table has that was joined from files. A quote after a mark would not
/// begin a cell. Marks within a quoted cell stay. Only a quote at the start of a cell begins a quoted cell.
fn without_marks(text: &str, separator: u8) -> Cow<'_, str> {
    if !text.contains('\u{feff}') {
        return text.into();
    }
    let mut rows = String::with_capacity(text.len());
    // A quote may begin a quoted cell at the start of a cell. A quote right after the end of a quoted cell continues this cell.
    let (mut is_quoted, mut may_begin) = (false, true);
    for line in text.split_inclusive(['\n', '\r']) {
        let line = if is_quoted { line } else { &line[mark_len(line.as_bytes())..] };
        for byte in line.bytes() {
            (is_quoted, may_begin) = match byte {
                b'"' if is_quoted => (false, true),
                b'"' if may_begin => (true, false),
                _ if is_quoted => (true, false),
                _ => (false, byte == separator || matches!(byte, b'\n' | b'\r')),
            };
        }
        rows.push_str(line);
    }
    rows.into()
}

/// Decodes UTF-8, or UTF-16 with a byte order mark. Returns `None` if the bytes are neither.
pub fn decoded(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let utf16 = |units: &[u8], number: fn([u8; 2]) -> u16| {
        let (units, rest) = units.as_chunks();
        let numbers: Vec<u16> = units.iter().map(|unit| number(*unit)).collect();
        String::from_utf16(&numbers).ok().filter(|_| rest.is_empty()).map(Cow::Owned)
    };
    match bytes {
        [0xff, 0xfe, units @ ..] => utf16(units, u16::from_le_bytes),
        [0xfe, 0xff, units @ ..] => utf16(units, u16::from_be_bytes),
        text => std::str::from_utf8(text).ok().map(Cow::Borrowed),
    }
}

impl ColumnChoice {
    /// Chooses the columns of a table: texts from the longest one, and names from the first one that is named so. Returns
    /// `None` if the rows are no table of several columns.
    pub fn guess(rows: &[Vec<String>]) -> Option<Self> {
        let (first, rest) = rows.split_first().filter(|(first, rest)| first.len() > 1 && !rest.is_empty())?;
        if rest.iter().any(|row| row.len() > 1 && row.len() != first.len()) {
            return None;
        }
        let letters = |column: usize| rest.iter().filter_map(|row| row.get(column)).map(String::len).sum::<usize>();
        let text = (0..first.len()).rev().max_by_key(|column| letters(*column))?;
        let is_heading = |cell: &String| !cell.trim().is_empty() && cell.trim().parse::<f64>().is_err();
        let has_headings = first.iter().all(is_heading);
        let is_name = |cell: &str| ["name", "author", "student", "id", "key", "file"].iter().any(|word| cell.to_lowercase().contains(word));
        let names = has_headings.then(|| (0..first.len()).find(|column| *column != text && is_name(&first[*column]))).flatten();
        Some(Self { text, name: names, has_headings })
    }

    /// Returns the names and the cells of the column, in the order of the rows. A missing cell is an empty text.
    pub fn texts(self, rows: &[Vec<String>]) -> Vec<(String, &str)> {
        let rows = rows.iter().skip(usize::from(self.has_headings));
        rows.map(|row| {
            let cell = row.get(self.text).map_or("", String::as_str);
            let name = match self.name {
                Some(column) => row.get(column).and_then(|name| name.trim().lines().next()).unwrap_or_default().to_owned(),
                None => part_name(cell.as_bytes()).into_owned(),
            };
            (name, cell)
        })
        .collect()
    }

    /// Names the columns: by the first row, or by letters as spreadsheets do.
    pub fn headings(self, rows: &[Vec<String>]) -> Vec<String> {
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        let heading = |column: usize| {
            let own = rows.first().filter(|_| self.has_headings).and_then(|row| row.get(column)).map(|cell| cell.trim());
            own.filter(|cell| !cell.is_empty()).map_or_else(|| letter(column), |cell| part_name(cell.as_bytes()).into_owned())
        };
        (0..width).map(heading).collect()
    }
}

/// Returns the letter of a column: A to Z, then AA.
fn letter(column: usize) -> String {
    let before = if column >= 26 { letter(column / 26 - 1) } else { String::new() };
    format!("{before}{}", char::from(b'A' + (column % 26) as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_in_utf_16_are_decoded_and_other_bytes_have_no_rows() {
        let rows_of = |text: &str| rows(text.as_bytes());
        let text = "name;text\nA;für\n";
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(rows(&[&b"\xff\xfe"[..], &units].concat()), rows_of(text));
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(rows(&[&b"\xfe\xff"[..], &units].concat()), rows_of(text));
        assert_eq!(rows(b"name;text\nA;f\xfcr\n"), Vec::<Vec<String>>::new());
        assert_eq!(ColumnChoice::guess(&[]), None);
    }

    #[test]
    fn quoted_cells_and_other_separators_are_read() {
        assert_eq!(rows(b"a,b\r\n\"x, \"\"y\"\"\nz\",2\r\n"), [["a", "b"], ["x, \"y\"\nz", "2"]]);
        assert_eq!(rows(b"\xef\xbb\xbfa;b;c\n1,5;2;3"), [["a", "b", "c"], ["1,5", "2", "3"]]);
        assert_eq!(rows(b"a\tb\n1\t2"), [["a", "b"], ["1", "2"]]);
        assert_eq!(rows(b"a,b\n1"), [vec!["a", "b"], vec!["1"]]);
        assert_eq!(rows(b""), Vec::<Vec<String>>::new());
    }

    #[test]
    fn byte_order_marks_at_the_starts_of_rows_are_no_text() {
        let joined = rows("\u{feff}a,b\n\u{feff}\"x, y\",2\r\n\u{feff}\u{feff}z,\"1\n\u{feff}2\"\n".as_bytes());
        assert_eq!(joined, [["a", "b"], ["x, y", "2"], ["z", "1\n\u{feff}2"]]);
    }

    #[test]
    fn quotes_within_a_cell_begin_no_quoted_cell() {
        let joined = rows("a,b\nscreen of 5\",1\n\u{feff}\"y, z\",2\n\u{feff}\"\"\"q\"\" \n\u{feff}r\",3\n\u{feff}\"s\",4".as_bytes());
        assert_eq!(joined, [["a", "b"], ["screen of 5\"", "1"], ["y, z", "2"], ["\"q\" \n\u{feff}r", "3"], ["s", "4"]]);
    }

    #[test]
    fn names_of_a_column_are_whole_and_cells_that_name_themselves_are_brief() {
        let long = "ä".repeat(300);
        let table = [vec![long.clone(), long.clone()]];
        let choice = |name| ColumnChoice { text: 1, name, has_headings: false };
        assert_eq!(choice(Some(0)).texts(&table)[0].0, long);
        let brief = format!("{}…", "ä".repeat(60));
        assert_eq!(choice(None).texts(&table)[0].0, brief);
        assert_eq!(ColumnChoice { has_headings: true, ..choice(None) }.headings(&table), [brief.clone(), brief]);
    }

    #[test]
    fn longest_column_has_the_texts() {
        let table = rows("Student;Note;Answer\nMia;1;The cat sat on the mat.\nTom;2;A dog sat on the mat.\nSaga;3\n".as_bytes());
        assert_eq!(ColumnChoice::guess(&table), None, "a row has another length");
        let table = rows("Student;Note;Answer\nMia;1;The cat sat on the mat.\nTom;2;A dog sat on the mat.\nSaga\n".as_bytes());
        let choice = ColumnChoice::guess(&table).unwrap();
        assert_eq!(choice, ColumnChoice { text: 2, name: Some(0), has_headings: true });
        let texts = choice.texts(&table);
        let shown: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        assert_eq!(shown, [("Mia", "The cat sat on the mat."), ("Tom", "A dog sat on the mat."), ("Saga", "")]);
        assert_eq!(choice.headings(&table), ["Student", "Note", "Answer"]);
        let plain = ColumnChoice { text: 0, name: None, has_headings: false };
        assert_eq!((plain.texts(&table).len(), plain.headings(&table)), (4, vec!["A".into(), "B".into(), "C".into()]));
        assert_eq!(plain.texts(&table)[1].0, "Mia");
        let numbers = rows(b"1,abc\n2,abd");
        assert_eq!(ColumnChoice::guess(&numbers), Some(ColumnChoice { text: 1, name: None, has_headings: false }));
        assert_eq!(ColumnChoice::guess(&rows(b"one line\nanother line")), None);
        assert_eq!(letter(27), "AB");
    }
}
