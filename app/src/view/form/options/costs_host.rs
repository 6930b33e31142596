//! The page whose costs and points a field changes ([`CostsHost`]): that of two texts, or that of many texts.

use kernels::job::{JobOptions, Task};
use leptos::prelude::*;

use crate::model::form::FormState;
use crate::model::problem::Problem;
use crate::page::Page;
use crate::page::actions::Action;

/// A handle to the page whose costs and points are changed, as a context of the fields. All copies share one state.
#[derive(Clone, Copy)]
pub struct CostsHost {
    /// The task with its options. The page of many texts has no texts in it.
    pub form: Signal<FormState>,
    pub set_task: Callback<Task>,
    /// Sets all options.
    pub set: Callback<JobOptions>,
    /// Shows the problem of a typed number.
    pub refuse: Callback<Problem>,
    /// Whether there is one pair of texts, which may have several best pieces.
    pub is_pair: bool,
}

impl CostsHost {
    /// Creates the handle to the page of two texts.
    pub fn of(page: Page) -> Self {
        Self {
            form: page.form.into(),
            set_task: Callback::new(move |task| page.set_task(task)),
            set: Callback::new(move |options| page.set_options(|own| *own = options)),
            refuse: Callback::new(move |problem| page.dispatch(Action::Refuse(problem))),
            is_pair: true,
        }
    }

    /// Changes the options.
    pub(super) fn set_options(self, change: impl FnOnce(&mut JobOptions)) {
        let mut options = self.form.with_untracked(|form| form.options.clone());
        change(&mut options);
        self.set.run(options);
    }
}
