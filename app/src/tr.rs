//! The page's words in the visitor's language. English stands where it is used and is the key; a catalogue gives the rest.
//!
//! - `t("Hide equal rows")`: a fixed text
//! - `tr!("Go to {column}", column = grouped(n))`: a sentence with something put in
//! - [`words::count`](crate::model::text::words::count): something counted, under the key `# edits`
//!
//! What is said of methods that are watched has catalogues of its own, which a browser fetches with the view.
//!
//! `*a*` and `*b*` in a sentence are names in italics, see [`prose`](crate::view::prose). A test reads the sources and tells what
//! a catalogue lacks.

use std::collections::HashMap;

#[cfg(feature = "ssr")]
use leptos::prelude::*;

/// A language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// What the sources are written in.
    #[default]
    English,
    /// German.
    German,
    /// Spanish.
    Spanish,
    /// French.
    French,
    /// Japanese.
    Japanese,
    /// Chinese, simplified.
    Chinese,
}

impl Language {
    /// All, in the order of the menu.
    pub const ALL: [Self; 6] = [Self::English, Self::German, Self::Spanish, Self::French, Self::Japanese, Self::Chinese];

    /// Its BCP 47 tag, as in `<html lang>` and in the cookie.
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

    /// Its name in itself.
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

    /// The language with this tag; of `de-AT` the part before the hyphen counts.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let tag = tag.trim().split('-').next().unwrap_or_default();
        Self::ALL.into_iter().find(|language| language.tag().eq_ignore_ascii_case(tag))
    }

    /// The first language of an `Accept-Language` header that the page has; weights are passed over, since browsers send the
    /// languages in the order of preference.
    pub fn of_header(accepted: &str) -> Option<Self> {
        accepted.split(',').find_map(|range| Self::of_tag(range.split(';').next().unwrap_or_default()))
    }

    /// What stands between thousands, and before decimals.
    pub fn marks(self) -> (&'static str, &'static str) {
        match self {
            Self::German => (".", ","),
            // Narrow and not broken, as the Real Academia and the Imprimerie nationale have it.
            Self::Spanish | Self::French => ("\u{202f}", ","),
            Self::English | Self::Japanese | Self::Chinese => (",", "."),
        }
    }

    /// The least number whose thousands stand apart: in Spanish four figures stay together.
    pub fn least_grouped(self) -> u64 {
        match self {
            Self::Spanish => 10_000,
            Self::English | Self::German | Self::French | Self::Japanese | Self::Chinese => 1_000,
        }
    }

    /// Whether a number of things is said by the form for one: in French nothing is, too.
    pub fn is_one(self, number: u64) -> bool {
        match self {
            Self::French => number <= 1,
            Self::English | Self::German | Self::Spanish | Self::Japanese | Self::Chinese => number == 1,
        }
    }

    /// A day of the month, which is an ordinal in French on the first only; what stands around it is in the catalogue.
    pub fn day_of_month(self, day: u64) -> String {
        match (self, day) {
            (Self::French, 1) => "1er".into(),
            (Self::English | Self::German | Self::Spanish | Self::French | Self::Japanese | Self::Chinese, day) => day.to_string(),
        }
    }

    /// A number of per cent: a blank stands before the sign in German, Spanish and French, and no line ends there.
    pub fn percent(self, number: &str) -> String {
        match self {
            Self::English | Self::Japanese | Self::Chinese => format!("{number}%"),
            Self::German | Self::Spanish | Self::French => format!("{number}\u{a0}%"),
        }
    }

    /// The symbol of a byte, behind `k`, `M` and `G`.
    pub fn byte(self) -> &'static str {
        match self {
            Self::French => "o",
            Self::English | Self::German | Self::Spanish | Self::Japanese | Self::Chinese => "B",
        }
    }

    /// A name or a value of somebody's in its quotes.
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

/// English texts and what they are in another language.
pub type Catalogue = HashMap<&'static str, &'static str>;

