use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::*;

#[test]
fn values_are_inserted_by_name() {
    let values = [("n", "3".to_owned()), ("all", "{n}".to_owned())];
    assert_eq!(fill("{n} of {all}: {other} {", &values), "3 of {n}: {other} {");
    assert_eq!(crate::tr!("{n} of {all}", n = 3, all = "five"), "3 of five");
}

#[test]
fn language_is_chosen_from_the_accept_language_header() {
    assert_eq!(Language::of_header("pt-BR,de-AT;q=0.8,en;q=0.5"), Some(Language::German));
    assert_eq!(Language::of_header("fr-CA,fr;q=0.9,en;q=0.5"), Some(Language::French));
    assert_eq!(Language::of_header("es-419, en"), Some(Language::Spanish));
    assert_eq!(Language::of_header("zh-Hans-CN"), Some(Language::Chinese));
    assert_eq!(Language::of_header("*"), None);
    assert_eq!(Language::of_header(""), None);
}

/// Returns whether a source file belongs to the views that show methods step by step. The translations of these views
/// are fetched together with the views.
fn is_of_methods(path: &Path) -> bool {
    let path = path.to_string_lossy();
    ["/model/lens/", "/model/lens.rs", "/view/explore/lens_view/", "/view/explore/lens_view.rs"].iter().any(|part| path.contains(part))
}

/// Collects the translation keys that the sources use. The sources are those of the views of methods if `of_methods` is
/// set, otherwise all others. Keys are the first literal of `t(…)` and `tr!(…)`, and `# many` of `count(…, "one",
/// "many")`.
fn used(of_methods: bool) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && !path.ends_with("tr/tests.rs")
                && is_of_methods(&path) == of_methods
            {
                let source = fs::read_to_string(&path).unwrap();
                let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                let code: String =
                    source.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line, "\n"]).collect();
                keys.extend(after(&code, "t(").chain(after(&code, "tr!(")));
                keys.extend(counted(&code));
            }
        }
    }
    keys
}

/// Collects the string literals that follow `call` in `code`, if `call` is a separate word.
fn after<'s>(code: &'s str, call: &'s str) -> impl Iterator<Item = String> + 's {
    code.match_indices(call).filter_map(move |(at, _)| {
        let before = code[..at].chars().next_back();
        let apart = before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_' && letter != '.');
        literal(code[at + call.len()..].trim_start()).filter(|_| apart).map(|(text, _)| text)
    })
}

fn counted(code: &str) -> impl Iterator<Item = String> + '_ {
    code.match_indices("count(").filter_map(|(at, _)| {
        let inside = &code[at..code[at..].find(");").map_or(code.len(), |end| at + end + 1)];
        let (_, one) = inside.split_once('"')?;
        let (_, rest) = literal(&inside[inside.len() - one.len() - 1..])?;
        let (many, _) = literal(rest.trim_start().strip_prefix(',')?.trim_start())?;
        Some(format!("# {many}"))
    })
}

/// Splits source code into its leading string literal and the rest. Returns `None` if it does not begin with a literal.
fn literal(code: &str) -> Option<(String, &str)> {
    let mut letters = code.strip_prefix('"')?.char_indices();
    let mut text = String::new();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((text, &code[at + 2..])),
            '\\' => match letters.next()?.1 {
                'n' => text.push('\n'),
                'u' => {
                    let hex: String = letters.by_ref().map(|(_, letter)| letter).skip(1).take_while(|&letter| letter != '}').collect();
                    text.push(char::from_u32(u32::from_str_radix(&hex, 16).ok()?)?);
                }
                '\n' => {
                    let rest = letters.as_str().trim_start();
                    letters = code[1..].char_indices();
                    let skip = code.len() - 1 - rest.len();
                    while letters.clone().next().is_some_and(|(at, _)| at < skip) {
                        letters.next();
                    }
                }
                other => text.push(other),
            },
            letter => text.push(letter),
        }
    }
    None
}

fn names(sentence: &str) -> BTreeSet<&str> {
    sentence.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name).collect()
}

