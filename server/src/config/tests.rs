//! Tests of accepted and refused settings, and of the settings in the files of `deploy`.

use std::collections::HashMap;
use std::path::Path;

use super::*;

fn of_variables(rows: &[(&str, &str)]) -> anyhow::Result<Config> {
    Config::from_sources(&HashMap::new(), rows.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(), None)
}

fn of_both(rows: &[(&str, &str)], file: &str) -> anyhow::Result<Config> {
    let variables = rows.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    Config::from_sources(&HashMap::new(), variables, Some((Path::new("editscope.toml"), file.parse().unwrap())))
}

#[test]
fn environment_overrides_the_file_and_the_file_overrides_defaults() {
    let file = "queue_seconds = 7\nmax_cells_cpu = 4e3\nengines = [\"cpu\"]\nmax_upload_bytes = \"1 MiB\"";
    let config = of_both(&[("EDITSCOPE_QUEUE_SECONDS", "1_000")], file).unwrap();
    assert_eq!((config.max_cells_cpu, config.queue_seconds, config.max_upload_bytes), (4000, 1000, 1 << 20));
    assert_eq!((config.engines.as_slice(), config.addr.as_str()), ([EngineName::Cpu].as_slice(), "127.0.0.1:3000"));
    let from = |name| config.from[SETTINGS.iter().position(|setting| setting.name == name).unwrap()];
    assert_eq!(["queue_seconds", "engines", "addr"].map(from), [SettingSource::Environment, SettingSource::File, SettingSource::Default]);
}

#[test]
fn invalid_value_is_reported_with_the_valid_ones() {
    let queues = [("QUEUE_SECONDS", "many"), ("QUEUE_SECONDS", "-1"), ("PROXIES", "all"), ("RUNNING_CPU_BRIEF", "cores")];
    let others = [("JOB_SECONDS", "1e19"), ("RUNNING_CPU", "0"), ("ENGINES", "cpu,abacus"), ("ADDR", "x")];
    for (name, value) in queues.into_iter().chain(others) {
        let name = format!("EDITSCOPE_{name}");
        let error = format!("{:#}", of_variables(&[(&name, value)]).unwrap_err());
        assert!(error.contains(&format!("{name} is {value:?}: ")), "{error}");
    }
    let error = format!("{:#}", of_both(&[], "connections = \"many\"").unwrap_err());
    assert!(
        error.contains("editscope.toml") && error.contains("connections is \"many\": it must be a number from 1 to 1,048,576"),
        "{error}"
    );
    let error = format!("{:#}", of_both(&[], "[connections]\nlength = 3").unwrap_err());
    assert!(error.contains("connections must be a number, a text or a list of texts"), "{error}");
}

#[test]
fn unknown_setting_is_reported_with_the_most_similar_one() {
    let error = of_variables(&[("EDITSCOPE_MAX_UPLOAD_BITES", "1")]).unwrap_err().to_string();
    assert_eq!(error, "there is no variable EDITSCOPE_MAX_UPLOAD_BITES; did you mean EDITSCOPE_MAX_UPLOAD_BYTES?");
    let error = format!("{:#}", of_both(&[], "job_second = 3").unwrap_err());
    assert!(error.contains("there is no setting job_second; did you mean job_seconds?"), "{error}");
    of_variables(&[("EDITSCOPE_CONFIG", "a.toml"), ("EDITSCOPE_GPU", "required"), ("EDITSCOPE_PEER_EDLIB", "x")]).unwrap();
}

/// The output of `check-config` is a valid file with the same values.
#[test]
fn printed_configuration_can_be_read_again() {
    let config = of_variables(&[
        ("EDITSCOPE_ENGINES", "cuda"),
        ("EDITSCOPE_CACHE_BYTES", "3 KiB"),
        ("EDITSCOPE_PROXIES", "10.0.0.0/8, 2001:db8::1"),
    ])
    .unwrap();
    let printed = config.to_toml();
    assert!(printed.contains("cache_bytes = 3072 # EDITSCOPE_CACHE_BYTES\n"), "{printed}");
    assert!(printed.contains("queue_seconds = 3600 # default\n"), "{printed}");
    let again = of_both(&[], &printed).unwrap();
    assert_eq!(again.values(), config.values());
    assert!(again.from.iter().all(|from| *from == SettingSource::File));
}

