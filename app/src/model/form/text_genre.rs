//! Choice of the unit that suits the texts: words for prose, lines for code and data, else characters.
//!
//! [`suited`] looks only at the beginnings of both texts, so that long texts take no longer. It is called when texts
//! are pasted, opened, dropped or chosen, and never during typing. Words and lines are only chosen on clear signs,
//! because characters suit every text.

use kernels::job::{FastaMode, Task, Unit};
use kernels::strand::complement;

use crate::model::form::{FormState, FormText};
use crate::tr::t;

/// Number of leading bytes of a text that are examined.
const MAX_HEAD: usize = 8_000;

/// Minimum number of letters for a text to count as prose, unless it has several lines. Also the number of bytes from
/// which a text is not regarded as short.
const MIN_LETTERS: usize = 200;

/// Minimum number of lines for a text to count as code or data.
const MIN_LINES: usize = 3;

/// Minimum number of lines for a text to count as a list, or as a poem that is shorter than other prose.
const MIN_LIST: usize = 4;

/// Maximum length of a line of a list, in characters.
const MAX_ITEM: usize = 40;

/// The kind of texts that are better compared by words or lines than by characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextGenre {
    /// Sentences or verses.
    Prose,
    /// A program, or a document of tags.
    Code,
    /// A table, a log or settings.
    Data,
    /// Names or other items, one a line.
    List,
}

impl TextGenre {
    /// Returns the unit that suits this kind of text.
    pub fn unit(self) -> Unit {
        match self {
            Self::Prose => Unit::Words,
            Self::Code | Self::Data | Self::List => Unit::Lines,
        }
    }

    /// Formats the chosen unit and the reason for it as a sentence. Text between asterisks is bold.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Prose => t("*Compared by words*, because this is prose"),
            Self::Code => t("*Compared by lines*, because this is code"),
            Self::Data => t("*Compared by lines*, because this is data"),
            Self::List => t("*Compared by lines*, because this is a list"),
        }
    }
}

/// The kind of one text, judged by its beginning, or the reason to compare characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextNature {
    /// Too short to tell, or empty.
    Short,
    /// Text that is best compared by characters: sequences, numbers, and scripts without spaces.
    Characters,
    Of(TextGenre),
}

/// Returns the kind of texts for which the form should compare words or lines, or `None` if characters suit them.
///
/// Searches always compare characters, because a pattern may be a part of a word.
pub fn suited(form: &FormState) -> Option<TextGenre> {
    let is_whole = matches!(form.task, Task::EditDistance | Task::Lcs);
    if !is_whole || form.options.fasta == FastaMode::Always {
        return None;
    }
    match [&form.a, &form.b].map(nature) {
        [TextNature::Characters, _] | [_, TextNature::Characters] => None,
        [TextNature::Of(a), TextNature::Of(b)] => Some(if a == b || b != TextGenre::Prose { a } else { b }),
        [TextNature::Of(one), TextNature::Short] | [TextNature::Short, TextNature::Of(one)] => Some(one),
        [TextNature::Short, TextNature::Short] => None,
    }
}

fn nature(side: &FormText) -> TextNature {
    let text = side.head().trim_start_matches('\u{feff}');
    let head = &text[..text.floor_char_boundary(MAX_HEAD)];
    let lines: Vec<&str> = head.lines().filter(|line| !line.trim().is_empty()).collect();
    let is_long = head.len() >= MIN_LETTERS;
    if lines.is_empty() {
        return TextNature::Short;
    }
    if is_sequence(&lines) {
        return TextNature::Characters;
    }
    if lines.len() >= MIN_LINES {
        if is_data(head, &lines) {
            return TextNature::Of(TextGenre::Data);
        }
        let signs = lines.iter().filter(|line| is_code(line)).count();
        // A short text needs a higher share of such lines.
        let (share, of) = if is_long { (2, 5) } else { (3, 5) };
        if signs * of >= lines.len() * share {
            return TextNature::Of(TextGenre::Code);
        }
    }
    if lines.len() >= MIN_LIST && is_list(&lines) {
        return TextNature::Of(TextGenre::List);
    }
    if is_prose(head, &lines) {
        return TextNature::Of(TextGenre::Prose);
    }
    if is_long { TextNature::Characters } else { TextNature::Short }
}

