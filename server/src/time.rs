//! Time of day, in whole seconds, in the store and on the wire.

use std::time::SystemTime;

/// Seconds since 1970, now.
pub fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}
