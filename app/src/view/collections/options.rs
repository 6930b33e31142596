//! The options of a comparison of many texts: unit, measure, differences to ignore.

use kernels::job::Unit;
use leptos::ev;
use leptos::prelude::*;
use web_sys::{HtmlInputElement, HtmlSelectElement};

use crate::model::collection::form::CollectionForm;
use crate::model::collection::measure::Measure;
use crate::model::collection::sentences::measure_says;
use crate::page::collection::CollectionPage;
use crate::tr::t;
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
    let unit = Memo::new(move |_| collection.form.with(|form| form.unit));
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
    let choose_unit = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let name = event.target().value();
        let chosen = Unit::ALL.into_iter().find(|unit| unit.name() == name);
        collection.edit(|form| form.unit = chosen.unwrap_or(form.unit));
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
            <div class="row wide">
                <Switch label=t("Ignore case") of=|form| &mut form.case_insensitive />
                <Switch label=t("Ignore white space") of=|form| &mut form.ignore_whitespace />
            </div>
        </div>
    }
}

#[component]
fn Switch(label: &'static str, of: fn(&mut CollectionForm) -> &mut bool) -> impl IntoView {
    let collection = expect_context::<CollectionPage>();
    let on = move || *of(&mut collection.form.get());
    let set = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let on = event.target().checked();
        collection.edit(|form| *of(form) = on);
    };
    view! {
        <label class="check">
            <input type="checkbox" prop:checked=on on:change:target=set />
            <span>{label}</span>
        </label>
    }
}
