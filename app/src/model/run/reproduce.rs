//! Commands that reproduce a result: a job as a command line of `solve` ([`solve`]), and as requests by curl
//! ([`curl`]). Both can be pasted into a shell.

use kernels::job::{JobOptions, ScoringMatrix, Task};
use serde_json::{Map, Value, json};

/// Maximum size of typed texts that are written into the commands, in bytes.
const SPELT_BYTES: usize = 1_000;

/// One text of a job, as the commands name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandText {
    /// The name of the file that holds the text. The commands create it if `text` is given.
    pub file: String,
    /// The text itself, if it was typed and is short.
    pub text: Option<String>,
}

impl CommandText {
    /// Creates one text of the commands from its file name and its content, as far as they are known. `fallback` is the
    /// file name used if the commands write the text themselves, or if the text is not a file with a usable name.
    pub fn new(name: Option<&str>, text: Option<&str>, fallback: &str) -> Self {
        let spelt = text.filter(|text| text.len() <= SPELT_BYTES && text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
        // A file keeps its name, because it exists already. A typed text gets a name that tells which text it is.
        let file = name.filter(|name| spelt.is_none() && !name.contains('/') && !name.is_empty()).unwrap_or(fallback);
        Self { file: file.into(), text: spelt.map(Into::into) }
    }
}

/// Makes the file names of both texts distinct. They are equal if the texts are two records of one file.
pub fn with_distinct_names(mut inputs: [CommandText; 2]) -> [CommandText; 2] {
    if inputs[0].file == inputs[1].file {
        for (input, which) in inputs.iter_mut().zip(["a", "b"]) {
            input.file = format!("{which}-{}", input.file);
        }
    }
    inputs
}

/// Returns the options that differ from the defaults of the API, by their names in the API.
fn non_default_options(options: &JobOptions) -> Map<String, Value> {
    let [own, usual] = [options, &JobOptions::default()].map(|options| match serde_json::to_value(options) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    });
    own.into_iter().filter(|(name, value)| usual.get(name) != Some(value)).collect()
}

/// Name of the file with a custom matrix.
const MATRIX_FILE: &str = "matrix.txt";

/// Formats the options that differ from the defaults as `name=value`, for example `unit=words`. A custom matrix is named by
/// its file.
pub fn option_arguments(options: &JobOptions) -> Vec<String> {
    let plain = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let argument = |(name, value): (String, Value)| match &options.matrix {
        Some(ScoringMatrix::Custom(_)) if name == "matrix" => format!("{name}=@{MATRIX_FILE}"),
        _ => format!("{name}={}", plain(value)),
    };
    non_default_options(options).into_iter().map(argument).collect()
}

/// Quotes a word for a shell if necessary.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,%+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Returns command lines that create the files of the texts that are short enough to be written out.
fn files(inputs: &[CommandText; 2]) -> String {
    let line = |input: &CommandText| input.text.as_ref().map(|text| format!("printf %s {} > {}\n", quoted(text), quoted(&input.file)));
    inputs.iter().filter_map(line).collect()
}

/// Returns the command that solves the job without a server, after commands that create files of typed texts
/// (`inputs`). `engine` is the wire name of an [`EngineName`](kernels::plan::EngineName).
pub fn solve(task: Task, options: &JobOptions, inputs: &[CommandText; 2], engine: &str) -> String {
    let [a, b] = inputs;
    let set: String = option_arguments(options).iter().map(|option| format!(" --set {}", quoted(option))).collect();
    let matrix = match &options.matrix {
        Some(ScoringMatrix::Custom(matrix)) => format!("printf %s {} > {MATRIX_FILE}\n", quoted(&matrix.to_string())),
        Some(ScoringMatrix::Published(_)) | None => String::new(),
    };
    format!("{}{matrix}editscope solve {} {} {} --engine {engine}{set}", files(inputs), task.name(), quoted(&a.file), quoted(&b.file))
}

