//! Translations of the page. English texts stand in the sources and serve as keys; a catalogue maps them to another
//! language.
//!
//! - `t("Hide equal rows")`: a fixed text
//! - `tr!("Go to {column}", column = grouped(n))`: a sentence with placeholders
//! - [`humanize::count`](crate::model::text::humanize::count): a counted noun, under the key `# edits`
//!
//! Texts about the steps of methods have separate catalogues, which a browser fetches together with the view of a
//! method.
//!
//! `*a*` and `*b*` in a sentence are names in italics, see [`prose`](crate::view::widgets::prose). A test reads the
//! sources and reports texts that a catalogue lacks.

use std::collections::HashMap;

#[cfg(feature = "ssr")]
use leptos::prelude::*;

/// A language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English, the language of the sources.
    #[default]
    English,
    German,
    Spanish,
    French,
    Japanese,
    /// Chinese, simplified.
    Chinese,
}

impl Language {
    /// All languages, in the order of the page's language menu.
    pub const ALL: [Self; 6] = [Self::English, Self::German, Self::Spanish, Self::French, Self::Japanese, Self::Chinese];

    /// Returns the BCP 47 tag, as used in `<html lang>` and in the cookie.
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::Spanish => "es",
            Self::French => "fr",
            Self::Japanese => "ja",
            Self::Chinese => "zh",
        }
    }

    /// Returns the language's own name for itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
            Self::Spanish => "Español",
            Self::French => "Français",
            Self::Japanese => "日本語",
            Self::Chinese => "中文",
        }
    }

    /// Returns the language with the BCP 47 tag `tag`, or `None` if the page does not have it. Only the part before the
    /// hyphen is compared, as in `de-AT`.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let tag = tag.trim().split('-').next().unwrap_or_default();
        Self::ALL.into_iter().find(|language| language.tag().eq_ignore_ascii_case(tag))
    }

    /// Returns the first language of an `Accept-Language` header that the page has. Ignores weights, because browsers
    /// list languages in the order of preference.
    pub fn of_header(accepted: &str) -> Option<Self> {
        accepted.split(',').find_map(|range| Self::of_tag(range.split(';').next().unwrap_or_default()))
    }

    /// Returns the separator of thousands and the decimal mark.
    pub fn marks(self) -> (&'static str, &'static str) {
        match self {
            Self::German => (".", ","),
            // Narrow and non-breaking, as the Real Academia and the Imprimerie nationale require.
            Self::Spanish | Self::French => ("\u{202f}", ","),
            Self::English | Self::Japanese | Self::Chinese => (",", "."),
        }
    }

    /// Returns the smallest number that is written with a separator of thousands. Spanish does not separate numbers of
    /// four digits.
    pub fn least_grouped(self) -> u64 {
        match self {
            Self::Spanish => 10_000,
            Self::English | Self::German | Self::French | Self::Japanese | Self::Chinese => 1_000,
        }
    }

    /// Returns whether a noun after `number` is in the singular. In French this is so after zero as well.
    pub fn is_one(self, number: u64) -> bool {
        match self {
            Self::French => number <= 1,
            Self::English | Self::German | Self::Spanish | Self::Japanese | Self::Chinese => number == 1,
        }
    }

    /// Formats `day`, the day of a month, for a date. French uses an ordinal for the first day only. The rest of the
    /// date is in the catalogue.
    pub fn day_of_month(self, day: u64) -> String {
        match (self, day) {
            (Self::French, 1) => "1er".into(),
            (Self::English | Self::German | Self::Spanish | Self::French | Self::Japanese | Self::Chinese, day) => day.to_string(),
        }
    }

    /// Returns `number` with the percent sign, after a non-breaking space in German, Spanish and French.
    pub fn percent(self, number: &str) -> String {
        match self {
            Self::English | Self::Japanese | Self::Chinese => format!("{number}%"),
            Self::German | Self::Spanish | Self::French => format!("{number}\u{a0}%"),
        }
    }

    /// Returns the unit symbol of a byte, which follows `k`, `M` and `G` as in `MB`.
    pub fn byte(self) -> &'static str {
        match self {
            Self::French => "o",
            Self::English | Self::German | Self::Spanish | Self::Japanese | Self::Chinese => "B",
        }
    }

    /// Returns `text`, a name or a value, in the language's quotation marks.
    pub fn quoted(self, text: &str) -> String {
        let (open, close) = match self {
            Self::English | Self::Chinese => ("“", "”"),
            Self::German => ("„", "“"),
            Self::Spanish => ("«", "»"),
            Self::French => ("«\u{a0}", "\u{a0}»"),
            Self::Japanese => ("「", "」"),
        };
        format!("{open}{text}{close}")
    }
}

