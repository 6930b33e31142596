//! `editscope check-config`: what the server would start with.

use crate::config::Config;
use crate::config::sources::ConfigSources;

/// Prints the effective configuration.
///
/// # Errors
/// Says what is wrong with it.
#[expect(clippy::print_stdout, reason = "the configuration is what this command is for")]
pub fn check_config(sources: &ConfigSources) -> anyhow::Result<()> {
    print!("{}", Config::load(sources)?.to_toml());
    Ok(())
}
