//! The current step of a lens or a matrix that is shown step by step: [`StepPlayer`]. The player moves forward, back or
//! to any step, or plays the steps.

use explain::lens::StepUnit;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::backend::latest::RequestCounter;
use crate::backend::sleep;
use crate::page::Page;
use crate::page::view_state::SettingLifetime;

/// Duration of a played step at speed 1, in milliseconds.
const STEP_MS: f64 = 220.0;

/// Approximate number of frames in which a long sequence is played. Each frame advances by the number of all steps
/// divided by this number, rounded down.
const MAX_PLAYED_FRAMES: usize = 100;

/// State of the controls that move through the steps of a view and play them. Copies share one state.
#[derive(Clone, Copy)]
pub struct StepPlayer {
    /// Number of steps that are done.
    pub step: RwSignal<usize>,
    /// Number of all steps.
    pub last: Memo<usize>,
    /// The first and the last step that may be shown, as numbers of steps that are done.
    pub bounds: Memo<(usize, usize)>,
    /// Whether the steps are being played.
    pub playing: RwSignal<bool>,
    /// Speed of playing; 1 is normal.
    pub speed: RwSignal<f64>,
    /// Name of the steps, such as rounds or comparisons, for the labels of the controls.
    pub unit: StepUnit,
    /// Whether playing a long sequence advances by several steps at a time, see [`StepPlayer::in_strides`].
    strides: bool,
    /// Counter of starts of playing, so that the loop of an earlier start ends.
    plays: RequestCounter,
    /// Called with the number of a step before this step is shown.
    moves: Callback<usize>,
}

impl StepPlayer {
    /// Creates a player of `last` steps, of which `step` are done. Calls `moves` with the number of each step before
    /// this step is shown.
    pub fn new(step: usize, last: Memo<usize>, moves: Callback<usize>) -> Self {
        Self {
            step: RwSignal::new(step),
            last,
            bounds: Memo::new(move |_| (0, last.get())),
            playing: RwSignal::new(false),
            speed: kept_speed(),
            unit: StepUnit::Step,
            strides: false,
            plays: RequestCounter::new(),
            moves,
        }
    }

    /// Returns the player limited to `steps`: the first and the last step that may be shown, as far as they exist.
    /// Moves to the nearest step of this range. `None` means no limit.
    #[must_use]
    pub fn between(self, steps: Option<(usize, usize)>) -> Self {
        let Some((from, to)) = steps else { return self };
        let last = self.last;
        let bounds = Memo::new(move |_| {
            let to = to.min(last.get());
            (from.min(to), to)
        });
        let (first, last) = bounds.get_untracked();
        self.step.update(|step| *step = (*step).clamp(first, last));
        Self { bounds, ..self }
    }

    /// Returns the player with a setting: if `on` is set, playing a long sequence takes about [`MAX_PLAYED_FRAMES`]
    /// frames, each of several steps. A large matrix has thousands or millions of steps.
    #[must_use]
    pub fn in_strides(self, on: bool) -> Self {
        Self { strides: on, ..self }
    }

    /// Returns the player with `unit` as the name of its steps.
    #[must_use]
    pub fn counting(self, unit: StepUnit) -> Self {
        Self { unit, ..self }
    }

    /// Returns whether all steps of the lens are done.
    pub fn is_done(self) -> bool {
        self.step.get() >= self.last.get()
    }

    /// Goes to the nearest step to `step` that may be shown, and stops playing.
    pub fn go(self, step: usize) {
        self.playing.set(false);
        self.show(step);
    }

    /// Moves by `by` steps (forward, or back if negative), and stops playing.
    pub fn step_by(self, by: isize) {
        self.go(self.step.get_untracked().saturating_add_signed(by));
    }

    fn show(self, step: usize) {
        let (first, last) = self.bounds.get_untracked();
        let step = step.clamp(first, last);
        if step != self.step.get_untracked() {
            self.moves.run(step);
            self.step.set(step);
        }
    }

    /// Starts to play, from the first step if all are done. If the steps are being played, pauses.
    pub fn play(self) {
        if self.playing.get_untracked() {
            return self.playing.set(false);
        }
        let (first, last) = self.bounds.get_untracked();
        if self.step.get_untracked() >= last {
            self.show(first);
        }
        self.playing.set(true);
        let stride = if self.strides { ((last - first) / MAX_PLAYED_FRAMES).max(1) } else { 1 };
        // Ends the loop of an earlier play, even if it was paused and resumed before its next step: two loops would
        // double the speed.
        let turn = self.plays.begin();
        spawn_local(async move {
            loop {
                let Some(speed) = self.speed.try_get_untracked() else { return };
                sleep((STEP_MS / speed) as i32).await;
                if !turn.is_last() || self.playing.try_get_untracked() != Some(true) {
                    return;
                }
                self.show(self.step.get_untracked() + stride);
                if self.step.get_untracked() >= self.bounds.get_untracked().1 {
                    return self.playing.set(false);
                }
            }
        });
    }

    /// Handles a key that moves or plays the steps: comma, full stop and space. Returns `false` for other keys.
    pub fn key(self, key: &str) -> bool {
        match key {
            " " => self.play(),
            "," => self.step_by(-1),
            "." => self.step_by(1),
            _ => return false,
        }
        true
    }
}

/// Returns the signal of the speed. It begins with the speed that the visitor chose last, if any.
fn kept_speed() -> RwSignal<f64> {
    use_context::<Page>()
        .map_or_else(|| RwSignal::new(1.0), |page| page.stored_setting(SettingLifetime::Always, "speed", 1.0, |speed| speed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_between_the_first_and_the_last() {
        let owner = Owner::new();
        owner.with(|| {
            let moved = RwSignal::new(0);
            let player = StepPlayer::new(5, Memo::new(|_| 7), Callback::new(move |_| moved.update(|times| *times += 1)));
            player.step_by(9);
            assert_eq!((player.step.get_untracked(), moved.get_untracked()), (7, 1));
            player.go(7);
            assert_eq!(moved.get_untracked(), 1, "going to the current step does not move");
            assert!(player.key(",") && !player.key("x"));
            player.step_by(-100);
            assert_eq!((player.step.get_untracked(), moved.get_untracked()), (0, 3));
        });
    }

    #[test]
    fn player_stays_inside_its_range_of_steps() {
        Owner::new().with(|| {
            let all = RwSignal::new(7);
            let player = StepPlayer::new(1, Memo::new(move |_| all.get()), Callback::new(|_| ())).between(Some((3, 6)));
            assert_eq!(player.step.get_untracked(), 3, "the nearest step of the range");
            player.go(usize::MAX);
            assert_eq!((player.step.get_untracked(), player.is_done()), (6, false), "more steps follow the range");
            player.go(0);
            assert_eq!(player.step.get_untracked(), 3);
            all.set(4);
            player.go(9);
            assert_eq!((player.step.get_untracked(), player.is_done()), (4, true), "a shorter run ends the range");
            assert_eq!(StepPlayer::new(5, player.last, Callback::new(|_| ())).between(None).bounds.get_untracked(), (0, 4));
        });
    }
}
