//! What is chosen of a lens, and what its controls do. A handle: copying it copies no state.

use explain::lens::frame::{Frame, Said, Sum};
use explain::lens::question::{Asked as Kind, Question, Reply, Turn};
use explain::lens::settings::{Refused, Settings};
use explain::lens::{Lens, Name, NotOpened, open};
use leptos::prelude::*;

use crate::model::watch::Watched;
use crate::model::watch::compose::Room;
use crate::model::watch::places::Layout;
use crate::model::watch::quiz::{Answered, NAMES, Quiz};
use crate::page::Page;
use crate::view::lens::player::Player;

/// The open lens.
type Opened = StoredValue<Box<dyn Lens>, LocalStorage>;

/// The questions, and what was answered last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asks {
    /// What is asked and what was answered.
    pub quiz: Quiz,
    /// The last answer, and whether it was right.
    pub last: Option<(Reply, bool)>,
}

/// Why an answer is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The sums that it follows from.
    pub sums: Vec<Sum>,
    /// What is said: a reason, or what the next step says.
    pub says: Vec<Said>,
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
    /// What is asked and was answered; nothing while nothing is asked.
    pub asks: RwSignal<Option<Asks>>,
    lens: Opened,
    /// How often the lens was opened with other settings.
    opened: RwSignal<u32>,
}

