//! Pages that stand still: the server renders them whole, and no script runs in them.
//!
//! - [`docs`]: a text that is markup already
//! - [`how`]: how each task is solved, with the papers
//! - [`limits`]: what this server takes

use kernels::job::Task;
use leptos::prelude::*;

use crate::tr::t;
use crate::view::header::brand;
use crate::view::places;
use crate::visit::task_path;

pub mod docs;
pub mod how;
pub mod limits;

/// What is around the text of such a page.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Folder of this build's styles, as an address.
    pub pkg: String,
    /// The theme that the visitor chose.
    pub theme: Option<String>,
    /// Title of the page.
    pub title: &'static str,
    /// What it is about, in a sentence.
    pub about: &'static str,
}

/// The document with `text` in it.
pub fn document(frame: Frame, text: impl FnOnce() -> AnyView) -> String {
    let Frame { pkg, theme, title, about } = frame;
    let html = Owner::new().with(|| {
        view! {
            <html lang="en" data-theme=theme>
                <head>
                    <meta charset="utf-8" />
                    <meta name="viewport" content="width=device-width, initial-scale=1" />
                    <title>{format!("{title} · Editscope")}</title>
                    <meta name="description" content=about />
                    <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
                    <link rel="stylesheet" href=format!("{pkg}/style.css") />
                    <link rel="stylesheet" href=format!("{pkg}/share.css") />
                </head>
                <body>
                    <a class="skip" href="#main">"Skip to content"</a>
                    <header class="top plain">
                        <div class="in">
                            {brand()}
                            <div class="prefs">
                                <a class="btn" href=task_path(Task::ALL[0])>"Compare two texts"</a>
                            </div>
                        </div>
                    </header>
                    <main id="main" class="still">
                        <div class="lead">
                            <h1>{title}</h1>
                            <p class="say wide">{about}</p>
                        </div>
                        {text()}
                    </main>
                    <footer class="foot">
                        <div class="in">
                            {places()} <span>{t("Nothing you type is stored unless you make a link.")}</span>
                        </div>
                    </footer>
                </body>
            </html>
        }
        .to_html()
    });
    format!("<!DOCTYPE html>{html}")
}
