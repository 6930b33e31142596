//! Sources of settings: the command line, the environment and a TOML file. An unknown name is an error, which suggests
//! the most similar known name. Otherwise a mistyped limit would have no effect.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use kernels::engine::{Cpu, Engine};
use kernels::event::TaskAnswer;
use kernels::job::{JobOptions, Task};
use kernels::run::{NoObserver, Run};
use kernels::text::Pair;

use super::{Config, SETTINGS, ServerSetting, SettingSource};

/// Prefix of all environment variables that this program reads.
const VARIABLE_PREFIX: &str = "EDITSCOPE_";

/// Names, without [`VARIABLE_PREFIX`], of the variables that are not settings of the server, but are read by the
/// command line, tests or benchmarks. A name that ends with an underscore stands for all names that begin with it.
const OTHER_VARIABLES: [&str; 10] = ["CONFIG", "GPU", "KERNELS", "URL", "CHROMIUM", "TEST_", "BENCH_", "PEER_", "STRESS_", "XTASK_"];

/// Command-line arguments that configure the server: the settings file, and the roles of this process.
#[derive(Args, Clone, Debug, Default)]
pub struct ConfigSources {
    /// TOML file with settings, by their names in lower case without EDITSCOPE_. Environment variables take precedence.
    #[arg(long = "config", value_name = "FILE", env = "EDITSCOPE_CONFIG")]
    pub path: Option<PathBuf>,
    /// Roles of this process in a cluster: web, worker, sweeper, or several separated by commas. Takes precedence over
    /// EDITSCOPE_ROLES.
    #[arg(long, value_name = "ROLES")]
    pub roles: Option<String>,
}

impl ConfigSources {
    /// Returns these arguments, in which each missing argument is taken from `others`.
    pub fn or(self, others: &Self) -> Self {
        let Self { path, roles } = self;
        Self { path: path.or_else(|| others.path.clone()), roles: roles.or_else(|| others.roles.clone()) }
    }
}

/// The unparsed value of a setting, and the source that gave it.
#[derive(Clone, Debug)]
pub struct SettingText {
    pub(super) text: String,
    pub(super) source: SettingSource,
}

impl SettingText {
    /// Creates the error for an invalid value of `setting`. `why` is the reason. The error does not contain the value
    /// if the setting may be a secret.
    pub(super) fn wrong(&self, setting: &ServerSetting, why: &str) -> anyhow::Error {
        let Self { text, source } = self;
        let name = match source {
            SettingSource::File => setting.name.to_owned(),
            SettingSource::CommandLine => argument(setting),
            SettingSource::Environment | SettingSource::Default => setting.variable.to_owned(),
        };
        if setting.is_secret() { anyhow!("{name} cannot be used: {why}") } else { anyhow!("{name} is {text:?}: {why}") }
    }
}

/// Returns the name of the command line argument for a setting, such as `--roles`.
pub(super) fn argument(setting: &ServerSetting) -> String {
    format!("--{}", setting.name.replace('_', "-"))
}

impl Config {
    /// Loads the configuration. The command line overrides the environment of this process, and the environment
    /// overrides the file.
    ///
    /// # Errors
    /// Returns an error that names the invalid argument, variable or line, and the valid values.
    pub fn load(ConfigSources { path, roles }: &ConfigSources) -> anyhow::Result<Self> {
        let variables = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let variables = variables.filter(|(name, _)| name.starts_with(VARIABLE_PREFIX)).map(|(name, value)| match value.into_string() {
            Ok(value) => Ok((name, value)),
            Err(_) => Err(anyhow!("{name} is not valid UTF-8")),
        });
        let file = path.as_deref().map(|path| read(path).map(|table| (path, table))).transpose()?;
        let arguments = roles.iter().map(|roles| ("roles", roles.clone())).collect();
        Self::from_sources(&arguments, variables.collect::<anyhow::Result<_>>()?, file)
    }

    /// Parses the settings from the environment variables that `lookup` returns. If it returns `None` for a variable,
    /// the setting gets its default.
    ///
    /// # Errors
    /// Returns an error that names the invalid variable.
    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> anyhow::Result<Self> {
        Self::of(|setting| lookup(setting.variable).map(|text| SettingText { text, source: SettingSource::Environment }))
            .and_then(Self::checked)
    }

