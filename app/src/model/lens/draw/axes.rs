//! Drawings along an axis (lanes and bars), and the sums of a cell.

use explain::lens::LensTexts;
use explain::lens::frame::{BarChart, ChartBar, LaneChart, LensMark, LensMarkSet, PanelCell, PanelSum, ShownValue};
use kernels::job::{AlignmentMode, ScoringNumbers, Task};

use super::{AXIS, CELL, MarkStyle, PanelPen, lens_keys, sentence_parts};
use crate::model::text::humanize::grouped;

impl PanelPen<'_> {
    /// Draws lanes: rows of spans along a common axis, for example the work of threads over time.
    pub(super) fn lanes(&mut self, lanes: &LaneChart) {
        let left = self.widest(lanes.lanes.iter().map(|lane| &lane.label)) + 12.0;
        let one = (AXIS / lanes.length.max(1) as f64).clamp(10.0, CELL);
        let (height, mut y) = (24.0_f64.max(self.letter_height("q") + 4.0), self.head_height());
        let right = left + one * lanes.length as f64;
        for lane in &lanes.lanes {
            let name = sentence_parts::label(&lane.label, self.watched);
            let middle = y + height / 2.0;
            self.text(left - 8.0, self.base("q", middle), "q end", &name);
            for span in &lane.spans {
                let place = [left + one * span.range.start as f64, y, one * span.range.len() as f64, height];
                let look = MarkStyle::of_entry(&span.entry);
                self.rect(look.fill, place);
                let text = sentence_parts::shown(span.entry.value, self.watched);
                if self.width("t", &text) < place[2] {
                    self.text(place[0] + place[2] / 2.0, self.base("t", middle), &format!("t mid {}", look.ink), &text);
                }
                if let Some(frame) = look.frame {
                    self.rect(frame, [place[0] + 1.5, y + 1.5, place[2] - 3.0, height - 3.0]);
                }
            }
            if let Some(note) = &lane.note {
                self.note(note, right + 10.0, middle);
            }
            y += height + 4.0;
        }
        let every = [1_u32, 2, 5, 10, 20, 50].into_iter().find(|every| one * f64::from(*every) >= 26.0 * self.larger()).unwrap_or(100);
        let first = u64::from(lanes.first);
        for at in (0..lanes.length as u64).filter(|at| (at + first).is_multiple_of(u64::from(every))) {
            self.text(left + one * (at as f64 + 0.5), y + self.letter_height("t"), "t mid", &(at + first).to_string());
        }
        self.text(left, y + self.letter_height("t") + self.letter_height("q") + 3.0, "q", lens_keys::label(lanes.axis));
        if let Some(now) = lanes.now {
            let x = left + one * now as f64;
            self.line("cut", [x, self.head_height() - 4.0], [x, y + 2.0]);
        }
    }

    /// Draws numbers as horizontal bars to scale, with a common axis.
    pub(super) fn bars(&mut self, bars: &BarChart) {
        let names = self.widest(bars.bars.iter().map(|bar| &bar.label));
        let ticks = bars.ticks.last().map_or(0, |(at, _)| *at);
        let most = bars.bars.iter().map(|bar| bar.from + bar.total).max().unwrap_or(0).max(ticks).max(1);
        let (left, one) = (names + 12.0, AXIS / most as f64);
        let (height, mut y) = (22.0_f64.max(self.letter_height("q") + 4.0), self.head_height());
        for bar in &bars.bars {
            let name = sentence_parts::label(&bar.label, self.watched);
            let base = self.base("q", y + height / 2.0);
            self.text(left - 8.0, base, "q end", &name);
            self.rect("well", [left, y, AXIS, height]);
            let from = left + one * bar.from as f64;
            self.rect("idle", [from, y, one * bar.total as f64, height]);
            let class = if bar.mark == Some(LensMark::Ahead) { "bar other" } else { "bar" };
            self.rect(class, [from, y, one * bar.now as f64, height]);
            let said = if bar.now == bar.total { grouped(bar.now) } else { format!("{} / {}", grouped(bar.now), grouped(bar.total)) };
            self.text(left + AXIS + 8.0, base, "q", &said);
            y += height + 8.0;
        }
        self.line("edge", [left, y], [left + AXIS, y]);
        let below = y + self.letter_height("t") + 4.0;
        self.text(left, below, "t mid", "0");
        let end = crate::model::text::humanize::grouped(most);
        let named: Vec<(u64, String)> = bars.ticks.iter().map(|(at, label)| (*at, sentence_parts::label(label, self.watched))).collect();
        if named.is_empty() {
            self.text(left + AXIS, below, "t mid", &end);
        }
        for (at, name) in named {
            let x = left + one * at as f64;
            self.line("edge", [x, y], [x, y + 6.0]);
            self.text(x, below + 2.0, "t mid", &format!("{name} = {}", grouped(at)));
        }
        // The number after a bar has room for the longest one from the beginning, so that panels beside this one never
        // move.
        let longest = |bar: &ChartBar| self.width("q", &format!("{0} / {0}", grouped(bar.total)));
        let figure = bars.bars.iter().map(longest).fold(82.0 * self.larger(), f64::max);
        self.reach(left + AXIS + 8.0 + figure, below + 4.0);
    }

    /// Draws the sums of a cell, the best of which is its value, and marks the chosen one.
    ///
    /// Reserves room for all sums of a cell, so that other panels never move.
    pub(super) fn sums(&mut self, sums: &[PanelSum]) {
        let top = self.head_height();
        let LensTexts { costs, scoring, .. } = &self.watched.texts;
        let most = if costs.transpose.is_some() || scoring.mode == AlignmentMode::Local { 4.0 } else { 3.0 };
        let [place, sum_at, total_at] = self.sum_columns();
        self.reach(total_at + CELL, top + most * 40.0);
        for (at, sum) in sums.iter().enumerate() {
            let y = top + 40.0 * at as f64;
            let marks = sum.mark.map_or(LensMarkSet::NONE, |mark| LensMarkSet::NONE.with(mark));
            let base = self.base("q", y + 17.0);
            let name = if MarkStyle::of(marks).fill == "lit" { "q strong" } else { "q" };
            self.text(0.0, base, name, lens_keys::label(sum.key));
            self.text(place, base, "", &format!("[{}, {}]", sum.from.0, sum.from.1));
            self.text(sum_at, base, "", &format!("{} =", sentence_parts::sum(sum)));
            let total = PanelCell { value: ShownValue::Signed(sum.total()), marks, ..PanelCell::default() };
            self.cell(&total, [total_at, y, CELL, 32.0]);
        }
    }

    /// Returns the x coordinates of the places, sums and totals of a panel of sums. Names are at 0.
    ///
    /// The panels of three layers stand side by side. Their columns are therefore only as wide as the longest texts that
    /// the matrix can have.
    fn sum_columns(&self) -> [f64; 3] {
        let LensTexts { a, b, scoring, letters, .. } = &self.watched.texts;
        let is_signed = self.watched.task == Some(Task::SequenceAlignment);
        if !is_signed || scoring.gap.open == 0 {
            return (if is_signed { [104.0, 174.0, 294.0] } else { [150.0, 230.0, 294.0] }).map(|x| x * self.larger());
        }
        let ScoringNumbers { equal, different, gap } = scoring.numbers();
        let pair = match &scoring.matrix {
            Some(matrix) => {
                let points = |x: &char| letters.values().map(|y| matrix.points(*x, *y).abs()).max();
                letters.values().filter_map(points).max().unwrap_or_default()
            }
            None => equal.abs().max(different.abs()),
        };
        let most = pair.max(gap.open + gap.extend);
        let names = ["layer.m", "layer.d", "layer.i"].into_iter().chain((scoring.mode == AlignmentMode::Local).then_some("input.start"));
        let name = names.map(|key| self.width("h", lens_keys::label(key))).fold(0.0, f64::max);
        let place = self.width("", &format!("[{}, {}]", a.len(), b.len()));
        let sum = PanelSum { key: "", from: (0, 0), value: -most.times((a.len() + b.len()) as u64), adds: -most, mark: None };
        let sum = self.width("", &format!("{} =", sentence_parts::sum(&sum)));
        let gap = 12.0 * self.larger();
        [name + gap, name + place + 2.0 * gap, name + place + sum + 3.0 * gap]
    }
}
