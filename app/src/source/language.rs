//! Texts of the page in another language, from the server.

use super::http::get_bytes;
use crate::model::problem::Problem;
use crate::source::document;
use crate::tr::Language;

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
            let folder = document::pkg().unwrap_or_default();
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

/// Fetches what is said of methods that are watched, in the language that is spoken, unless it is here.
pub async fn speak_of_methods() -> Result<(), Problem> {
    let language = crate::tr::language();
    #[cfg(not(feature = "ssr"))]
    if !crate::tr::has_methods(language) {
        let folder = document::pkg().unwrap_or_default();
        let bytes = get_bytes(&format!("{folder}/words/watch/{}.json", language.tag())).await?;
        crate::tr::add_methods(language, crate::tr::read(&String::from_utf8_lossy(&bytes.to_vec())));
    }
    #[cfg(feature = "ssr")]
    let _ = language;
    Ok(())
}
