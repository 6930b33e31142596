//! Host: the name of this machine, in the form in which operators see it.

/// Returns the host name of this machine. Characters other than letters, digits, dots and dashes are replaced by
/// dashes.
pub fn name() -> String {
    named(&of_system())
}

#[cfg(unix)]
fn of_system() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn of_system() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// Replaces all characters of `name` that are not allowed in a network name by dashes, and removes empty parts between
/// dots. Returns "unnamed" if nothing is left.
fn named(name: &str) -> String {
    let kept: String = name.chars().map(|letter| if letter.is_ascii_alphanumeric() || letter == '.' { letter } else { '-' }).collect();
    let kept = kept.split('.').filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
    if kept.is_empty() { "unnamed".into() } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_name_is_made_valid() {
        for (given, name) in [
            ("gpu-1.example", "gpu-1.example"),
            (".a..b.", "a.b"),
            ("eines Rechners*>", "eines-Rechners--"),
            ("", "unnamed"),
            (".", "unnamed"),
        ] {
            assert_eq!(named(given), name, "{given}");
        }
        assert!(!name().is_empty());
    }
}
