//! The list of links, jobs and uploads that this browser has made on the server, each with a button that deletes it:
//! [`YourLinks`].

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::ShareState;
use crate::backend::tokens::{self, OwnedObject};
use crate::model::text::humanize;
use crate::page::Page;
use crate::tr;
use crate::tr::t;

/// Renders the list of everything that this browser has made on the server.
#[component]
pub fn YourLinks(yours: RwSignal<Vec<OwnedObject>>) -> impl IntoView {
    let (page, sharing) = (expect_context::<Page>(), expect_context::<ShareState>());
    let row = move |link: OwnedObject| {
        let OwnedObject { path, record } = link;
        let ends = record.ends.map_or_else(|| t("until deleted").to_owned(), humanize::day);
        // The page of a private link shows nothing without the key, which the list does not have. So the entry has no
        // link to it.
        let opens = ["/r/", "/j/"].iter().any(|pages| path.starts_with(pages)).then(|| path.clone());
        let about = match record.about {
            about if !about.is_empty() => about,
            _ if path.starts_with("/api/") => t("A text that was sent").to_owned(),
            _ => path.clone(),
        };
        let label = tr!("Delete {link}", link = about);
        let delete = move |_| {
            let path = path.clone();
            spawn_local(async move {
                match tokens::delete(&path).await {
                    Ok(()) => sharing.forget_deleted(page, path, yours),
                    Err(problem) => sharing.problem.set(Some(problem)),
                }
            });
        };
        view! {
            <tr>
                <td>
                    <a href=opens>{about}</a>
                </td>
                <td class="r">{ends}</td>
                <td class="r">
                    <button class="btn small" type="button" aria-label=label on:click=delete>
                        {t("Delete")}
                    </button>
                </td>
            </tr>
        }
    };
    view! {
        <details class="yours" hidden=move || yours.with(Vec::is_empty)>
            <summary>{move || tr!("Your links ({n})", n = yours.with(Vec::len))}</summary>
            <table class="figures">
                <caption class="vh">{t("Links, results and texts that this browser has sent")}</caption>
                <thead>
                    <tr>
                        <th>{t("Result")}</th>
                        <th class="r">{t("Expires")}</th>
                        <th>
                            <span class="vh">{t("Delete")}</span>
                        </th>
                    </tr>
                </thead>
                <tbody>
                    <For each=move || yours.get() key=|link| link.path.clone() let:link>
                        {row(link)}
                    </For>
                </tbody>
            </table>
        </details>
    }
}
