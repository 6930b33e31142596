//! `editscope check-config`: prints the configuration that the server would use.

use crate::config::Config;
use crate::config::sources::ConfigSources;

/// Prints the settings that the server would use, as a configuration file.
///
/// # Errors
/// Returns an error that names the invalid setting.
#[expect(clippy::print_stdout, reason = "the configuration is what this command is for")]
pub fn check_config(sources: &ConfigSources) -> anyhow::Result<()> {
    print!("{}", Config::load(sources)?.to_toml());
    Ok(())
}