/// A map from English texts to their translations.
pub type Catalogue = HashMap<&'static str, &'static str>;

/// Parses a catalogue, a JSON object of strings, or returns `None` if `json` is invalid. Never frees the catalogue, so
/// that its texts are `&'static str`.
pub fn read(json: &str) -> Option<&'static Catalogue> {
    let keep = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    Some(Box::leak(Box::new(texts(json)?.into_iter().map(|(english, other)| (keep(english), keep(other))).collect())))
}

#[cfg(feature = "ssr")]
fn texts(json: &str) -> Option<HashMap<String, String>> {
    serde_json::from_str(json).ok()
}

/// Parses the catalogue `json` with the browser's parser, because the first download contains no other parser. Returns
/// pairs of an English text and its translation.
#[cfg(not(feature = "ssr"))]
fn texts(json: &str) -> Option<Vec<(String, String)>> {
    use wasm_bindgen::JsCast;

    let texts = js_sys::JSON::parse(json).ok()?.dyn_into::<js_sys::Object>().ok()?;
    let pair = |pair: wasm_bindgen::JsValue| {
        let pair: js_sys::Array = pair.unchecked_into();
        Some((pair.get(0).as_string()?, pair.get(1).as_string()?))
    };
    js_sys::Object::entries(&texts).iter().map(pair).collect()
}

/// Catalogues of all languages, for the server.
#[cfg(feature = "ssr")]
pub mod catalogues {
    use std::sync::LazyLock;

    use super::{Catalogue, Language, read};

    /// Returns the catalogue of the page without the texts about methods, as JSON, or `None` for English. A browser has
    /// it from the beginning.
    fn of_page(language: Language) -> Option<&'static str> {
        match language {
            Language::English => None,
            Language::German => Some(include_str!("../words/de.json")),
            Language::Spanish => Some(include_str!("../words/es.json")),
            Language::French => Some(include_str!("../words/fr.json")),
            Language::Japanese => Some(include_str!("../words/ja.json")),
            Language::Chinese => Some(include_str!("../words/zh.json")),
        }
    }

    /// Returns the catalogue of the texts about the steps of methods, as JSON, or `None` for English.
    fn of_methods(language: Language) -> Option<&'static str> {
        match language {
            Language::English => None,
            Language::German => Some(include_str!("../words/watch/de.json")),
            Language::Spanish => Some(include_str!("../words/watch/es.json")),
            Language::French => Some(include_str!("../words/watch/fr.json")),
            Language::Japanese => Some(include_str!("../words/watch/ja.json")),
            Language::Chinese => Some(include_str!("../words/watch/zh.json")),
        }
    }

    fn whole(language: Language) -> Option<&'static Catalogue> {
        let (first, methods) = of_page(language).and_then(read).zip(of_methods(language).and_then(read))?;
        Some(Box::leak(Box::new(first.iter().chain(methods).map(|(english, other)| (*english, *other)).collect())))
    }

    static ALL: LazyLock<[Option<&'static Catalogue>; Language::ALL.len()]> = LazyLock::new(|| Language::ALL.map(whole));

    /// Returns the catalogue of all texts in a language, or `None` for English.
    pub fn of(language: Language) -> Option<&'static Catalogue> {
        ALL[language as usize]
    }
}

