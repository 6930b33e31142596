//! Stand-ins for the module `remote` in a program without the feature `cluster`. They are never called, because no
//! address has a value.

use std::sync::Arc;

use super::secret::SecretKey;
use crate::storage::ports::clock::Clock;
use crate::storage::ports::files::FileStore;
use crate::storage::ports::missing::MissingService;
use crate::storage::ports::rows::RowStore;

pub(super) async fn open_database(address: &MissingService, _: bool) -> anyhow::Result<(Arc<dyn RowStore>, SecretKey, MissingService)> {
    match *address {}
}

pub(super) async fn open_rows(address: &MissingService) -> anyhow::Result<Arc<dyn RowStore>> {
    match *address {}
}

pub(super) async fn open_bucket(
    place: &MissingService,
    _: u64,
    _: Arc<dyn Clock>,
    _: &SecretKey,
    _: Option<MissingService>,
) -> anyhow::Result<Arc<dyn FileStore>> {
    match *place {}
}
