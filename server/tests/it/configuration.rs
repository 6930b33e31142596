//! docs/configuration.md: the file in the repository is the one that the table of settings gives, and other documents name no setting that
//! there is not.

use std::path::{Path, PathBuf};

use server::config::{SETTINGS, ServerSetting};

/// Text above the settings.
const HEAD: &str = "\
# Configuration

<!-- Generated from the table of settings in server/src/config.rs. Do not edit by hand:
     `EDITSCOPE_UPDATE=1 cargo test -p app -p server --test it configuration` writes this file. -->

The server reads its settings from environment variables and from a TOML file. All settings have a default.

- `--config FILE` or the variable `EDITSCOPE_CONFIG` names the file.
- A name in the file is the name of the variable in lower case, without the prefix: `running_cpu = 2` is
  `EDITSCOPE_RUNNING_CPU=2`.
- A variable overrides the file. The argument `--roles` overrides both.
- Numbers may be written as `4096`, `4_096` or `4e12`. Sizes may have a unit, as in `256 MiB` or `2 GB`. Times are in
  seconds.
- The server refuses to start if a name is unknown or a value is out of range. The message names the nearest known
  name or the values that are allowed.
- `editscope check-config` prints the effective settings as such a file, with the origin of each value. It does not
  print secrets.

[hosting.md](hosting.md) explains which settings matter for a site.
";

/// Returns docs/configuration.md.
fn document() -> String {
    let mut text = HEAD.to_owned();
    let mut group = "";
    for setting in SETTINGS {
        if setting.group != group {
            group = setting.group;
            text += &format!("\n## {group}\n");
        }
        let ServerSetting { variable, name, default, .. } = setting;
        let about: Vec<&str> = setting.about.lines().map(str::trim).collect();
        text += &format!("\n### `{variable}`\n\nDefault: `{default}`. Name in a file: `{name}`.\n\n{}\n", about.join("\n"));
    }
    text
}

/// Names that the documents use and that are no settings: the variable of the file, streams and buckets of NATS.
const OTHERS: [&str; 5] = ["EDITSCOPE_CONFIG", "EDITSCOPE_WORK", "EDITSCOPE_EVENTS", "EDITSCOPE_OFFERS", "EDITSCOPE_DRAINED"];

/// Returns the path of a document of the repository.
fn path_of(document: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(document)
}

/// Returns the names in `text` that begin with `EDITSCOPE_` and go on.
fn names(text: &str) -> Vec<&str> {
    let starts = text.match_indices("EDITSCOPE_").map(|(start, _)| &text[start..]);
    let name = |rest: &str| rest.find(|letter: char| !(letter.is_ascii_uppercase() || letter == '_')).unwrap_or(rest.len());
    starts.map(|rest| &rest[..name(rest)]).filter(|name| !name.ends_with('_')).collect()
}

#[test]
fn committed_document_equals_the_generated_one() {
    let path = path_of("docs/configuration.md");
    let generated = document();
    if std::env::var_os("EDITSCOPE_UPDATE").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(committed == generated, "docs/configuration.md is old: EDITSCOPE_UPDATE=1 cargo test -p app -p server --test it configuration");
}

#[test]
fn documents_name_only_existing_settings() {
    for document in ["README.md", "docs/hosting.md", "docs/api.md"] {
        let text = std::fs::read_to_string(path_of(document)).unwrap();
        for name in names(&text) {
            let is_known = SETTINGS.iter().any(|setting| setting.variable == name) || OTHERS.contains(&name);
            assert!(is_known, "{document} names {name}, which is no setting");
        }
    }
}