#[cfg(not(feature = "ssr"))]
thread_local! {
    static SPOKEN: std::cell::Cell<(Language, Option<&'static Catalogue>)> = const { std::cell::Cell::new((Language::English, None)) };
    /// The catalogues of the page that were loaded, indexed by language, so that each is loaded only once.
    static READ: std::cell::Cell<[Option<&'static Catalogue>; Language::ALL.len()]> = const { std::cell::Cell::new([None; Language::ALL.len()]) };
    /// The catalogues of texts about methods that were fetched, indexed by language.
    static OF_METHODS: std::cell::Cell<[Option<&'static Catalogue>; Language::ALL.len()]> = const { std::cell::Cell::new([None; Language::ALL.len()]) };
}

/// Returns whether the texts about the steps of methods are available in `language`. In English they always are.
#[cfg(not(feature = "ssr"))]
pub fn has_methods(language: Language) -> bool {
    language == Language::English || OF_METHODS.get()[language as usize].is_some()
}

/// Stores the separate `catalogue` of texts about the steps of methods in `language`, after it was fetched.
#[cfg(not(feature = "ssr"))]
pub fn add_methods(language: Language, catalogue: Option<&'static Catalogue>) {
    let mut read = OF_METHODS.get();
    read[language as usize] = catalogue;
    OF_METHODS.set(read);
}

/// Returns the catalogue of the page in `language` if it was loaded before.
#[cfg(not(feature = "ssr"))]
pub fn read_before(language: Language) -> Option<&'static Catalogue> {
    READ.get()[language as usize]
}

/// Switches the page to `language`, whose texts are in `catalogue`. On a server, a context sets the language of each
/// page instead.
#[cfg(not(feature = "ssr"))]
pub fn speak(language: Language, catalogue: Option<&'static Catalogue>) {
    let mut read = READ.get();
    read[language as usize] = catalogue;
    READ.set(read);
    SPOKEN.set((language, catalogue));
}

#[cfg(not(feature = "ssr"))]
fn spoken() -> (Language, Option<&'static Catalogue>) {
    SPOKEN.get()
}

#[cfg(feature = "ssr")]
fn spoken() -> (Language, Option<&'static Catalogue>) {
    let language = Owner::current().and_then(|_| use_context::<Language>()).unwrap_or_default();
    (language, catalogues::of(language))
}

/// Calls `say` with `language` as the current language and returns its result. For a server, outside of a page that is
/// being rendered.
#[cfg(feature = "ssr")]
pub fn speaking<T>(language: Language, say: impl FnOnce() -> T) -> T {
    Owner::new().with(|| {
        provide_context(language);
        say()
    })
}

/// Returns the current language.
pub fn language() -> Language {
    spoken().0
}

/// Returns the translation of a text to the current language, or the English text if the catalogue lacks it.
pub fn t(english: &'static str) -> &'static str {
    known(english).unwrap_or(english)
}

/// Returns the translation of a key that is composed at run time, such as `# edits`, or `None` if the catalogues of the
/// current language lack it.
pub(crate) fn known(key: &str) -> Option<&'static str> {
    let (language, catalogue) = spoken();
    catalogue.and_then(|catalogue| catalogue.get(key)).or_else(|| of_methods(language)?.get(key)).copied()
}

/// Returns the separate catalogue of texts about methods in `language`, if it was fetched. Returns `None` on a server,
/// whose main catalogue contains these texts.
fn of_methods(language: Language) -> Option<&'static Catalogue> {
    #[cfg(feature = "ssr")]
    let found = Some(language).and(None);
    #[cfg(not(feature = "ssr"))]
    let found = OF_METHODS.get()[language as usize];
    found
}

/// Returns `sentence` with each placeholder in braces replaced by the value with its name in `values`.
pub fn fill(sentence: &str, values: &[(&str, String)]) -> String {
    let mut out = String::with_capacity(sentence.len() + 16);
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        match values.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => out.push_str(value),
            None => out.extend(["{", name, "}"]),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Translates a sentence and replaces its placeholders: `tr!("{n} of {all}", n = 3, all = total)`.
#[macro_export]
macro_rules! tr {
    ($english:literal $(, $name:ident = $value:expr)+ $(,)?) => {
        $crate::tr::fill($crate::tr::t($english), &[$((stringify!($name), ($value).to_string())),+])
    };
}

#[cfg(test)]
mod tests;
