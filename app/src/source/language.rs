//! Texts of the page in another language, from the server.

use super::http::get_bytes;
use crate::problem::Problem;
use crate::tr::Language;
use crate::visit;

/// From now on the page speaks this language. Fails when its texts cannot be had; the page goes on in the one before.
pub async fn speak(language: Language) -> Result<(), Problem> {
    #[cfg(not(feature = "ssr"))]
    if let Some(known) = crate::tr::read_before(language) {
        crate::tr::speak(language, Some(known));
        return Ok(());
    }
    let json = match language {
        Language::English => None,
        Language::German | Language::Spanish | Language::French | Language::Japanese | Language::Chinese => {
            let folder = visit::pkg().unwrap_or_default();
            let bytes = get_bytes(&format!("{folder}/words/{}.json", language.tag())).await?;
            Some(String::from_utf8_lossy(&bytes.to_vec()).into_owned())
        }
    };
    #[cfg(not(feature = "ssr"))]
    crate::tr::speak(language, json.as_deref().and_then(crate::tr::read));
    #[cfg(feature = "ssr")]
    drop(json);
    Ok(())
}
