//! Links as an operator sees them: times and sizes, but not their content (`list`, `drop_all`).
//!
//! This module only reads and writes database rows, which is safe while a server runs. The collector of the server
//! removes the files.

use anyhow::{Context as _, bail};
use serde::Serialize;

use crate::config::Config;
use crate::id::Id;
use crate::storage::ports::clock::{Clock as _, SystemClock};
use crate::storage::ports::rows::{LinkRow, RowLookup};
use crate::store::record::LinkContent;
use crate::store::rows_beside_a_server;

/// Number of links read from the database by one query.
const LINKS_PER_READ: u32 = 500;

/// A link in the operator's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct ListedLink {
    pub(super) id: Id,
    /// Kind of the link: `result` or `private`. Missing if another version of the program wrote the link.
    pub(super) kind: Option<&'static str>,
    /// Time since the link was created, in seconds.
    pub(super) age_seconds: u64,
    /// Time until the link expires, in seconds. Missing if it never expires.
    pub(super) ends_in_seconds: Option<u64>,
    /// Total size of both texts or, for a private link, size of the encrypted content, in bytes. Missing if unknown.
    pub(super) bytes: Option<u64>,
}

/// The outcome of deleting one link: its id, and whether the link existed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct DroppedLink {
    pub(super) id: Id,
    /// Whether the link existed before.
    pub(super) was_here: bool,
}

/// Returns recent links that have not expired, at most `most`. If `staying` is set, returns only links that never
/// expire.
///
/// # Errors
/// Returns an error if the database rows cannot be read.
pub(super) async fn list(config: &Config, staying: bool, most: usize) -> anyhow::Result<Vec<ListedLink>> {
    let (rows, now) = (rows_beside_a_server(config).await?, SystemClock::default().seconds());
    let (mut listed, mut after) = (Vec::new(), None);
    loop {
        let links = rows.links(after, LINKS_PER_READ).await.context("the links cannot be read")?;
        let Some((last, _)) = links.last() else { return Ok(listed) };
        after = Some(*last);
        let is_wanted = |link: &LinkRow| link.expires_at.is_none_or(|at| !staying && at > now);
        let wanted = links.into_iter().filter(|(_, link)| is_wanted(link)).map(|(id, link)| to_listed_link(id, &link, now));
        listed.extend(wanted.take(most - listed.len()));
        if listed.len() == most {
            return Ok(listed);
        }
    }
}

fn to_listed_link(id: Id, link: &LinkRow, now: u64) -> ListedLink {
    let held = LinkContent::read(&link.body).ok();
    let kind = |held: &LinkContent| match held {
        LinkContent::Result(_) => "result",
        LinkContent::Sealed { .. } => "private",
    };
    ListedLink {
        id,
        kind: held.as_ref().map(kind),
        age_seconds: now.saturating_sub(link.created_at),
        ends_in_seconds: link.expires_at.map(|at| at.saturating_sub(now)),
        bytes: held.and_then(|held| held.bytes()),
    }
}

/// Deletes the links with the ids `ids`. Returns for each of them whether it existed.
///
/// # Errors
/// Returns an error if none of the links exists, or if a link cannot be deleted. In the second case, the links before
/// it are already deleted.
pub(super) async fn drop_all(config: &Config, ids: &[Id]) -> anyhow::Result<Vec<DroppedLink>> {
    let rows = rows_beside_a_server(config).await?;
    let mut dropped = Vec::with_capacity(ids.len());
    for id in ids {
        let was_here = matches!(rows.link(*id).await.context("a link cannot be read")?, RowLookup::Here(_));
        if was_here {
            rows.delete_link(*id).await.with_context(|| format!("link {id} cannot be deleted"))?;
        }
        dropped.push(DroppedLink { id: *id, was_here });
    }
    if dropped.iter().all(|link| !link.was_here) {
        bail!("there is no such link");
    }
    Ok(dropped)
}