/// Returns the curl commands with which the server at `origin` solves the job. Texts in `inputs` that are not written
/// into the request are uploaded before.
pub fn curl(task: Task, options: &JobOptions, inputs: &[CommandText; 2], origin: &str) -> String {
    let head = format!("curl -s \"{origin}/api/v1/jobs?wait=30\" -H 'content-type: application/json'");
    let chosen = Value::from(non_default_options(options));
    let options = if chosen == json!({}) { String::new() } else { format!("\"options\":{chosen},") };
    let job = |a: Value, b: Value| format!("{{\"task\":\"{}\",{options}\"a\":{a},\"b\":{b}}}", task.name());
    if let [CommandText { text: Some(a), .. }, CommandText { text: Some(b), .. }] = inputs {
        return format!("{head} \\\n  -d {}", quoted(&job(json!({ "text": a }), json!({ "text": b }))));
    }
    let send =
        |which: &str, input: &CommandText| format!("{which}=$(curl -sT {} {origin}/api/v1/texts | jq -r .id)\n", quoted(&input.file));
    let [a, b] = inputs;
    // The shell replaces both variables, and nothing else.
    let job = job(json!({ "upload": "$A" }), json!({ "upload": "$B" }));
    let before = job.strip_suffix(r#""a":{"upload":"$A"},"b":{"upload":"$B"}}"#).unwrap_or_default().replace('\'', r"'\''");
    let data = format!(r#"'{before}"a":{{"upload":"'"$A"'"}},"b":{{"upload":"'"$B"'"}}}}'"#);
    format!("{}{}{}{head} \\\n  -d {data}", files(inputs), send("A", a), send("B", b))
}

#[cfg(test)]
mod tests {
    use kernels::job::{CustomMatrix, Unit};

    use super::*;

    fn typed(a: &str, b: &str) -> [CommandText; 2] {
        [CommandText::new(None, Some(a), "a.txt"), CommandText::new(Some("Sample"), Some(b), "b.txt")]
    }

    #[test]
    fn short_texts_are_in_the_commands() {
        let options = JobOptions { unit: Unit::Graphemes, ..JobOptions::default() };
        let inputs = typed("kitten", "it's");
        assert_eq!(
            solve(Task::EditDistance, &options, &inputs, "cpu"),
            "printf %s kitten > a.txt\nprintf %s 'it'\\''s' > b.txt\neditscope solve edit-distance a.txt b.txt --engine cpu --set unit=graphemes"
        );
        let asked = curl(Task::EditDistance, &options, &inputs, "http://x");
        assert!(
            asked.ends_with(r#"-d '{"task":"edit-distance","options":{"unit":"graphemes"},"a":{"text":"kitten"},"b":{"text":"it'\''s"}}'"#),
            "{asked}"
        );
    }

    #[test]
    fn long_texts_are_passed_as_files() {
        let long = "x".repeat(SPELT_BYTES + 1);
        let inputs = [CommandText::new(Some("my phage.fasta"), None, "a.txt"), CommandText::new(None, Some(&long), "b.txt")];
        let options = JobOptions { max_distance: Some(3), local_minima: true, ..JobOptions::default() };
        assert_eq!(
            solve(Task::ApproximateSearch, &options, &inputs, "cuda"),
            "editscope solve approximate-search 'my phage.fasta' b.txt --engine cuda --set local_minima=true --set max_distance=3"
        );
        let asked = curl(Task::ApproximateSearch, &options, &inputs, "http://x");
        assert!(asked.starts_with("A=$(curl -sT 'my phage.fasta' http://x/api/v1/texts | jq -r .id)\nB=$(curl -sT b.txt"), "{asked}");
        assert!(asked.ends_with(r#""a":{"upload":"'"$A"'"},"b":{"upload":"'"$B"'"}}'"#), "{asked}");
    }

    /// A link can bring any letters to the page, and visitors paste the commands into a shell.
    #[cfg(unix)]
    #[test]
    fn letters_of_a_matrix_reach_the_programs_unchanged() {
        let letters: String = ('!'..='~').filter(|letter| CustomMatrix::is_letter(*letter)).collect();
        let matrix = CustomMatrix::new(letters.clone(), vec![-1; letters.len() * letters.len()]).unwrap();
        let options = JobOptions { matrix: Some(matrix.clone().into()), ..JobOptions::default() };
        let printed = |script: String| {
            let output = std::process::Command::new("sh").arg("-c").arg(script).current_dir(std::env::temp_dir()).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        let uploaded = [CommandText::new(Some("a.txt"), None, "a.txt"), CommandText::new(Some("b.txt"), None, "b.txt")];
        for inputs in [uploaded, typed("x", "y")] {
            let asked = curl(Task::SequenceAlignment, &options, &inputs, "http://x");
            let (_, data) = asked.split_once(" -d ").unwrap();
            let sent: Value = serde_json::from_str(&printed(format!("A=1 B=2; printf %s {data}"))).unwrap();
            assert_eq!(sent["options"]["matrix"], matrix.to_string());
            assert!([&json!({ "upload": "1" }), &json!({ "text": "x" })].contains(&&sent["a"]), "{sent}");
        }
        let command = solve(Task::SequenceAlignment, &options, &typed("x", "y"), "cpu");
        let write = command.lines().take_while(|line| !line.starts_with("editscope")).collect::<Vec<_>>().join("\n");
        let (write, _) = write.rsplit_once(" > matrix.txt").unwrap();
        let (_, write) = write.split_once("b.txt\n").unwrap();
        assert_eq!(printed(write.to_owned()), matrix.to_string());
        assert!(command.ends_with("--engine cpu --set matrix=@matrix.txt"), "{command}");
    }

    #[test]
    fn texts_with_equal_names_are_two_files() {
        let named = |name: &str| CommandText::new(Some(name), None, "x.txt").file;
        let files =
            |one, other| with_distinct_names([one, other].map(|name| CommandText::new(Some(name), None, "x.txt"))).map(|input| input.file);
        assert_eq!(files("chr1", "chr1"), ["a-chr1", "b-chr1"]);
        assert_eq!(files("chr1", "chr2"), [named("chr1"), named("chr2")]);
    }

    #[test]
    fn texts_unsafe_for_a_shell_are_passed_as_files() {
        assert_eq!(CommandText::new(None, Some("a\u{1b}b"), "a.txt").text, None);
        assert_eq!(CommandText::new(Some("../x"), None, "a.txt").file, "a.txt");
        assert!(option_arguments(&JobOptions::default()).is_empty());
    }
}
