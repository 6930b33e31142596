//! Reference: the OpenAPI document as an HTML page without scripts, with headings, tables and lists.

use std::fmt::Write as _;

use app::model::text::markup::escape_xml;
use serde_json::{Map, Value};

/// Renders the OpenAPI `document` as HTML: the operations in groups by tag, and then the schemas.
pub fn html(document: &Value) -> String {
    let mut out = String::new();
    let mut tags: Vec<&str> = Vec::new();
    let operations: Vec<(&str, &str, &Value)> = fields(&document["paths"])
        .flat_map(|(path, methods)| fields(methods).map(move |(method, operation)| (method.as_str(), path.as_str(), operation)))
        .collect();
    for (_, _, operation) in &operations {
        let tag = tag(operation);
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    for wanted in tags {
        write(&mut out, format_args!("<h3>{}</h3>", escape_xml(wanted)));
        operations.iter().filter(|(_, _, of)| tag(of) == wanted).for_each(|(method, path, of)| operation(&mut out, method, path, of));
    }
    out.push_str("<h3>Schemas</h3>");
    fields(&document["components"]["schemas"]).for_each(|(name, schema)| section(&mut out, name, schema));
    out
}

fn operation(out: &mut String, method: &str, path: &str, operation: &Value) {
    let id = text(&operation["operationId"]);
    open(out, id, &format!("{} {}", method.to_uppercase(), path), text(&operation["summary"]));
    let about = text(&operation["description"]);
    if !about.is_empty() {
        write(out, format_args!("<p>{}</p>", prose(about)));
    }
    let parameters = items(&operation["parameters"]).filter(|parameter| parameter["in"] != "path");
    let rows: Vec<String> = parameters
        .map(|parameter| {
            let place = if parameter["in"] == "header" { " (header)" } else { "" };
            let needed = if parameter["required"] == true { ", needed" } else { "" };
            let (name, kind) = (escape_xml(text(&parameter["name"])), kind(&parameter["schema"]));
            format!(
                "<tr><td><code>{name}</code>{place}</td><td>{kind}{needed}</td><td>{}</td></tr>",
                prose(text(&parameter["description"]))
            )
        })
        .collect();
    table(out, &rows);
    if let Some(content) = operation["requestBody"]["content"].as_object() {
        let bodies: Vec<String> =
            content.iter().map(|(media, content)| format!("<code>{}</code> {}", escape_xml(media), kind(&content["schema"]))).collect();
        write(out, format_args!("<p>Body: {}</p>", bodies.join(", ")));
    }
    let answers: Vec<String> = fields(&operation["responses"])
        .filter(|(status, _)| *status != "default")
        .map(|(status, response)| {
            let content = fields(&response["content"]).map(|(media, content)| match kind(&content["schema"]) {
                kind if media.ends_with("json") && !kind.is_empty() => kind,
                _ => format!("<code>{}</code>", escape_xml(media)),
            });
            let content = content.collect::<Vec<_>>().join(", ");
            format!(
                "<tr><td><code>{}</code></td><td>{content}</td><td>{}</td></tr>",
                escape_xml(status),
                prose(text(&response["description"]))
            )
        })
        .collect();
    table(out, &answers);
    out.push_str(SECTION_END);
}

/// HTML that ends a folded section, which [`open`] has begun.
const SECTION_END: &str = "</div></details>";

/// Appends the HTML that begins a folded section, with the heading `title`, the description `about` and the element id
/// `id`. A link to the id unfolds the section, because browsers open the element that contains a link's target.
fn open(out: &mut String, id: &str, title: &str, about: &str) {
    let (id, title, about) = (escape_xml(id), escape_xml(title), prose(about));
    write(out, format_args!("<details><summary><h4><code>{title}</code></h4> <span>{about}</span></summary><div id=\"{id}\">"));
}

fn section(out: &mut String, name: &str, schema: &Value) {
    open(out, &format!("schema-{name}"), name, "");
    let about = text(&schema["description"]);
    if !about.is_empty() {
        write(out, format_args!("<p>{}</p>", prose(about)));
    }
    body(out, schema);
    out.push_str(SECTION_END);
}

/// Appends the fields of an object schema, or the alternatives of a choice, as HTML.
fn body(out: &mut String, schema: &Value) {
    let needed: Vec<&str> = items(&schema["required"]).map(text).collect();
    let rows: Vec<String> = fields(&schema["properties"])
        .map(|(name, property)| {
            let left_out = if needed.contains(&name.as_str()) { "" } else { ", may be left out" };
            format!(
                "<tr><td><code>{}</code></td><td>{}{left_out}</td><td>{}</td></tr>",
                escape_xml(name),
                kind(property),
                prose(text(&property["description"]))
            )
        })
        .collect();
    if rows.is_empty() && schema.get("allOf").is_none() && schema.get("oneOf").is_none() {
        write(out, format_args!("<p>{}</p>", kind(schema)));
    }
    table(out, &rows);
    for part in items(&schema["allOf"]) {
        if part.get("$ref").is_some() {
            write(out, format_args!("<p>The fields of {}</p>", kind(part)));
        } else {
            body(out, part);
        }
    }
    if rows.is_empty() {
        for part in items(&schema["oneOf"]) {
            let about = text(&part["description"]);
            write(out, format_args!("<p>Or: {}</p>", if about.is_empty() { kind(part) } else { prose(about) }));
            if part.get("properties").is_some() || part.get("allOf").is_some() {
                body(out, part);
            }
        }
    }
}

/// Returns a description of the type of `schema` as HTML: a few words, with links to named schemas.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return format!("<a href=\"#schema-{0}\">{0}</a>", escape_xml(name));
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(|value| format!("<code>{}</code>", escape_xml(text(value)))).collect::<Vec<_>>().join(", ");
    }
    for choice in ["oneOf", "anyOf", "allOf"] {
        let parts: Vec<String> = items(&schema[choice]).map(kind).filter(|kind| kind != "null").collect();
        if !parts.is_empty() {
            return parts.join(if choice == "allOf" { " and " } else { " or " });
        }
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(types) => types.iter().map(text).collect(),
        one => vec![text(one)],
    };
    let one = match types.iter().find(|kind| **kind != "null") {
        Some(&"array") => format!("list of {}", kind(&schema["items"])),
        Some(&"object") if schema.get("additionalProperties").is_some_and(Value::is_object) => {
            format!("names with {}", kind(&schema["additionalProperties"]))
        }
        Some(name) => (*name).to_owned(),
        None => String::new(),
    };
    if types.contains(&"null") && types.len() > 1 { format!("{one} or null") } else { one }
}

fn table(out: &mut String, rows: &[String]) {
    if !rows.is_empty() {
        write(out, format_args!("<table><tbody>{}</tbody></table>", rows.concat()));
    }
}

/// Renders the inline Markdown of a description as HTML. Descriptions use only code spans and links.
fn prose(text: &str) -> String {
    use pulldown_cmark::{Parser, html};
    let mut out = String::new();
    html::push_html(&mut out, Parser::new(text));
    out.trim().strip_prefix("<p>").and_then(|rest| rest.strip_suffix("</p>")).unwrap_or(out.trim()).to_owned()
}

fn tag(operation: &Value) -> &str {
    items(&operation["tags"]).next().map_or("", text)
}

fn fields(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flat_map(Map::iter)
}

fn items(array: &Value) -> impl Iterator<Item = &Value> {
    array.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Appends formatted text to a string, which cannot fail.
fn write(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    out.write_fmt(arguments).expect("a string takes text");
}
