//! Links as an operator sees them, whoever has made them: when they were made and how large they are, and nothing of what they lead to.
//!
//! Only rows are read and written, which a running server shares with whoever else opens them: its collector removes the files.

use anyhow::{Context as _, bail};
use serde::Serialize;

use crate::config::Config;
use crate::id::Id;
use crate::ports::clock::{Clock as _, SystemClock};
use crate::ports::rows::{Found, LinkRow};
use crate::record::Held;
use crate::store::rows_beside_a_server;

/// Links that are read at once.
const STEP: u32 = 500;

/// A link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct ListedLink {
    /// Its id.
    pub(super) id: Id,
    /// `result`, `private`, or none where another version wrote it.
    pub(super) kind: Option<&'static str>,
    /// How long ago it was made.
    pub(super) age_seconds: u64,
    /// When its time is over; none where it stays until somebody deletes it.
    pub(super) ends_in_seconds: Option<u64>,
    /// Bytes of both texts, or of what is sealed.
    pub(super) bytes: Option<u64>,
}

/// What became of a link that was to be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct DroppedLink {
    pub(super) id: Id,
    /// Whether there was such a link.
    pub(super) was_here: bool,
}

/// The last links whose time is not over, at most so many.
///
/// # Errors
/// When the rows cannot be read.
pub(super) async fn list(config: &Config, staying: bool, most: usize) -> anyhow::Result<Vec<ListedLink>> {
    let (rows, now) = (rows_beside_a_server(config).await?, SystemClock::default().seconds());
    let (mut listed, mut after) = (Vec::new(), None);
    loop {
        let links = rows.links(after, STEP).await.context("the links cannot be read")?;
        let Some((last, _)) = links.last() else { return Ok(listed) };
        after = Some(*last);
        let is_wanted = |link: &LinkRow| link.expires_at.is_none_or(|at| !staying && at > now);
        let wanted = links.into_iter().filter(|(_, link)| is_wanted(link)).map(|(id, link)| told(id, &link, now));
        listed.extend(wanted.take(most - listed.len()));
        if listed.len() == most {
            return Ok(listed);
        }
    }
}

fn told(id: Id, link: &LinkRow, now: u64) -> ListedLink {
    let held = Held::read(&link.body).ok();
    let kind = |held: &Held| match held {
        Held::Result(_) => "result",
        Held::Sealed { .. } => "private",
    };
    ListedLink {
        id,
        kind: held.as_ref().map(kind),
        age_seconds: now.saturating_sub(link.created_at),
        ends_in_seconds: link.expires_at.map(|at| at.saturating_sub(now)),
        bytes: held.and_then(|held| held.bytes()),
    }
}

/// Deletes these links.
///
/// # Errors
/// When one cannot be deleted: those before it are.
pub(super) async fn drop_all(config: &Config, ids: &[Id]) -> anyhow::Result<Vec<DroppedLink>> {
    let rows = rows_beside_a_server(config).await?;
    let mut dropped = Vec::with_capacity(ids.len());
    for id in ids {
        let was_here = matches!(rows.link(*id).await.context("a link cannot be read")?, Found::Here(_));
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
