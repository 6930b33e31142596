//! The fonts of preview images (cards): DejaVu Sans, and the system's fonts for letters that it lacks.
//!
//! The system's fonts are listed once. If there are none, letters missing in DejaVu Sans are drawn as boxes.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use fontdb::{Database, FaceInfo, ID, Language, Style};
use resvg::usvg::FontResolver;
use skrifa::{FontRef, MetadataProvider as _};

/// The file of DejaVu Sans, the main font of the cards. It is free and covers most alphabets.
static DEJAVU_SANS: &[u8] = include_bytes!("DejaVuSans.ttf");

/// The fonts of the cards, in the order in which they are searched for a letter.
struct FontSet {
    database: Arc<Database>,
    /// DejaVu Sans, the main font of the cards.
    own: Option<ID>,
    /// The system's fonts, one of each family, the plainest first. Each has the writing system for which the font is
    /// made, if that is known.
    others: Vec<(ID, Option<WritingSystem>)>,
}

static FONTS: LazyLock<FontSet> = LazyLock::new(|| {
    let mut database = Database::new();
    database.load_system_fonts();
    let fonts = FontSet::new(database);
    tracing::info!(fonts.faces = fonts.others.len(), "system fonts found for letters that the font of cards lacks");
    fonts
});

impl FontSet {
    fn new(mut database: Database) -> Self {
        let family = |face: &FaceInfo| face.families.first().map_or_else(String::new, |(name, _)| name.clone());
        // A font with a smaller value is plainer: without serifs, proportional, and of regular weight, like the main
        // font.
        let oddity = |face: &FaceInfo| {
            let serifs = ["Serif", "Mincho", "Ming", "Song", "Batang"].iter().any(|name| family(face).contains(name));
            (serifs, face.monospaced, face.weight.0.abs_diff(400))
        };
        let mut plain: Vec<&FaceInfo> = database.faces().filter(|face| face.style == Style::Normal).collect();
        plain.sort_by_cached_key(|face| (family(face), face.weight.0.abs_diff(400)));
        plain.dedup_by_key(|face| family(face));
        plain.sort_by_key(|face| oddity(face));
        let others = plain.into_iter().map(|face| (face.id, writing(face))).collect();
        let own = database.load_font_source(fontdb::Source::Binary(Arc::new(DEJAVU_SANS))).first().copied();
        Self { database: Arc::new(database), own, others }
    }

    /// Returns a font of the system that has `letter` and is not in `except`. A font made for `writing` is preferred.
    /// Returns `None` if there is none.
    fn find_font(&self, letter: char, writing: WritingSystem, except: &[ID]) -> Option<ID> {
        let mut having: Vec<_> = self.others.iter().filter(|(id, _)| !except.contains(id) && has(&self.database, *id, letter)).collect();
        having.sort_by_key(|(_, of)| Reverse(*of == Some(writing)));
        having.first().map(|(id, _)| *id)
    }
}

pub(super) fn all() -> Arc<Database> {
    FONTS.database.clone()
}

/// Creates the font resolver for resvg: the main font, and for letters that it lacks a font of the system, preferably
/// one made for `writing`.
pub(super) fn resolver(writing: WritingSystem) -> FontResolver<'static> {
    let found: Mutex<HashMap<char, Option<ID>>> = Mutex::default();
    FontResolver {
        select_font: Box::new(|_, _| FONTS.own),
        select_fallback: Box::new(move |letter, except, _| {
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            let face = *found.entry(letter).or_insert_with(|| FONTS.find_font(letter, writing, &[]));
            face.filter(|face| !except.contains(face)).or_else(|| face.and_then(|_| FONTS.find_font(letter, writing, except)))
        }),
    }
}

/// Returns whether some system font has the letter.
#[cfg(test)]
pub(super) fn draw(letter: char) -> bool {
    FONTS.find_font(letter, WritingSystem::default(), &[]).is_some()
}

fn has(database: &Database, face: ID, letter: char) -> bool {
    let glyph = |data: &[u8], index| FontRef::from_index(data, index).ok()?.charmap().map(letter);
    database.with_face_data(face, glyph).flatten().is_some()
}

/// The writing system of a text with Han letters. Each writing system draws some Han letters in a form of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum WritingSystem {
    /// Japanese: texts with kana, and fonts made for them.
    Japanese,
    /// Korean: texts with hangul, and fonts made for them.
    Korean,
    /// Chinese: texts with Han letters alone, and fonts made for them.
    #[default]
    Chinese,
}

impl WritingSystem {
    /// Detects the writing system of a text from its `letters`: that of the first letter that only Japanese or only
    /// Korean uses. Returns `Chinese` if there is no such letter.
    pub(super) fn of(mut letters: impl Iterator<Item = char>) -> Self {
        let told = letters.find_map(|letter| match letter {
            '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => Some(Self::Japanese),
            '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7a3}' => Some(Self::Korean),
            _ => None,
        });
        told.unwrap_or_default()
    }
}

/// Returns the writing system that a font with Han letters is made for, or `None` if that is unknown. It follows from a
/// word of the font's name, such as JP in Noto Sans CJK JP, or from a localized name.
fn writing(face: &FaceInfo) -> Option<WritingSystem> {
    let word = |name: &str| {
        name.split_whitespace().find_map(|word| match word {
            "JP" => Some(WritingSystem::Japanese),
            "KR" => Some(WritingSystem::Korean),
            "SC" => Some(WritingSystem::Chinese),
            _ => None,
        })
    };
    let named = face.families.iter().find_map(|(_, language)| match language {
        Language::Japanese_Japan => Some(WritingSystem::Japanese),
        Language::Korean_Korea => Some(WritingSystem::Korean),
        Language::Chinese_PeoplesRepublicOfChina => Some(WritingSystem::Chinese),
        _ => None,
    });
    face.families.first().and_then(|(name, _)| word(name)).or(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kana_and_hangul_decide_the_style_of_han_characters() {
        let of = |text: &str| WritingSystem::of(text.chars());
        assert_eq!(
            [of("日本語の本"), of("漢字 한국"), of("中文"), of("plain")],
            [WritingSystem::Japanese, WritingSystem::Korean, WritingSystem::Chinese, WritingSystem::Chinese]
        );
    }

    #[test]
    fn fonts_are_found_by_their_letters() {
        let mut database = Database::new();
        database.load_font_data(DEJAVU_SANS.to_vec());
        let fonts = FontSet::new(database);
        let face = fonts.find_font('ж', WritingSystem::Chinese, &[]).unwrap();
        assert_eq!(fonts.find_font('ж', WritingSystem::Chinese, &[face]), None);
        assert_eq!(fonts.find_font('語', WritingSystem::Japanese, &[]), None);
    }

    #[test]
    fn machine_without_fonts_uses_the_built_in_font() {
        let fonts = FontSet::new(Database::new());
        assert_eq!(fonts.find_font('a', WritingSystem::Chinese, &[]), None);
        assert!(has(&fonts.database, fonts.own.unwrap(), 'a'));
    }
}
