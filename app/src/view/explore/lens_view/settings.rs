//! The parameters of a lens ([`Fields`]): numbers, names to choose from, lists of numbers. An invalid value is marked
//! and leaves the lens unchanged.

use explain::lens::settings::{LensParameter, ParameterKind, ParameterValue};
use leptos::ev;
use leptos::prelude::*;
use web_sys::{HtmlInputElement, HtmlSelectElement};

use super::scene::LensScene;
use crate::model::lens::lens_keys;
use crate::view::widgets::icon::{Icon, icon};

/// Renders a field for each parameter; nothing for a lens without parameters.
#[component]
pub fn Fields() -> impl IntoView {
    let scene = expect_context::<LensScene>();
    let fields = scene.name.parameters().iter().map(|parameter| view! { <Field parameter /> }).collect::<Vec<_>>();
    (!fields.is_empty()).then(|| view! { <div class="row settings">{fields}</div> })
}

#[component]
fn Field(parameter: &'static LensParameter) -> impl IntoView {
    let scene = expect_context::<LensScene>();
    let key = parameter.key;
    let id = format!("with-{key}");
    let bad = RwSignal::new(false);
    let value = move || {
        scene.settings.with(|settings| {
            let given = settings.iter().find(|(one, _)| one.key == key).map(|(_, given)| given);
            match given {
                Some(ParameterValue::Number(number)) => number.to_string(),
                Some(ParameterValue::Numbers(numbers)) => numbers.iter().map(u32::to_string).collect::<Vec<_>>().join("."),
                Some(ParameterValue::Choice(at)) => at.to_string(),
                None => String::new(),
            }
        })
    };
    let typed = move |event: ev::Targeted<ev::Event, HtmlInputElement>| bad.set(scene.set(key, event.target().value().trim()).is_err());
    let field = match parameter.kind {
        ParameterKind::Number { min, max, .. } => view! {
            <input class="text number" id=id.clone() type="number" min=min max=max prop:value=value aria-invalid=move || bad.get().then_some("true") on:change:target=typed />
        }
        .into_any(),
        ParameterKind::Numbers { .. } => view! {
            <input class="text" id=id.clone() inputmode="decimal" autocomplete="off" prop:value=value aria-invalid=move || bad.get().then_some("true") on:change:target=typed />
        }
        .into_any(),
        ParameterKind::Choice(names) => {
            let options = names.iter().enumerate().map(|(at, name)| {
                view! { <option value=*name selected=move || value() == at.to_string()>{lens_keys::label(name)}</option> }
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
            <label for=id>{lens_keys::label(key)}</label>
            {field}
        </div>
    }
}
