//! The page with the limits of this server, as configured: [`page`] renders [`PublishedLimits`].
//!
//! - `english`, `german`, `spanish`, `french`, `japanese`, `chinese`: the texts of the page

use kernels::plan::{EngineName, PlannerOffer};
use leptos::prelude::*;

use super::{StaticPageFrame, StaticPageRequest, document};
use crate::model::text::humanize;
use crate::tr::{Language, fill, t};
use crate::view::widgets::prose::{placed, prose};

mod chinese;
mod english;
mod french;
mod german;
mod japanese;
mod spanish;

/// Path of the page.
pub const PATH: &str = "/limits";

/// The configured limits of the server.
#[derive(Clone, Debug)]
pub struct PublishedLimits {
    /// The engines with their speeds and limits. An engine is a kind of device that computes, such as a GPU.
    pub engines: Vec<ListedEngine>,
    /// Maximum size of one upload, in bytes.
    pub upload_bytes: u64,
    /// Maximum size of a JSON request, in bytes.
    pub body_bytes: u64,
    /// Maximum size of the content of a private link, in bytes.
    pub sealed_bytes: u64,
    /// Maximum total of the jobs that wait for an engine, in seconds of expected run time.
    pub queue_seconds: u64,
    /// Maximum number of matrix cells that one client's jobs may fill per hour.
    pub client_cells: u64,
    /// Maximum number of bytes that one client may send per hour.
    pub client_bytes: u64,
    /// Maximum number of bytes that one client may store per day.
    pub client_stored_bytes: u64,
    /// Maximum run time of a job, in seconds.
    pub job_seconds: u64,
    /// Time for which a job's result is stored, in seconds.
    pub job_keep_seconds: u64,
    /// Time for which an upload is stored, in seconds.
    pub upload_keep_seconds: u64,
}

/// An engine in the list of the page: the devices of one kind.
#[derive(Clone, Debug)]
pub struct ListedEngine {
    /// Name of the host that has the devices; `None` unless the server has several hosts.
    pub host: Option<String>,
    /// Number of devices of the engine.
    pub devices: usize,
    /// Speed and limits of one device of the engine.
    pub offer: PlannerOffer,
}

/// Texts of the page in one language. In them `*m*` is a name in italics, and `{size}` and `{docs}` are placeholders.
/// They are in no catalogue of translations, because only this page, which runs no script, uses them.
struct LimitsTexts {
    about: &'static str,
    engines: &'static str,
    cells_are: &'static str,
    cells: &'static str,
    processor: &'static str,
    gpu: &'static str,
    host: &'static str,
    sizes: &'static str,
    up_to: &'static str,
    upload: &'static str,
    request: &'static str,
    private_link: &'static str,
    link_of_texts: &'static str,
    waiting: &'static str,
    running: &'static str,
    visitor_cells: &'static str,
    visitor_sends: &'static str,
    visitor_stores: &'static str,
    kept: &'static str,
    kept_upload: &'static str,
    kept_result: &'static str,
    kept_link: &'static str,
    kept_link_for: &'static str,
    kept_typed: &'static str,
    kept_never: &'static str,
    secrets: &'static str,
    own: &'static str,
    own_server: &'static str,
    docs: &'static str,
}

fn page_texts(language: Language) -> &'static LimitsTexts {
    told_in!(language)
}

/// Returns the HTML of the page with the server's limits `limits`.
pub fn page(reader: StaticPageRequest, limits: &PublishedLimits) -> String {
    let told = page_texts(reader.language);
    let frame = StaticPageFrame { reader, title: || t("Limits"), about: told.about, languages_of: Some(PATH), styles: &[] };
    document(frame, || text(told, limits).into_any())
}

