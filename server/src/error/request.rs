//! Request: converts a parser's message about an invalid request to a sentence for people, with the position of the
//! error ([`in_words`]).

/// Returns a sentence for people that says what is wrong with a member of a request. `path` is the path of the member,
/// such as `options.unit`, and `cause` is the parser's message.
///
/// ```
/// use server::error::request::in_words;
///
/// let cause = "invalid type: string \"x\", expected u64 at line 1 column 9";
/// assert_eq!(in_words("options.max_distance", cause), "“x” is not a valid value for options.max_distance. It must be a whole number, 0 or more (line 1, column 9).");
/// ```
pub fn in_words(path: &str, cause: &str) -> String {
    let (cause, place) = without_place(cause);
    let name = if path.is_empty() || path == "." { "the request".to_owned() } else { path.to_owned() };
    let said = describe_cause(&name, cause).unwrap_or_else(|| format!("{} cannot be read: {cause}", capital(&name)));
    match place {
        Some((line, column)) => format!("{said} (line {line}, column {column})."),
        None => format!("{said}."),
    }
}

/// Splits a parser's message such as "… at line 1 column 9" into the text before the position, and the line number and
/// the column number, if the message has them.
fn without_place(cause: &str) -> (&str, Option<(&str, &str)>) {
    let parts = cause.rsplit_once(" at line ").and_then(|(said, place)| Some((said, place.split_once(" column ")?)));
    parts.map_or((cause, None), |(said, place)| (said, Some(place)))
}

fn describe_cause(name: &str, cause: &str) -> Option<String> {
    if let Some(rest) = cause.strip_prefix("unknown variant `") {
        let (value, known) = rest.split_once('`')?;
        return Some(format!("“{}” is not a valid value for {name}. Valid values: {}", brief(value), quoted(known)));
    }
    if let Some(rest) = cause.strip_prefix("unknown field `") {
        let (field, known) = rest.split_once('`')?;
        return Some(format!("“{}” is unknown here. Valid names: {}", brief(field), quoted(known)));
    }
    if let Some(rest) = cause.strip_prefix("missing field `") {
        return Some(format!("“{}” is missing", rest.strip_suffix('`')?));
    }
    if let Some(rest) = cause.strip_prefix("duplicate field `") {
        return Some(format!("“{}” is given twice", brief(rest.strip_suffix('`')?)));
    }
    if let Some(rest) = cause.strip_prefix("invalid type: ").or_else(|| cause.strip_prefix("invalid value: ")) {
        let (got, expected) = rest.rsplit_once(", expected ")?;
        if let Some(most) = exceeded_maximum(got, expected) {
            return Some(format!("{} is not a valid value for {name}. It must be at most {most}", value(got)));
        }
        return Some(format!("{} is not a valid value for {name}. It must be {}", value(got), kind(expected)));
    }
    match cause {
        "number too large to fit in target type" => Some(format!("{} is too large a number", capital(name))),
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            Some(format!("{} must be a whole number, 0 or more", capital(name)))
        }
        "invalid float literal" | "cannot parse float from empty string" => Some(format!("{} must be a number", capital(name))),
        "provided string was not `true` or `false`" => Some(format!("{} must be true or false", capital(name))),
        _ if cause.starts_with("EOF while parsing") => Some("The JSON is incomplete: it ends too early".to_owned()),
        "expected value" if name != "the request" => Some(format!("{} has no valid value", capital(name))),
        "trailing characters" => Some("The JSON has more characters after its end".to_owned()),
        _ if cause.starts_with("expected ") || cause.starts_with("key must be") || cause.starts_with("invalid ") => {
            Some(format!("This is not valid JSON: {cause}"))
        }
        _ => None,
    }
}

/// Formats a value for people. `got` describes the value in the form of the parser's messages, such as `null`, `map` or
/// `string "x"`.
fn value(got: &str) -> String {
    if let Some(text) = got.strip_prefix("string \"").and_then(|rest| rest.strip_suffix('"')) {
        return format!("“{}”", brief(text));
    }
    match got {
        "null" => "null".to_owned(),
        "map" => "An object".to_owned(),
        "sequence" => "A list".to_owned(),
        _ => got.split('`').nth(1).map_or_else(|| capital(got), |literal| brief(literal).into_owned()),
    }
}

