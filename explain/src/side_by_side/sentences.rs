//! The beginnings of sentences in a line, by [`later_sentences`]. An abbreviation that is taken for the end of a
//! sentence costs only an additional row.

/// Words after which a full stop does not end a sentence.
const ABBREVIATIONS: [&str; 16] = ["Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Jr", "Sr", "vs", "cf", "Nr", "Hr", "Fr", "Mme", "M", "Sra"];

/// Returns the byte position at which each sentence of `line` begins, except the first. Takes time linear in the length
/// of the line.
///
/// A sentence ends with `.`, `!`, `?`, `…`, `؟`, `।` or a full-width form of the first three, followed by closing
/// quotes and brackets. Unless the mark is full-width, white space must follow, and after the white space neither a
/// lower-case letter nor a digit nor a closing quote or bracket. A full stop after an abbreviation or an initial ends
/// no sentence.
pub(super) fn later_sentences(line: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if !is_end(letter) {
            continue;
        }
        let mut is_wide = is_wide_end(letter);
        while let Some((_, next)) = letters.next_if(|(_, next)| is_end(*next) || is_closing(*next)) {
            is_wide |= is_wide_end(next);
        }
        let mut has_space = false;
        while letters.next_if(|(_, next)| next.is_whitespace() && *next != '\n').is_some() {
            has_space = true;
        }
        let Some((next_at, next)) = letters.peek().copied().filter(|(_, next)| *next != '\n' && *next != '\r') else { continue };
        let begins = !next.is_lowercase() && !next.is_numeric() && !is_closing(next);
        if is_wide || has_space && begins && !(letter == '.' && is_abbreviated(&line[..at])) {
            starts.push(next_at);
        }
    }
    starts
}

fn is_end(letter: char) -> bool {
    matches!(letter, '.' | '!' | '?' | '…' | '؟' | '।') || is_wide_end(letter)
}

fn is_wide_end(letter: char) -> bool {
    matches!(letter, '。' | '！' | '？' | '．')
}

fn is_closing(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '」' | '』' | '）' | '】')
}

/// Returns whether a full stop after the text `before` belongs to a word: an abbreviation, or a single capital letter
/// like the initial of a first name.
fn is_abbreviated(before: &str) -> bool {
    let word = before.rsplit(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
    ABBREVIATIONS.contains(&word) || word.chars().count() == 1 && word.chars().all(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(line: &str) -> Vec<&str> {
        let starts = later_sentences(line);
        let ends = starts.iter().copied().chain([line.len()]);
        std::iter::once(0).chain(starts.iter().copied()).zip(ends).map(|(from, to)| &line[from..to]).collect()
    }

    #[test]
    fn sentences_end_at_their_punctuation() {
        assert_eq!(cut("One. Two!  Three? “Four.” Five… Six"), ["One. ", "Two!  ", "Three? ", "“Four.” ", "Five… ", "Six"]);
        assert_eq!(cut("今天。明天！好？」是。"), ["今天。", "明天！", "好？」", "是。"]);
        assert_eq!(cut("Hvað? Já. Ärger. Über"), ["Hvað? ", "Já. ", "Ärger. ", "Über"]);
        assert_eq!(cut("One.\r\n"), ["One.\r\n"]);
        assert_eq!(cut(""), [""]);
    }

    #[test]
    fn numbers_names_and_code_are_not_split() {
        for line in [
            "Version 1.2 of 3. 5 pieces",
            "Mr. Smith and J. R. Doe",
            "e.g. this, i.e. that",
            "a.b(c); x = y.z",
            "www.example.org/a?b=C",
            "...and so on",
        ] {
            assert_eq!(cut(line), [line]);
        }
    }
}
