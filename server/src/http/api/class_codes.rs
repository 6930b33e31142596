//! Class codes: short words that a teacher can say or write on a board instead of a link. Gives codes to links
//! (`give`), and finds the link with a code ([`resolve`]).

use crate::ServerState;
use crate::error::{ApiProblem, ProblemKind};
use crate::id::Id;
use crate::identity::ClientIdentity;
use crate::storage::ports::rows::{ClassCodeRow, PutOutcome};
use crate::store::Store;
use crate::store::class_codes::{ProposedCode, parse, proposals};

/// Number of seconds after which a client may try again if no class code was free.
const NO_CODE_RETRY_SECONDS: u64 = 3600;

/// Gives the link with the id `link` a free class code until `expires_at`, in seconds since 1970. Returns the code.
/// `is_site` tells whether the server belongs to a cluster, whose processes share the codes.
pub(super) async fn give(store: &Store, link: Id, expires_at: u64, is_site: bool) -> Result<String, ApiProblem> {
    for ProposedCode { code, max_live } in proposals(is_site) {
        if store.add_class_code(ClassCodeRow { code: code.clone(), link, expires_at }, max_live).get().await? == PutOutcome::Written {
            return Ok(code);
        }
    }
    let detail = "All class codes of today are in use. Share the link or its QR code instead.";
    Err(ApiProblem::new(ProblemKind::NotReady, detail).retry_after(NO_CODE_RETRY_SECONDS))
}

/// Returns the id of the link with the class code `typed`, in any spelling in which a user may type the code.
///
/// # Errors
/// Returns `NotFound` if no link has this code, and `RateLimited` if this client has tried too many wrong codes.
pub async fn resolve(state: &ServerState, client: ClientIdentity, typed: &str) -> Result<Id, ApiProblem> {
    let unknown = || {
        ApiProblem::new(ProblemKind::NotFound, "There is no result with this class code. Check the letters. A code is valid for one day.")
    };
    // A word that cannot be a code is not charged as a wrong code, because it cannot be the code of a link.
    let code = parse(typed).ok_or_else(unknown)?;
    let find = async { Ok(state.store.link_of_code(code).get().await?) };
    state.budgets.look_up_code(client, find).await?.ok_or_else(unknown)
}
