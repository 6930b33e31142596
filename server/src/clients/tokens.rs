//! Tokens: secrets that permit the deletion of an upload, a job or a link before it expires. The creator receives the
//! token once. The database has only the hash of the token, so that nobody who reads the database can delete anything.

use axum::http::header::{self, HeaderMap};

use crate::error::{ApiProblem, ProblemKind};
use crate::id::Id;
use crate::storage::ports::files::ContentHash;

/// Creates a token of 256 random bits.
pub fn random() -> String {
    format!("{}{}", Id::random(), Id::random())
}

/// Returns the hash of a token, as it is stored in the database.
pub fn hash(token: &str) -> ContentHash {
    ContentHash::from_content(token.as_bytes())
}

/// Returns the hash of the bearer token in the header `Authorization`, or `None` if there is none.
pub fn bearer_hash(headers: &HeaderMap) -> Option<ContentHash> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    // The scheme is case-insensitive (RFC 9110, section 11.1).
    scheme.eq_ignore_ascii_case("Bearer").then(|| hash(token.trim()))
}

/// Creates the problem of a request to delete something without the right token. `what` names the thing, such as "An
/// upload".
pub fn forbidden(what: &str) -> ApiProblem {
    let detail = format!("{what} can be deleted only with the token from the answer that created it: Authorization: Bearer <token>.");
    ApiProblem::new(ProblemKind::Forbidden, detail)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn token_is_identified_by_its_hash() {
        let (token, other) = (random(), random());
        let bring = |value: String| bearer_hash(&HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_str(&value).unwrap())]));
        assert!(token.len() == 52 && token != other && hash(&token).to_string() != token);
        assert_eq!(bring(format!("Bearer {token}")), Some(hash(&token)));
        assert_eq!(bring(format!("bearer {token}")), Some(hash(&token)));
        assert_ne!(bring(format!("Bearer {other}")), Some(hash(&token)));
        for wrong in [token.clone(), format!("Basic {token}"), String::new()] {
            assert_eq!(bring(wrong), None);
        }
        assert_eq!(bearer_hash(&HeaderMap::new()), None);
    }
}
