//! The rules for the first sentence of a comment ([`ProseRule`]). The parent module describes each rule.

use std::{collections::HashSet, sync::LazyLock};

use regex::Regex;

use crate::prose::{
    comments::{DocComment, ItemKind, first_sentence},
    pattern,
};

/// A rule for the first sentence of a comment. The parent module describes each rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProseRule {
    Opener,
    NoVerb,
    Dangling,
    Stub,
    Long,
    Knot,
}

impl ProseRule {
    /// Every rule, in the order of the columns in the printed table.
    pub(super) const ALL: [Self; 6] = [Self::Opener, Self::NoVerb, Self::Dangling, Self::Stub, Self::Long, Self::Knot];

    /// Returns the rule's name in tables and errors.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Opener => "opener",
            Self::NoVerb => "noverb",
            Self::Dangling => "dangling",
            Self::Stub => "stub",
            Self::Long => "long",
            Self::Knot => "knot",
        }
    }

    /// Returns the advice for a comment that breaks the rule.
    pub(super) fn advice(self) -> &'static str {
        match self {
            Self::Opener => "begin with a verb or a noun",
            Self::NoVerb => "begin a function's comment with a verb",
            Self::Dangling => "name the noun instead of a pronoun",
            Self::Stub => "write at least three words, or delete the comment",
            Self::Long => "write at most 32 words a sentence",
            Self::Knot => "write at most two of that, which, what and where",
        }
    }
}

/// Maximum number of words in a clear sentence.
const MAX_WORDS: usize = 32;

/// Maximum number of words in a comment that is regarded as a stub.
const MAX_STUB_WORDS: usize = 2;

/// Maximum number of relative words, such as "that", in a clear sentence.
const MAX_RELATIVE_WORDS: usize = 2;

/// Number of words at the beginning of a sentence in which a pronoun needs a noun before it.
const MAX_HEAD_WORDS: usize = 5;

/// Words that a first sentence must not begin with, because they ask a question or need an earlier sentence.
const OPENERS: &str = "what whatever how who whoever whom whose where wherever which why when of as so those that they it its is are \
    was were has such another somebody nobody anybody something nothing everybody theirs them there here most least same else";

/// Words that only the sentences of constants, fields and variants may begin with.
const PREPOSITIONS: &str = "from in to by at on under beside";

/// Words that are no nouns, so that a pronoun cannot refer to them, in addition to [`OPENERS`] and [`PREPOSITIONS`].
const SMALL_WORDS: &str = "a an the all every each not no one two is are or and if for with which whether";

/// Words after which a verb is regarded as a noun, as in "the match".
const ARTICLES: &str = "a an the this all every each no";

/// Plural nouns that have the form of verbs. Before "of" they are regarded as nouns.
const PLURAL_NOUNS: &str = "words rows symbols cells bits scores numbers matches links hits places names hashes edits marks blocks \
    queues steps walks times counts lists maps stages streams splits lines columns offsets texts windows cuts sums";

/// Verbs in their base form.
static VERBS: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("verbs.txt").split_whitespace().collect());

static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"[A-Za-z`'][\w`'-]*"));

/// Pattern of a module's name and a colon at the beginning, as in "Bus: messages between processes."
static MODULE_NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"^`?[A-Z][\w ]{0,24}`?: "));

/// Pattern of a number or demonstrative without a noun at the beginning.
static NUMBER_OPENER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(One|Ones|Both|All|None|Some|Two|Three|Few|Each|Every one|The same|The others?|Others?|These|This)(\s+(that|which|who|of (it|them|those|these)|is|are|was|were|has|have|may|begin|lie|stand)\b|[.,:;]|$)",
    )
});

/// Pattern of a question word after the verb at the beginning, as in "Returns what is stored."
static HOLLOW_VERB: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[A-Z][a-z]+s?\s+(what|who|whom|whose|where|why|so (many|much|long)|as (many|much|long))\b"));

/// Pattern of pronouns that need a noun before them.
static PRONOUN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(it|its|they|them|their|theirs|those|that one|this one|the others?|the other one|another one|one of its own|so many|so much|so long|so few|as many|as long|such)\b",
    )
});

