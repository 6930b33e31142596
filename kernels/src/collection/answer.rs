//! Answer: the answer to a question, by members. Texts with equal symbols were compared once.

use super::question::{CollectionAnswer, ScoredPair, groups, rank};
use super::{Collection, KeptPairs};
use crate::failure::{JobFailure, large};
use crate::job::Task;

impl CollectionAnswer {
    /// Returns the score of the members `a` and `b`, numbers of their sides, if the answer has the scores of all pairs. `a` is
    /// the first text of the pair.
    ///
    /// # Panics
    /// Panics if a member does not exist, or if `collection` is not the one of the question.
    pub fn score(&self, collection: &Collection, a: usize, b: usize) -> Option<i32> {
        let Self::Scores(scores) = self else { return None };
        let (row, column) = (collection.a().members()[a].text, collection.columns().members()[b].text);
        let columns = collection.columns().distinct();
        Some(scores[row * columns.len() + column - columns.start])
    }

    /// Lists the kept pairs of members. `task` is the task of the question.
    ///
    /// Pairs of one collection have `a` < `b`, and equal members are pairs too. Pairs are ordered by `a`, then `b`. Nearest
    /// members are ordered by `a`, then by nearness, then by `b`. The answer with all scores lists all pairs.
    ///
    /// # Errors
    /// Returns `TooLarge` if there are more than `max_pairs` pairs.
    pub fn member_pairs(
        &self,
        collection: &Collection,
        task: Task,
        keep: KeptPairs,
        max_pairs: u64,
    ) -> Result<Vec<ScoredPair>, JobFailure> {
        let too_many = |got: u64| JobFailure::TooLarge { what: large::KEPT_PAIRS.into(), got, limit: max_pairs };
        let rows = members_of(collection.corpus().len(), collection.a().members());
        let columns = members_of(collection.corpus().len(), collection.columns().members());
        let is_one = collection.b().is_none();
        let mut pairs = Vec::new();
        match self {
            Self::Scores(_) => {
                if collection.pairs() > max_pairs {
                    return Err(too_many(collection.pairs()));
                }
                let width = collection.columns().members().len();
                for a in 0..collection.a().members().len() {
                    let first = if is_one { a + 1 } else { 0 };
                    let score = |b| self.score(collection, a, b).map(|score| ScoredPair { a: a as u32, b: b as u32, score });
                    pairs.extend((first..width).filter_map(score));
                }
            }
            Self::Pairs(kept) => {
                let equal = is_one.then(|| equal_pairs(collection, task)).into_iter().flatten();
                for ScoredPair { a, b, score } in kept.iter().copied().chain(equal) {
                    let (first, second) = (&rows[a as usize], &columns[b as usize]);
                    // A text with itself stands for the pairs of its members.
                    let is_same = is_one && a == b;
                    let more = (first.len() as u64) * (second.len() as u64 - u64::from(is_same)) / (1 + u64::from(is_same));
                    if pairs.len() as u64 + more > max_pairs {
                        return Err(too_many(pairs.len() as u64 + more));
                    }
                    for &x in first {
                        let others = second.iter().filter(|&&y| !is_same || x < y);
                        pairs.extend(others.map(|&y| match is_one {
                            true => ScoredPair { a: x.min(y), b: x.max(y), score },
                            false => ScoredPair { a: x, b: y, score },
                        }));
                    }
                }
                pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
            }
            Self::Nearest(nearest) => {
                let count = if let KeptPairs::Nearest(count) = keep { count as usize } else { usize::MAX };
                let of_text = |text: usize| {
                    let start = nearest.partition_point(|pair| (pair.a as usize) < text);
                    nearest[start..].iter().take_while(move |pair| pair.a as usize == text)
                };
                for (a, member) in collection.a().members().iter().enumerate() {
                    let mut near: Vec<ScoredPair> = Vec::new();
                    for pair in of_text(member.text) {
                        // The first members with a text are enough, one of which may be the member itself.
                        let others = columns[pair.b as usize].iter().take(count.saturating_add(1)).filter(|&&b| !is_one || b as usize != a);
                        near.extend(others.map(|&b| ScoredPair { a: a as u32, b, score: pair.score }));
                    }
                    let m = collection.a().member_len(a);
                    near.sort_unstable_by_key(|pair| (rank(task, pair.score, m, collection.columns().member_len(pair.b as usize)), pair.b));
                    near.truncate(count);
                    pairs.extend(near);
                    if pairs.len() as u64 > max_pairs {
                        return Err(too_many(pairs.len() as u64));
                    }
                }
            }
        }
        Ok(pairs)
    }

    /// Returns the groups of members that chains of the kept pairs connect, like [`groups`]. Equal members are in one group.
    /// Returns no groups if the answer has the scores of all pairs.
    pub fn groups(&self, collection: &Collection) -> Vec<Vec<usize>> {
        let kept = match self {
            Self::Scores(_) => return Vec::new(),
            Self::Pairs(pairs) | Self::Nearest(pairs) => pairs,
        };
        let members = collection.a().members();
        let mut first = vec![usize::MAX; collection.corpus().len()];
        let mut copies = Vec::new();
        for (number, member) in members.iter().enumerate() {
            match first[member.text] {
                usize::MAX => first[member.text] = number,
                other => copies.push((other, number)),
            }
        }
        let of_texts = kept.iter().map(|pair| (first[pair.a as usize], first[pair.b as usize]));
        groups(members.len(), of_texts.chain(copies.iter().copied()))
    }
}

/// Lists the members with each text of the corpus.
fn members_of(texts: usize, members: &[super::Member]) -> Vec<Vec<u32>> {
    let mut of = vec![Vec::new(); texts];
    for (number, member) in members.iter().enumerate() {
        of[member.text].push(number as u32);
    }
    of
}

/// Lists the pairs of a text with itself, of all texts. Equal texts have the similarity 1, so that every rule keeps them.
fn equal_pairs(collection: &Collection, task: Task) -> Vec<ScoredPair> {
    let score = |text: usize| if task == Task::EditDistance { 0 } else { collection.corpus().member_len(text) as i32 };
    collection.a().distinct().map(|text| ScoredPair { a: text as u32, b: text as u32, score: score(text) }).collect()
}
