//! Changes of the form: typed and replaced texts, options, the task and the unit.

use kernels::job::{FastaMode, JobOptions, RecordChoice, Task, Unit};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Page;
use super::actions::Action;
use crate::backend::files::archive::DroppedEntries;
use crate::backend::files::{self, OpenedFile};
use crate::backend::latest::{NumberedRequest, RequestCounter};
use crate::model::form::replacement::{ReplacedForm, ReplacementKind, TextReplacement};
use crate::model::form::text_genre::{self, TextGenre};
use crate::model::form::{FormSide, FormState, FormText, TextContent};
use crate::model::link::link_view::Tab;
use crate::model::run::RunState;
use crate::model::task::samples;
use crate::model::visit::{COLLECTIONS, task_path};

impl Page {
    /// Sets text `which` to `side` while the visitor types.
    pub fn put(self, which: FormSide, side: FormText) {
        self.file_counters[which as usize].begin();
        if side.is_blank() {
            self.stretch.set_value(0);
        }
        self.form.update(|form| *form.side_mut(which) = side);
        if !self.is_undo_offered.get_untracked() {
            self.replaced.set(None);
        }
        if self.form.with_untracked(|form| form.a.is_blank() && form.b.is_blank()) {
            self.dispatch(Action::ChooseUnit);
        }
        self.dispatch(Action::Changed);
    }

    /// Sets text `which` to pasted content. The unit may then be chosen automatically to suit the texts.
    pub fn paste(self, which: FormSide, side: FormText) {
        self.form.update(|form| *form.side_mut(which) = side.clone());
        self.dispatch(Action::ChooseUnit);
        self.put(which, side);
    }

    /// Replaces texts as a whole by calling `change`. Stores the previous texts for [`Action::Undo`], with `way`, the
    /// kind of replacement, and makes the next address a new entry of the history.
    fn replace(self, way: ReplacementKind, change: impl FnOnce(&mut FormState)) {
        match way {
            ReplacementKind::Clear(which) | ReplacementKind::File { which, .. } | ReplacementKind::Convert(which, _) => {
                self.file_counters[which as usize].begin();
            }
            ReplacementKind::ClearBoth | ReplacementKind::Sample | ReplacementKind::Swap | ReplacementKind::Lines => self.forget_opening(),
        }
        let form = self.form.get_untracked();
        let mut next = form.clone();
        change(&mut next);
        let (is_private, has_own_unit) = (self.is_private.get_untracked(), self.has_own_unit.get_untracked());
        let last = self.replaced.get_untracked();
        let replacement = TextReplacement::new(way, ReplacedForm { form, is_private, has_own_unit }, next.clone(), last);
        if !replacement.is_pair {
            self.begin_history_entry();
        }
        self.is_undo_offered.set(replacement.has_taken());
        self.replaced.set(Some(replacement));
        self.form.set(next);
        match way {
            ReplacementKind::File { .. }
            | ReplacementKind::Convert(..)
            | ReplacementKind::Lines
            | ReplacementKind::Clear(_)
            | ReplacementKind::ClearBoth => self.dispatch(Action::ChooseUnit),
            ReplacementKind::Sample => self.is_private.set(false),
            ReplacementKind::Swap => {}
        }
        self.dispatch(Action::Changed);
    }

    pub fn clear_text(self, which: FormSide) {
        self.replace(ReplacementKind::Clear(which), |form| *form.side_mut(which) = FormText::default());
    }

    /// Swaps both texts. The state of the views is kept.
    pub fn swap(self) {
        self.replace(ReplacementKind::Swap, |form| std::mem::swap(&mut form.a, &mut form.b));
    }

    /// Returns whether the undo shortcut restores the replaced texts: if the replacement removed a text, nothing was
    /// typed since, and no run on the server is under way.
    pub fn can_undo(self) -> bool {
        // A run on the server is cancelled with its button first. The texts can be restored after that.
        let is_sent = self.job.with_untracked(Option::is_some) && self.run.with_untracked(RunState::is_under_way);
        !is_sent
            && self.replaced.with_untracked(|replaced| {
                replaced
                    .as_ref()
                    .is_some_and(|replaced| replaced.has_taken() && self.form.with_untracked(|form| replaced.matches_form(form)))
            })
    }

    /// Brings back the most recently replaced texts.
    pub(super) fn undo(self) {
        self.is_undo_offered.set(false);
        let Some(replaced) = self.replaced.try_update(Option::take).flatten() else { return };
        self.forget_opening();
        let has_own_unit = self.has_own_unit.get_untracked();
        let form = self.form.with_untracked(|form| replaced.undone(form, has_own_unit));
        self.is_private.set(replaced.before.is_private);
        self.form.set(form);
        self.take_unit(has_own_unit || replaced.before.has_own_unit);
        self.dispatch(Action::Changed);
    }

