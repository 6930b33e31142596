//! Fetches translations from the server: [`speak`] those of the page, [`speak_of_methods`] those of the views that show
//! an algorithm step by step.

use super::http::get_bytes;
use crate::model::problem::Problem;
use crate::tr::Language;

/// Switches the page to `language`. Returns an error and keeps the previous language if its texts cannot be fetched.
pub async fn speak(language: Language) -> Result<(), Problem> {
    #[cfg(not(feature = "ssr"))]
    if let Some(known) = crate::tr::read_before(language) {
        crate::tr::speak(language, Some(known));
        return Ok(());
    }
    let json = match language {
        Language::English => None,
        Language::German | Language::Spanish | Language::French | Language::Japanese | Language::Chinese => {
            let folder = super::pkg().unwrap_or_default();
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

/// Fetches the texts about methods (algorithms shown step by step) in the current language, unless the page has them
/// already.
pub async fn speak_of_methods() -> Result<(), Problem> {
    let language = crate::tr::language();
    #[cfg(not(feature = "ssr"))]
    if !crate::tr::has_methods(language) {
        let folder = super::pkg().unwrap_or_default();
        let bytes = get_bytes(&format!("{folder}/words/watch/{}.json", language.tag())).await?;
        crate::tr::add_methods(language, crate::tr::read(&String::from_utf8_lossy(&bytes.to_vec())));
    }
    #[cfg(feature = "ssr")]
    let _ = language;
    Ok(())
}