/// Pattern of pronouns and ordinals after at most seven words. They come too early to have a noun before them to which
/// they refer.
static EARLY_PRONOUN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^(\W*[\w`'-]+){0,7}?\W+(of (it|them|its own)\b|the (first|second|other|former|latter|same)[.,:;])"));

/// Pattern of words for unnamed people, which often stand for a client, a caller or a thread.
static UNNAMED_PERSON: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(somebody|nobody|anybody|whoever|everybody|who(m)? asks)\b"));

static RELATIVE_WORD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(that|which|what|who|whom|whose|where|whoever|whatever|wherever)\b"));

/// Returns the rules that the first sentence of a comment breaks.
pub(super) fn find_broken(comment: &DocComment<'_>) -> Vec<ProseRule> {
    let mut sentence = first_sentence(&comment.body);
    if comment.item == ItemKind::Module {
        sentence = capitalize(&MODULE_NAME.replace(&sentence, ""));
    }
    let words: Vec<&str> = WORD.find_iter(&sentence).map(|word| word.as_str()).collect();
    let Some(word) = words.first() else { return Vec::new() };
    let first = word.trim_matches(['`', '\'']).to_lowercase();
    let has_opener = breaks_opener(&sentence, &first, comment.item, words.len());
    let is_function = comment.item == ItemKind::Function;
    let lines = comment.body.iter().filter(|line| !line.trim().is_empty()).count();
    let can_be_stub = is_function || comment.item == ItemKind::Type;
    let is_dangling =
        !has_opener && has_pronoun_before_noun(&words) || EARLY_PRONOUN.is_match(&sentence) || UNNAMED_PERSON.is_match(&sentence);
    let is_broken = |rule: &ProseRule| match rule {
        ProseRule::Opener => has_opener,
        ProseRule::NoVerb => is_function && !word.starts_with('`') && !begins_with_verb(&first, words.get(1)),
        ProseRule::Dangling => is_dangling,
        ProseRule::Stub => can_be_stub && words.len() <= MAX_STUB_WORDS && lines == 1,
        ProseRule::Long => words.len() > MAX_WORDS,
        ProseRule::Knot => RELATIVE_WORD.find_iter(&sentence).count() > MAX_RELATIVE_WORDS,
    };
    ProseRule::ALL.into_iter().filter(is_broken).collect()
}

/// Returns whether a sentence begins with a word that is forbidden there. `first` is its first word in lower case,
/// `item` the kind of the documented item, and `words` the number of words.
fn breaks_opener(sentence: &str, first: &str, item: ItemKind, words: usize) -> bool {
    let may_have_preposition = item == ItemKind::Value && words > 2;
    contains(OPENERS, first)
        || contains(PREPOSITIONS, first) && !may_have_preposition
        || NUMBER_OPENER.is_match(sentence)
        || HOLLOW_VERB.is_match(sentence)
}

fn begins_with_verb(first: &str, second: Option<&&str>) -> bool {
    let is_noun = contains(PLURAL_NOUNS, first) && second.is_some_and(|word| word.eq_ignore_ascii_case("of"));
    is_verb(first) && !is_noun
}

/// Returns whether a lowercase word is a known verb, in its base form or in the third person.
fn is_verb(word: &str) -> bool {
    let has = |verb: &str| VERBS.contains(verb);
    has(word)
        || word.strip_suffix("ies").is_some_and(|stem| has(&format!("{stem}y")))
        || word.strip_suffix("es").is_some_and(has)
        || word.strip_suffix('s').is_some_and(has)
}

/// Returns whether one of the first words is a pronoun that has no noun before it.
fn has_pronoun_before_noun(words: &[&str]) -> bool {
    let head = words.iter().take(MAX_HEAD_WORDS).copied().collect::<Vec<_>>().join(" ");
    PRONOUN.find(&head).is_some_and(|pronoun| !has_noun(&head[..pronoun.start()].to_lowercase()))
}

/// Returns whether `text` contains a noun. A verb after an article is regarded as a noun.
fn has_noun(text: &str) -> bool {
    let mut last = "";
    text.split_whitespace().any(|word| {
        let before = std::mem::replace(&mut last, word);
        let is_small = [OPENERS, PREPOSITIONS, SMALL_WORDS].iter().any(|words| contains(words, word));
        !is_small && (!is_verb(word) || contains(ARTICLES, before))
    })
}

fn contains(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|known| known == word)
}

fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
