//! What this server takes, in the numbers of its configuration.

use kernels::plan::{EngineName, Offer};
use kernels::words::grouped;
use leptos::prelude::*;

use super::{Frame, document};
use crate::words;

/// The numbers.
#[derive(Clone, Debug)]
pub struct Limits {
    /// What the engines offer.
    pub offers: Vec<Offer>,
    /// Size of one upload in bytes.
    pub upload_bytes: u64,
    /// Size of a JSON request in bytes.
    pub body_bytes: u64,
    /// Size of what a private link leads to, in bytes.
    pub sealed_bytes: u64,
    /// Jobs that may wait.
    pub queue: u64,
    /// Longest run of a job in seconds.
    pub job_seconds: u64,
    /// How long a job's result is kept, in seconds.
    pub job_keep_seconds: u64,
    /// How long an upload is kept, in seconds.
    pub upload_keep_seconds: u64,
}

/// The page.
pub fn page(pkg: String, theme: Option<String>, limits: &Limits) -> String {
    let about = "What this server takes, how long it keeps it, and what never leaves your browser.";
    document(Frame { pkg, theme, title: "Limits", about }, || text(limits).into_any())
}

fn text(limits: &Limits) -> impl IntoView + use<> {
    let engines = limits.offers.iter().map(engine).collect_view();
    let rows = [
        ("A text that is uploaded", format!("up to {}", words::bytes(limits.upload_bytes))),
        ("A request with its texts in it", format!("up to {}", words::bytes(limits.body_bytes))),
        ("A private link", format!("up to {}", words::bytes(limits.sealed_bytes))),
        ("A link with the texts in it", format!("up to {} characters", grouped(crate::fragment::LONGEST as u64))),
        ("Jobs that wait", format!("up to {}", grouped(limits.queue))),
        ("One job runs", format!("up to {}", span(limits.job_seconds))),
    ];
    let kept = [
        ("An upload", span(limits.upload_keep_seconds)),
        ("The result of a job", span(limits.job_keep_seconds)),
        ("A stored or private link", "1 day, 30 days, or until you delete it: you choose".to_owned()),
        ("What you type without making a link or a job", "never stored".to_owned()),
    ];
    view! {
        <section class="section" aria-labelledby="engines">
            <h2 id="engines">"Engines of this server"</h2>
            <p class="say">
                "A job of texts with " <var>"m"</var> " and " <var>"n"</var>
                " symbols has " <var>"m"</var> " × " <var>"n"</var> " cells; exact search reads each symbol once, and counts " <var>"m"</var> " + " <var>"n"</var> "."
            </p>
            <table class="figures">
                <thead>
                    <tr>
                        <th>"Engine"</th>
                        <th>"Device"</th>
                        <th class="r">"Cells of one job"</th>
                    </tr>
                </thead>
                <tbody>{engines}</tbody>
            </table>
        </section>
        <section class="section" aria-labelledby="sizes">
            <h2 id="sizes">"Sizes"</h2>
            <dl class="facts start">{rows.map(row).collect_view()}</dl>
        </section>
        <section class="section" aria-labelledby="kept">
            <h2 id="kept">"What is kept, and how long"</h2>
            <dl class="facts start">{kept.map(row).collect_view()}</dl>
            <p class="say mt">
                "Ids are random and say nothing about your texts. Texts are not written to the log. A private link is encrypted in your browser: its key is in the part of the link that browsers do not send, so that whoever runs this server cannot read it."
            </p>
        </section>
        <section class="section" aria-labelledby="own">
            <h2 id="own">"Your own limits"</h2>
            <p class="say">
                "Editscope is one program that you can run yourself; every limit here is a variable of its environment. They are listed at the end of "
                <a href="/api/docs">"the documentation of the API"</a> "."
            </p>
        </section>
    }
}

fn row((what, limit): (&'static str, String)) -> impl IntoView {
    view! { <dt>{what}</dt><dd>{limit}</dd> }
}

fn engine(offer: &Offer) -> impl IntoView + use<> {
    let name = match offer.engine {
        EngineName::Cpu => "processor",
        EngineName::Cuda => "GPU",
    };
    view! {
        <tr>
            <td>{name}</td>
            <td>{offer.device.clone()}</td>
            <td class="r">{words::large(offer.limits.cells as f64)}</td>
        </tr>
    }
}

/// "10 minutes", "1 day": a whole number of the largest unit that fits.
fn span(seconds: u64) -> String {
    let units = [(86_400, "day", "days"), (3_600, "hour", "hours"), (60, "minute", "minutes")];
    let fits = units.into_iter().find(|(unit, ..)| seconds >= *unit && seconds.is_multiple_of(*unit));
    let (unit, one, many) = fits.unwrap_or((1, "second", "seconds"));
    words::count(seconds / unit, one, many)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_told() {
        let limits = Limits {
            offers: Vec::new(),
            upload_bytes: 5_000_000,
            body_bytes: 46_000,
            sealed_bytes: 777,
            queue: 12,
            job_seconds: 600,
            job_keep_seconds: 3_600,
            upload_keep_seconds: 172_800,
        };
        let html = page("/pkg/0".into(), Some("dark".into()), &limits);
        let parts = [
            "5\u{a0}MB",
            "46\u{a0}kB",
            "777 bytes",
            "up to 12",
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
}