    pub(super) fn from_sources(
        arguments: &HashMap<&str, String>,
        mut variables: HashMap<String, String>,
        file: Option<(&Path, toml::Table)>,
    ) -> anyhow::Result<Self> {
        variables.retain(|name, _| !is_another(name));
        let mut unknown: Vec<&String> = variables.keys().filter(|name| SETTINGS.iter().all(|setting| setting.variable != **name)).collect();
        unknown.sort();
        if let Some(unknown) = unknown.first() {
            bail!("there is no variable {unknown}; did you mean {}?", nearest(unknown, |setting| setting.variable));
        }
        let (path, table) = file.map_or((None, toml::Table::new()), |(path, table)| (Some(path), table));
        let of_file = || path.map_or_else(String::new, |path| format!("in {}", path.display()));
        let texts = texts(table).with_context(of_file)?;
        Self::of(|setting| {
            let argument = arguments.get(setting.name).map(|text| (text, SettingSource::CommandLine));
            let variable = || variables.get(setting.variable).map(|text| (text, SettingSource::Environment));
            let given = argument.or_else(variable).or_else(|| texts.get(setting.name).map(|text| (text, SettingSource::File)));
            given.map(|(text, source)| SettingText { text: text.clone(), source })
        })
        .and_then(Self::checked)
        .with_context(|| format!("wrong configuration{}", path.map_or_else(String::new, |path| format!(" (file {})", path.display()))))
    }
}

fn is_another(variable: &str) -> bool {
    let name = variable.strip_prefix(VARIABLE_PREFIX).unwrap_or(variable);
    OTHER_VARIABLES.iter().any(|other| if other.ends_with('_') { name.starts_with(other) } else { name == *other })
}

fn read(path: &Path) -> anyhow::Result<toml::Table> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    text.parse().with_context(|| format!("{} is not valid TOML", path.display()))
}

/// Converts the values of a parsed TOML file to texts in the form of environment variables. The keys of the result are
/// the names of the settings. Returns an error for an unknown name.
fn texts(table: toml::Table) -> anyhow::Result<HashMap<String, String>> {
    let mut texts = HashMap::new();
    for (name, value) in table {
        if SETTINGS.iter().all(|setting| setting.name != name) {
            bail!("there is no setting {name}; did you mean {}?", nearest(&name, |setting| setting.name));
        }
        let text = text(&value).with_context(|| format!("{name} must be a number, a text or a list of texts"))?;
        texts.insert(name, text);
    }
    Ok(texts)
}

fn text(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Float(number) => Some(number.to_string()),
        toml::Value::Boolean(yes) => Some(yes.to_string()),
        toml::Value::Array(list) => {
            let list: Option<Vec<&str>> = list.iter().map(toml::Value::as_str).collect();
            Some(list?.join(","))
        }
        toml::Value::Datetime(_) | toml::Value::Table(_) => None,
    }
}

/// Returns the name of the setting that is most similar to the unknown name `name`: one that begins with `name`, or
/// else the one with the smallest edit distance. `of` returns the kind of name to compare: a setting's name in a file,
/// or its environment variable.
fn nearest(name: &str, of: impl Fn(&ServerSetting) -> &'static str) -> &'static str {
    let names = SETTINGS.iter().map(of);
    names.min_by_key(|known| (!known.starts_with(name), distance(name, known))).unwrap_or_default()
}

fn distance(a: &str, b: &str) -> u64 {
    let options = JobOptions::default();
    let solved = Pair::parse(a.as_bytes(), b.as_bytes(), &options.reading()).ok().and_then(|pair| {
        let solution = Engine::Cpu(Cpu { threads: 1 }).run(Task::EditDistance, &options, &pair, &Run::new(&NoObserver));
        solution.ok()
    });
    match solved.map(|solution| solution.answer) {
        Some(TaskAnswer::EditDistance { distance: Some(distance), .. }) => distance,
        _ => u64::MAX,
    }
}
