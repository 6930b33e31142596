//! State of result views that is not in the address: zoom, folding, the page of a list, speeds. Views are recreated
//! with every answer. Their settings are stored in this module by task and name, and [`Page::stored_setting`] starts
//! the next view with them.

use std::any::Any;

use kernels::job::Task;
use leptos::prelude::*;

use super::Page;

/// The lifetime of a stored setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingLifetime {
    /// Until the page is closed. For settings of how a view is drawn.
    Always,
    /// Until the texts are replaced, but across edits and changed options. For positions in the texts.
    WithTexts,
}

/// The key of a stored setting, with the value of `ViewState::texts` when the view was created.
#[derive(Clone, Copy, Debug)]
struct SettingKey {
    task: Task,
    name: &'static str,
    lasts: SettingLifetime,
    texts: u32,
}

type SettingValue = Box<dyn Any + Send + Sync>;

/// The stored settings of all views, as far as they differ from their defaults.
#[derive(Debug, Default)]
pub(super) struct ViewState {
    settings: Vec<(SettingKey, SettingValue)>,
    /// Number of times that the texts were replaced as a whole.
    texts: u32,
}

impl ViewState {
    fn get(&self, task: Task, name: &'static str) -> Option<&(dyn Any + Send + Sync)> {
        self.settings.iter().find(|(key, _)| (key.task, key.name) == (task, name)).map(|(_, value)| &**value)
    }

    /// Stores the setting `left` of a view that is removed; `None` if it has its default value. Ignores positions if
    /// the texts were replaced since.
    fn store_setting(&mut self, left: SettingKey, value: Option<SettingValue>) {
        if left.lasts == SettingLifetime::WithTexts && left.texts != self.texts {
            return;
        }
        self.settings.retain(|(key, _)| (key.task, key.name) != (left.task, left.name));
        self.settings.extend(value.map(|value| (left, value)));
    }

    fn leave_texts(&mut self) {
        self.texts += 1;
        self.settings.retain(|(key, _)| key.lasts == SettingLifetime::Always);
    }
}

impl Page {
    /// Returns a signal for the setting `name` of this task's views, which is stored for the time `lasts`. It starts
    /// with the stored value, adapted by `fit`, or with `first` if none is stored.
    pub fn stored_setting<T>(self, lasts: SettingLifetime, name: &'static str, first: T, fit: impl FnOnce(T) -> T) -> RwSignal<T>
    where
        T: Clone + PartialEq + Send + Sync + 'static,
    {
        let views = self.lazy_state().views;
        let task = self.form.with_untracked(|form| form.task);
        let (left, texts) = views.with_value(|views| (views.get(task, name).and_then(|value| value.downcast_ref().cloned()), views.texts));
        let signal = RwSignal::new(left.map_or_else(|| first.clone(), fit));
        on_cleanup(move || {
            let Some(value) = signal.try_get_untracked() else { return };
            let chosen = (value != first).then(|| Box::new(value) as SettingValue);
            views.try_update_value(|views| views.store_setting(SettingKey { task, name, lasts, texts }, chosen));
        });
        signal
    }

    /// Drops stored positions in the texts, because the texts were replaced.
    pub(super) fn leave_texts(self) {
        self.lazy_state().views.update_value(ViewState::leave_texts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::form::FormState;

    /// A view that is created, changed and recreated.
    struct View(Page, Owner);

    impl View {
        fn new() -> Self {
            let owner = Owner::new();
            let page = owner.with(|| {
                let page = Page::new(FormState::new(Task::Lcs), || unreachable!(), |_| {});
                page.lazy_state();
                page
            });
            Self(page, owner)
        }

        /// Creates a view with a signal called `name`, passes the signal to `act` and removes the view.
        fn draw(&self, lasts: SettingLifetime, name: &'static str, act: impl FnOnce(Page, RwSignal<u64>)) {
            let view = self.1.child();
            view.with(|| act(self.0, self.0.stored_setting(lasts, name, 1, |value| value.min(50))));
            view.cleanup();
        }

        fn value(&self, name: &'static str) -> u64 {
            let mut value = 0;
            self.draw(SettingLifetime::WithTexts, name, |_, signal| value = signal.get_untracked());
            value
        }
    }

    #[test]
    fn view_starts_with_the_settings_of_the_last_view_of_its_task() {
        let view = View::new();
        view.draw(SettingLifetime::WithTexts, "zoom", |_, zoom| zoom.set(7));
        assert_eq!((view.value("zoom"), view.value("place")), (7, 1));
        view.draw(SettingLifetime::WithTexts, "zoom", |page, _| page.form.update(|form| form.task = Task::EditDistance));
        assert_eq!(view.value("zoom"), 1, "the setting belongs to another task");
        view.0.form.update(|form| form.task = Task::Lcs);
        view.draw(SettingLifetime::WithTexts, "zoom", |_, zoom| zoom.set(90));
        assert_eq!(view.value("zoom"), 50, "the setting is limited to the texts");
        view.draw(SettingLifetime::WithTexts, "zoom", |_, zoom| zoom.set(1));
        assert_eq!(view.0.lazy_state().views.with_value(|views| views.settings.len()), 0, "a default value is not stored");
    }

    #[test]
    fn positions_are_dropped_with_their_texts_and_choices_are_kept() {
        let view = View::new();
        view.draw(SettingLifetime::WithTexts, "zoom", |_, zoom| zoom.set(7));
        view.draw(SettingLifetime::Always, "speed", |_, speed| speed.set(4));
        view.0.leave_texts();
        assert_eq!((view.value("zoom"), view.value("speed")), (1, 4));
        // A view of the previous texts that is removed later than the texts stores no position.
        view.draw(SettingLifetime::WithTexts, "zoom", |page, zoom| {
            zoom.set(9);
            page.leave_texts();
        });
        view.draw(SettingLifetime::Always, "fold", |page, fold| {
            fold.set(9);
            page.leave_texts();
        });
        assert_eq!((view.value("zoom"), view.value("fold")), (1, 9));
    }

    #[test]
    fn stored_setting_outlives_the_view_that_created_it() {
        let owner = Owner::new();
        let page = owner.with(|| Page::new(FormState::new(Task::Lcs), || unreachable!(), |_| {}));
        let view = owner.child();
        view.with(|| page.stored_setting(SettingLifetime::Always, "speed", 1, |value| value).set(4));
        view.cleanup();
        let next = owner.child();
        assert_eq!(next.with(|| page.stored_setting(SettingLifetime::Always, "speed", 1, |value| value).get_untracked()), 4);
    }
}
