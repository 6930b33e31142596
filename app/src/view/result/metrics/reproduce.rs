//! The panel "Reproduce this run" ([`Again`]): all settings that determine the answer, and commands to copy that
//! compute the answer again.

use explain::snapshot::JobSnapshot;
use explain::worker_protocol::query::DigestQuery;
use kernels::plan::EngineName;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::backend::{files, local, remote};
use crate::model::form::{FormSide, FormState};
use crate::model::run::location::ResultLocation;
use crate::model::run::reproduce::{CommandText, curl, option_arguments, solve, with_distinct_names};
use crate::model::text::humanize;
use crate::page::ShownResult;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::copy_button::CopyButton;

/// Returns the BLAKE3 hashes of the texts `a` and `b`. The worker computes them for texts in this browser; the server
/// provides them for its own texts.
async fn hashes(at: &ResultLocation, form: &FormState) -> Option<[String; 2]> {
    let of = |snapshot: JobSnapshot| Some([snapshot.a.blake3?, snapshot.b.blake3?]);
    match at {
        ResultLocation::Job(id) => of(remote::job(id).await.ok()?),
        ResultLocation::Link(id) => of(remote::link(id).await.ok()?.snapshot),
        ResultLocation::Here(_) | ResultLocation::Hit(..) | ResultLocation::Offset(..) => {
            let texts = [files::bytes(&form.a).await.ok()?, files::bytes(&form.b).await.ok()?];
            local::query_any_result(DigestQuery {}, &texts).await
        }
    }
}

/// Returns the settings that determine the answer: name and value of each. `hashes` are the hashes of both texts, if
/// known.
fn lines(shown: &ShownResult, hashes: Option<&[String; 2]>) -> Vec<(&'static str, String)> {
    let form = &shown.form;
    let set = option_arguments(&form.job_options());
    let mut lines = vec![(t("Task"), form.task.name().to_owned())];
    lines.push((t("Options"), if set.is_empty() { t("the usual ones").into() } else { humanize::list(&set) }));
    let sizes = [(FormSide::A, shown.symbols.0), (FormSide::B, shown.symbols.1)];
    for (number, (which, symbols)) in sizes.into_iter().enumerate() {
        let (symbols, bytes) = (humanize::symbols(symbols, form.options.unit), humanize::bytes(form.side(which).bytes()));
        lines.push((which.name(), tr!("{symbols} in {bytes}", symbols = symbols, bytes = bytes)));
        let hash = hashes.map_or_else(|| "…".into(), |hashes| hashes[number].clone());
        lines.push((["BLAKE3 (a)", "BLAKE3 (b)"][number], hash));
    }
    if let Some(plan) = &shown.run.plan {
        lines.push((t("Engine"), format!("{}, {}", humanize::engine_within(plan.engine, plan.place), humanize::device(&plan.device))));
    }
    lines.push((t("Version"), format!("Editscope {}", env!("CARGO_PKG_VERSION"))));
    lines
}

/// Renders the settings that determine the answer, and the commands.
#[component]
pub fn Again(shown: ShownResult) -> impl IntoView {
    let form = &shown.form;
    let input = |which: FormSide, fallback| CommandText::new(form.side(which).name.as_deref(), form.side(which).text(), fallback);
    let inputs = with_distinct_names([input(FormSide::A, "a.txt"), input(FormSide::B, "b.txt")]);
    let engine = match shown.run.plan.as_ref().map(|plan| plan.engine) {
        Some(EngineName::Cuda) => "cuda",
        Some(EngineName::Cpu) | None => "cpu",
    };
    let origin = web_sys::window().and_then(|window| window.location().origin().ok()).unwrap_or_default();
    let solve = solve(form.task, &form.job_options(), &inputs, engine);
    let curl = curl(form.task, &form.job_options(), &inputs, &origin);
    let known = RwSignal::new(None::<[String; 2]>);
    let (at, sides) = (shown.location.clone(), form.clone());
    spawn_local(async move {
        let hashes = hashes(&at, &sides).await;
        known.try_set(Some(hashes.unwrap_or_else(|| ["–".into(), "–".into()])));
    });
    let lines = Memo::new(move |_| known.with(|known| lines(&shown, known.as_ref())));
    let all = {
        let (solve, curl) = (solve.clone(), curl.clone());
        move || {
            let facts: String = lines.get().into_iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
            format!("{facts}\n{solve}\n\n{curl}\n")
        }
    };
    let fact = |(name, value): (&'static str, String)| {
        view! {
            <dt>{name}</dt>
            <dd>{value}</dd>
        }
    };
    let command = |title: &'static str, about: &'static str, text: String| {
        view! {
            <div class="stack tight">
                <div class="row wide">
                    <h4>{title}</h4>
                    <CopyButton text=text.clone() class="btn small" />
                </div>
                <p class="note">{about}</p>
                <pre class="code" tabindex="0" role="region" aria-label=title>{text}</pre>
            </div>
        }
    };
    view! {
        <section class="again stack" aria-labelledby="again-title">
            <div class="row wide">
                <h3 id="again-title">{t("Reproduce this run")}</h3>
                <CopyButton text=Signal::derive(all) label=t("Copy all of it") class="btn small" />
            </div>
            <p class="note wide">{t("These lines determine the answer. Files with the same BLAKE3 hash give the same number on any engine; b3sum computes the hash.")}</p>
            <dl class="facts start">{move || lines.get().into_iter().map(fact).collect_view()}</dl>
            <div class="pair">
                {command(t("Without a server"), t("The program of this server, on two files: no network."), solve)}
                {command(t("By this server's API"), t("Requests with curl, as the page makes them."), curl)}
            </div>
        </section>
    }
}
