//! A form as an address, `/lcs#a=kitten&b=sitting`: its task is the path, the rest the fragment, which browsers do not send to
//! anybody, so that the link needs no server state. Names are those of the wire; what has its usual value is left out.

use kernels::job::{Choice, Fasta, Task, Unit};

use crate::form::{Content, Form, Which};
use crate::look::Look;
use crate::records;
use crate::visit::task_path;

/// Longest fragment, in characters. Longer addresses are cut by some mail and chat programs.
pub const LONGEST: usize = 8_000;

/// The address of a form on its server and how its result is looked at; `None` when a text is not typed or the whole would be too
/// long.
pub fn address(form: &Form, look: &Look) -> Option<String> {
    let whole = [vec![write(form)?], look.write()].concat().join("&");
    Some(format!("{}#{whole}", task_path(form.task)))
}

/// Whether a part of a fragment is about a form.
pub fn is_of_form(name: &str) -> bool {
    let own = ["a", "b", "task", "unit", "fasta", "record_a", "record_b", "max_distance", "max_mismatches"];
    own.contains(&name)
}

/// The fragment without its `#`.
fn write(form: &Form) -> Option<String> {
    let usual = Form::new(form.task);
    let mut parts: Vec<String> = Vec::new();
    for which in Which::BOTH {
        let text = form.side(which).text()?;
        if text.len() > LONGEST {
            return None;
        }
        parts.push(format!("{}={}", which.name(), encode(text)));
    }
    if form.options.unit != usual.options.unit {
        parts.push(format!("unit={}", form.options.unit.name()));
    }
    let options = form.asked();
    if !options.fasta.is_auto() {
        parts.push(format!("fasta={}", options.fasta.name()));
    }
    for which in Which::BOTH {
        let Choice { record, joined } = &form.side(which).choice;
        let name = which.name();
        parts.extend(record.as_ref().map(|record| format!("record_{name}={}", encode(&records::said(record)))));
        parts.extend(joined.then(|| format!("joined_{name}")));
    }
    for (number, value) in [("max_distance", options.max_distance), ("max_mismatches", options.max_mismatches)] {
        parts.extend(value.map(|value| format!("{number}={value}")));
    }
    for (flag, on) in [
        ("case_insensitive", options.case_insensitive),
        ("ignore_whitespace", options.ignore_whitespace),
        ("normalize", options.normalize),
        ("no_alignment", !options.alignment),
        ("local_minima", options.local_minima),
        ("count_only", options.count_only),
    ] {
        if on {
            parts.push(flag.into());
        }
    }
    let whole = parts.join("&");
    (whole.len() <= LONGEST).then_some(whole)
}

/// The form that a fragment (without its `#`) describes at the path of `task`; `None` when it names no text. Unknown names are
/// passed over. A task that the fragment names itself, as in older links, counts more.
pub fn read(task: Task, fragment: &str) -> Option<Form> {
    let mut form = Form::new(task);
    let mut texts = 0;
    for part in fragment.split('&') {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        match name {
            "a" | "b" => {
                let which = if name == "a" { Which::A } else { Which::B };
                form.side_mut(which).content = Content::Typed(decode(value));
                texts += 1;
            }
            "fasta" => form.options.fasta = Fasta::ALL.into_iter().find(|fasta| fasta.name() == value)?,
            "record_a" => form.a.choice.record = Some(records::record(&decode(value))),
            "record_b" => form.b.choice.record = Some(records::record(&decode(value))),
            "joined_a" => form.a.choice.joined = true,
            "joined_b" => form.b.choice.joined = true,
            "task" => form.task = Task::ALL.into_iter().find(|task| task.name() == value)?,
            "unit" => form.options.unit = Unit::ALL.into_iter().find(|unit| unit.name() == value)?,
            "case_insensitive" => form.options.case_insensitive = true,
            "ignore_whitespace" => form.options.ignore_whitespace = true,
            "normalize" => form.options.normalize = true,
            "no_alignment" => form.options.alignment = false,
            "max_distance" => form.options.max_distance = Some(value.parse().ok()?),
            "max_mismatches" => form.options.max_mismatches = Some(value.parse().ok()?),
            "local_minima" => form.options.local_minima = true,
            "count_only" => form.options.count_only = true,
            _ => {}
        }
    }
    (texts > 0).then_some(form)
}