fn written(language: &str) -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("words/{language}.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Every catalogue has every text, with the same placeholders, and no unused text. The catalogues of methods have the
/// texts that the main ones lack.
#[test]
fn catalogues_are_complete() {
    let first = used(false);
    assert!(first.contains("Skip to content"), "the sources were not read");
    let of_methods: BTreeSet<String> = used(true).difference(&first).cloned().collect();
    assert!(of_methods.contains("Two rows"), "the sources were not read");
    let mut wrong = Vec::new();
    for language in Language::ALL.into_iter().filter(|language| *language != Language::English).map(Language::tag) {
        for (name, used) in [(language.to_owned(), &first), (format!("watch/{language}"), &of_methods)] {
            let texts = written(&name);
            for key in used {
                match texts.get(key) {
                    None => wrong.push(format!("{name} lacks {key:?}")),
                    Some(text) if names(key) != names(text) => wrong.push(format!("{name} has other names in {text:?} than in {key:?}")),
                    Some(text) if key.starts_with("# ") && !text.split('|').all(|form| form.contains('#')) => {
                        wrong.push(format!("{name} has no number in {text:?}"));
                    }
                    Some(_) => {}
                }
            }
            wrong.extend(texts.keys().filter(|key| !used.contains(*key)).map(|key| format!("{name} has {key:?}, which nobody says")));
        }
    }
    assert!(wrong.is_empty(), "{} texts:\n{}", wrong.len(), wrong.join("\n"));
}

/// In French a non-breaking space stands before `:`, `;`, `?`, `!` and inside quotes.
#[test]
fn french_marks_have_non_breaking_spaces() {
    let of_samples = ["don’t stop!"];
    for (key, text) in written("fr").into_iter().chain(written("watch/fr")) {
        // Braces of the value that a sentence is about contain a `!`.
        let text = of_samples.iter().fold(text.replace("!}", "}"), |text, sample| text.replace(sample, ""));
        for (at, mark) in text.match_indices([':', ';', '?', '!', '»']) {
            let before = text[..at].chars().next_back();
            assert!(before.is_some_and(|letter| "\u{a0}\u{202f}".contains(letter)), "{mark} in {key:?}: {text:?}");
        }
        assert!(text.match_indices('«').all(|(at, open)| text[at + open.len()..].starts_with('\u{a0}')), "{key:?}: {text:?}");
    }
}

/// Returns whether a letter belongs to the Chinese or Japanese scripts or their punctuation.
fn is_wide(letter: char) -> bool {
    matches!(letter, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ff00}'..='\u{ff60}')
}

/// Finds the marks of a Chinese or Japanese sentence that ought to be full width, and blanks beside full-width marks.
///
/// In a text with any letter of these scripts, `, : ; ? !` and round brackets must be full width without blanks beside
/// them. They are ASCII only in parts that do not belong to the language: between two digits (1,000), inside square
/// brackets or the brackets of a function (`D[i, j]`, `O(n)`), in tags and code, and in the sample `don’t stop!`.
fn half_width_marks(text: &str) -> Vec<char> {
    if !text.contains(is_wide) {
        return Vec::new();
    }
    let letters: Vec<char> = text.replace("don’t stop!", "sample").chars().collect();
    let mut open: Vec<usize> = Vec::new();
    let mut is_foreign = vec![false; letters.len()];
    for (at, &letter) in letters.iter().enumerate() {
        match letter {
            '(' | '[' | '{' | '<' => open.push(at),
            ')' | ']' | '}' | '>' => {
                let Some(from) = open.pop() else { continue };
                let is_function = from > 0 && matches!(letters[from - 1], 'A'..='Z' | 'a'..='z' | '0'..='9' | '*' | '₀'..='₉');
                let is_latin = !letters[from..at].iter().any(|&letter| is_wide(letter));
                if "{<".contains(letters[from]) || is_latin && (letters[from] == '[' || is_function) {
                    is_foreign[from..=at].fill(true);
                }
            }
            _ => {}
        }
    }
    let beside = |at: usize, is: fn(char) -> bool| {
        let (before, after) = (at.checked_sub(1).map(|at| letters[at]), letters.get(at + 1).copied());
        (before.is_some_and(is), after.is_some_and(is))
    };
    let is_wrong = |&at: &usize| match letters[at] {
        ',' | ':' => !is_foreign[at] && beside(at, |letter| letter.is_ascii_digit()) != (true, true),
        ';' | '?' | '!' | '(' | ')' => !is_foreign[at],
        ' ' => {
            let (before, after) = beside(at, |letter| "，、：；？！（）。".contains(letter));
            before || after
        }
        _ => false,
    };
    (0..letters.len()).filter(is_wrong).map(|at| letters[at]).collect()
}

#[test]
fn half_width_marks_in_numbers_and_formulas_are_allowed() {
    for fine in [
        "*D*[*i*, *j*] 等于 1,000",
        "⌈log₂(*m* + 1)⌉ 位",
        "Knuth, Morris, Pratt",
        "词：don’t stop! 计为 3",
        "<a href=\"/j?x=1\">{n!}</a>语",
    ] {
        assert!(half_width_marks(fine).is_empty(), "{fine}");
    }
    for (wrong, marks) in [("我们的,最快", ","), ("ヒット (J)", "()"), ("{m},{bits} 位", ","), ("字： 4", " "), ("なに?", "?")]
    {
        assert_eq!(String::from_iter(half_width_marks(wrong)), marks, "{wrong}");
    }
}

/// Checks the catalogues and the texts of the static pages, which are in one file per language.
#[test]
fn chinese_and_japanese_marks_are_full_width() {
    let mut wrong = Vec::new();
    for (tag, file) in [("zh", "chinese.rs"), ("ja", "japanese.rs")] {
        let catalogues = written(tag).into_values().chain(written(&format!("watch/{tag}")).into_values());
        wrong.extend(catalogues.chain(of_pages(file)).filter(|text| !half_width_marks(text).is_empty()));
    }
    assert!(wrong.is_empty(), "{} texts:\n{}", wrong.len(), wrong.join("\n"));
}

/// Collects the texts of the static pages from the files of one language.
fn of_pages(file: &str) -> Vec<String> {
    let still = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/static_pages");
    let rooms = fs::read_dir(still).unwrap().map(|entry| entry.unwrap().path().join(file)).filter(|path| path.exists());
    let texts: Vec<String> = rooms.flat_map(|path| literals(&fs::read_to_string(path).unwrap())).collect();
    assert!(texts.len() > 50, "the pages were not read");
    texts
}

/// Collects the string literals of a source.
fn literals(code: &str) -> Vec<String> {
    let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line, "\n"]).collect();
    let mut rest = code.as_str();
    let mut found = Vec::new();
    while let Some(at) = rest.find('"') {
        let Some((text, after)) = literal(&rest[at..]) else { break };
        found.push(text);
        rest = after;
    }
    found
}

