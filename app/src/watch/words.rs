//! What every key of a lens is called: sentences, names of lenses, headings, counts, marks. A key that has no words stands for itself, as
//! code does; a test sees to it that no lens has one.

use explain::lens::frame::Mark;
use explain::lens::{Name, Unit};

use crate::tr;
use crate::tr::t;
use crate::words::grouped;

/// "round 3 of 9": where a lens stands, in what its steps are. The deck itself says steps.
pub fn at(unit: Unit, step: usize, all: usize) -> String {
    let (step, all) = (grouped(step as u64), grouped(all as u64));
    match unit {
        Unit::Step | Unit::Round => tr!("round {step} of {all}", step = step, all = all),
        Unit::Comparison => tr!("comparison {step} of {all}", step = step, all = all),
        Unit::TimeUnit => tr!("time unit {step} of {all}", step = step, all = all),
    }
}

/// The sentence of a key, with its values in braces; `{value!}` is the one that it is about.
#[expect(clippy::too_many_lines, reason = "one table")]
pub fn sentence(key: &'static str) -> &'static str {
    match key {
        "bit-vectors.begin" => t("A column of {m} rows is {words!} words of {w} bits."),
        "bit-vectors.carry" => t("The addition leaves a carry, which goes on into word {word} + 1."),
        "bit-vectors.column" => t("Column {j} is whole: its last value is {value}."),
        "bit-vectors.end" => t("The answer is {value}: {words} words were computed in place of {cells} cells."),
        "bit-vectors.no-carry" => t("The addition leaves no carry behind word {word}."),
        "bit-vectors.why" => t("Neighbours in a column differ by one at most, so a bit or two hold each; {w} rows are a word."),
        "bit-vectors.word" => t("Column {j}, of {b}: word {word} of {words} computes rows {from} to {to!} at once."),
        "carry-select.begin" => t("The addition of column {j} has {words!} words of {w} bits, one for each thread."),
        "carry-select.both" => t("Each of {words!} threads adds twice, with a carry from below and without one."),
        "carry-select.end" => t("{words} words are added in {steps} steps; {carries} carries passed a border."),
        "carry-select.merge" => t("Groups of {group} words are joined: {selected!} words take one of their two sums."),
        "carry-select.why" => t("{steps} steps are enough for {words} words, since groups double."),
        "filling.begin" => t("{cells!} cells are filled in {steps} steps."),
        "filling.cell" => t("The cell [{i}, {j}] gets {value!}."),
        "filling.cells" => t("Step {step} fills {count!} cells."),
        "filling.end" => t("All {cells} cells are filled; {left} of the matrix were left out."),
        "filling.why-many" => t("None of the {count} needs another one of them, so as many threads fill them at once."),
        "filling.why-offset" => t("Each of the {count} follows from the one before it on its diagonal."),
        "filling.why-one" => t("{ways} of its sums give that value."),
        "hirschberg.absent" => t("{a} is not in {b}: it is left out."),
        "hirschberg.backward" => t("From below, row {row!} of {rows}, for {a} and {b} at depth {depth}."),
        "hirschberg.begin" => t("The longest common subsequence of {a} and {b} is looked for with {words!} words in memory."),
        "hirschberg.empty" => t("One of {a} and {b} is empty: there is nothing to find."),
        "hirschberg.end" => t("The subsequence has {length} symbols. It took {cells} cells, where the table alone has {least}."),
        "hirschberg.forward" => t("From above, row {row!} of {rows}, for {a} and {b} at depth {depth}."),
        "hirschberg.found" => t("{a} is in {b}: it belongs to the subsequence."),
        "hirschberg.rows-why" => t("{cells} cells so far. The whole table has {least}; all levels together never have twice as many."),
        "hirschberg.split" => {
            t("The rows from above and from below have their greatest sum, {sum!}, at *k* = {k}: {b} is cut after {left}.")
        }
        "hirschberg.split-why" => t("The best of {upper} with {left} and the best of {lower} with {right} make a longest one together."),
        "kmp.end" => t("Found {found} times, with {comparisons} comparisons where comparing at every place takes {naive}."),
        "kmp.known" => {
            t("The pattern slides by {by}. Its first {keep} symbols, {known}, are known to fit, and the text is never read backwards.")
        }
        "kmp.table-why" => t("The failure table has {m} numbers: how much of the pattern still fits where a symbol differs."),
        "kmp.unknown" => t("The pattern slides by {by}, and nothing of it is known to fit."),
        "hmm.copy" => t("On an HMM of {d} DMMs it takes {units} time units to copy both texts to shared memory, before the first round."),
        "hmm.counted" => t("On the HMM {total} time units are counted in all."),
        "hmm.end" => {
            t("On the HMM {total} time units are counted in all; the formula, for slices that begin at multiples of *w*, says {formula}.")
        }
        "hmm.step" => t("On the HMM this step takes {units} time units: {over} of {total} are over."),
        "machine.addresses" => t("addresses {addresses}"),
        "machine.begin" => t("{requests!} requests of {warps} warps of {w} threads, to two kinds of memory."),
        "machine.end" => t("All is answered after {dmm} time units on the DMM and {umm} on the UMM."),
        "machine.unit" => t("Time unit {unit!}: of {requests} requests the DMM has answered {dmm}, the UMM {umm}."),
        "machine.why" => {
            t("The latency is {l}. A stage serves distinct banks on the DMM and one address group on the UMM: {dmm} and {umm} stages.")
        }
        "naive.end" => t("Found {found} times, with {comparisons} comparisons."),
        "naive.next" => t("The pattern moves on to {at}, and the text is read again from there: {back} symbols back."),
        "naive.why" => t("At worst that is {m} comparisons at every place of {n} symbols."),
        "pieces.begin" => t("{threads!} threads look for {m} symbols in {n}, each in a piece of its own."),
        "pieces.end" => t("Found {found} times in {rounds} rounds."),
        "pieces.found" => t("Round {round}: of {working} threads at work one or more have found the pattern, at {at!}."),
        "pieces.round" => t("Round {round}: {working!} threads compare a symbol each, {waiting} are done."),
        "pieces.why" => t("A piece has {piece} symbols; a second thread reads over its end, so that nothing is lost at a border."),
        "question.bit" => t("Symbol {i} is {b}. What is the bit of {a} then?"),
        "question.carry" => t("Which carry leaves word {word} in column {j}, of {b}?"),
        "question.cells-at-once" => t("How many cells does step {step} fill?"),
        "question.common" => t("Is {a} in {b}?"),
        "question.cursor-next" => t("Thread {thread} compares symbol {i} with symbol {j} of the pattern. At which symbol is it next?"),
        "question.dmm-stages" => t("Warp {warp} asks for {addresses}. How many stages is that on the DMM?"),
        "question.dmm-time" => t("With latency {l}, how many time units does the DMM take?"),
        "question.fall-back" => t("The comparison fails at length {from}. To which length does it fall back?"),
        "question.field" => t("Symbol {i} is {b}. What does the field of {a} count then?"),
        "question.inputs" => t("Which cells give the value {value} of [{i}, {j}]?"),
        "question.minimum" => t("Pairs that are {half} apart are compared. What is the first minimum then?"),
        "question.next-cell" => t("To which cell does the way go on from [{i}, {j}] = {value}?"),
        "question.next-filled" => t("Which cell is filled next?"),
        "question.ones" => t("How many ones has the stream of {a} along {b}?"),
        "question.read-next" => t("Symbol {i}, {b}, meets symbol {j} of the pattern, {a}. Which position of the text is read next?"),
        "question.row-last" => t("How long is the longest common subsequence of {row} and {b}?"),
        "question.score" => t("How many symbols are equal at offset {k}, *c*{k}?"),
        "question.select" => t("Word {below} is the last one below. Which sum does word {word} take?"),
        "question.slide" => t("Symbol {i}, {b}, meets symbol {j} of the pattern, {a}. By how much does the pattern slide then?"),
        "question.split" => t("After how many symbols is {b} cut, for the halves of {a}?"),
        "question.table" => t("Which number does symbol {i}, {a}, get?"),
        "question.thread-next" => t("Which cell does thread {thread} fill in round {round}?"),
        "question.threads-at-work" => t("How many threads of the block work in round {round}?"),
        "question.umm-stages" => t("Warp {warp} asks for {addresses}. How many stages is that on the UMM?"),
        "question.umm-time" => t("With latency {l}, how many time units does the UMM take?"),
        "question.value" => t("What is the value at [{i}, {j}]?"),
        "question.word-carry" => t("Does word {word} pass a carry on, without one from below?"),
        "shift-add.begin" => t("A field of {bits!} bits for each of {m} symbols of the pattern."),
        "shift-add.score" => t("Symbol {i} is {b}: all counters move on, and *c*{k} = {score!} leaves the last field."),
        "shift-add.step" => t("Symbol {i!} is {b}: all counters move on by one field, and the mask of {b} is added."),
        "shift-add.why" => t("A counter never passes {m}, so {bits} bits hold it and no carry reaches its neighbour."),
        "shift-and.begin" => t("A bit for each of {m} symbols of the pattern, in {words!} words."),
        "shift-and.found" => t("Symbol {i} is {b}, and the last bit is set: the pattern occurs at {at!}."),
        "shift-and.step" => t("Symbol {i} is {b}: all bits move on, and those whose symbol is not {b} go. {ends!} are left."),
        "shift-and.why" => t("A bit is set where a beginning of the pattern ends here. The longest is {a}."),
        "shift.end" => t("All {n} symbols are read, each once."),
        "slices.begin" => t("{blocks!} blocks, {threads} threads in all; slices of the text overlap by {overlap} symbols."),
        "slices.copy" => t("Each of {blocks} blocks has written its least distance; now the least of them is found."),
        "slices.end" => t("The least distance of all {blocks} blocks is {least}."),
        "slices.least-of-block" => t("least {least}"),
        "slices.minimum" => t("Pairs that are {half} apart are compared, and {left!} minima are left."),
        "slices.round" => t("Round {round}: in {blocks} blocks {working!} threads fill a cell each, {waiting} wait."),
        "slices.why" => {
            t("A match is at most twice as long as the pattern, so an overlap of {overlap} symbols loses none. Warps of a block: {warps}.")
        }
        "sliding.begin" => t("A pattern of {m} symbols is looked for in {n!} symbols."),
        "sliding.comparisons" => t("comparisons: {comparisons}"),
        "sliding.comparisons-found" => t("comparisons: {comparisons}, found"),
        "sliding.differ" => t("{b} at {i!} differs from {a}, symbol {j} of the pattern."),
        "sliding.equal" => t("{a} at {i!} is equal to symbol {j} of the pattern."),
        "sliding.fall-back" => t("{from} equal, {to} kept"),
        "sliding.found" => t("{a} occurs at {at!}."),
        "sliding.known" => t("{keep} known"),
        "streams.begin" => t("A stream of bits for each of {streams!} distinct symbols of a pattern of {m}."),
        "streams.end" => t("All {offsets} offsets are counted."),
        "streams.ones" => t("ones: {ones}"),
        "streams.score" => t("Offset {k}: {ones} ones, *c*{k} = {score!}."),
        "streams.why" => t("{streams} processors count the ones of their own stream, and no counter needs a field."),
        "table.begin" => t("A table of {m!} numbers is made of the pattern alone."),
        "table.end" => t("All {m} numbers are made, with {comparisons} comparisons."),
        "table.equal" => t("{a} at {i} goes on with the beginning: its length is {length!}."),
        "table.fall-back" => t("{a} at {i} differs from {other}: the beginning falls back from {from} to {to!} symbols."),
        "table.none" => t("{a} at {i} differs from the first symbol: no beginning ends here, {i} gets 0."),
        "table.why" => t("The beginning {border} also ends before symbol {i}; the next comparison asks whether it goes on."),
        "traceback.begin" => t("The way back begins at [{i}, {j}], where the value is {value!}."),
        "traceback.delete" => t("{a} is deleted: the way goes up, [{i}, {j}] = {value!}."),
        "traceback.end" => t("The alignment is whole: {columns} columns, score {score}."),
        "traceback.equal" => t("{a} stays: the way goes to the corner, [{i}, {j}] = {value!}."),
        "traceback.insert" => t("{b} is inserted: the way goes left, [{i}, {j}] = {value!}."),
        "traceback.skip-a" => t("{a} is left out: the way goes up, [{i}, {j}] = {value!}."),
        "traceback.skip-b" => t("{b} is left out: the way goes left, [{i}, {j}] = {value!}."),
        "traceback.substitute" => t("{a} becomes {b}: the way goes to the corner, [{i}, {j}] = {value!}."),
        "traceback.ways" => t("{ways} of its neighbours give the value {value} of [{i}, {j}]."),
        "two-rows.begin" => t("Two rows of the table are kept, {words!} words."),
        "two-rows.end" => t("The answer is {value}. With {words} words the way to it is lost."),
        "two-rows.row" => t("Row {i}, of {a}: {cells!} cells are computed from the row above."),
        "two-rows.why" => t("A row needs the one above it alone. So {words} words do, in place of {table}."),
        other => other,
    }
}

/// A heading, a name of a row, a count or a reply.
pub fn label(key: &'static str) -> &'static str {
    match key {
        "access" => t("kind of access"),
        "additions" => t("additions"),
        "aid-thread" => t("aid"),
        "alignment-backwards" => t("The alignment, from its end"),
        "bits-kept" => t("bits kept"),
        "bits-of-d" => t("bits in D"),
        "block" => t("block"),
        "carries" => t("carries"),
        "cells-at-once" => t("cells at once"),
        "cells-by-level" => t("Cells computed, level by level"),
        "cells-computed" => t("cells computed"),
        "cells-of-matrix" => t("cells of the matrix"),
        "coalesced" => t("coalesced"),
        "column" => t("column"),
        "comparisons" => t("comparisons"),
        "comparisons-naive" => t("comparisons at every place"),
        "depth" => t("depth"),
        "dmm" => t("DMM: banks"),
        "dmm-answered" => t("answered, DMM"),
        "dmm-pipeline" => t("Pipeline of the DMM"),
        "dmm-time-units" => t("time units, DMM"),
        "edits-found" => t("edits found"),
        "entries-made" => t("numbers made"),
        "failure-table" => t("Failure table"),
        "found" => t("found"),
        "from" => t("first address"),
        "given" => t("as given"),
        "group" => t("group"),
        "groups" => t("Groups of words"),
        "hmm" => t("Time units on the HMM"),
        "hmm.1" => t("1, copy"),
        "hmm.2" => t("2, search"),
        "hmm.3" => t("3, write"),
        "hmm.4" => t("4, minimum"),
        "hmm.counted" => t("counted"),
        "hmm.formula" => t("by formula"),
        "input.above" => t("above"),
        "input.corner" => t("corner"),
        "input.left" => t("left"),
        "lens.kmp" => t("Knuth, Morris, Pratt"),
        "lens.naive" => t("at every place"),
        "masks-kept" => t("masks kept"),
        "match-counts" => t("Match counts"),
        "matrix" => t("The table"),
        "minima" => t("The least of each block"),
        "occurrences" => t("Occurrences"),
        "pattern" => t("pattern"),
        "pattern-on-itself" => t("The pattern on itself"),
        "pieces" => t("Pieces of the text"),
        "positions" => t("position in the text"),
        "processors" => t("processors"),
        "random" => t("random"),
        "reply.both" => t("both stay"),
        "reply.no" => t("no"),
        "reply.one" => t("1"),
        "reply.with" => t("with a carry"),
        "reply.without" => t("without a carry"),
        "reply.yes" => t("yes"),
        "reply.zero" => t("0"),
        "requests" => t("Requests of the warps"),
        "rounds" => t("rounds"),
        "seed" => t("seed"),
        "selections" => t("selections"),
        "shifts-and-additions" => t("shifts and additions"),
        "slices" => t("Slices of the text"),
        "slide-by" => t("slide by"),
        "steps-of-threads" => t("steps of the threads"),
        "steps-word-by-word" => t("steps word by word"),
        "streams" => t("A stream for each symbol"),
        "stride" => t("with a stride"),
        "subsequence" => t("The subsequence so far"),
        "symbols-found" => t("symbols found"),
        "symbols-taken" => t("symbols taken in"),
        "text" => t("The text"),
        "thread" => t("thread"),
        "threads" => t("Threads over the rounds"),
        "threads-at-work" => t("threads at work"),
        "three-rows" => t("What the block keeps: three rows"),
        "time-units" => t("time units"),
        "turns-of-threads" => t("symbols compared by all threads"),
        "umm" => t("UMM: address groups"),
        "umm-answered" => t("answered, UMM"),
        "umm-pipeline" => t("Pipeline of the UMM"),
        "umm-time-units" => t("time units, UMM"),
        "values-read" => t("values read"),
        "which-sum" => t("Where the value comes from"),
        "words" => t("Words of bits"),
        "words-computed" => t("words computed"),
        "words-kept" => t("words kept"),
        "words-of-table" => t("words of the whole table"),
        other => other,
    }
}

/// The name of a lens.
pub fn name(name: Name) -> &'static str {
    match name.name() {
        "band" => t("Band"),
        "bit-vectors" => t("Words of bits"),
        "carry-select" => t("Carry select"),
        "column" => t("Column by column"),
        "cut-off" => t("Cut-off"),
        "diag" => t("Anti-diagonals"),
        "failure-table" => t("Failure table"),
        "hirschberg" => t("Hirschberg"),
        "kmp" => t("Knuth, Morris, Pratt"),
        "kmp-blocks" => t("Pieces and threads"),
        "machine" => t("Banks and groups"),
        "naive" => t("At every place"),
        "offset" => t("Diagonals"),
        "parallel-shift-add" => t("Parallel Shift-Add"),
        "row" => t("Row by row"),
        "shift-add" => t("Shift-Add"),
        "shift-and" => t("Shift-And"),
        "slices" => t("Slices and threads"),
        "traceback" => t("The way back"),
        "two-rows" => t("Two rows"),
        other => other,
    }
}

/// What a mark means.
pub fn mark(mark: Mark) -> &'static str {
    match mark.name() {
        "again" => t("computed again"),
        "ahead" => t("still to come"),
        "also" => t("as good"),
        "carried" => t("changed by a carry"),
        "chosen" => t("chosen"),
        "compared" => t("compared"),
        "conflict" => t("meets another in a bank"),
        "deleted" => t("deleted"),
        "different" => t("compared, different"),
        "dropped" => t("no longer in memory"),
        "earlier" => t("an earlier part"),
        "equal" => t("compared, equal"),
        "found" => t("found"),
        "idle" => t("idle"),
        "inserted" => t("inserted"),
        "kept" => t("still in memory"),
        "known" => t("known to be equal"),
        "leaves" => t("leaves the last field"),
        "new" => t("made in this step"),
        "open" => t("the part under work"),
        "overlap" => t("overlap"),
        "path" => t("on the path"),
        "read" => t("read in this step"),
        "substituted" => t("substituted"),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use explain::lens::frame::{Body, Frame, Label};
    use explain::lens::open;
    use explain::lens::question::Reply;
    use explain::lens::settings::{Kind, Settings};

    use super::*;
    use crate::watch::tests::samples;

    /// Names in the braces of a sentence.
    fn values(sentence: &str) -> BTreeSet<&str> {
        let parts = sentence.split('{').skip(1);
        parts.filter_map(|part| part.split_once('}')).map(|(name, _)| name.trim_end_matches('!')).collect()
    }

    #[test]
    fn every_sentence_of_every_lens_has_words_and_no_value_that_is_not_given() {
        for lens in Name::ALL {
            assert_ne!(name(lens), lens.name(), "{lens:?}");
            for (key, given) in lens.says() {
                assert_ne!(sentence(key), *key, "{lens:?} says {key}");
                assert!(values(sentence(key)).iter().all(|name| given.contains(name)), "{key}: {}", sentence(key));
            }
        }
    }

    fn of_label(one: &Label, keys: &mut BTreeSet<&'static str>) {
        if !one.is_code {
            keys.insert(one.text);
        }
    }

    fn of_frame(frame: &Frame, keys: &mut BTreeSet<&'static str>) {
        keys.extend(frame.counts.iter().map(|count| count.key));
        for panel in &frame.panels {
            keys.insert(panel.title);
            match &panel.body {
                Body::Grid(grid) => grid.labels.iter().chain(grid.under.iter().map(|tape| &tape.label)).for_each(|one| of_label(one, keys)),
                Body::Tapes(tapes) => tapes.tapes.iter().for_each(|tape| of_label(&tape.label, keys)),
                Body::Lanes(lanes) => {
                    keys.insert(lanes.axis);
                    lanes.lanes.iter().for_each(|lane| of_label(&lane.label, keys));
                }
                Body::Bars(bars) => {
                    bars.bars.iter().for_each(|bar| of_label(&bar.label, keys));
                    bars.ticks.iter().for_each(|(_, one)| of_label(one, keys));
                }
                Body::Sums(sums) => keys.extend(sums.iter().map(|sum| sum.key)),
            }
        }
    }

    /// Headings, rows, counts and replies of every step of every lens.
    #[test]
    fn every_key_that_is_drawn_has_words() {
        let mut keys = BTreeSet::new();
        for watched in samples() {
            for name in watched.lenses() {
                let Ok(lens) = open(*name, watched.task.unwrap(), &watched.texts, &Settings::usual(*name)) else { continue };
                for step in 0..=lens.len() {
                    of_frame(&lens.frame(step), &mut keys);
                    let replies = lens.question(step).into_iter().flat_map(|question| question.choices);
                    keys.extend(replies.filter_map(|reply| if let Reply::Key(key) = reply { Some(key) } else { None }));
                }
                let choices =
                    name.parameters().iter().filter_map(|one| if let Kind::Choice(names) = one.kind { Some(names) } else { None });
                keys.extend(choices.flatten().copied());
            }
        }
        let unsaid: Vec<_> = keys.into_iter().filter(|key| !key.is_empty() && label(key) == *key && !SAME.contains(key)).collect();
        assert!(unsaid.is_empty(), "{unsaid:?}");
    }

    /// Keys that are their own words in English.
    const SAME: [&str; 17] = [
        "comparisons",
        "pattern",
        "block",
        "thread",
        "rounds",
        "depth",
        "found",
        "processors",
        "carries",
        "coalesced",
        "random",
        "text",
        "requests",
        "group",
        "additions",
        "selections",
        "column",
    ];

    #[test]
    fn every_mark_has_words() {
        for one in Mark::ALL {
            assert!(!mark(one).is_empty());
        }
        assert_eq!(mark(Mark::Known), "known to be equal");
    }
}