#[test]
fn secrets_are_never_printed() {
    let secret = "a-class-of-thirty-phones";
    let config = of_variables(&[("EDITSCOPE_CLASS_TOKENS", &format!("{secret},another-class-of-phones"))]).unwrap();
    let printed = [config.to_toml(), config.in_one_line(), format!("{config:?}")];
    assert!(printed[0].contains("class_tokens = \"2 secrets\" # EDITSCOPE_CLASS_TOKENS\n"), "{}", printed[0]);
    let error = format!("{:#}", of_variables(&[("EDITSCOPE_CLASS_TOKENS", &format!("{secret},short"))]).unwrap_err());
    assert!(error.contains("EDITSCOPE_CLASS_TOKENS cannot be used: it must be off, or secrets of at least 16"), "{error}");
    assert!(printed.iter().chain([&error]).all(|text| !text.contains("phones") && !text.contains("short")), "{printed:?} {error}");
}

#[test]
fn database_address_is_printed_without_its_password() {
    let config = of_variables(&[
        ("EDITSCOPE_DATABASE", "postgres://me:correct-horse@db.example/rows?sslmode=verify-full"),
        ("EDITSCOPE_FILES", "s3://texts/editscope/"),
    ])
    .unwrap();
    let printed = config.to_toml();
    assert!(printed.contains("database = \"postgres://db.example:5432/rows\" # EDITSCOPE_DATABASE\n"), "{printed}");
    assert!(printed.contains("files = \"s3://texts/editscope\" # EDITSCOPE_FILES\n"), "{printed}");
    let wrong = of_variables(&[("EDITSCOPE_DATABASE", "mysql://me:correct-horse@db.example/rows")]).unwrap_err();
    let wrong = format!("{wrong:#}");
    assert!(wrong.contains("EDITSCOPE_DATABASE cannot be used: it must be an address, such as postgres://"), "{wrong}");
    assert!([printed, config.in_one_line(), format!("{config:?}"), wrong].iter().all(|text| !text.contains("horse")));
}

#[test]
fn nats_addresses_are_printed_without_password_and_need_shared_storage() {
    let (nats, database, files) = (
        ("EDITSCOPE_NATS", "nats://me:correct-horse@a.example,nats://b.example:4223"),
        ("EDITSCOPE_DATABASE", "postgres://db.example/rows"),
        ("EDITSCOPE_FILES", "s3://texts"),
    );
    let config = of_variables(&[nats, database, files]).unwrap();
    let printed = config.to_toml();
    assert!(printed.contains("nats = \"nats://a.example:4222,nats://b.example:4223\" # EDITSCOPE_NATS\n"), "{printed}");
    assert!(of_variables(&[]).unwrap().to_toml().contains("nats = \"off\" # default\n"));
    let wrong = |rows: &[_]| format!("{:#}", of_variables(rows).unwrap_err());
    let malformed = wrong(&[("EDITSCOPE_NATS", "amqp://me:correct-horse@a.example")]);
    assert!(malformed.contains("EDITSCOPE_NATS cannot be used: it must be off, or addresses"), "{malformed}");
    let alone = wrong(&[nats]);
    assert!(alone.contains("it needs EDITSCOPE_DATABASE as in") && alone.contains("and EDITSCOPE_FILES as in"), "{alone}");
    assert!(wrong(&[nats, database]).ends_with("it needs EDITSCOPE_FILES as in s3://bucket/prefix"));
    assert!(wrong(&[nats, files]).ends_with("it needs EDITSCOPE_DATABASE as in postgres://user:password@host/database"));
    assert!([printed, config.in_one_line(), format!("{config:?}"), malformed, alone].iter().all(|text| !text.contains("horse")));
}

#[test]
fn processes_of_a_cluster_may_have_single_roles() {
    let site =
        [("EDITSCOPE_NATS", "nats://a.example"), ("EDITSCOPE_DATABASE", "postgres://db.example/rows"), ("EDITSCOPE_FILES", "s3://texts")];
    let of_roles = |roles| of_variables(&[&site[..], &[("EDITSCOPE_ROLES", roles)]].concat());
    let roles = of_roles("sweeper, web").unwrap().roles;
    assert_eq!((roles, roles.to_string().as_str()), (ProcessRoles { worker: false, ..ProcessRoles::ALL }, "web,sweeper"));
    assert_eq!(of_variables(&site).unwrap().roles, ProcessRoles::ALL);
    let error = format!("{:#}", of_roles("web,cook").unwrap_err());
    assert!(error.contains("EDITSCOPE_ROLES is \"web,cook\": it must be one or more of web, worker and sweeper"), "{error}");
    let error = format!("{:#}", of_variables(&[("EDITSCOPE_ROLES", "worker")]).unwrap_err());
    assert!(error.contains("EDITSCOPE_ROLES is worker: without EDITSCOPE_NATS a process does all"), "{error}");
}

