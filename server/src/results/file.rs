//! The file of what a search has found: one byte that names the form, then postcard, which writes a number in as few bytes as
//! it needs. A bit set of 4 million positions, half of them hits, is a file of 593 kB.

use anyhow::{Context as _, bail};
use kernels::found::Found;

/// The form that is written. Another one gets another number.
const FORM: u8 = 2;

/// The bytes of the file.
///
/// # Errors
/// Never for what a task has found.
pub fn write(found: &Found) -> anyhow::Result<Vec<u8>> {
    Ok(postcard::to_extend(found, vec![FORM])?)
}

/// What a file holds.
///
/// # Errors
/// When it is none that this version knows.
pub fn read(bytes: &[u8]) -> anyhow::Result<Found> {
    match bytes {
        [FORM, rest @ ..] => postcard::from_bytes(rest).context("a file of hits is broken"),
        _ => bail!("a file of hits was written by another version"),
    }
}

#[cfg(test)]
mod tests {
    use kernels::found::{Positions, Profile, Span};

    use super::*;

    /// Every one of four million positions with this probability.
    fn random(probability: f64) -> Positions {
        let mut rng = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = || {
            rng ^= rng << 13;
            rng ^= rng >> 7;
            rng ^= rng << 17;
            (rng >> 11) as f64 / (1u64 << 53) as f64
        };
        Positions::from_list((0..4_000_000).filter(|_| next() < probability).collect())
    }

    #[test]
    fn files_go_there_and_back_and_are_small() {
        for (probability, most) in [(0.0, 10), (1e-3, 14_000), (0.5, 600_000), (1.0, 640_000)] {
            let profile = Some(Profile { width: 64, spans: vec![Span::of(7); 3] });
            let found = Found { positions: random(probability), profile };
            let bytes = write(&found).unwrap();
            assert_eq!(read(&bytes).unwrap(), found);
            assert!(bytes.len() < most + 30, "{} bytes at {probability}", bytes.len());
            assert!(read(&bytes[..bytes.len() - 1]).is_err());
        }
        assert!(read(&[]).is_err() && read(&[FORM + 1, 0, 0, 0]).is_err());
    }
}
