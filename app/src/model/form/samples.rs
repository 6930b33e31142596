//! Samples: pairs of texts to start from, each showing what its task is good for. Texts are old enough to be free, or our own.

use kernels::job::{Task, Unit};

use crate::model::form::{Form, Side};

/// What a menu says of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub title: &'static str,
    /// What it shows, in a line.
    pub about: &'static str,
}

/// A pair of texts to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// What the menu says.
    pub entry: Entry,
    /// What to count in.
    pub unit: Unit,
    /// How far hits may be off, where a search asks for that: most edits, or most unequal symbols.
    pub within: Option<u64>,
    /// The first text and its name.
    pub a: (&'static str, &'static str),
    /// The second.
    pub b: (&'static str, &'static str),
}

/// Marks a text of the menu, which is said in the visitor's language when it is shown.
const fn t(english: &'static str) -> &'static str {
    english
}

const fn entry(title: &'static str, about: &'static str) -> Entry {
    Entry { title, about }
}

/// A sample whose texts have no names, in letters.
const fn letters(entry: Entry, a: &'static str, b: &'static str) -> Sample {
    Sample { entry, unit: Unit::Graphemes, within: None, a: ("", a), b: ("", b) }
}

const KITTEN: Sample = letters(entry(t("kitten → sitting"), t("The classic: two substitutions and an insertion.")), "kitten", "sitting");
const INTENTION: Sample =
    letters(entry(t("intention → execution"), t("Five edits, and more than one way to do it.")), "intention", "execution");
const STRAND: &str = include_str!("samples/strand.fasta");
const STRANDS: Sample =
    letters(entry(t("Two strands of DNA"), t("FASTA with names, 300 bases, a few mutations.")), STRAND, include_str!("samples/copy.fasta"));
const EMOJI: Sample = letters(
    entry(t("👩‍🚀 → 👨‍🚀"), t("One letter as people count, three characters, eleven bytes: try the units.")),
    "👩‍🚀 über 🇯🇵",
    "👨‍🚀 u\u{308}ber 🇰🇷",
);
const DAFFODILS: Sample = Sample {
    entry: entry(t("Daffodils, 1807 → 1815"), t("Two editions of Wordsworth’s poem, by words.")),
    unit: Unit::Words,
    within: None,
    a: ("Daffodils, 1807", include_str!("samples/1807.txt")),
    b: ("Daffodils, 1815", include_str!("samples/1815.txt")),
};
const ESSAY: Sample = Sample {
    entry: entry(t("A borrowed paragraph"), t("Darwin, 1859, and an essay that follows him closely: what stayed shows.")),
    unit: Unit::Words,
    within: None,
    a: ("Darwin, 1859", include_str!("samples/essay-source.txt")),
    b: ("an essay", include_str!("samples/essay-copy.txt")),
};
const SETTINGS: Sample = Sample {
    entry: entry(t("A settings file, then and now"), t("By lines, as programmers compare; words that changed in a line are marked.")),
    unit: Unit::Lines,
    within: None,
    a: ("then", include_str!("samples/then.toml")),
    b: ("now", include_str!("samples/now.toml")),
};
const LOG_LINE: Sample = letters(
    entry(t("Two log lines"), t("The same message, another number, another address.")),
    "09:14:03 error request 7f3d from 10.0.4.31 timed out after 2000 ms",
    "09:14:08 error request 7f40 from 10.0.4.17 timed out after 2500 ms",
);
const LOG: &str = include_str!("samples/service.log");
const SONNET: &str = include_str!("samples/sonnet18.txt");

/// Pairs to compare as a whole.
const PAIRS: [Sample; 8] = [KITTEN, INTENTION, STRANDS, DAFFODILS, ESSAY, SETTINGS, LOG_LINE, EMOJI];

/// Pairs whose common subsequence says something.
const COMMON: [Sample; 6] = [
    letters(entry(t("nematode knowledge"), t("What two phrases share, in the same order.")), "nematode knowledge", "empty bottle"),
    ESSAY,
    DAFFODILS,
    STRANDS,
    SETTINGS,
    KITTEN,
];

/// Patterns that occur nearly.
const NEARLY: [Sample; 4] = [
    Sample {
        within: Some(2),
        b: ("Sonnet 18", SONNET),
        ..letters(entry(t("winter in Sonnet 18"), t("The word is not there; what comes near is.")), "winter", "")
    },
    Sample {
        within: Some(3),
        b: ("service.log", LOG),
        ..letters(
            entry(t("A log line with typing errors"), t("“request timed out”, also where it is misspelt.")),
            "timed out after 2000 ms",
            "",
        )
    },
    Sample {
        within: Some(2),
        ..letters(entry(t("A motif in DNA"), t("Twice in 300 bases, with up to two mutations.")), "GAGAGGGTG", STRAND)
    },
    letters(entry(t("annual in annealing"), t("The textbook’s example: one edit away.")), "annual", "annealing"),
];

/// Patterns laid over a text.
const LAID: [Sample; 4] = [
    letters(entry(t("abba over acbabaccb"), t("Six offsets, the best has three of four equal.")), "abba", "acbabaccb"),
    Sample { within: Some(3), ..letters(entry(t("A motif in DNA"), t("Where at most three of nine bases differ.")), "GAGAGGGTG", STRAND) },
    letters(
        entry(t("A text over itself"), t("Repeats show as peaks at their distance.")),
        "abracadabra",
        "abracadabra abracadabra abracadabra",
    ),
    Sample {
        b: ("Sonnet 18", SONNET),
        ..letters(entry(t("summer’s over Sonnet 18"), t("Chance alone makes one or two letters agree.")), "summer's", "")
    },
];

/// Patterns that occur.
const OCCURRING: [Sample; 5] = [
    letters(entry(t("aba in ababababa"), t("Occurrences overlap, and all of them count.")), "aba", "ababababa"),
    Sample {
        b: ("Sonnet 18", SONNET),
        ..letters(entry(t("fair in Sonnet 18"), t("A word in fourteen lines of Shakespeare.")), "fair", "")
    },
    Sample { b: ("service.log", LOG), ..letters(entry(t("An address in a log"), t("Every line of one machine.")), "10.0.4.31", "") },
    letters(entry(t("A motif in DNA"), t("Exact copies among 300 bases.")), "GAGAGGGTG", STRAND),
    Sample {
        b: ("Daffodils, 1815", include_str!("samples/1815.txt")),
        ..letters(entry(t("dancing in the daffodils"), t("Wordsworth, 1815.")), "dancing", "")
    },
];

/// The samples for a task, in the order of the menu.
pub fn samples(task: Task) -> &'static [Sample] {
    match task {
        Task::EditDistance => &PAIRS,
        Task::Lcs => &COMMON,
        Task::ApproximateSearch => &NEARLY,
        Task::MatchCount => &LAID,
        Task::ExactSearch => &OCCURRING,
    }
}