/// Reads a catalogue, a JSON object of strings. It stays for the life of the program, so that texts are `&'static str` everywhere.
pub fn read(json: &str) -> Option<&'static Catalogue> {
    let keep = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    Some(Box::leak(Box::new(texts(json)?.into_iter().map(|(english, other)| (keep(english), keep(other))).collect())))
}

#[cfg(feature = "ssr")]
fn texts(json: &str) -> Option<HashMap<String, String>> {
    serde_json::from_str(json).ok()
}

/// By the browser's own parser: a first view has no other one.
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

/// The languages' texts, for the server, which renders in all of them.
#[cfg(feature = "ssr")]
pub mod catalogues {
    use std::sync::LazyLock;

    use super::{Catalogue, Language, read};

    /// All but what is said of methods that are watched: what a browser has from the beginning.
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

    /// What is said of methods that are watched.
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

    /// The catalogue of a language.
    pub fn of(language: Language) -> Option<&'static Catalogue> {
        ALL[language as usize]
    }
}

#[cfg(not(feature = "ssr"))]
thread_local! {
    static SPOKEN: std::cell::Cell<(Language, Option<&'static Catalogue>)> = const { std::cell::Cell::new((Language::English, None)) };
    /// Those that were read, by language: each is read once.
    static READ: std::cell::Cell<[Option<&'static Catalogue>; Language::ALL.len()]> = const { std::cell::Cell::new([None; Language::ALL.len()]) };
    /// What is said of methods that are watched, by language, once it was fetched.
    static OF_METHODS: std::cell::Cell<[Option<&'static Catalogue>; Language::ALL.len()]> = const { std::cell::Cell::new([None; Language::ALL.len()]) };
}

/// Whether the words of methods are here, in this language.
#[cfg(not(feature = "ssr"))]
pub fn has_methods(language: Language) -> bool {
    language == Language::English || OF_METHODS.get()[language as usize].is_some()
}

/// The words of methods are here.
#[cfg(not(feature = "ssr"))]
pub fn add_methods(language: Language, catalogue: Option<&'static Catalogue>) {
    let mut read = OF_METHODS.get();
    read[language as usize] = catalogue;
    OF_METHODS.set(read);
}

/// The catalogue of a language that was spoken before.
#[cfg(not(feature = "ssr"))]
pub fn read_before(language: Language) -> Option<&'static Catalogue> {
    READ.get()[language as usize]
}

/// From now on the page speaks this language. A server tells it for each page by a context instead.
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

/// What is said in this language, on a server, outside of a page that is rendered.
#[cfg(feature = "ssr")]
pub fn speaking<T>(language: Language, say: impl FnOnce() -> T) -> T {
    Owner::new().with(|| {
        provide_context(language);
        say()
    })
}

/// The language that is spoken now.
pub fn language() -> Language {
    spoken().0
}

/// A text in the language that is spoken now; English where the catalogue lacks it.
pub fn t(english: &'static str) -> &'static str {
    known(english).unwrap_or(english)
}

/// What a catalogue says under a key that is put together, such as `# edits`.
pub(crate) fn known(key: &str) -> Option<&'static str> {
    let (language, catalogue) = spoken();
    catalogue.and_then(|catalogue| catalogue.get(key)).or_else(|| of_methods(language)?.get(key)).copied()
}

/// What is said of methods; a server has it in the same catalogue.
fn of_methods(language: Language) -> Option<&'static Catalogue> {
    #[cfg(feature = "ssr")]
    let found = Some(language).and(None);
    #[cfg(not(feature = "ssr"))]
    let found = OF_METHODS.get()[language as usize];
    found
}

/// Puts values at their names in braces.
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

/// A sentence in the language that is spoken now, with values put in: `tr!("{n} of {all}", n = 3, all = total)`.
#[macro_export]
macro_rules! tr {
    ($english:literal $(, $name:ident = $value:expr)+ $(,)?) => {
        $crate::tr::fill($crate::tr::t($english), &[$((stringify!($name), ($value).to_string())),+])
    };
}

#[cfg(test)]
mod tests;
