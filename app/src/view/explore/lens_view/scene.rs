//! State and actions of a lens (a view that shows a method step by step): [`LensScene`].

use explain::lens::frame::{LensFrame, LensSentence, PanelSum};
use explain::lens::question::{LensQuestion, QuestionKind as Kind, QuestionReply, QuestionTurn};
use explain::lens::settings::{LensSettings, LensSettingsError};
use explain::lens::{Lens, LensError, LensName, open};
use leptos::prelude::*;

use crate::model::lens::LensInput;
use crate::model::lens::compose::DisplayMedium;
use crate::model::lens::places::PanelLayout;
use crate::model::lens::quiz::{AnsweredStep, LensQuiz, NAMES};
use crate::page::Page;
use crate::view::explore::lens::player::StepPlayer;

type OpenedLens = StoredValue<Box<dyn Lens>, LocalStorage>;

/// The quiz of a lens, with the last reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuizState {
    /// The kind of questions, the seed, and the replies so far.
    pub quiz: LensQuiz,
    /// The last reply, and whether it was right.
    pub last: Option<(QuestionReply, bool)>,
}

/// The reason why a reply to a question is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyReason {
    /// The sums from which the right reply follows.
    pub sums: Vec<PanelSum>,
    /// Sentences that give the reason, or that describe the next step.
    pub says: Vec<LensSentence>,
}

/// State of the view that shows a lens: its step, parameters and quiz. Copies share one state.
#[derive(Clone, Copy)]
pub struct LensScene {
    pub watched: StoredValue<LensInput>,
    pub name: LensName,
    pub settings: RwSignal<LensSettings>,
    /// The player, which moves through the steps.
    pub player: StepPlayer,
    /// The drawing and the sentences of the current step.
    pub frame: Memo<LensFrame>,
    /// The question about the next step, if the quiz is on and the lens has one.
    pub question: Memo<Option<LensQuestion>>,
    /// The quiz; `None` while it is off.
    pub quiz_state: RwSignal<Option<QuizState>>,
    lens: OpenedLens,
    /// Number of times that the lens was reopened with other settings.
    opened: RwSignal<u32>,
}

