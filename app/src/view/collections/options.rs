//! The options of a comparison of many texts: unit, measure, differences to ignore, costs and points.

use kernels::job::Unit;
use leptos::ev;
use leptos::prelude::*;
use web_sys::{HtmlInputElement, HtmlSelectElement};

use crate::model::collection::measure::Measure;
use crate::model::collection::sentences::measure_says;
use crate::model::collection::session::SessionInput;
use crate::model::form::FormState;
use crate::model::form::costs::said as said_costs;
use crate::model::link::fragment::ignored as ignored_names;
use crate::model::points::sentences::said as said_points;
use crate::model::text::humanize;
use crate::page::collection::CollectionPage;
use crate::tr;
use crate::tr::t;
use crate::view::form::options::costs::CostsField;
use crate::view::form::options::costs_host::CostsHost;
use crate::view::form::options::kinds::OptionSwitch;
use crate::view::widgets::icon::{Icon, icon};

/// Units in the order of the menu, with their names.
fn units() -> [(Unit, &'static str); 5] {
    [
        (Unit::Graphemes, t("Characters")),
        (Unit::Words, t("Words")),
        (Unit::Lines, t("Lines")),
        (Unit::Chars, t("Code points")),
        (Unit::Bytes, t("Bytes")),
    ]
}

/// Renders the options.
#[component]
pub fn CollectionOptions() -> impl IntoView {
    let collection = expect_context::<CollectionPage>();
    let unit = Memo::new(move |_| collection.form.with(|form| form.options.unit));
    let measure = Memo::new(move |_| collection.form.with(|form| form.measure));
    let unit_options = units().map(|(of, name)| {
        view! {
            <option value=of.name() prop:selected=move || unit.get() == of>
                {name}
            </option>
        }
    });
    let measure_options = Measure::ALL.map(|of| {
        view! {
            <option value=of.name() prop:selected=move || measure.get() == of>
                {measure_says(of)}
            </option>
        }
    });
    provide_context(costs_host(collection));
    let switches = OptionSwitch::ALL.into_iter().filter(|switch| switch.ignores());
    let ignores_any = Memo::new(move |_| collection.form.with(|form| ignored_names(&form.options).next().is_some()));
    let ignored = move || {
        let on = |switch: &OptionSwitch| collection.form.with(|form| *switch.value_mut(&mut form.options.clone()));
        let names: Vec<&str> =
            OptionSwitch::ALL.into_iter().filter(|switch| switch.ignores() && on(switch)).map(OptionSwitch::phrase).collect();
        if names.is_empty() { t("Ignore …").to_owned() } else { tr!("Ignored: {what}", what = humanize::list(&names)) }
    };
    let has_no_costs = move || measure.get() == Measure::LcsRatio;
    let costs = move || {
        let says = collection.form.with(|form| match form.measure {
            Measure::Points => said_points(&form.options.scoring()),
            Measure::Similarity | Measure::LcsRatio | Measure::Edits => said_costs(form.options.costs),
        });
        says.replace('*', "")
    };
    let choose_unit = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let name = event.target().value();
        let chosen = Unit::ALL.into_iter().find(|unit| unit.name() == name);
        collection.edit(|form| form.options.unit = chosen.unwrap_or(form.options.unit));
    };
    let choose_measure = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let name = event.target().value();
        let chosen = Measure::ALL.into_iter().find(|measure| measure.name() == name);
        collection.edit(|form| form.measure = chosen.unwrap_or(form.measure));
    };
    view! {
        <div class="collection-options" role="group" aria-label=t("Options")>
            <div class="field">
                <label for="unit">{t("Count in")}</label>
                <span class="select">
                    <select id="unit" on:change:target=choose_unit>
                        {unit_options}
                    </select>
                    {icon(Icon::Chevron)}
                </span>
            </div>
            <div class="field">
                <label for="measure">{t("Measure")}</label>
                <span class="select">
                    <select id="measure" on:change:target=choose_measure>
                        {measure_options}
                    </select>
                    {icon(Icon::Chevron)}
                </span>
            </div>
            <details class="ignored" prop:open=ignores_any.get_untracked()>
                <summary>{ignored}</summary>
                <div class="row wide">{switches.map(|switch| view! { <Switch switch /> }).collect_view()}</div>
            </details>
            <details class="ignored" hidden=has_no_costs>
                <summary>{costs}</summary>
                <div class="option-panel">
                    <CostsField />
                </div>
            </details>
        </div>
    }
}

/// Creates the handle by which the fields of costs and points change the form.
fn costs_host(collection: CollectionPage) -> CostsHost {
    // Every change of the form ends a refusal, also one of the texts.
    let form = move || collection.form.with(|form| FormState { options: form.options.clone(), ..FormState::new(form.measure.task()) });
    CostsHost {
        form: Signal::derive(form),
        set_task: Callback::new(move |task| collection.edit(|form| form.measure = form.measure.of_task(task))),
        set: Callback::new(move |options| collection.edit(|form| form.options = options)),
        refuse: Callback::new(move |problem| collection.handle_input(SessionInput::Mistyped(problem))),
        is_pair: false,
    }
}

/// Renders a switch of a difference to ignore.
#[component]
fn Switch(switch: OptionSwitch) -> impl IntoView {
    let collection = expect_context::<CollectionPage>();
    let on = move || collection.form.with(|form| *switch.value_mut(&mut form.options.clone()));
    // Bytes have no accents.
    let off = move || {
        matches!(switch, OptionSwitch::Normalize | OptionSwitch::Accents) && collection.form.with(|form| form.options.unit) == Unit::Bytes
    };
    let set = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let on = event.target().checked();
        collection.edit(|form| *switch.value_mut(&mut form.options) = on);
    };
    view! {
        <label class="check">
            <input type="checkbox" prop:checked=on disabled=off on:change:target=set />
            <span>{switch.label()}</span>
        </label>
    }
}