/// English, Chinese and Japanese have no space before the percent sign.
#[test]
fn percent_signs_follow_numbers_without_space_in_three_languages() {
    let english = used(false).into_iter().chain(used(true));
    let pages = ["english.rs", "chinese.rs", "japanese.rs"].into_iter().flat_map(of_pages);
    let others = ["zh", "ja", "watch/zh", "watch/ja"].into_iter().flat_map(|name| written(name).into_values());
    let wrong: Vec<_> = english.chain(others).chain(pages).filter(|text| text.contains(" %") || text.contains("\u{a0}%")).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert_eq!(Language::ALL.map(|language| language.percent("5")), ["5%", "5\u{a0}%", "5\u{a0}%", "5\u{a0}%", "5%", "5%"]);
}

/// Languages differ in the singular, in the separators of thousands and decimals, and in the first day of a month.
#[cfg(feature = "ssr")]
#[test]
fn numbers_are_written_in_the_style_of_the_language() {
    use kernels::job::{JobOptions, Task, Unit};

    use crate::model::result::meaning::edit_distance::meaning;
    use crate::model::text::humanize::{bytes, count, day, grouped, large, list, measured_time, percent, short, span};

    let told = [
        (
            Language::German,
            "0 Änderungen / 1 Änderung / 2 Änderungen / 9.999 / 1.234.567 / 28,3 × 10⁹ / 1,2\u{a0}s / 46\u{a0}kB / 57,1\u{a0}% / 1,2M / \
             1. Januar 1970 / 29. Februar 2024",
        ),
        (
            Language::Spanish,
            "0 ediciones / 1 edición / 2 ediciones / 9999 / 1\u{202f}234\u{202f}567 / 28,3 × 10⁹ / 1,2\u{a0}s / 46\u{a0}kB / 57,1\u{a0}% / \
             1,2M / 1 de enero de 1970 / 29 de febrero de 2024",
        ),
        (
            Language::French,
            "0 modification / 1 modification / 2 modifications / 9\u{202f}999 / 1\u{202f}234\u{202f}567 / 28,3 × 10⁹ / 1,2\u{a0}s / \
             46\u{a0}ko / 57,1\u{a0}% / 1,2M / 1er janvier 1970 / 29 février 2024",
        ),
    ];
    for (language, expected) in told {
        let said = speaking(language, || {
            let (numbers, days) =
                ([grouped(9_999), grouped(1_234_567), large(28.31e9), measured_time(1_240.0)], [0, 1_709_164_800].map(day));
            let edits = [0, 1, 2].map(|number| count(number, "edit", "edits"));
            let sizes = [bytes(46_321), percent(0.571_4), short(1_233_727)];
            [&edits[..], &numbers, &sizes, &days].concat().join(" / ")
        });
        assert_eq!(said, expected, "{language:?}");
    }
    let options = JobOptions { unit: Unit::Graphemes, ..JobOptions::default() };
    let says = |language, distance| speaking(language, || meaning(distance, (9, 9), None, &options).says);
    assert_eq!(says(Language::French, 0), "modification\u{a0}: *a* et *b* sont égaux.");
    assert_eq!(says(Language::French, 2), "modifications transforment *a* en *b*.");
    assert_eq!(says(Language::Spanish, 0), "ediciones: *a* y *b* son iguales.");
    assert_eq!(says(Language::Spanish, 1), "edición convierte *a* en *b*.");
    assert_eq!(speaking(Language::French, || [span(60), span(7_200)]), ["1 minute", "2 heures"]);
    assert_eq!(speaking(Language::Japanese, || list(&["a", "b"])), "a、b");
    assert_eq!(speaking(Language::Spanish, || crate::model::task::TaskDescription::of(Task::Lcs).title()), "Subsecuencia común más larga");
}

#[test]
fn names_are_quoted_in_the_style_of_the_language() {
    let quoted = Language::ALL.map(|language| language.quoted("k"));
    assert_eq!(quoted, ["“k”", "„k“", "«k»", "«\u{a0}k\u{a0}»", "「k」", "“k”"]);
}
