//! Letters that the font of the cards lacks, from the fonts of the machine. They are looked through once, when the first such letter
//! is to be drawn; a machine without any is a normal state.

use std::cmp::Reverse;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use ab_glyph::{Font as _, FontRef, Outline};
use fontdb::{Database, FaceInfo, ID, Language, Style};

/// The machine's fonts.
static MACHINE: LazyLock<Others> = LazyLock::new(|| {
    let mut database = Database::new();
    database.load_system_fonts();
    let others = Others::new(database);
    tracing::info!(fonts.faces = others.faces.len(), "fonts of this machine draw letters that the cards' own lacks");
    others
});

/// Faces that are tried for a letter, of those that claim to have it: emoji in colours have no outline.
const TRIES: usize = 3;

/// Letters that are asked for: those that Unicode has given out, without what is for private use.
const LETTERS: RangeInclusive<char> = '\u{20}'..='\u{3ffff}';

/// Whose forms Han letters take: each of these writes some of them in its own way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Writing {
    /// Where there are kana.
    Japanese,
    /// Where there is hangul.
    Korean,
    /// Where Han letters stand alone.
    #[default]
    Chinese,
}

impl Writing {
    /// What a text is written in, by letters that no other writing has.
    pub(super) fn of(mut letters: impl Iterator<Item = char>) -> Self {
        let told = letters.find_map(|letter| match letter {
            '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => Some(Self::Japanese),
            '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7a3}' => Some(Self::Korean),
            _ => None,
        });
        told.unwrap_or_default()
    }
}

/// A letter to be drawn.
#[derive(Clone, Debug)]
pub(super) struct Lent {
    /// Its curves; `None` of white space.
    pub(super) outline: Option<Outline>,
    /// How far the next letter stands from it, in ems.
    pub(super) advance: f32,
    /// Ems in a unit of the curves.
    pub(super) scale: f32,
}

/// Fonts, and which letters are in them.
pub(super) struct Others {
    database: Database,
    faces: Vec<Face>,
}

struct Face {
    id: ID,
    /// First and last letters of the stretches that it has, in order.
    stretches: Vec<(u32, u32)>,
    writing: Option<Writing>,
    /// Smaller is better: plain upright letters of a book's weight, without serifs, like those of the cards.
    oddity: (bool, bool, u16),
}

impl Others {
    /// Those of the machine.
    pub(super) fn of_machine() -> &'static Self {
        &MACHINE
    }

    /// Those of a database, a face of each family, which takes a few milliseconds.
    pub(super) fn new(database: Database) -> Self {
        let family = |face: &FaceInfo| face.families.first().map_or_else(String::new, |(name, _)| name.clone());
        let mut plain: Vec<&FaceInfo> = database.faces().filter(|face| face.style == Style::Normal).collect();
        plain.sort_by_cached_key(|face| (family(face), face.weight.0.abs_diff(400)));
        plain.dedup_by_key(|face| family(face));
        let faces = plain.into_iter().filter_map(|info| {
            let stretches = database.with_face_data(info.id, stretches)??;
            let family = family(info);
            let serifs = ["Serif", "Mincho", "Ming", "Song", "Batang"].iter().any(|name| family.contains(name));
            let oddity = (serifs, info.monospaced, info.weight.0.abs_diff(400));
            Some(Face { id: info.id, stretches, writing: writing(info), oddity })
        });
        let mut faces: Vec<Face> = faces.collect();
        faces.sort_by_key(|face| face.oddity);
        Self { faces, database }
    }

    /// A letter, in the form that it has in this writing where some face has that; `None` when no face has it at all.
    pub(super) fn lend(&self, letter: char, writing: Writing) -> Option<Lent> {
        let mut having: Vec<&Face> = self.faces.iter().filter(|face| face.has(letter)).collect();
        having.sort_by_key(|face| Reverse(face.writing == Some(writing)));
        having.into_iter().take(TRIES).find_map(|face| self.database.with_face_data(face.id, |data, index| lent(data, index, letter))?)
    }
}

impl Face {
    fn has(&self, letter: char) -> bool {
        let letter = u32::from(letter);
        let behind = self.stretches.partition_point(|&(first, _)| first <= letter);
        behind.checked_sub(1).is_some_and(|at| letter <= self.stretches[at].1)
    }
}

/// The writing that a face of Han letters was made for: by the end of its name, as in Noto Sans CJK JP, or by the languages that it has
/// a name in.
fn writing(info: &FaceInfo) -> Option<Writing> {
    let word = |name: &str| {
        name.split_whitespace().find_map(|word| match word {
            "JP" => Some(Writing::Japanese),
            "KR" => Some(Writing::Korean),
            "SC" => Some(Writing::Chinese),
            _ => None,
        })
    };
    let named = info.families.iter().find_map(|(_, language)| match language {
        Language::Japanese_Japan => Some(Writing::Japanese),
        Language::Korean_Korea => Some(Writing::Korean),
        Language::Chinese_PeoplesRepublicOfChina => Some(Writing::Chinese),
        _ => None,
    });
    info.families.first().and_then(|(name, _)| word(name)).or(named)
}

/// The letters of a face as stretches without gaps; `None` of a file that is no font.
fn stretches(data: &[u8], index: u32) -> Option<Vec<(u32, u32)>> {
    let font = FontRef::try_from_slice_and_index(data, index).ok()?;
    // A list of its glyphs would name one letter for each, and Han letters that are radicals too have two.
    let letters: Vec<u32> = LETTERS.filter(|&letter| font.glyph_id(letter).0 != 0).map(u32::from).collect();
    let stretches = letters.chunk_by(|one, next| one + 1 == *next);
    Some(stretches.filter_map(|stretch| Some((*stretch.first()?, *stretch.last()?))).collect())
}

fn lent(data: &[u8], index: u32, letter: char) -> Option<Lent> {
    let font = FontRef::try_from_slice_and_index(data, index).ok()?;
    let id = font.glyph_id(letter);
    let outline = font.outline(id);
    if outline.is_none() && !letter.is_whitespace() {
        return None;
    }
    let scale = 1.0 / font.units_per_em().unwrap_or(1_000.0);
    Some(Lent { outline, advance: font.h_advance_unscaled(id) * scale, scale })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kana_and_hangul_tell_whose_han_letters_they_are() {
        let of = |text: &str| Writing::of(text.chars());
        assert_eq!(
            [of("日本語の本"), of("漢字 한국"), of("中文"), of("plain")],
            [Writing::Japanese, Writing::Korean, Writing::Chinese, Writing::Chinese]
        );
    }

    #[test]
    fn letters_are_lent_by_the_faces_that_have_them() {
        let mut database = Database::new();
        database.load_font_data(super::super::canvas::FONT.to_vec());
        let others = Others::new(database);
        let lent = others.lend('ж', Writing::Chinese).unwrap();
        assert!(lent.outline.is_some() && (0.5..1.5).contains(&lent.advance) && (lent.scale - 1.0 / 2_048.0).abs() < 1e-9);
        let space = others.lend(' ', Writing::Chinese).unwrap();
        assert!(space.outline.is_none() && space.advance > 0.0);
        assert!(others.lend('語', Writing::Japanese).is_none());
    }

    #[test]
    fn a_machine_without_fonts_lends_nothing() {
        assert!(Others::new(Database::new()).lend('a', Writing::Chinese).is_none());
    }

    #[test]
    fn files_that_are_no_fonts_are_passed_over() {
        assert_eq!(stretches(b"not a font", 0), None);
        assert!(lent(b"not a font", 0, 'a').is_none());
    }
}