#[test]
fn roles_of_the_command_line_override_the_environment() {
    let site = [
        ("EDITSCOPE_NATS", "nats://a.example"),
        ("EDITSCOPE_DATABASE", "postgres://db.example/rows"),
        ("EDITSCOPE_FILES", "s3://texts"),
        ("EDITSCOPE_ROLES", "web"),
    ];
    let with = |roles: &str| {
        let variables = site.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Config::from_sources(&HashMap::from([("roles", roles.to_owned())]), variables, None)
    };
    let config = with("worker,sweeper").unwrap();
    assert_eq!(config.roles, ProcessRoles { web: false, ..ProcessRoles::ALL });
    assert!(config.to_toml().lines().any(|line| line.starts_with("roles") && line.contains("--roles")), "{}", config.to_toml());
    let error = format!("{:#}", with("cook").unwrap_err());
    assert!(error.contains("--roles is \"cook\": it must be one or more of web, worker and sweeper"), "{error}");
}

/// Lists the settings in the files of `deploy`, as `(file, variable, value)`. The value is empty if the file takes it
/// from elsewhere.
fn deployed() -> Vec<(&'static str, &'static str, String)> {
    let files = [
        ("compose.yaml", include_str!("../../../deploy/compose.yaml")),
        ("kubernetes.yaml", include_str!("../../../deploy/kubernetes.yaml")),
        ("editscope.service", include_str!("../../../deploy/editscope.service")),
    ];
    let set = |(file, text): (&'static str, &'static str)| {
        let starts: Vec<_> = text.match_indices("EDITSCOPE_").map(|(start, _)| &text[start..]).collect();
        starts.into_iter().map(move |rest| {
            let name = rest.split(|letter: char| !(letter.is_ascii_uppercase() || letter == '_')).next().unwrap_or_default();
            let line = rest[name.len()..].lines().next().unwrap_or_default();
            let value = line.trim_start_matches(", value").strip_prefix(": ").unwrap_or_default();
            let value = match value.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next(),
                None if value.contains("${") => Some(value),
                None => value.split([',', '}']).next(),
            };
            // Replaces secrets that come from the environment.
            (file, name, value.unwrap_or_default().trim().replace("${POSTGRES_PASSWORD:?}", "secret"))
        })
    };
    files.into_iter().flat_map(set).collect()
}

#[test]
fn deployment_files_set_known_settings_to_valid_values() {
    let deployed = deployed();
    assert!(deployed.len() > 20, "{deployed:?}");
    for (file, name, _) in &deployed {
        let is_known = SETTINGS.iter().any(|setting| setting.variable == *name) || *name == "EDITSCOPE_CONFIG";
        assert!(is_known, "{file} sets {name}, which is no setting");
    }
    let site: Vec<(&str, &str)> =
        ["EDITSCOPE_DATABASE", "EDITSCOPE_FILES", "EDITSCOPE_NATS"].map(|name| (name, value_of(&deployed, "compose.yaml", name))).to_vec();
    let mut roles = 0;
    for (file, name, value) in deployed.iter().filter(|(file, _, value)| file.ends_with(".yaml") && !value.is_empty()) {
        let others = site.iter().filter(|(other, _)| other != name);
        let config = of_variables(&others.copied().chain([(*name, value.as_str())]).collect::<Vec<_>>());
        assert!(config.is_ok(), "{file}: {name} = {value}: {:#}", config.unwrap_err());
        roles += usize::from(*name == "EDITSCOPE_ROLES");
    }
    assert_eq!(roles, 7, "three services and four deployments set roles");
}

fn value_of<'d>(deployed: &'d [(&str, &str, String)], file: &str, name: &str) -> &'d str {
    &deployed.iter().find(|(of, variable, value)| *of == file && *variable == name && !value.is_empty()).unwrap().2
}