    /// Hides the offer to bring back the replaced texts. The undo shortcut still works until the visitor types.
    pub fn end_offer(self) {
        self.is_undo_offered.set(false);
        if !self.can_undo() {
            self.replaced.set(None);
        }
    }

    /// Chooses the unit that suits the texts, unless the visitor has chosen a unit.
    pub(super) fn choose_unit(self) {
        let reason = self.form.with_untracked(text_genre::suited);
        let unit = reason.map_or(Unit::Graphemes, TextGenre::unit);
        self.reason.set(reason);
        if self.has_own_unit.get_untracked() {
            return;
        }
        if self.form.with_untracked(|form| form.options.unit != unit) {
            self.form.update(|form| form.options.unit = unit);
        }
    }

    /// Handles a unit that came with a link, a sample or an undo. If `is_named`, the unit counts as the visitor's
    /// choice, unless it is the one that the texts would lead to automatically.
    pub(super) fn take_unit(self, is_named: bool) {
        let (reason, unit) = self.form.with_untracked(|form| (text_genre::suited(form), form.options.unit));
        self.has_own_unit.set(is_named && unit != reason.map_or(Unit::Graphemes, TextGenre::unit));
        self.reason.set(reason.filter(|reason| reason.unit() == unit));
    }

    /// Returns the kind of the texts (such as prose) that suggests another unit than characters, and whether the unit
    /// is the suggested one.
    ///
    /// The flag is `false` if the visitor has chosen characters instead. Returns `None` if characters suit the texts,
    /// or if the visitor has chosen a unit other than characters.
    pub fn reason_shown(self) -> Option<(TextGenre, bool)> {
        let is_own = self.has_own_unit.get();
        let unit = self.form.with(|form| form.options.unit);
        let reason = self.reason.get()?;
        match is_own {
            false => (reason.unit() == unit).then_some((reason, true)),
            true => (unit == Unit::Graphemes).then_some((reason, false)),
        }
    }

    /// Sets the unit of comparison to the one that suits `reason`, the kind of the texts.
    pub fn follow_reason(self, reason: TextGenre) {
        self.has_own_unit.set(false);
        self.set_options(|options| options.unit = reason.unit());
    }

    /// Sets the unit as the visitor's own choice. From then on it is not chosen automatically any more.
    pub fn set_unit(self, unit: Unit) {
        self.has_own_unit.set(true);
        self.set_options(|options| {
            options.unit = unit;
            // Bytes have no normal form.
            options.normalize &= unit != Unit::Bytes;
            options.ignore_accents &= unit != Unit::Bytes;
        });
    }

    pub(super) fn read_file(self, which: FormSide, file: web_sys::File, turn: NumberedRequest) {
        let unit = self.form.with_untracked(|form| form.options.unit);
        spawn_local(async move {
            let OpenedFile { side, remark, is_zip } = files::open(file.clone(), unit).await;
            let (left, mut pressed) = self.opening.with_untracked(|(files, pressed)| (files - 1, *pressed));
            if turn.is_last() && is_zip {
                pressed = false;
                self.offer_files(which, DroppedEntries::of_files(vec![file]));
            } else if turn.is_last() {
                pressed &= side.failure.is_none();
                self.replace(ReplacementKind::File { which, more: left > 0 }, |form| *form.side_mut(which) = side);
                if remark.is_some() {
                    self.remark.set(remark);
                }
            }
            self.opening.set((left, pressed && left > 0));
            if pressed && left == 0 {
                self.start();
            }
        });
    }

    /// Returns whether there is nothing to run: both texts are empty and no file is being opened.
    pub fn is_blank(self) -> bool {
        let is_opening = self.opening.with(|(files, _)| *files > 0);
        self.form.with(|form| form.a.is_blank() && form.b.is_blank()) && !is_opening
    }

    /// Splits text `which` into two lines, a string and a pattern, and makes them both texts: the second line is
    /// searched for in the first.
    pub(super) fn search_lines(self, which: FormSide) {
        let side = self.form.with_untracked(|form| form.side(which).clone());
        let turn = self.file_counters[which as usize].begin();
        spawn_local(async move {
            match files::lines_of(&side).await {
                _ if !turn.is_last() => {}
                Ok([text, pattern]) => {
                    self.replace(ReplacementKind::Lines, |form| (form.a, form.b) = (pattern, text));
                }
                Err(problem) => self.problem.set(Some(problem)),
            }
        });
    }

