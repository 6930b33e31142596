//! The page on which a student enters a class code (a short word that leads to a result). Also the messages about codes
//! without a result.

use leptos::prelude::*;

use super::{StaticPageFrame, StaticPageRequest, document};
use crate::tr;
use crate::tr::{speaking, t};

/// Path of the page; a code may follow it.
pub const PATH: &str = "/c";

/// Maximum length of the input: the longest code with blanks or hyphens between its syllables, and a few more letters.
const MAX_TYPED: usize = 24;

/// The reason why a class code does not lead to a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassCodeError {
    /// No result has the code.
    Unknown {
        /// The code as it was typed.
        typed: String,
    },
    /// Too many wrong codes came from this network address.
    TooMany {
        /// Minutes until the next try.
        minutes: u64,
    },
    /// The server could not look up the code.
    Failed,
}

/// Returns the HTML of the page with the form for a class code. `refused` is the reason if a code did not lead to a
/// result.
pub fn page(reader: StaticPageRequest, refused: Option<ClassCodeError>) -> String {
    let about = speaking(reader.language, || t("Open the result of a class code."));
    let frame = StaticPageFrame { reader, title: || t("Class code"), about, languages_of: None, styles: &[] };
    document(frame, move || {
        let said = refused.map(|refused| match refused {
            ClassCodeError::Unknown { typed } => {
                tr!(
                    "No result has the class code “{code}”. Check the letters. A code is valid for one day.",
                    code = typed.chars().take(MAX_TYPED).collect::<String>()
                )
            }
            ClassCodeError::TooMany { minutes } => tr!("Too many wrong codes came from your network. Try again in {n} min.", n = minutes),
            ClassCodeError::Failed => t("The code could not be looked up. Try again in a minute.").to_owned(),
        });
        view! {
            <form class="row" method="get" action=PATH>
                <label for="code">{t("Type the code from the board.")}</label>
                <input class="text" id="code" name="code" required=true maxlength=MAX_TYPED autocomplete="off" autocapitalize="none" spellcheck="false" />
                <button class="btn main" type="submit">{t("Open the result")}</button>
            </form>
            {said.map(|said| view! { <p class="say" role="alert">{said}</p> })}
        }
        .into_any()
    })
}
