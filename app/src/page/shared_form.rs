//! A form with many texts as the share dialog sees it ([`SharedForm`]).

use std::sync::Arc;

use leptos::prelude::*;

use super::form_page::{FormPage, FormToSeal, PageForm, Pending};

/// A function of the page.
type Ask<T> = Arc<dyn Fn() -> T + Send + Sync>;

/// The functions of a page with many texts that the share dialog calls. The dialog is in another part of the program, which has
/// no code for forms.
#[derive(Clone)]
pub struct SharedForm {
    /// Whether the dialog is open.
    pub open: RwSignal<bool>,
    /// Returns the link by which the page was opened, if it is a private link with the same texts.
    pub opened_link: Ask<Option<String>>,
    /// Returns whether the texts came from a private link, also if they were edited.
    pub is_private: Ask<bool>,
    /// Returns the link that contains the texts. `None` if they are too long.
    pub text_link: Ask<Pending<Option<String>>>,
    /// Begins a private link to the texts.
    pub seal: Ask<FormToSeal>,
    /// Forgets the private link with an id, which was deleted.
    pub forget_link: Arc<dyn Fn(&str) + Send + Sync>,
    /// Describes the texts in a few words.
    pub about: Ask<String>,
}

impl SharedForm {
    pub fn new<F: PageForm>(page: FormPage<F>, about: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self {
            open: RwSignal::new(false),
            opened_link: Arc::new(move || page.opened_link()),
            is_private: Arc::new(move || page.is_private()),
            text_link: Arc::new(move || Box::pin(page.text_link())),
            seal: Arc::new(move || page.seal()),
            forget_link: Arc::new(move |id| page.forget_link(id)),
            about: Arc::new(about),
        }
    }
}
