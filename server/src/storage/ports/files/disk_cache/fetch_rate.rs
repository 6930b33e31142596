//! Fetch rate: the measured transfer rate of remote contents (`FetchRate`). Workers report it, and job planning uses
//! it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Minimum size in bytes of a content whose transfer is measured. The time of a shorter transfer depends on latency
/// rather than on the rate.
const MIN_MEASURED_BYTES: u64 = 1 << 20;

/// Weight of the last fetched content in the moving average.
const LAST_FETCH_WEIGHT: f64 = 0.25;

/// A moving average of the transfer rate of fetched contents, in bytes per second.
#[derive(Debug, Default)]
pub(super) struct FetchRate {
    average: Mutex<Option<f64>>,
}

impl FetchRate {
    /// Records that fetching `bytes` bytes took the time `took`.
    pub(super) fn note(&self, bytes: u64, took: Duration) {
        if bytes < MIN_MEASURED_BYTES || took.is_zero() {
            return;
        }
        let rate = bytes as f64 / took.as_secs_f64();
        let mut average = self.average.lock().unwrap_or_else(PoisonError::into_inner);
        *average = Some(average.map_or(rate, |before| before + LAST_FETCH_WEIGHT * (rate - before)));
    }

    /// Returns the rate in bytes per second, or `None` before the first large content. The rate is rounded to two
    /// digits, so that small changes are not reported.
    pub(super) fn bytes_per_second(&self) -> Option<f64> {
        let rate = (*self.average.lock().unwrap_or_else(PoisonError::into_inner))?;
        let digit = 10f64.powf(rate.log10().floor() - 1.0);
        Some((rate / digit).round() * digit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_fetches_have_the_largest_weight() {
        let (rate, second) = (FetchRate::default(), Duration::from_secs(1));
        assert_eq!(rate.bytes_per_second(), None);
        rate.note(MIN_MEASURED_BYTES - 1, second);
        rate.note(10 * MIN_MEASURED_BYTES, Duration::ZERO);
        assert_eq!(rate.bytes_per_second(), None, "neither fetch is a valid measurement");
        rate.note(100_000_000, second);
        assert_eq!(rate.bytes_per_second(), Some(1e8));
        rate.note(20_000_000, second);
        assert_eq!(rate.bytes_per_second(), Some(8e7));
        for _ in 0..30 {
            rate.note(20_123_456, second);
        }
        assert_eq!(rate.bytes_per_second(), Some(2e7));
    }
}
