//! What is chosen of a lens, and what its controls do. A handle: copying it copies no state.

use explain::lens::frame::Frame;
use explain::lens::question::{Question, Reply};
use explain::lens::settings::{Refused, Settings};
use explain::lens::{Lens, Name, NotOpened, open};
use leptos::prelude::*;

use crate::page::Page;
use crate::view::lens::player::Player;
use crate::watch::Watched;
use crate::watch::compose::Room;
use crate::watch::places::Layout;

/// The open lens.
type Opened = StoredValue<Box<dyn Lens>, LocalStorage>;

/// What was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The last answer, and whether it was right.
    pub last: Option<(Reply, bool)>,
    /// Whether the question that is shown was answered wrongly before.
    pub was_missed: bool,
    /// Questions that were answered rightly at once.
    pub right: u64,
    /// Questions that were answered.
    pub asked: u64,
}

/// The state of the view.
#[derive(Clone, Copy)]
pub struct Scene {
    /// The texts.
    pub watched: StoredValue<Watched>,
    /// Which lens it is.
    pub name: Name,
    /// Its parameters.
    pub settings: RwSignal<Settings>,
    /// Which step is shown.
    pub player: Player,
    /// What is shown.
    pub frame: Memo<Frame>,
    /// The question about the next step, while the visitor predicts.
    pub question: Memo<Option<Question>>,
    /// What was answered; nothing while nothing is asked.
    pub quiz: RwSignal<Option<Asked>>,
    lens: Opened,
    /// How often the lens was opened with other settings.
    opened: RwSignal<u32>,
}

impl Scene {
    /// A lens with the settings of an address; those that it does not have are passed over.
    ///
    /// # Errors
    /// Where a text is too long for it.
    pub fn open(watched: Watched, name: Name, with: &str, step: usize, asks: bool) -> Result<Self, NotOpened> {
        let settings = Settings::parse(name, with).unwrap_or_else(|_| Settings::usual(name));
        let lens = of(&watched, name, &settings)?;
        let step = step.min(lens.len());
        let lens: Opened = StoredValue::new_local(lens);
        let opened = RwSignal::new(0);
        let last = Memo::new(move |_| {
            opened.track();
            lens.with_value(|lens| lens.len())
        });
        let quiz = RwSignal::new(asks.then(Asked::default));
        let moves = Callback::new(move |()| quiz.update(|quiz| quiz.iter_mut().for_each(Asked::moved)));
        let player = Player::new(step, last, moves).counting(name.unit());
        let frame = Memo::new(move |_| {
            opened.track();
            let step = player.step.get();
            lens.with_value(|lens| lens.frame(step))
        });
        let question = Memo::new(move |_| {
            opened.track();
            let step = player.step.get();
            quiz.with(Option::is_some).then(|| lens.with_value(|lens| lens.question(step))).flatten()
        });
        Ok(Self {
            watched: StoredValue::new(watched),
            name,
            settings: RwSignal::new(settings),
            player,
            frame,
            question,
            quiz,
            lens,
            opened,
        })
    }

    /// Shows these of its steps only.
    #[must_use]
    pub fn between(self, steps: Option<(usize, usize)>) -> Self {
        Self { player: self.player.between(steps), ..self }
    }

    /// What is chosen stands in the address from now on.
    pub fn remember(self, page: Page) {
        Effect::new(move |before: Option<()>| {
            let step = self.player.step.get();
            let with = self.settings.with(Settings::text);
            let asks = self.quiz.with(Option::is_some);
            // What was found in the address stands there already.
            if before.is_some() {
                page.remember("step", (step > 0).then(|| step.to_string()));
                page.remember("with", Some(with).filter(|with| !with.is_empty()));
                page.remember("ask", asks.then(|| "on".to_owned()));
            }
        });
    }

    /// Where panels lie.
    pub fn layout(self, room: Room) -> Layout {
        self.opened.track();
        self.watched.with_value(|watched| self.lens.with_value(|lens| Layout::of(lens.as_ref(), watched, room)))
    }

