//! Class codes: short words that lead to a stored result for a day ([`proposals`] makes them). Pupils type one from the
//! board.
//!
//! # Number of letters
//! A stranger may guess codes. One address has [`MAX_WRONG_TRIES`] wrong tries at the start and as many again in each
//! hour: at most 20 + 24 · 20 = 500 in the day of a code. With L live codes among S words, the chance that one of t
//! tries hits a live code is at most t · L / S.
//!
//! | letters | words S, at least | live codes L, at most | 500 · L / S |
//! |---|---|---|---|
//! | 6 | 470,000 | 9 | 0.96 % |
//! | 8 | 34,000,000 | 650 | 0.96 % |
//! | 10 | 2,400,000,000 | 45,000 | 0.94 % |
//!
//! A code has the fewest letters for which there is room. A try has one length, so that its chance is at most that of
//! the worst row. Each web process of a cluster counts tries for itself. Therefore L is a quarter in a cluster, which
//! allows up to four web processes.

use crate::id::Id;

/// Number of wrong codes that one address can try without waiting, and again in each hour.
pub const MAX_WRONG_TRIES: u64 = 20;

/// Lifetime of a code, in seconds.
pub const CODE_LIFETIME_SECONDS: u64 = 86_400;

/// Lengths of codes in letters, each with the maximum number of live codes of this length.
const CODE_LENGTHS: [(usize, u64); 3] = [(6, 9), (8, 650), (10, 45_000)];

/// Maximum number of web processes of a cluster for which the numbers of live codes are computed.
const MAX_WEB_PROCESSES: u64 = 4;

/// Consonants that neither look nor sound alike next to a vowel; `c`, `l`, `q`, `x` and `y` are left out.
const CONSONANTS: &[u8; 16] = b"bdfghjkmnprstvwz";
/// Vowels of class codes.
const VOWELS: &[u8; 5] = b"aeiou";

/// Parts of words that are offensive in a common language. Each has at most five letters.
const OFFENSIVE_PARTS: [&str; 62] = [
    "anus", "baka", "bite", "bobo", "bum", "dago", "dik", "dum", "fag", "fat", "fig", "foder", "fod", "fot", "fuk", "fut", "gas", "gub",
    "hebe", "heb", "hom", "hor", "hur", "jap", "jew", "kak", "kike", "kik", "kok", "kon", "kuk", "kum", "kur", "kus", "mer", "mong",
    "nazi", "neg", "nig", "nud", "pedo", "ped", "pen", "pip", "pis", "pop", "pup", "put", "rap", "sad", "sat", "sem", "sik", "suk", "tet",
    "tit", "tut", "vag", "wan", "wog", "wop", "ziz",
];

/// A new code that may be given to a link, and the maximum number of live codes of its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedCode {
    pub(crate) code: String,
    pub(crate) max_live: u64,
}

/// Returns random codes in the order in which to try them: a few of each length, the shortest first. In a cluster
/// (`is_site`), the maximum number of live codes of each length is a quarter.
pub fn proposals(is_site: bool) -> impl Iterator<Item = ProposedCode> {
    const TRIES: usize = 3;
    let share = if is_site { MAX_WEB_PROCESSES } else { 1 };
    CODE_LENGTHS
        .into_iter()
        .flat_map(move |(letters, max_live)| (0..TRIES).map(move |_| ProposedCode { code: random(letters), max_live: max_live / share }))
}

/// Parses a code as a user typed it. Ignores case, blanks and hyphens, and reads 0 and 1 as o and i. Returns `None` if
/// the result does not have the form of a code.
pub fn parse(typed: &str) -> Option<String> {
    let mut code = String::new();
    for letter in typed.chars().take(64) {
        match letter.to_ascii_lowercase() {
            ' ' | '-' => {}
            '0' => code.push('o'),
            '1' => code.push('i'),
            letter => code.push(letter),
        }
    }
    let is_length = CODE_LENGTHS.iter().any(|(letters, _)| *letters == code.len());
    let is_word =
        code.bytes().enumerate().all(|(at, letter)| if at % 2 == 0 { CONSONANTS.contains(&letter) } else { VOWELS.contains(&letter) });
    (is_length && is_word).then_some(code)
}

/// Draws a random word of `letters` letters without an offensive part. All allowed words are equally likely.
fn random(letters: usize) -> String {
    loop {
        let word = word(&Id::random().random_bits(), letters);
        if let Some(word) = word.filter(|word| is_decent(word)) {
            return word;
        }
    }
}

/// Makes a word of `letters` letters from random bytes. There are 80 syllables, and a byte selects one; bytes from 240
/// on are skipped, so that all syllables are equally likely. Returns `None` if there are too few bytes.
fn word(bytes: &[u8], letters: usize) -> Option<String> {
    let syllables = CONSONANTS.len() * VOWELS.len();
    let mut fair = bytes.iter().map(|byte| usize::from(*byte)).filter(|byte| *byte < 256 / syllables * syllables);
    let mut word = String::with_capacity(letters);
    for _ in 0..letters / 2 {
        let syllable = fair.next()? % syllables;
        word.push(char::from(CONSONANTS[syllable / VOWELS.len()]));
        word.push(char::from(VOWELS[syllable % VOWELS.len()]));
    }
    Some(word)
}

fn is_decent(word: &str) -> bool {
    OFFENSIVE_PARTS.iter().all(|part| !word.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts all words of six letters. An offensive part has at most five letters, so that it lies within a window of
    /// six letters that begins with a consonant. Hence few longer words are lost.
    #[test]
    fn chance_to_guess_a_live_code_in_its_day_is_below_one_percent() {
        assert!(OFFENSIVE_PARTS.iter().all(|part| part.len() <= 5));
        let syllables: Vec<String> =
            CONSONANTS.iter().flat_map(|c| VOWELS.iter().map(|v| [char::from(*c), char::from(*v)].iter().collect())).collect();
        let all = syllables.len() as u64;
        let mut decent = 0;
        for one in &syllables {
            for two in &syllables {
                let begin = format!("{one}{two}");
                decent += syllables.iter().filter(|three| is_decent(&format!("{begin}{three}"))).count() as u64;
            }
        }
        let offensive = all.pow(3) - decent;
        let tries = MAX_WRONG_TRIES + 24 * MAX_WRONG_TRIES;
        for (letters, max_live) in CODE_LENGTHS {
            let syllables = letters as u32 / 2;
            let words = all.pow(syllables) - u64::from(syllables - 2) * offensive * all.pow(syllables - 3);
            let chance = tries as f64 * max_live as f64 / words as f64;
            assert!(chance < 0.01, "{letters} letters: {chance} of {words}, {decent} decent words of six letters");
        }
    }

    #[test]
    fn codes_are_syllables_and_typing_errors_are_tolerated() {
        for ProposedCode { code, .. } in proposals(false).chain(proposals(true)) {
            assert_eq!(parse(&code).as_ref(), Some(&code));
            assert_eq!(parse(&format!(" {}-{} ", code[..2].to_uppercase(), &code[2..])).as_ref(), Some(&code));
            assert!(is_decent(&code));
        }
        assert_eq!(parse("m0r1ba").as_deref(), Some("moriba"));
        for wrong in ["", "mori", "moribax", "abcdef", "moribu/", "qaqaqa", "морибу", &"ba".repeat(40)] {
            assert_eq!(parse(wrong), None, "{wrong:?}");
        }
        assert_eq!(proposals(false).map(|proposed| proposed.code.len()).collect::<Vec<_>>(), [6, 6, 6, 8, 8, 8, 10, 10, 10]);
    }
}
