//! Which of several questions is the last one: an answer to an older one comes too late, and is passed over. And debouncing, by which only the last
//! of several quick ones is asked at all.

use leptos::prelude::*;

use super::sleep;

/// Counts the questions of one kind. A handle: copying it copies no state.
#[derive(Clone, Copy, Debug)]
pub struct Latest(StoredValue<u64>);

/// One question.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    of: Latest,
    number: u64,
}

impl Latest {
    /// Nothing was asked yet.
    pub fn new() -> Self {
        Self(StoredValue::new(0))
    }

    /// A question is asked, and those before it are not the last any more.
    pub fn begin(self) -> Turn {
        let number = self.0.try_update_value(|number| {
            *number += 1;
            *number
        });
        Turn { of: self, number: number.unwrap_or_default() }
    }
}

impl Latest {
    /// Waits for so many milliseconds. `None` where something was asked meanwhile: who debounces by this goes on only when it has been quiet.
    pub async fn debounce(self, quiet_ms: i32) -> Option<Turn> {
        let turn = self.begin();
        sleep(quiet_ms).await;
        turn.is_last().then_some(turn)
    }
}

impl Default for Latest {
    fn default() -> Self {
        Self::new()
    }
}

impl Turn {
    /// Whether nothing was asked since, and whoever asked is still there.
    pub fn is_last(self) -> bool {
        self.of.0.try_get_value() == Some(self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_the_last_until_the_next_and_while_its_owner_lives() {
        let owner = Owner::new();
        let latest = owner.with(Latest::new);
        let first = latest.begin();
        assert!(first.is_last());
        let second = latest.begin();
        assert!(!first.is_last() && second.is_last());
        owner.cleanup();
        assert!(!second.is_last());
    }
}
