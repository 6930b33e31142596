//! The current step of a lens (a method shown step by step): moves forward, back, to any step, or plays them.

use explain::lens::StepUnit;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::backend::latest::RequestCounter;
use crate::backend::sleep;
use crate::page::Page;
use crate::page::view_state::SettingLifetime;

/// Duration of a played step at speed 1, in milliseconds.
const STEP_MS: f64 = 220.0;

/// Maximum number of frames of a long sequence, which is played in strides of several steps.
const MAX_PLAYED_FRAMES: usize = 100;

/// State of the controls that play steps. A handle: copying it copies no state.
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
    /// What the steps are, such as cells or rows, for the labels of the controls.
    pub unit: StepUnit,
    /// Whether playing a long sequence skips steps, see [`StepPlayer::in_strides`].
    strides: bool,
    /// Counter of starts and pauses of playing, so that an older loop ends.
    plays: RequestCounter,
    /// Called with the number of the next step before it is shown.
    moves: Callback<usize>,
}

impl StepPlayer {
    /// Creates a player of `last` steps, of which `step` are done. Calls `moves` with the number of the next step
    /// before it is shown.
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

    /// Limits the player to the steps from the first to the second number, as far as they exist. Moves to the nearest
    /// step of the range.
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

    /// Sets whether playing skips steps of a long sequence, so that it takes at most [`MAX_PLAYED_FRAMES`] frames. A
    /// large matrix has thousands or millions of steps.
    #[must_use]
    pub fn in_strides(self, on: bool) -> Self {
        Self { strides: on, ..self }
    }

    /// Sets what the steps are called.
    #[must_use]
    pub fn counting(self, unit: StepUnit) -> Self {
        Self { unit, ..self }
    }

    /// Returns whether all steps are done.
    pub fn is_done(self) -> bool {
        self.step.get() >= self.last.get()
    }

    /// Goes to a step and stops playing.
    pub fn go(self, step: usize) {
        self.playing.set(false);
        self.show(step);
    }

    /// Moves by `by` steps: forward, or back if negative.
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

    /// Starts to play, from the first step if all are done. If it plays already, pauses.
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

    /// Handles the key of the page that moves or plays the steps. Returns `false` for other keys.
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

/// Returns the signal of the speed, which starts with the speed that the visitor chose before, if any.
fn kept_speed() -> RwSignal<f64> {
    use_context::<Page>().map_or_else(|| RwSignal::new(1.0), |page| page.kept(SettingLifetime::Always, "speed", 1.0, |speed| speed))
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
            assert_eq!(moved.get_untracked(), 1, "nothing moves where the step is shown already");
            assert!(player.key(",") && !player.key("x"));
            player.step_by(-100);
            assert_eq!((player.step.get_untracked(), moved.get_untracked()), (0, 3));
        });
    }

    #[test]
    fn some_of_the_steps_alone_are_shown() {
        Owner::new().with(|| {
            let all = RwSignal::new(7);
            let player = StepPlayer::new(1, Memo::new(move |_| all.get()), Callback::new(|_| ())).between(Some((3, 6)));
            assert_eq!(player.step.get_untracked(), 3, "the nearest one");
            player.go(usize::MAX);
            assert_eq!((player.step.get_untracked(), player.is_done()), (6, false), "there are more");
            player.go(0);
            assert_eq!(player.step.get_untracked(), 3);
            all.set(4);
            player.go(9);
            assert_eq!((player.step.get_untracked(), player.is_done()), (4, true), "where there are fewer");
            assert_eq!(StepPlayer::new(5, player.last, Callback::new(|_| ())).between(None).bounds.get_untracked(), (0, 4));
        });
    }
}