/// Returns whether the lines are a file of sequences, or the letters of one.
fn is_sequence(lines: &[&str]) -> bool {
    let letters = || lines.iter().flat_map(|line| line.trim().bytes());
    let is_file = lines[0].starts_with(['>', ';', '@']) && lines.len() > 1 && lines[1].bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_dna = letters().all(|byte| complement(byte).is_some());
    // Proteins are broken into long lines. A shorter line in capitals may be a word.
    let is_protein = lines[0].trim().len() >= 20 && letters().all(|byte| byte.is_ascii_uppercase() || byte == b'*');
    is_file || is_dna || is_protein
}

/// Returns whether the lines are rows of a table, entries of a log, or settings.
fn is_data(head: &str, lines: &[&str]) -> bool {
    let most = |is_one: &dyn Fn(&str) -> bool| lines.iter().filter(|line| is_one(line.trim())).count() * 10 >= lines.len() * 8;
    let is_table = [',', ';', '\t', '|'].into_iter().any(|mark| is_table(lines, mark));
    let is_json =
        head.trim_start().starts_with(['{', '[']) && most(&|line| line.contains("\":") || line.starts_with(['{', '}', '[', ']', '"']));
    is_table || is_json || most(&has_time) || most(&is_setting)
}

/// Returns whether nearly all lines have the same number of cells, separated by the character `mark` without a space
/// after it.
fn is_table(lines: &[&str], mark: char) -> bool {
    let cells = |line: &str| line.trim_end_matches(['\r', ' ']).matches(mark).count();
    let first = cells(lines[0]);
    // The last line may be cut off.
    let whole = if lines.len() > MIN_LINES { &lines[..lines.len() - 1] } else { lines };
    let spaced: usize =
        whole.iter().map(|line| line.matches(&format!("{mark} ")).count() + usize::from(line.trim_end().ends_with(mark))).sum();
    let total: usize = whole.iter().map(|line| cells(line)).sum();
    let same = whole.iter().filter(|line| cells(line) == first).count();
    first > 0 && same * 10 >= whole.len() * 9 && (mark == '|' || mark == '\t' || spaced * 5 <= total)
}

/// Returns whether a line begins with a time, such as `2026-11-27`, `[27/Nov/2026` or `09:14:03`. Lines of logs do.
fn has_time(line: &str) -> bool {
    let line = line.trim_start_matches('[');
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    let part = rest.get(1..4).unwrap_or_default();
    matches!(digits, 2 | 4) && rest.starts_with(['-', ':', '/', '.']) && part.bytes().take(2).filter(u8::is_ascii_alphanumeric).count() == 2
}

/// Returns whether a line is `name = value`, `name: value`, a heading of settings or a remark.
fn is_setting(line: &str) -> bool {
    let line = line.trim_start_matches("- ");
    let name = line.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte)).count();
    let begins_small = line.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '_');
    let rest = line[name..].trim_start();
    let is_named = name > 0 && (rest.starts_with('=') && !rest.starts_with("==") || begins_small && rest.starts_with(':'));
    is_named || line.starts_with(['[', '#'])
}

/// Line ends that do not occur in prose or verse.
const CODE_ENDS: [&str; 17] = ["{", "}", "(", "[", "]", "};", ");", "},", "):", "),", "];", "*/", "/>", "()", "=>", "->", "\\"];

/// Line beginnings that do not occur in prose or verse, or seldom.
const CODE_BEGINS: [&str; 16] =
    ["//", "/*", "#include", "#define", "#!", "#[", "<?", "<!", "</", "}", "import ", "package ", "using ", "pub ", "echo ", "set -"];

