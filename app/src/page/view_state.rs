//! How views of a result are looked at, beyond what is in the address: zoom, folding, the page of a list, speeds. A view is drawn anew with
//! every answer; what somebody has chosen in it is kept here, by task and name, and the next one begins with it.

use std::any::Any;

use kernels::job::Task;
use leptos::prelude::*;

use super::Page;

/// How long something is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasts {
    /// As long as the page: how views are drawn.
    Always,
    /// While letters and options change, until the texts are others: a place in them.
    WithTexts,
}

/// What is kept of one signal of a view.
#[derive(Debug)]
struct Kept {
    task: Task,
    name: &'static str,
    lasts: Lasts,
    value: Box<dyn Any + Send + Sync>,
}

/// What is kept of all views. What is as it is at first is not.
#[derive(Debug, Default)]
pub(super) struct ViewState(Vec<Kept>);

impl ViewState {
    fn get<T: Clone + 'static>(&self, task: Task, name: &'static str) -> Option<T> {
        let kept = self.0.iter().find(|kept| (kept.task, kept.name) == (task, name))?;
        kept.value.downcast_ref().cloned()
    }

    fn set<T: Send + Sync + 'static>(&mut self, task: Task, name: &'static str, lasts: Lasts, value: Option<T>) {
        self.0.retain(|kept| (kept.task, kept.name) != (task, name));
        self.0.extend(value.map(|value| Kept { task, name, lasts, value: Box::new(value) }));
    }

    fn leave_texts(&mut self) {
        self.0.retain(|kept| kept.lasts == Lasts::Always);
    }
}

impl Page {
    /// A signal of a view, which begins as the last view of this task has left it under this name, made to fit; or else as it is at first.
    pub fn kept<T>(self, lasts: Lasts, name: &'static str, first: T, fit: impl FnOnce(T) -> T) -> RwSignal<T>
    where
        T: Clone + PartialEq + Send + Sync + 'static,
    {
        let views = self.held().views;
        let task = self.form.with_untracked(|form| form.task);
        let left = views.try_with_value(|views| views.get(task, name)).flatten();
        let signal = RwSignal::new(left.map_or_else(|| first.clone(), fit));
        Effect::new(move |_| {
            let value = signal.get();
            let chosen = (value != first).then_some(value);
            views.try_update_value(|views| views.set(task, name, lasts, chosen));
        });
        signal
    }

    /// The texts are others: no place in the last ones is one in them.
    pub(super) fn leave_texts(self) {
        self.held().views.update_value(ViewState::leave_texts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_of_a_task_and_a_name_and_places_go_with_their_texts() {
        let mut views = ViewState::default();
        views.set(Task::Lcs, "fold", Lasts::Always, Some(false));
        views.set(Task::Lcs, "top", Lasts::WithTexts, Some(7_u64));
        views.set(Task::EditDistance, "top", Lasts::WithTexts, Some(9_u64));
        let of = |views: &ViewState, task| (views.get::<bool>(task, "fold"), views.get::<u64>(task, "top"));
        assert_eq!((of(&views, Task::Lcs), of(&views, Task::EditDistance)), ((Some(false), Some(7)), (None, Some(9))));
        assert_eq!(views.get::<u32>(Task::Lcs, "top"), None, "a value of another type is none");
        views.set::<u64>(Task::EditDistance, "top", Lasts::WithTexts, None);
        assert_eq!(of(&views, Task::EditDistance), (None, None));
        views.leave_texts();
        assert_eq!(of(&views, Task::Lcs), (Some(false), None));
    }

    #[test]
    fn a_view_begins_as_the_last_one_was_left() {
        let owner = Owner::new();
        owner.with(|| {
            let page = Page::new(crate::form::Form::new(Task::Lcs), || unreachable!(), |_| {});
            let views = page.held().views;
            views.update_value(|views| views.set(Task::Lcs, "zoom", Lasts::WithTexts, Some(90_u64)));
            assert_eq!(page.kept(Lasts::WithTexts, "zoom", 1_u64, |zoom| zoom.min(50)).get_untracked(), 50);
            assert_eq!(page.kept(Lasts::WithTexts, "place", 1_u64, |place| place).get_untracked(), 1);
            page.leave_texts();
            assert_eq!(page.kept(Lasts::WithTexts, "zoom", 1_u64, |zoom| zoom).get_untracked(), 1);
        });
    }
}