pub(crate) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for &byte in text.as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b',' | b'_' | b'~' => out.push(byte.into()),
            b' ' => out.push('+'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

pub(crate) fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten().and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match (bytes[at], hex) {
            (_, Some(byte)) => {
                out.push(byte);
                at += 2;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use kernels::job::Record;

    use super::*;
    use crate::form::Side;

    fn typed(a: &str, b: &str) -> Form {
        Form { a: Side::typed(a), b: Side::typed(b), ..Form::new(Task::EditDistance) }
    }

    #[test]
    fn a_small_form_is_readable() {
        assert_eq!(write(&typed("kitten", "sitting")).unwrap(), "a=kitten&b=sitting");
    }

    #[test]
    fn what_was_written_is_read() {
        let mut form = typed("naïve +&=%#\r\n\t👩‍🚀", "");
        form.options.unit = Unit::Lines;
        form.options.case_insensitive = true;
        form.options.normalize = true;
        form.options.alignment = false;
        form.options.fasta = Fasta::Always;
        form.a.choice.record = Some(Record::Name("chr 2&c".into()));
        form.b.choice.joined = true;
        let fragment = write(&form).unwrap();
        assert!(fragment.is_ascii() && !fragment.contains('#'), "{fragment}");
        assert_eq!(read(form.task, &fragment), Some(form));
    }

    #[test]
    fn every_task_has_its_address_and_takes_its_own_options_there() {
        let mut form = Form { task: Task::ApproximateSearch, ..typed("annual", "annealing") };
        form.options.max_distance = Some(3);
        form.options.local_minima = true;
        assert_eq!(address(&form, &Look::default()).unwrap(), "/approximate-search#a=annual&b=annealing&max_distance=3&local_minima");
        assert_eq!(read(form.task, &write(&form).unwrap()), Some(form.clone()));
        form.task = Task::Lcs;
        assert_eq!(address(&form, &Look::default()).unwrap(), "/lcs#a=annual&b=annealing");
        form.task = Task::EditDistance;
        assert_eq!(address(&form, &Look::default()).unwrap(), "/#a=annual&b=annealing");
    }

    #[test]
    fn a_link_may_name_its_task_itself() {
        let form = Form { task: Task::Lcs, ..typed("x", "y") };
        assert_eq!(read(Task::EditDistance, "task=lcs&a=x&b=y"), Some(form));
        assert_eq!(read(Task::EditDistance, "task=tea&a=x&b=y"), None);
    }

    #[test]
    fn a_record_is_chosen_by_its_number_or_its_name() {
        let form = read(Task::ExactSearch, "a=x&b=y&record_b=2&record_a=chr+2&fasta=always").unwrap();
        assert_eq!((form.a.choice.record, form.b.choice.record), (Some(Record::Name("chr 2".into())), Some(Record::Number(2))));
        assert_eq!(form.options.fasta, Fasta::Always);
        assert_eq!(read(Task::ExactSearch, "a=x&fasta=perhaps"), None);
    }

    #[test]
    fn long_texts_and_files_have_no_fragment() {
        assert_eq!(write(&typed(&"x".repeat(LONGEST), "y")), None);
        let mut form = typed("a", "b");
        form.a.content = Content::File { drawer: 0, bytes: 1, head: String::new() };
        assert_eq!(write(&form), None);
    }

    #[test]
    fn nonsense_is_no_form_and_half_an_escape_is_itself() {
        let read = |fragment| read(Task::EditDistance, fragment);
        assert_eq!(read(""), None);
        assert_eq!(read("main"), None);
        assert_eq!(read("a=x&unit=furlongs"), None);
        assert_eq!(read("a=x&max_distance=few"), None);
        assert_eq!(read("a=100%&b=%4"), Some(typed("100%", "%4")));
    }
}
