//! `editscope check-config`: what the server would start with.

use crate::command::ConfigFile;
use crate::config::Config;

/// Prints the effective configuration.
///
/// # Errors
/// Says what is wrong with it.
#[expect(clippy::print_stdout, reason = "the configuration is what this command is for")]
pub fn check_config(file: &ConfigFile) -> anyhow::Result<()> {
    print!("{}", Config::load(file.path.as_deref())?.to_toml());
    Ok(())
}