fn text(told: &'static LimitsTexts, limits: &PublishedLimits) -> impl IntoView + use<> {
    let engines = limits.engines.iter().map(|listed| engine(told, listed)).collect_view();
    let is_named = limits.engines.iter().any(|listed| listed.host.is_some());
    let host = is_named.then(|| view! { <th>{told.host}</th> });
    let up_to = |size: String| fill(told.up_to, &[("size", size)]);
    let rows = [
        (told.upload, up_to(humanize::bytes(limits.upload_bytes))),
        (told.request, up_to(humanize::bytes(limits.body_bytes))),
        (told.private_link, up_to(humanize::bytes(limits.sealed_bytes))),
        (told.link_of_texts, up_to(humanize::count(crate::model::link::fragment::MAX_FRAGMENT as u64, "character", "characters"))),
        (told.waiting, up_to(humanize::span(limits.queue_seconds))),
        (told.running, up_to(humanize::span(limits.job_seconds))),
        (told.visitor_cells, up_to(humanize::large(limits.client_cells as f64))),
        (told.visitor_sends, up_to(humanize::bytes(limits.client_bytes))),
        (told.visitor_stores, up_to(humanize::bytes(limits.client_stored_bytes))),
    ];
    let kept = [
        (told.kept_upload, humanize::span(limits.upload_keep_seconds)),
        (told.kept_result, humanize::span(limits.job_keep_seconds)),
        (told.kept_link, told.kept_link_for.to_owned()),
        (told.kept_typed, told.kept_never.to_owned()),
    ];
    let docs = view! { <a href="/api/docs" hreflang="en">{told.docs}</a> }.into_any();
    view! {
        <section class="section" aria-labelledby="engines">
            <h2 id="engines">{told.engines}</h2>
            <p class="say">{prose(told.cells_are)}</p>
            <table class="figures">
                <thead>
                    <tr>
                        {host}
                        <th>{t("Engine")}</th>
                        <th>{t("Device")}</th>
                        <th class="r">{told.cells}</th>
                    </tr>
                </thead>
                <tbody>{engines}</tbody>
            </table>
        </section>
        <section class="section" aria-labelledby="sizes">
            <h2 id="sizes">{told.sizes}</h2>
            <dl class="facts start">{rows.map(row).collect_view()}</dl>
        </section>
        <section class="section" aria-labelledby="kept">
            <h2 id="kept">{told.kept}</h2>
            <dl class="facts start">{kept.map(row).collect_view()}</dl>
            <p class="say mt">{told.secrets}</p>
        </section>
        <section class="section" aria-labelledby="own">
            <h2 id="own">{told.own}</h2>
            <p class="say">{placed(told.own_server, vec![("docs", docs)])}</p>
        </section>
    }
}