/// Returns the maximum of the integer type `expected` if the value in `got` is greater. The parser describes a number
/// above 64 bits as a floating point number.
fn exceeded_maximum(got: &str, expected: &str) -> Option<u64> {
    let most = match expected {
        "u8" => u8::MAX.into(),
        "u16" => u16::MAX.into(),
        "u32" => u32::MAX.into(),
        "u64" | "usize" => u64::MAX,
        _ => return None,
    };
    let number: f64 = got.split('`').nth(1)?.parse().ok()?;
    (number > most as f64 || number == 2f64.powi(64)).then_some(most)
}

fn kind(expected: &str) -> String {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more".to_owned(),
        "i32" | "i64" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" | "string or map" => "a text".to_owned(),
        "a map" => "an object".to_owned(),
        other if other.starts_with("struct ") || other.starts_with("internally tagged") => "an object".to_owned(),
        other if other.starts_with("unit variant") || other.contains("enum") => "one of its names".to_owned(),
        other => other.to_owned(),
    }
}

/// Returns the quoted names in a part of a parser's message, such as "`a`, `b`", "one of `a`, `b`" or "`a` or `b`", as
/// the list "a, b".
fn quoted(known: &str) -> String {
    let names: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Cuts a text of the client to a length that fits into a sentence.
fn brief(text: &str) -> std::borrow::Cow<'_, str> {
    const MAX_LETTERS: usize = 40;
    match text.char_indices().nth(MAX_LETTERS) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}

fn capital(text: &str) -> String {
    // Only the word "the" is capitalized, because names of members keep their spelling.
    text.strip_prefix("the ").map_or_else(|| text.to_owned(), |rest| format!("The {rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parser_errors_are_explained_in_plain_words() {
        for (path, cause, words) in [
            (
                "options.unit",
                "unknown variant `ells`, expected one of `bytes`, `chars` at line 1 column 20",
                "“ells” is not a valid value for options.unit. Valid values: bytes, chars (line 1, column 20).",
            ),
            ("format", "unknown variant `x`, expected `a` or `b`", "“x” is not a valid value for format. Valid values: a, b."),
            ("options", "unknown field `colour`, expected one of `unit`, `fasta`", "“colour” is unknown here. Valid names: unit, fasta."),
            (".", "missing field `b` at line 1 column 9", "“b” is missing (line 1, column 9)."),
            ("a.text", "invalid type: integer `5`, expected a string", "5 is not a valid value for a.text. It must be a text."),
            (
                "options.max_distance",
                "invalid value: integer `-1`, expected u64",
                "-1 is not a valid value for options.max_distance. It must be a whole number, 0 or more.",
            ),
            ("task", "invalid type: null, expected string or map", "null is not a valid value for task. It must be a text."),
            ("a", "invalid type: sequence, expected a map", "A list is not a valid value for a. It must be an object."),
            (
                "options.costs.insert",
                "invalid value: integer `4294967296`, expected u32",
                "4294967296 is not a valid value for options.costs.insert. It must be at most 4294967295.",
            ),
            (
                "options.max_distance",
                "invalid type: floating point `1.8446744073709552e+19`, expected u64",
                "1.8446744073709552e+19 is not a valid value for options.max_distance. It must be at most 18446744073709551615.",
            ),
            (
                "options.max_distance",
                "invalid type: floating point `1.5`, expected u64",
                "1.5 is not a valid value for options.max_distance. It must be a whole number, 0 or more.",
            ),
            ("len", "number too large to fit in target type", "len is too large a number."),
            ("wait", "invalid digit found in string", "wait must be a whole number, 0 or more."),
            (".", "EOF while parsing a value at line 1 column 51", "The JSON is incomplete: it ends too early (line 1, column 51)."),
            ("?", "something new", "? cannot be read: something new."),
        ] {
            assert_eq!(in_words(path, cause), words);
        }
        assert!(in_words("a", &format!("unknown variant `{}`, expected `b`", "x".repeat(5000))).len() < 200);
    }
}
