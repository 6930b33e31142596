//! A form with many texts as the share dialog sees it ([`SharedForm`]).

use std::pin::Pin;
use std::sync::Arc;

use leptos::prelude::*;

use super::form_page::{FormPage, PageForm};
use crate::model::problem::Problem;

/// The future of a value that the dialog waits for.
pub type Pending<T> = Pin<Box<dyn Future<Output = T>>>;

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
    /// Returns the texts as the bytes to encrypt.
    pub content: Ask<Pending<Result<Vec<u8>, Problem>>>,
    /// Returns the private link to the stored content with an id and a key.
    pub private_link: Arc<dyn Fn(&str, &str) -> String + Send + Sync>,
    /// Remembers that a link was made.
    pub made: Ask<()>,
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
            content: Arc::new(move || Box::pin(page.content_to_seal())),
            private_link: Arc::new(move |id, key| page.private_link(id, key)),
            made: Arc::new(move || page.has_stored.set(true)),
            about: Arc::new(about),
        }
    }
}
