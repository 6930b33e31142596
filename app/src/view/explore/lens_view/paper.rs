//! The printed form of a lens: method, step, parameters, and a drawing with letters that are readable on paper. It is
//! drawn just before printing, because a browser prints the existing content and redraws nothing.

use std::fmt::Write as _;

use explain::lens::settings::{LensParameter, ParameterKind, ParameterValue};
use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;

use super::scene::LensScene;
use crate::model::lens::compose::DisplayMedium;
use crate::model::lens::draw::HATCH;
use crate::model::lens::lens_keys;
use crate::model::text::humanize::list;
use crate::model::text::markup::escape;
use crate::view::explore::lens::deck;

/// Renders the container of the printed form, which is empty on a screen.
#[component]
pub fn Paper() -> impl IntoView {
    let scene = expect_context::<LensScene>();
    let place = NodeRef::<Div>::new();
    let before = window_event_listener(ev::beforeprint, move |_| {
        if let Some(place) = place.get_untracked() {
            let LensSheet { html, min_letter_height } = sheet(scene);
            place.set_inner_html(&html);
            // The page's content security policy does not allow styles in markup.
            let _ = web_sys::HtmlElement::style(&place).set_property("--least", &format!("{min_letter_height:.1}px"));
        }
    });
    let after = window_event_listener(ev::afterprint, move |_| {
        if let Some(place) = place.get_untracked() {
            place.set_inner_html("");
        }
    });
    on_cleanup(move || {
        before.remove();
        after.remove();
    });
    view! { <div class="lens-paper" node_ref=place></div> }
}

/// The printed form of a lens as HTML.
struct LensSheet {
    html: String,
    /// Smallest height of letters in the drawing, in units of the drawing.
    min_letter_height: f64,
}

/// Returns the printed form of the current step: a heading, a line of settings and the drawing.
fn sheet(scene: LensScene) -> LensSheet {
    let step = scene.player.step.get_untracked();
    let mut line = vec![deck::step_label(scene.player.unit, step, scene.player.last.get_untracked())];
    scene.settings.with_untracked(|settings| line.extend(settings.iter().map(|(parameter, given)| setting(parameter, given))));
    let mut html = format!("<h2>{}</h2><p>{}</p>", escape(lens_keys::name(scene.name)), escape(&line.join(" · ")));
    let layout = untrack(|| scene.layout(DisplayMedium::Paper));
    let drawn = scene.frame.with_untracked(|frame| scene.watched.with_value(|watched| layout.draw(frame, watched)));
    let [width, height] = drawn.size;
    let _ = write!(html, r#"<svg class="pic" viewBox="0 0 {width:.0} {height:.0}" role="img">{HATCH}{}</svg>"#, drawn.body);
    LensSheet { html, min_letter_height: drawn.min_letter_height }
}

/// Formats the name of a parameter with its value, `given`.
fn setting(parameter: &LensParameter, given: &ParameterValue) -> String {
    let value = match (given, parameter.kind) {
        (ParameterValue::Number(number), _) => number.to_string(),
        (ParameterValue::Numbers(numbers), _) => list(&numbers.iter().map(u32::to_string).collect::<Vec<_>>()),
        (ParameterValue::Choice(at), ParameterKind::Choice(names)) => {
            names.get(*at).map(|name| lens_keys::label(name)).unwrap_or_default().to_owned()
        }
        (ParameterValue::Choice(_), _) => String::new(),
    };
    format!("{} = {value}", lens_keys::label(parameter.key))
}

#[cfg(test)]
mod tests {
    use explain::lens::LensName;
    use kernels::job::Task;

    use super::*;
    use crate::model::lens::tests::watched;

    #[test]
    fn printed_sheet_names_method_step_and_parameters_and_escapes_texts() {
        let owner = Owner::new();
        owner.with(|| {
            let texts = || watched(Task::ApproximateSearch, "a<b", "xa<bx<svg>a<");
            let scene = LensScene::open(texts(), LensName::Slices, "D:2,l:3", 4, None).unwrap();
            let sheet = sheet(scene).html;
            assert!(sheet.starts_with("<h2>Slices and threads</h2><p>round 4 of "), "{sheet}");
            assert!(sheet.contains("D = 2 · width w = 4 · block = 0 · d = 2 · latency l = 3 · global latency L = 20"), "{sheet}");
            assert!(sheet.contains("&lt;") && sheet.matches("<svg").count() == 1);
            let scene = LensScene::open(texts(), LensName::Machine, "", 1, None).unwrap();
            assert!(super::sheet(scene).html.contains("kind of access = as given"));
        });
    }
}
