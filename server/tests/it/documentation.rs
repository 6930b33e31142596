//! Runs the examples of docs/api.md in a shell against a server, in order, as a reader would paste them. If an answer
//! stands directly below an example, the output must equal it.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::client::Server;

/// Separator between the outputs of two examples.
const BORDER: &str = "-- next example --";

/// Returns the code blocks with their languages, and whether each directly follows the previous one.
fn blocks(text: &str) -> Vec<(String, String, bool)> {
    let mut blocks: Vec<(String, String, bool)> = Vec::new();
    let mut open = false;
    let mut follows = false;
    for line in text.lines() {
        if let Some(language) = line.strip_prefix("```") {
            open = !open;
            if open {
                blocks.push((language.to_owned(), String::new(), follows));
            }
            follows = true;
        } else if open {
            let (_, code, _) = blocks.last_mut().unwrap();
            *code += line;
            *code += "\n";
        } else if !line.is_empty() {
            follows = false;
        }
    }
    blocks
}

/// Parses a text as a sequence of JSON values. Returns `None` if it is anything else.
fn values(text: &str) -> Option<Vec<Value>> {
    serde_json::Deserializer::from_str(text).into_iter().collect::<Result<_, _>>().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn examples_of_the_documentation_have_their_documented_output() {
    let server = Server::start().await;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let documentation = std::fs::read_to_string(root.join("docs/api.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for name in ["phage.fasta", "phage_99.fasta"] {
        std::fs::copy(root.join("kernels/tests/data").join(name), folder.path().join(name)).unwrap();
    }
    let blocks = blocks(&documentation);
    let examples: Vec<&str> = blocks.iter().filter(|(language, ..)| language == "sh").map(|(_, code, _)| code.as_str()).collect();
    assert!(examples.len() > 10, "{}", examples.len());
    let script = examples.join(&format!("echo '{BORDER}'\n")).replace("http://127.0.0.1:3000", &server.web.base);
    let path = folder.path().to_owned();
    let run = tokio::task::spawn_blocking(move || Command::new("bash").args(["-c", &script]).current_dir(path).output());
    let output = run.await.unwrap().expect("bash, curl, jq and openssl");
    let (out, complaints) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && complaints.is_empty(), "{complaints}\n{out}");
    let outputs: Vec<&str> = out.split(&format!("{BORDER}\n")).collect();
    assert_eq!(outputs.len(), examples.len(), "{out}");
    assert!(outputs.iter().all(|output| !output.contains("/problems/internal") && !output.contains("/problems/malformed")), "{out}");
    let mut compared = 0;
    for (number, pair) in blocks.windows(2).enumerate() {
        let [(language, example, _), (answer_language, answer, follows)] = pair else { continue };
        if language != "sh" || answer_language == "sh" || !follows {
            continue;
        }
        let at = blocks[..number].iter().filter(|(language, ..)| language == "sh").count();
        let got = outputs[at];
        let is_equal = got == answer || values(got).is_some_and(|got| values(answer) == Some(got));
        assert!(is_equal, "{example}\nanswers\n{got}\nand not\n{answer}");
        compared += 1;
    }
    assert!(compared >= 6, "{compared}");
}