impl LensScene {
    /// Opens the lens `name` on the texts `watched`. `with` are the settings as an address encodes them; if they are
    /// invalid, all have their defaults. `step` is the first step to show, and `quiz` the quiz to continue.
    ///
    /// # Errors
    /// Returns an error if a text is too long for the lens, or if the task does not have it.
    pub fn open(watched: LensInput, name: LensName, with: &str, step: usize, quiz: Option<LensQuiz>) -> Result<Self, LensError> {
        let settings = LensSettings::parse(name, with).unwrap_or_else(|_| LensSettings::defaults(name));
        let lens = open_lens(&watched, name, &settings)?;
        let step = step.min(lens.len());
        let lens: OpenedLens = StoredValue::new_local(lens);
        let opened = RwSignal::new(0);
        let last = Memo::new(move |_| {
            opened.track();
            lens.with_value(|lens| lens.len())
        });
        let asks = RwSignal::new(quiz.map(|quiz| QuizState { quiz, last: None }));
        // A move to another step forgets the last reply, because another step has another question.
        let moves = Callback::new(move |_| asks.update(|asks| asks.iter_mut().for_each(|asks| asks.last = None)));
        let player = StepPlayer::new(step, last, moves).counting(name.unit());
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
            quiz_state: asks,
            lens,
            opened,
        })
    }

    /// Returns the view limited to `steps`: the first and the last step that may be shown. `None` means no limit.
    #[must_use]
    pub fn between(self, steps: Option<(usize, usize)>) -> Self {
        Self { player: self.player.between(steps), ..self }
    }

    /// Writes step, settings and quiz into the address whenever they change.
    pub fn remember(self, page: Page) {
        Effect::new(move |before: Option<()>| {
            let step = self.player.step.get();
            let with = self.settings.with(LensSettings::text);
            let asks = self.quiz_state.with(|asks| asks.as_ref().map(|asks| asks.quiz.write()).unwrap_or_default());
            // The initial state came from the address, so that only changes are written.
            if before.is_some() {
                page.remember("step", (step > 0).then(|| step.to_string()));
                page.remember("with", Some(with).filter(|with| !with.is_empty()));
                NAMES.into_iter().zip(asks).for_each(|(name, value)| page.remember(name, value));
            }
        });
    }

    /// Returns the positions of the drawing's panels on `room`, a screen or paper.
    pub fn layout(self, room: DisplayMedium) -> PanelLayout {
        self.opened.track();
        self.watched.with_value(|watched| self.lens.with_value(|lens| PanelLayout::of(lens.as_ref(), watched, room)))
    }

    /// Returns the lines of the method's pseudocode.
    pub fn code(self) -> &'static [explain::lens::CodeLine] {
        self.lens.with_value(|lens| lens.code())
    }

    /// Sets the parameter `key` of the lens to `value`, and discards all replies. Changes nothing if the texts are too
    /// long for the lens with this value.
    ///
    /// # Errors
    /// Returns an error and leaves the lens unchanged if the value is invalid.
    pub fn set(self, key: &str, value: &str) -> Result<(), LensSettingsError> {
        let settings = self.settings.with_untracked(|settings| settings.with(key, value))?;
        let lens = self.watched.with_value(|watched| open_lens(watched, self.name, &settings));
        if let Ok(lens) = lens {
            let (step, last) = (self.player.step.get_untracked(), lens.len());
            self.lens.set_value(lens);
            self.opened.update(|times| *times += 1);
            self.player.go(step.min(last));
            self.settings.set(settings);
            // Earlier replies belong to other questions.
            self.begin();
        }
        Ok(())
    }

    /// Starts the quiz if `on` is set, at the first step if all steps are done. Otherwise ends the quiz.
    pub fn set_quiz(self, on: bool) {
        self.player.playing.set(false);
        self.quiz_state.set(on.then(QuizState::default));
        if on && self.player.is_done() {
            self.player.go(0);
        }
    }

    /// Changes the quiz by calling `change`, for example its kind of questions or its seed, and discards all replies.
    pub fn ask_for(self, change: impl FnOnce(&mut LensQuiz)) {
        self.quiz_state.update(|asks| {
            if let Some(asks) = asks {
                change(&mut asks.quiz);
                asks.quiz.begin();
                asks.last = None;
            }
        });
    }

    /// Begins the quiz again: discards all replies.
    pub fn begin(self) {
        self.ask_for(|_| ());
    }

    /// Returns the kinds of questions that the lens has.
    pub fn kinds(self) -> Vec<Kind> {
        let has = |kind: &Kind| {
            self.lens.with_value(|lens| {
                (0..lens.len()).any(|step| lens.questions(step, QuestionTurn::new(step, 0)).iter().any(|one| one.kind == *kind))
            })
        };
        Kind::ALL.into_iter().filter(has).collect()
    }

    /// Handles a reply to the question about the next step. After the right reply, moves to that step.
    pub fn answer(self, reply: QuestionReply) {
        let (Some(question), step) = (self.question.get_untracked(), self.player.step.get_untracked()) else { return };
        let is_right = question.is_right(&reply);
        self.quiz_state.update(|asks| {
            if let Some(asks) = asks {
                asks.quiz.take(step, &question, &reply);
                asks.last = Some((reply, is_right));
            }
        });
        if is_right {
            let answered = self.quiz_state.get_untracked();
            self.player.step_by(1);
            // The move forgets the last reply, but a right one shall stay visible.
            self.quiz_state.set(answered);
        }
    }

    /// Returns the replies so far, in the order of the steps.
    pub fn answered(self) -> Vec<AnsweredStep> {
        self.opened.track();
        self.quiz_state.with(|asks| self.lens.with_value(|lens| asks.as_ref().map(|asks| asks.quiz.answered(&**lens)).unwrap_or_default()))
    }

    /// Returns the reason why the right reply is right, if the last reply was wrong.
    pub fn why(self) -> Option<ReplyReason> {
        self.quiz_state.with(|asks| asks.as_ref().and_then(|asks| asks.last.clone())).filter(|(_, is_right)| !is_right)?;
        let (question, step) = (self.question.get()?, self.player.step.get());
        let says = match question.reason {
            Some(why) => vec![why],
            None if !question.sums.is_empty() => Vec::new(),
            None => self.lens.with_value(|lens| lens.frame(step + 1).sentences.into_iter().take(2).collect()),
        };
        Some(ReplyReason { sums: question.sums, says })
    }
}