    /// Turns the file in text `which` into text that can be edited: decoded, with line feeds as line ends.
    pub fn convert(self, which: FormSide) {
        let side = self.form.with_untracked(|form| form.side(which).clone());
        let turn = self.file_counters[which as usize].begin();
        spawn_local(async move {
            match files::decoded(&side).await {
                _ if !turn.is_last() => {}
                Ok((text, charset)) => {
                    let converted = FormText { content: TextContent::Typed(text.into()), ..side };
                    self.replace(ReplacementKind::Convert(which, charset), |form| *form.side_mut(which) = converted);
                }
                Err(problem) => self.problem.set(Some(problem)),
            }
        });
    }

    /// Ignores files that are still being opened, because both texts are being replaced.
    pub(super) fn forget_opening(self) {
        for opened in self.file_counters {
            opened.begin();
        }
    }

    /// Fills in a sample, given its number in the menu of the task.
    pub fn try_sample(self, number: usize) {
        self.dispatch(Action::TrySample(number, self.file_counters.map(RequestCounter::begin)));
    }

    pub(super) fn fill_in_sample(self, number: usize) {
        let task = self.form.with_untracked(|form| form.task);
        let Some(sample) = samples(task).get(number) else { return };
        // The matrix of a longer sample has cells too small to read.
        if !sample.is_grid() && self.link_view.with_untracked(|look| look.tab == Tab::Matrix) {
            self.link_view.update(|look| look.tab = Tab::default());
        }
        self.replace(ReplacementKind::Sample, |form| *form = FormState::of_sample(task, sample));
        self.take_unit(false);
    }

    /// Changes the options by calling `change`, and computes the changed form.
    pub fn set_options(self, change: impl FnOnce(&mut JobOptions)) {
        self.form.update(|form| change(&mut form.options));
        self.dispatch(Action::Changed);
    }

    /// Switches the alignment off, so that only the score is computed.
    pub fn leave_out_alignment(self) {
        self.set_options(|options| options.alignment = false);
    }

    /// Changes the task and keeps the texts, as a new entry of the history.
    pub fn set_task(self, task: Task) {
        let location = window().location();
        // Another page has the forms.
        if location.pathname().is_ok_and(|path| path == COLLECTIONS) {
            let _ = location.set_href(&task_path(task));
            return;
        }
        if self.form.with_untracked(|form| form.task == task) {
            return self.dispatch_follow_up(Action::KeepTask);
        }
        self.begin_history_entry();
        self.change_task(task);
    }

    /// Selects another task for the same texts. A search compares by characters unless the visitor has chosen another
    /// unit.
    pub(super) fn change_task(self, task: Task) {
        if self.form.with_untracked(|form| form.task != task) {
            self.form.update(|form| form.change_task(task));
            if self.reason.with_untracked(Option::is_some) {
                self.dispatch(Action::ChooseUnit);
            }
            self.dispatch(Action::Changed);
        }
    }

    /// Sets the unit to bytes, because any input is valid in bytes.
    pub fn count_bytes(self) {
        self.has_own_unit.set(true);
        self.form.update(|form| *form = form.in_bytes());
        self.dispatch(Action::Changed);
    }

    /// Sets `choice` as the choice of the records that are compared of the file in text `which`.
    pub fn choose(self, which: FormSide, choice: RecordChoice) {
        self.form.update(|form| form.side_mut(which).choice = choice);
        self.dispatch(Action::Changed);
    }

    /// Removes the choices of records of both texts.
    pub fn choose_no_record(self) {
        self.form.update(|form| FormSide::BOTH.into_iter().for_each(|which| form.side_mut(which).choice = RecordChoice::default()));
        self.dispatch(Action::Changed);
    }

    /// Sets whether the texts are read as files of records. With `FastaMode::Never` they are plain texts without
    /// records, so that choices of records are removed.
    pub fn set_fasta(self, fasta: FastaMode) {
        self.form.update(|form| {
            form.options.fasta = fasta;
            if fasta == FastaMode::Never {
                FormSide::BOTH.into_iter().for_each(|which| form.side_mut(which).choice = RecordChoice::default());
            }
        });
        self.dispatch(Action::Changed);
    }

    /// Clears both texts as a whole. Keeps the options.
    pub fn clear(self) {
        self.replace(ReplacementKind::ClearBoth, |form| *form = FormState { options: form.options.clone(), ..FormState::new(form.task) });
    }

    /// Starts a new comparison after the last one failed. Keeps texts that are on this device.
    pub fn start_over(self) {
        let is_here = |side: &FormText| !side.is_blank() && !matches!(side.content, TextContent::Stored { .. });
        if self.form.with_untracked(|form| is_here(&form.a) || is_here(&form.b)) {
            self.dispatch(Action::Changed);
        } else {
            self.clear();
            // The server no longer has the texts, so that they cannot be restored.
            self.replaced.set(None);
            self.is_undo_offered.set(false);
        }
    }
}