fn row((what, limit): (&'static str, String)) -> impl IntoView {
    view! { <dt>{what}</dt><dd>{limit}</dd> }
}

fn engine(told: &LimitsTexts, ListedEngine { host, devices, offer }: &ListedEngine) -> impl IntoView + use<> {
    let name = match offer.engine {
        EngineName::Cpu => told.processor,
        EngineName::Cuda => told.gpu,
    };
    let device = if *devices > 1 { format!("{devices} × {}", humanize::device(&offer.device)) } else { humanize::device(&offer.device) };
    view! {
        <tr>
            {host.clone().map(|host| view! { <td>{host}</td> })}
            <td>{name}</td>
            <td>{device}</td>
            <td class="r">{humanize::large(offer.limits.cells as f64)}</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use kernels::plan::{EngineLimits, EnginePlace};

    use super::*;

    fn limits() -> PublishedLimits {
        PublishedLimits {
            engines: Vec::new(),
            upload_bytes: 5_000_000,
            body_bytes: 46_000,
            sealed_bytes: 777,
            queue_seconds: 7_200,
            client_cells: 10_000_000_000,
            client_bytes: 88_000_000,
            client_stored_bytes: 99_000_000,
            job_seconds: 600,
            job_keep_seconds: 3_600,
            upload_keep_seconds: 172_800,
        }
    }

    #[test]
    fn every_limit_is_shown() {
        let html = page(StaticPageRequest { pkg: "/pkg/0".into(), theme: Some("dark".into()), ..StaticPageRequest::default() }, &limits());
        let parts = [
            "5\u{a0}MB",
            "46\u{a0}kB",
            "777 bytes",
            "2 hours",
            "88\u{a0}MB",
            "99\u{a0}MB",
            "10 minutes",
            "1 hour",
            "2 days",
            "data-theme=\"dark\"",
            "/pkg/0/style.css",
        ];
        for part in parts {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(!html.contains("<script"));
    }

    #[test]
    fn hosts_are_named_only_if_there_are_several() {
        let listed = |host: Option<&str>, device: &str, devices: usize| ListedEngine {
            host: host.map(ToOwned::to_owned),
            devices,
            offer: PlannerOffer {
                engine: EngineName::Cuda,
                place: EnginePlace::Server,
                device: device.into(),
                tasks: Vec::new(),
                start_ms: 0.0,
                bytes_per_second: 1.0,
                limits: EngineLimits::NONE,
                version: String::new(),
            },
        };
        let html = |language, engines| {
            page(
                StaticPageRequest { pkg: "/pkg/0".into(), language, ..StaticPageRequest::default() },
                &PublishedLimits { engines, ..limits() },
            )
        };
        let several = || vec![listed(Some("gpu-1.example"), "NVIDIA H100", 1), listed(Some("gpu-2.example"), "NVIDIA H200", 4)];
        for (language, word) in [
            (Language::English, "Host"),
            (Language::German, "Rechner"),
            (Language::Spanish, "Equipo"),
            (Language::French, "Machine"),
            (Language::Japanese, "ホスト"),
            (Language::Chinese, "主机"),
        ] {
            let named = html(language, several());
            for part in [
                &format!("<th>{word}</th>"),
                "<td>gpu-1.example</td>",
                "<td>gpu-2.example</td>",
                "<td>NVIDIA H100</td>",
                "<td>4 × NVIDIA H200</td>",
            ] {
                assert!(named.contains(part), "{part} in {named}");
            }
            let single = html(language, vec![listed(None, "NVIDIA H100", 1)]);
            assert!(single.contains("NVIDIA H100") && !single.contains(&format!("<th>{word}</th>")), "{single}");
        }
    }

    #[test]
    fn numbers_are_written_in_the_style_of_every_language() {
        for (language, parts) in [
            (Language::German, ["bis zu 10 Minuten", "1 Stunde", "2 Tage", "bis zu 32.000 Zeichen"]),
            (Language::Spanish, ["hasta 10 minutos", "1 hora", "2 días", "hasta 32\u{202f}000 caracteres"]),
            (Language::French, ["jusqu’à 10 minutes", "1 heure", "2 jours", "jusqu’à 32\u{202f}000 caractères"]),
            (Language::Japanese, ["10 分まで", "1 時間", "2 日", "32,000 コードポイントまで"]),
            (Language::Chinese, ["最多 10 分钟", "1 小时", "2 天", "最多 32,000 "]),
        ] {
            let html = page(
                StaticPageRequest { pkg: "/pkg/0".into(), language, origin: "https://x.example".into(), ..StaticPageRequest::default() },
                &limits(),
            );
            for part in parts {
                assert!(html.contains(part), "{part} in {html}");
            }
            assert!(html.contains(&format!("<html lang=\"{}\"", language.tag())) && !html.contains('{') && !html.contains('*'), "{html}");
            let alternate = format!(
                "<link rel=\"alternate\" hreflang=\"{tag}\" href=\"https://x.example/limits?language={tag}\">",
                tag = language.tag()
            );
            assert!(html.contains(&alternate), "{html}");
            assert!(html.contains("<a href=\"/api/docs\" hreflang=\"en\">"), "{html}");
        }
    }
}