fn open_lens(watched: &LensInput, name: LensName, settings: &LensSettings) -> Result<Box<dyn Lens>, LensError> {
    if !watched.lenses().any(|lens| lens == name) {
        return Err(LensError::Task);
    }
    open(name, watched.task.ok_or(LensError::Task)?, &watched.texts, settings)
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;
    use crate::model::lens::tests::watched;

    fn scene(name: LensName, task: Task, with: &str, step: usize) -> (Owner, LensScene) {
        let owner = Owner::new();
        let scene =
            owner.with(|| LensScene::open(watched(task, "SUNDAY", "SATURDAY"), name, with, step, Some(LensQuiz::default())).unwrap());
        (owner, scene)
    }

    #[test]
    fn step_beyond_the_last_and_settings_of_another_lens_are_ignored() {
        let (owner, scene) = scene(LensName::TwoRows, Task::EditDistance, "D:900", 77);
        owner.with(|| assert_eq!((scene.player.step.get_untracked(), scene.settings.get_untracked().text()), (6, String::new())));
    }

    #[test]
    fn right_answer_advances_and_counts_if_it_was_the_first() {
        let (owner, scene) = scene(LensName::TwoRows, Task::EditDistance, "", 0);
        owner.with(|| {
            let right = |scene: LensScene| scene.question.get_untracked().unwrap().expected;
            scene.answer(right(scene));
            assert_eq!(scene.player.step.get_untracked(), 1);
            assert_eq!(scene.why(), None);
            let question = scene.question.get_untracked().unwrap();
            let wrong = question.choices.iter().find(|choice| !question.is_right(choice)).unwrap();
            scene.answer(wrong.clone());
            assert_eq!(scene.player.step.get_untracked(), 1);
            // A wrong reply shows the reason: the sums of the cell, or a sentence.
            let why = scene.why().unwrap();
            assert!(why.sums.len() == 3 || !why.says.is_empty(), "{why:?}");
            scene.answer(right(scene));
            let score: Vec<bool> = scene.answered().iter().map(|one| one.is_right).collect();
            assert_eq!((scene.player.step.get_untracked(), score), (2, vec![true, false]));
            assert!(scene.quiz_state.get_untracked().unwrap().last.unwrap().1);
            scene.player.step_by(-1);
            assert_eq!(scene.quiz_state.get_untracked().unwrap().last, None);
            // Another kind or seed has other questions, so that earlier replies are dropped.
            scene.ask_for(|quiz| quiz.seed = 7);
            assert_eq!(scene.answered(), []);
        });
    }

    #[test]
    fn lens_asks_only_its_own_kinds_of_questions() {
        let (owner, scene) = scene(LensName::TwoRows, Task::EditDistance, "", 0);
        owner.with(|| {
            assert_eq!(scene.kinds(), Kind::ALL);
            for kind in Kind::ALL {
                scene.ask_for(|quiz| quiz.kind = Some(kind));
                assert_eq!(scene.question.get_untracked().map(|question| question.kind), Some(kind));
            }
        });
    }
}
