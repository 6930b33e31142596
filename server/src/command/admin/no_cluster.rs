//! Stand-in for the module `cluster` in a program without the feature `cluster`: refuses all actions for clusters.

use anyhow::bail;

use super::ClusterAction;
use super::print::AdminPrinter;
use crate::config::Config;
use crate::storage::ports::missing::MISSING_SERVICE;

/// A connection to a cluster. The type has no values.
pub(super) enum AdminSession {}

impl AdminSession {
    pub(super) async fn open(_: &Config) -> anyhow::Result<Self> {
        bail!(MISSING_SERVICE)
    }

    pub(super) async fn answer(&self, _: ClusterAction, _: AdminPrinter) -> anyhow::Result<()> {
        match *self {}
    }
}