impl Scene {
    /// A lens with the settings of an address; those that it does not have are passed over.
    ///
    /// # Errors
    /// Where a text is too long for it.
    pub fn open(watched: Watched, name: Name, with: &str, step: usize, quiz: Option<Quiz>) -> Result<Self, NotOpened> {
        let settings = Settings::parse(name, with).unwrap_or_else(|_| Settings::usual(name));
        let lens = of(&watched, name, &settings)?;
        let step = step.min(lens.len());
        let lens: Opened = StoredValue::new_local(lens);
        let opened = RwSignal::new(0);
        let last = Memo::new(move |_| {
            opened.track();
            lens.with_value(|lens| lens.len())
        });
        let asks = RwSignal::new(quiz.map(|quiz| Asks { quiz, last: None }));
        // Another step is shown: nothing was said of its question yet.
        let moves = Callback::new(move |_| asks.update(|asks| asks.iter_mut().for_each(|asks| asks.last = None)));
        let player = Player::new(step, last, moves).counting(name.unit());
        let frame = Memo::new(move |_| {
            opened.track();
            let step = player.step.get();
            lens.with_value(|lens| lens.frame(step))
        });
        let question = Memo::new(move |_| {
            opened.track();
            let step = player.step.get();
            asks.with(|asks| lens.with_value(|lens| asks.as_ref().and_then(|asks| asks.quiz.question(&**lens, step))))
        });
        Ok(Self {
            watched: StoredValue::new(watched),
            name,
            settings: RwSignal::new(settings),
            player,
            frame,
            question,
            asks,
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
            let asks = self.asks.with(|asks| asks.as_ref().map(|asks| asks.quiz.write()).unwrap_or_default());
            // What was found in the address stands there already.
            if before.is_some() {
                page.remember("step", (step > 0).then(|| step.to_string()));
                page.remember("with", Some(with).filter(|with| !with.is_empty()));
                NAMES.into_iter().zip(asks).for_each(|(name, value)| page.remember(name, value));
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
            // What was answered was of other questions.
            self.begin();
        }
        Ok(())
    }

    /// Begins to ask, or ends it.
    pub fn set_quiz(self, on: bool) {
        self.player.playing.set(false);
        self.asks.set(on.then(Asks::default));
        if on && self.player.is_done() {
            self.player.go(0);
        }
    }

    /// Asks for this kind of answer alone, or for every kind; or chooses questions by another seed. What was answered is forgotten.
    pub fn ask_for(self, change: impl FnOnce(&mut Quiz)) {
        self.asks.update(|asks| {
            if let Some(asks) = asks {
                change(&mut asks.quiz);
                asks.quiz.begin();
                asks.last = None;
            }
        });
    }

    /// Forgets what was answered.
    pub fn begin(self) {
        self.ask_for(|_| ());
    }

    /// Kinds of questions that the lens has.
    pub fn kinds(self) -> Vec<Kind> {
        let has = |kind: &Kind| {
            self.lens.with_value(|lens| {
                (0..lens.len()).any(|step| lens.questions(step, Turn::new(step, 0)).iter().any(|one| one.asked == *kind))
            })
        };
        Kind::ALL.into_iter().filter(has).collect()
    }

    /// Takes an answer. The right one leads to the next step, where it is seen.
    pub fn answer(self, reply: Reply) {
        let (Some(question), step) = (self.question.get_untracked(), self.player.step.get_untracked()) else { return };
        let is_right = question.is_right(&reply);
        self.asks.update(|asks| {
            if let Some(asks) = asks {
                asks.quiz.take(step, &question, &reply);
                asks.last = Some((reply, is_right));
            }
        });
        if is_right {
            let answered = self.asks.get_untracked();
            self.player.step_by(1);
            // Going on forgets what was said of the step before; of a right answer it stays to be read.
            self.asks.set(answered);
        }
    }

    /// What was answered so far, step by step.
    pub fn answered(self) -> Vec<Answered> {
        self.opened.track();
        self.asks.with(|asks| self.lens.with_value(|lens| asks.as_ref().map(|asks| asks.quiz.answered(&**lens)).unwrap_or_default()))
    }

    /// Why another answer would be right, once one was wrong.
    pub fn why(self) -> Option<Why> {
        self.asks.with(|asks| asks.as_ref().and_then(|asks| asks.last.clone())).filter(|(_, is_right)| !is_right)?;
        let (question, step) = (self.question.get()?, self.player.step.get());
        let says = match question.why {
            Some(why) => vec![why],
            None if !question.sums.is_empty() => Vec::new(),
            None => self.lens.with_value(|lens| lens.frame(step + 1).says.into_iter().take(2).collect()),
        };
        Some(Why { sums: question.sums, says })
    }
}

fn of(watched: &Watched, name: Name, settings: &Settings) -> Result<Box<dyn Lens>, NotOpened> {
    open(name, watched.task.ok_or(NotOpened::Task)?, &watched.texts, settings)
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;
    use crate::model::watch::tests::watched;

    fn scene(name: Name, task: Task, with: &str, step: usize) -> (Owner, Scene) {
        let owner = Owner::new();
        let scene = owner.with(|| Scene::open(watched(task, "SUNDAY", "SATURDAY"), name, with, step, Some(Quiz::default())).unwrap());
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
            assert_eq!(scene.why(), None);
            let question = scene.question.get_untracked().unwrap();
            let wrong = question.choices.iter().find(|choice| !question.is_right(choice)).unwrap();
            scene.answer(wrong.clone());
            assert_eq!(scene.player.step.get_untracked(), 1);
            // A miss shows why: the sums of the cell, or a sentence.
            let why = scene.why().unwrap();
            assert!(why.sums.len() == 3 || !why.says.is_empty(), "{why:?}");
            scene.answer(right(scene));
            let score: Vec<bool> = scene.answered().iter().map(|one| one.is_right).collect();
            assert_eq!((scene.player.step.get_untracked(), score), (2, vec![true, false]));
            assert!(scene.asks.get_untracked().unwrap().last.unwrap().1);
            scene.player.step_by(-1);
            assert_eq!(scene.asks.get_untracked().unwrap().last, None);
            // The questions of another kind or seed are others: what was answered is not of them.
            scene.ask_for(|quiz| quiz.seed = 7);
            assert_eq!(scene.answered(), []);
        });
    }

    #[test]
    fn a_lens_asks_for_the_kinds_that_it_has() {
        let (owner, scene) = scene(Name::TwoRows, Task::EditDistance, "", 0);
        owner.with(|| {
            assert_eq!(scene.kinds(), Kind::ALL);
            for kind in Kind::ALL {
                scene.ask_for(|quiz| quiz.kind = Some(kind));
                assert_eq!(scene.question.get_untracked().map(|question| question.asked), Some(kind));
            }
        });
    }
}
