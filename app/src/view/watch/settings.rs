//! The parameters of a lens: numbers, names to choose from, lists of numbers. An invalid value is marked and leaves the
//! lens unchanged.

use explain::lens::settings::{Given, Kind, Parameter};
use leptos::ev;
use leptos::prelude::*;
use web_sys::{HtmlInputElement, HtmlSelectElement};

use super::scene::Scene;
use crate::model::watch::words;
use crate::view::icon::{Icon, icon};

/// Renders all fields; nothing for a lens without parameters.
#[component]
pub fn Fields() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let fields = scene.name.parameters().iter().map(|parameter| view! { <Field parameter /> }).collect::<Vec<_>>();
    (!fields.is_empty()).then(|| view! { <div class="row settings">{fields}</div> })
}

#[component]
fn Field(parameter: &'static Parameter) -> impl IntoView {
    let scene = expect_context::<Scene>();
    let key = parameter.key;
    let id = format!("with-{key}");
    let bad = RwSignal::new(false);
    let value = move || {
        scene.settings.with(|settings| {
            let given = settings.iter().find(|(one, _)| one.key == key).map(|(_, given)| given);
            match given {
                Some(Given::Number(number)) => number.to_string(),
                Some(Given::Numbers(numbers)) => numbers.iter().map(u32::to_string).collect::<Vec<_>>().join("."),
                Some(Given::Choice(at)) => at.to_string(),
                None => String::new(),
            }
        })
    };
    let typed = move |event: ev::Targeted<ev::Event, HtmlInputElement>| bad.set(scene.set(key, event.target().value().trim()).is_err());
    let field = match parameter.kind {
        Kind::Number { least, most, .. } => view! {
            <input class="text number" id=id.clone() type="number" min=least max=most prop:value=value aria-invalid=move || bad.get().then_some("true") on:change:target=typed />
        }
        .into_any(),
        Kind::Numbers { .. } => view! {
            <input class="text" id=id.clone() inputmode="decimal" autocomplete="off" prop:value=value aria-invalid=move || bad.get().then_some("true") on:change:target=typed />
        }
        .into_any(),
        Kind::Choice(names) => {
            let options = names.iter().enumerate().map(|(at, name)| {
                view! { <option value=*name selected=move || value() == at.to_string()>{words::label(name)}</option> }
            });
            let chosen = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| bad.set(scene.set(key, &event.target().value()).is_err());
            view! {
                <span class="select">
                    <select id=id.clone() on:change:target=chosen>{options.collect_view()}</select>
                    {icon(Icon::Chevron)}
                </span>
            }
            .into_any()
        }
    };
    view! {
        <div class="field">
            <label for=id>{words::label(key)}</label>
            {field}
        </div>
    }
}
