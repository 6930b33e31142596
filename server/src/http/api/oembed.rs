//! oEmbed: a site that embeds links can ask how to show a result in a frame ([`oembed`]). See
//! <https://oembed.com>.

use app::model::result::preview;
use app::model::task::TaskDescription;
use app::model::text::markup::escape_xml;
use app::model::visit::{PageRoute, task_path};
use app::tr::speaking;
use axum::Json;
use axum::extract::State as In;
use axum::http::{HeaderMap, header};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::extract::QueryParams;
use super::links;
use crate::ServerState;
use crate::error::{ApiProblem, ProblemKind};
use crate::http::article;
use crate::http::page_assets::language;

/// Default and maximum width of a frame, in CSS pixels.
const DEFAULT_FRAME_WIDTH: u32 = 800;

/// Default and maximum height of a frame, in CSS pixels.
const DEFAULT_FRAME_HEIGHT: u32 = 300;

/// Query of an oEmbed request: `?url=&maxwidth=&maxheight=&format=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OembedQuery {
    /// Address of a page of this server that the frame shall show.
    url: String,
    /// Maximum width of the frame, in CSS pixels. Default: 800, which is also the greatest width of a frame.
    maxwidth: Option<u32>,
    /// Maximum height of the frame, in CSS pixels. Default: 300, which is also the greatest height of a frame.
    maxheight: Option<u32>,
    /// Format of the answer. Only `json` is supported.
    #[param(value_type = Option<String>, pattern = "^json$")]
    format: Option<String>,
}

/// An oEmbed answer of type `rich`: the HTML of a frame and its size.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Rich)]
pub struct OembedAnswer {
    /// Version of oEmbed.
    version: &'static str,
    /// Always `rich`.
    r#type: &'static str,
    /// Name of this server's site.
    provider_name: &'static str,
    /// Address of this server's site.
    provider_url: String,
    /// Title of the shown result.
    title: String,
    /// HTML of the frame (an `iframe` element) to embed.
    html: String,
    /// Width of the frame, in CSS pixels.
    width: u32,
    /// Height of the frame, in CSS pixels.
    height: u32,
}

/// Handles oEmbed requests: returns the frame that shows the page at `url`, an address of this server. The address is
/// that of a shared result, or of a form with texts in its fragment.
pub async fn oembed(
    In(state): In<ServerState>,
    headers: HeaderMap,
    QueryParams(asked): QueryParams<OembedQuery>,
) -> Result<Json<OembedAnswer>, ApiProblem> {
    if asked.format.as_deref().is_some_and(|format| format != "json") {
        return Err(ApiProblem::new(ProblemKind::UnsupportedFormat, "Only format=json is supported."));
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let address = ServerUrl::parse(&asked.url, host).ok_or_else(|| ApiProblem::not_found("address here"))?;
    let language = language(&headers);
    let (place, title) = match PageRoute::of(address.path) {
        PageRoute::Form(task) => (format!("/embed/{}", task.name()), speaking(language, || TaskDescription::of(task).title().to_owned())),
        PageRoute::Link(id) => {
            let shared = links::find(&state, id.parse().map_err(|_| ApiProblem::not_found("shared result"))?).await?;
            let names = article::names(&shared.record);
            let [a, b] = article::beginnings(&state.results, &shared.record).await;
            let names = [names[0].as_deref(), names[1].as_deref()];
            let preview = speaking(language, || preview::link_preview(&shared.record.snapshot, names, [&a, &b]));
            (format!("/embed/r/{id}"), preview.title)
        }
        PageRoute::Job(_) | PageRoute::Sealed(_) | PageRoute::Print | PageRoute::Collections | PageRoute::Nowhere => {
            return Err(ApiProblem::not_found("address that can be shown in a frame"));
        }
    };
    let width = asked.maxwidth.unwrap_or(DEFAULT_FRAME_WIDTH).min(DEFAULT_FRAME_WIDTH);
    let height = asked.maxheight.unwrap_or(DEFAULT_FRAME_HEIGHT).min(DEFAULT_FRAME_HEIGHT);
    let source = escape_xml(&format!("{}{place}{}", address.origin, address.fragment));
    let html = format!(
        "<iframe src=\"{source}\" title=\"{}\" width=\"{width}\" height=\"{height}\" style=\"border:0\" loading=\"lazy\"></iframe>",
        escape_xml(&title)
    );
    let provider_url = format!("{}{}", address.origin, task_path(kernels::job::Task::ALL[0]));
    Ok(Json(OembedAnswer { version: "1.0", r#type: "rich", provider_name: "Editscope", provider_url, title, html, width, height }))
}

/// An address of this server, split into its parts.
#[derive(Debug, PartialEq, Eq)]
struct ServerUrl<'a> {
    /// Scheme and host, such as `https://example.org`.
    origin: &'a str,
    /// Path, from the first slash to the question mark or the `#`.
    path: &'a str,
    /// Fragment with its `#`. Empty if the address has none.
    fragment: &'a str,
}

impl<'a> ServerUrl<'a> {
    /// Splits the address `url` into its parts. Returns `None` if its host is not `host`.
    fn parse(url: &'a str, host: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let is_here = matches!(scheme, "http" | "https") && !host.is_empty() && rest[..end].eq_ignore_ascii_case(host);
        let (whole, fragment) = rest[end..].split_at(rest[end..].find('#').unwrap_or(rest.len() - end));
        let path = whole.split('?').next().unwrap_or_default();
        is_here.then(|| Self { origin: &url[..scheme.len() + 3 + end], path, fragment })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_server_are_parsed() {
        let parse = |url| ServerUrl::parse(url, "e.example:3000");
        let address = parse("https://e.example:3000/r/1?x=/y#a=1/2").unwrap();
        assert_eq!(address, ServerUrl { origin: "https://e.example:3000", path: "/r/1", fragment: "#a=1/2" });
        assert_eq!(parse("http://E.example:3000").unwrap().path, "");
        for other in [
            "https://evil.example/r/1",
            "https://e.example:3000.evil.example/",
            "javascript://e.example:3000/",
            "/r/1",
            "https://x@e.example:3000/",
        ] {
            assert_eq!(parse(other), None, "{other}");
        }
        assert_eq!(ServerUrl::parse("http:///r/1", ""), None);
    }
}
