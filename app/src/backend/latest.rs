//! Finds out which of several requests is the latest, so that answers to older ones are ignored. Also debounces: of
//! several requests in quick succession, only the last one is made.

use leptos::prelude::*;

use super::sleep;

/// A counter of the requests of one kind, such as all searches. Copies share the same count.
#[derive(Clone, Copy, Debug)]
pub struct RequestCounter(StoredValue<u64>);

/// A request, identified by its number in a [`RequestCounter`].
#[derive(Clone, Copy, Debug)]
pub struct NumberedRequest {
    of: RequestCounter,
    number: u64,
}

impl RequestCounter {
    /// Creates a counter without requests.
    pub fn new() -> Self {
        Self(StoredValue::new(0))
    }

    /// Begins a request, which makes all earlier ones outdated.
    pub fn begin(self) -> NumberedRequest {
        let number = self.0.try_update_value(|number| {
            *number += 1;
            *number
        });
        NumberedRequest { of: self, number: number.unwrap_or_default() }
    }
}

impl RequestCounter {
    /// Begins a request, then waits for `quiet_ms` milliseconds. Returns the request, or `None` if another request
    /// began meanwhile. The caller thus acts only after a quiet time.
    pub async fn debounce(self, quiet_ms: i32) -> Option<NumberedRequest> {
        let turn = self.begin();
        sleep(quiet_ms).await;
        turn.is_last().then_some(turn)
    }
}

impl Default for RequestCounter {
    fn default() -> Self {
        Self::new()
    }
}

impl NumberedRequest {
    /// Returns whether this is the latest request of its counter, and the counter still exists.
    pub fn is_last(self) -> bool {
        self.of.0.try_get_value() == Some(self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_is_the_latest_until_the_next_one_or_the_end_of_its_owner() {
        let owner = Owner::new();
        let latest = owner.with(RequestCounter::new);
        let first = latest.begin();
        assert!(first.is_last());
        let second = latest.begin();
        assert!(!first.is_last() && second.is_last());
        owner.cleanup();
        assert!(!second.is_last());
    }
}
