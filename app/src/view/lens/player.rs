//! Which step of a lens is shown: forward, back, to any, or one after the other by themselves. A handle: copying it copies no state.

use explain::lens::Unit;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::page::Page;
use crate::page::view_state::Lasts;
use crate::source::latest::Latest;
use crate::source::sleep;

/// Time of a step while it plays, in milliseconds, at speed 1.
const STEP_MS: f64 = 220.0;

/// Steps that are played at most where there are too many to see each.
const MOST_PLAYED: usize = 100;

/// The state of the controls.
#[derive(Clone, Copy)]
pub struct Player {
    /// Steps that are done.
    pub step: RwSignal<usize>,
    /// How many there are.
    pub last: Memo<usize>,
    /// The first and the last that may be shown.
    pub bounds: Memo<(usize, usize)>,
    /// Whether steps follow each other by themselves.
    pub playing: RwSignal<bool>,
    /// How fast, 1 for the usual speed.
    pub speed: RwSignal<f64>,
    /// What a step is called.
    pub unit: Unit,
    /// Whether no more than a hundred steps are played.
    strides: bool,
    /// How often it was played.
    plays: Latest,
    /// Called with the next step before that is shown.
    moves: Callback<usize>,
}

impl Player {
    /// Creates a player at `step` of `last`; `moves` is called with the next step before that is shown.
    pub fn new(step: usize, last: Memo<usize>, moves: Callback<usize>) -> Self {
        Self {
            step: RwSignal::new(step),
            last,
            bounds: Memo::new(move |_| (0, last.get())),
            playing: RwSignal::new(false),
            speed: kept_speed(),
            unit: Unit::Step,
            strides: false,
            plays: Latest::new(),
            moves,
        }
    }

    /// Shows these steps only, where there are so many; a step before or after them becomes the nearest one.
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

    /// Playing takes strides, if `on`: a picture of a large matrix has thousands of steps, or millions.
    #[must_use]
    pub fn in_strides(self, on: bool) -> Self {
        Self { strides: on, ..self }
    }

    /// Steps are called so.
    #[must_use]
    pub fn counting(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    /// Whether all steps are done.
    pub fn is_done(self) -> bool {
        self.step.get() >= self.last.get()
    }

    /// Shows another step, and stops playing.
    pub fn go(self, step: usize) {
        self.playing.set(false);
        self.show(step);
    }

    /// One or more steps back or forward.
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

    /// Starts to play, from the beginning where all is done; or pauses.
    pub fn play(self) {
        if self.playing.get_untracked() {
            return self.playing.set(false);
        }
        let (first, last) = self.bounds.get_untracked();
        if self.step.get_untracked() >= last {
            self.show(first);
        }
        self.playing.set(true);
        let stride = if self.strides { ((last - first) / MOST_PLAYED).max(1) } else { 1 };
        // Paused and played again before its next step, an older loop ends all the same: two would be twice as fast.
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

    /// What a key does; `false` for keys that it does not know.
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

/// The speed that somebody has chosen before, on a page that keeps it.
fn kept_speed() -> RwSignal<f64> {
    use_context::<Page>().map_or_else(|| RwSignal::new(1.0), |page| page.kept(Lasts::Always, "speed", 1.0, |speed| speed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_between_the_first_and_the_last() {
        let owner = Owner::new();
        owner.with(|| {
            let moved = RwSignal::new(0);
            let player = Player::new(5, Memo::new(|_| 7), Callback::new(move |_| moved.update(|times| *times += 1)));
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
            let player = Player::new(1, Memo::new(move |_| all.get()), Callback::new(|_| ())).between(Some((3, 6)));
            assert_eq!(player.step.get_untracked(), 3, "the nearest one");
            player.go(usize::MAX);
            assert_eq!((player.step.get_untracked(), player.is_done()), (6, false), "there are more");
            player.go(0);
            assert_eq!(player.step.get_untracked(), 3);
            all.set(4);
            player.go(9);
            assert_eq!((player.step.get_untracked(), player.is_done()), (4, true), "where there are fewer");
            assert_eq!(Player::new(5, player.last, Callback::new(|_| ())).between(None).bounds.get_untracked(), (0, 4));
        });
    }
}