/// Operators and calls that show code anywhere in a line.
const OPERATORS: [&str; 25] = [
    "==", "!=", "+=", "-=", "++", "->", "=>", "::", "&&", "||", "()", "</", "/>", ":=", " = ", "=\"", "[i", "${", "$(", "\"$", "; do",
    "; then", "self.", "this.", "+ 1",
];

/// First words of statements. They count only together with a punctuation mark of code.
const KEYWORDS: [&str; 26] = [
    "return", "if", "for", "while", "def", "fn", "func", "function", "let", "const", "var", "class", "public", "private", "static", "int",
    "void", "char", "double", "float", "bool", "long", "struct", "unsigned", "elif", "case",
];

/// Lines that show code if they consist of nothing else, and first words of queries.
const STATEMENTS: [&str; 10] = ["else", "else:", "end", "pass", "break;", "return", "begin", "fi", "done", "continue;"];
const QUERY: [&str; 12] = ["SELECT", "FROM", "WHERE", "GROUP", "ORDER", "INSERT", "UPDATE", "DELETE", "CREATE", "JOIN", "VALUES", "HAVING"];

/// Returns whether a line shows signs of code that prose and verse do not have.
fn is_code(line: &str) -> bool {
    let line = line.trim();
    let first = line.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
    let is_marked = line.contains(['(', '=', ')', '[', '<', '"', ';']);
    CODE_ENDS.iter().any(|end| line.ends_with(end))
        || CODE_BEGINS.iter().any(|begin| line.starts_with(begin)) && !line.ends_with('.')
        || OPERATORS.iter().any(|sign| line.contains(sign))
        || KEYWORDS.contains(&first) && is_marked
        || STATEMENTS.contains(&line)
        || QUERY.contains(&first)
        || line.starts_with('<') && line.ends_with('>')
        || line.ends_with(';') && (line.contains(['=', '(', '[']) || is_setting(line))
        || line.ends_with([')', ';']) && has_call(line)
}

/// Returns whether a line has a name followed directly by an opening parenthesis.
fn has_call(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.windows(2).any(|pair| pair[1] == b'(' && (pair[0].is_ascii_alphanumeric() || pair[0] == b'_'))
}

/// Returns whether the lines are short items without the punctuation of sentences.
fn is_list(lines: &[&str]) -> bool {
    let is_item = |line: &&str| {
        let line = line.trim();
        let letters = line.chars().count();
        let most = if line.chars().any(is_without_spaces) { 4 } else { MAX_ITEM };
        letters <= most && line.split_whitespace().count() <= 3 && !line.ends_with(ENDS)
    };
    lines.iter().filter(|line| is_item(line)).count() * 10 >= lines.len() * 9
}

/// Marks that end a sentence or a verse.
const ENDS: [char; 16] = ['.', ',', ';', ':', '!', '?', '…', '—', '。', '，', '；', '：', '！', '？', '、', '」'];

/// Returns whether a text consists of words with spaces between them.
fn is_prose(head: &str, lines: &[&str]) -> bool {
    let letters = head.chars().filter(|letter| letter.is_alphabetic()).count();
    let words: Vec<&str> = head.split_whitespace().collect();
    let is_verse = lines.len() >= MIN_LIST && words.len() >= 4 * lines.len();
    if letters < MIN_LETTERS && !is_verse {
        return false;
    }
    let without_spaces = head.chars().filter(|&letter| is_without_spaces(letter)).count();
    let is_word = |word: &&&str| {
        let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        !word.is_empty()
            && word.chars().all(|letter| letter.is_alphabetic() || "’'-‘\u{301}".contains(letter))
            && word.chars().count() <= 30
    };
    let real = words.iter().filter(is_word).count();
    without_spaces * 5 < letters && real * 4 >= words.len() * 3 && letters * 2 >= words.len() * 4
}

/// Returns whether a letter belongs to a script without spaces between words: Chinese, Japanese, Thai, Lao, Burmese,
/// Khmer.
fn is_without_spaces(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests;