    /// The lines of the method.
    pub fn code(self) -> &'static [explain::lens::Line] {
        self.lens.with_value(|lens| lens.code())
    }

    /// Another value of a parameter.
    ///
    /// # Errors
    /// Where it is none: the lens stays as it is.
    pub fn set(self, key: &str, value: &str) -> Result<(), Refused> {
        let settings = self.settings.with_untracked(|settings| settings.with(key, value))?;
        let lens = self.watched.with_value(|watched| of(watched, self.name, &settings));
        if let Ok(lens) = lens {
            let (step, last) = (self.player.step.get_untracked(), lens.len());
            self.lens.set_value(lens);
            self.opened.update(|times| *times += 1);
            self.player.go(step.min(last));
            self.settings.set(settings);
        }
        Ok(())
    }

    /// Begins to ask, or ends it.
    pub fn set_quiz(self, on: bool) {
        self.player.playing.set(false);
        self.quiz.set(on.then(Asked::default));
        if on && self.player.is_done() {
            self.player.go(0);
        }
    }

    /// Takes an answer. The right one leads to the next step, where it is seen.
    pub fn answer(self, reply: Reply) {
        let Some(question) = self.question.get_untracked() else { return };
        let is_right = question.is_right(&reply);
        self.quiz.update(|quiz| quiz.iter_mut().for_each(|quiz| quiz.take(reply.clone(), is_right)));
        if is_right {
            let answered = self.quiz.get_untracked();
            self.player.step_by(1);
            // Going on forgets what was said of the step before; of a right answer it stays to be read.
            self.quiz.set(answered.map(|asked| Asked { was_missed: false, ..asked }));
        }
    }
}

impl Asked {
    /// Another step is shown: nothing was said of its question yet.
    fn moved(&mut self) {
        (self.last, self.was_missed) = (None, false);
    }

    fn take(&mut self, reply: Reply, is_right: bool) {
        if is_right {
            self.asked += 1;
            self.right += u64::from(!self.was_missed);
        } else {
            self.was_missed = true;
        }
        self.last = Some((reply, is_right));
    }
}

fn of(watched: &Watched, name: Name, settings: &Settings) -> Result<Box<dyn Lens>, NotOpened> {
    open(name, watched.task.ok_or(NotOpened::Task)?, &watched.texts, settings)
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;
    use crate::watch::tests::watched;

    fn scene(name: Name, task: Task, with: &str, step: usize) -> (Owner, Scene) {
        let owner = Owner::new();
        let scene = owner.with(|| Scene::open(watched(task, "SUNDAY", "SATURDAY"), name, with, step, true).unwrap());
        (owner, scene)
    }

    #[test]
    fn a_step_behind_the_last_one_and_settings_of_another_lens_are_passed_over() {
        let (owner, scene) = scene(Name::TwoRows, Task::EditDistance, "D:900", 77);
        owner.with(|| assert_eq!((scene.player.step.get_untracked(), scene.settings.get_untracked().text()), (6, String::new())));
    }

    #[test]
    fn a_right_answer_goes_on_and_counts_if_it_was_the_first() {
        let (owner, scene) = scene(Name::TwoRows, Task::EditDistance, "", 0);
        owner.with(|| {
            let right = |scene: Scene| scene.question.get_untracked().unwrap().expected;
            scene.answer(right(scene));
            assert_eq!(scene.player.step.get_untracked(), 1);
            scene.answer(Reply::Number(99));
            assert_eq!(scene.player.step.get_untracked(), 1);
            scene.answer(right(scene));
            let asked = scene.quiz.get_untracked().unwrap();
            assert_eq!((scene.player.step.get_untracked(), asked.right, asked.asked), (2, 1, 2));
            assert!(asked.last.unwrap().1);
            scene.player.step_by(-1);
            assert_eq!(scene.quiz.get_untracked().unwrap().last, None);
        });
    }
}
