//! Your links: this browser keeps the key of every link that was made in it, so that they can be found and deleted. The key that
//! opens a private link is not kept: that is in the link alone.

use explain::wire::Stored;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};
use web_sys::Storage;

use super::Sharing;
use crate::problem::Problem;
use crate::source::remote;
use crate::tr;
use crate::tr::t;
use crate::words;

/// Before the page's path, in the names of what is kept.
const PREFIX: &str = "delete ";

/// A link that was made here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Yours {
    /// Path of its page.
    path: String,
    kept: Kept,
}

/// What is kept about a link.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    token: String,
    /// What it shows, in a few words.
    about: String,
    /// When it ends, in seconds since 1970.
    ends: Option<u64>,
}

impl Kept {
    /// Reads what is kept; before there was more to keep it was the token alone.
    fn read(value: &str) -> Self {
        serde_json::from_slice(value.as_bytes()).unwrap_or_else(|_| Self { token: value.to_owned(), ..Self::default() })
    }
}

/// The path of the page that an address leads to, without a key.
pub(super) fn page_of(url: &str) -> String {
    url.split('#').next().unwrap_or_default().to_owned()
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// Keeps the key of a new link.
pub(super) fn keep(stored: &Stored, about: &str) {
    let kept = Kept { token: stored.delete_token.clone(), about: about.to_owned(), ends: stored.expires_at };
    if let (Some(storage), Ok(value)) = (storage(), serde_json::to_string(&kept)) {
        let _ = storage.set_item(&format!("{PREFIX}{}", page_of(&stored.url)), &value);
    }
}

/// All links of this browser that have not ended; those that have are forgotten.
pub(super) fn all() -> Vec<Yours> {
    let Some(storage) = storage() else { return Vec::new() };
    let names: Vec<String> = (0..storage.length().unwrap_or(0)).filter_map(|at| storage.key(at).ok()?).collect();
    let now = (js_sys::Date::now() / 1e3) as u64;
    let mut all = Vec::new();
    for name in names {
        let Some(path) = name.strip_prefix(PREFIX) else { continue };
        let Some(value) = storage.get_item(&name).ok().flatten() else { continue };
        let kept = Kept::read(&value);
        if kept.ends.is_some_and(|ends| ends <= now) {
            let _ = storage.remove_item(&name);
        } else {
            all.push(Yours { path: path.to_owned(), kept });
        }
    }
    all.sort_by_key(|yours| (yours.kept.ends.unwrap_or(u64::MAX), yours.path.clone()));
    all
}

/// Deletes a link, and forgets its key when it is gone.
pub(super) async fn delete(path: &str, token: &str) -> Result<(), Problem> {
    let deleted = match remote::delete_stored(path, token).await {
        Err(problem) if !matches!(problem.status, 404 | 410) => Err(problem),
        _ => Ok(()),
    };
    if let (Ok(()), Some(storage)) = (&deleted, storage()) {
        let _ = storage.remove_item(&format!("{PREFIX}{path}"));
    }
    deleted
}

/// The list.
#[component]
pub fn YourLinks(yours: RwSignal<Vec<Yours>>) -> impl IntoView {
    let sharing = expect_context::<Sharing>();
    let row = move |link: Yours| {
        let Yours { path, kept } = link;
        let ends = kept.ends.map_or_else(|| t("until deleted").to_owned(), words::day);
        let about = if kept.about.is_empty() { path.clone() } else { kept.about };
        // Without its key the page of a private link shows nothing.
        let opens = path.starts_with("/r/").then(|| path.clone());
        let label = tr!("Delete {link}", link = about);
        let delete = move |_| {
            let (path, token) = (path.clone(), kept.token.clone());
            spawn_local(async move {
                match delete(&path, &token).await {
                    Ok(()) => {
                        sharing.made.update(|made| made.retain(|(_, made)| page_of(&made.url) != path));
                        yours.set(all());
                    }
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
                <caption class="vh">{t("Links made in this browser")}</caption>
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_before_is_read() {
        assert_eq!(Kept::read("abc").token, "abc");
        let kept = Kept { token: "t".into(), about: "3 edits".into(), ends: Some(7) };
        assert_eq!(Kept::read(&serde_json::to_string(&kept).unwrap()), kept);
        assert_eq!(page_of("/s/1#key"), "/s/1");
    }
}