/// What the menu of a task says: of each of its samples, in their order. Apart from their texts, which are much more and not in a first view.
pub fn menu(task: Task) -> &'static [Entry] {
    match task {
        Task::EditDistance => &PAIRS_MENU,
        Task::Lcs => &COMMON_MENU,
        Task::ApproximateSearch => &NEARLY_MENU,
        Task::MatchCount => &LAID_MENU,
        Task::ExactSearch => &OCCURRING_MENU,
    }
}

static PAIRS_MENU: [Entry; PAIRS.len()] = entries(PAIRS);
static COMMON_MENU: [Entry; COMMON.len()] = entries(COMMON);
static NEARLY_MENU: [Entry; NEARLY.len()] = entries(NEARLY);
static LAID_MENU: [Entry; LAID.len()] = entries(LAID);
static OCCURRING_MENU: [Entry; OCCURRING.len()] = entries(OCCURRING);

const fn entries<const COUNT: usize>(samples: [Sample; COUNT]) -> [Entry; COUNT] {
    let mut entries = [entry("", ""); COUNT];
    let mut at = 0;
    while at < COUNT {
        entries[at] = samples[at].entry;
        at += 1;
    }
    entries
}

impl Sample {
    /// The form that it fills in.
    pub fn form(&self, task: Task) -> Form {
        let side = |(name, text): (&str, &str)| Side { name: (!name.is_empty()).then(|| name.into()), ..Side::typed(text) };
        let mut form = Form::new(task);
        form.options.unit = self.unit;
        match task {
            Task::ApproximateSearch => form.options.max_distance = self.within,
            Task::MatchCount => form.options.max_mismatches = self.within,
            Task::EditDistance | Task::Lcs | Task::ExactSearch => {}
        }
        (form.a, form.b) = (side(self.a), side(self.b));
        form
    }
}

#[cfg(test)]
mod tests {
    use kernels::engine::{Cpu, Engine};
    use kernels::event::Answer;
    use kernels::run::{NoObserver, Run};
    use kernels::text::Pair;

    use super::*;

    fn answer(sample: &Sample, task: Task) -> Answer {
        let form = sample.form(task);
        let text = |side: &Side| side.text().unwrap_or_default().as_bytes().to_vec();
        let pair = Pair::parse(text(&form.a), text(&form.b), &form.asked().reading()).unwrap();
        Engine::Cpu(Cpu::SINGLE).run(task, &form.asked(), &pair, &Run::new(&NoObserver)).unwrap().answer
    }

    #[test]
    fn every_sample_has_something_to_show() {
        for task in Task::ALL {
            assert!(samples(task).iter().map(|sample| &sample.entry).eq(menu(task)));
            for sample in samples(task) {
                let shows = match answer(sample, task) {
                    Answer::EditDistance { distance, .. } => distance > 0,
                    Answer::Lcs { length, .. } => length > 0,
                    Answer::ApproximateSearch { total, .. } | Answer::ExactSearch { total, .. } => total > 0,
                    Answer::MatchCount { best, .. } => best > Some(1),
                };
                assert!(shows && !sample.entry.about.is_empty() && sample.entry.about.ends_with('.'), "{} of {task:?}", sample.entry.title);
            }
        }
    }

    #[test]
    fn what_the_menu_says_is_so() {
        assert!(matches!(answer(&KITTEN, Task::EditDistance), Answer::EditDistance { distance: 3, .. }));
        assert!(matches!(answer(&INTENTION, Task::EditDistance), Answer::EditDistance { distance: 5, .. }));
        assert!(matches!(answer(&OCCURRING[0], Task::ExactSearch), Answer::ExactSearch { total: 4, .. }));
        assert!(matches!(answer(&LAID[0], Task::MatchCount), Answer::MatchCount { best: Some(3), .. }));
        assert!(matches!(answer(&NEARLY[3], Task::ApproximateSearch), Answer::ApproximateSearch { distance: Some(1), .. }));
    }
}
