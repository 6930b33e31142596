//! The options of a search for many patterns ([`PatternOptions`]).

use kernels::collection::PatternCollection;
use kernels::job::Task;
use leptos::ev;
use leptos::prelude::*;
use web_sys::{HtmlInputElement, HtmlSelectElement};

use crate::model::collection::patterns::form::PatternForm;
use crate::model::collection::patterns::sentences::task_says;
use crate::page::patterns::PatternPage;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};

/// Renders the options.
#[component]
pub fn PatternOptions() -> impl IntoView {
    let patterns = expect_context::<PatternPage>();
    let task = Memo::new(move |_| patterns.form.with(|form| form.task));
    let limit = move || patterns.form.with(|form| form.max_distance.to_string());
    let options = PatternCollection::TASKS.map(|of| {
        view! {
            <option value=of.name() prop:selected=move || task.get() == of>
                {task_says(of)}
            </option>
        }
    });
    let choose = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let name = event.target().value();
        let chosen = PatternCollection::TASKS.into_iter().find(|task| task.name() == name);
        patterns.edit(|form| form.task = chosen.unwrap_or(form.task));
    };
    let choose_limit = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let input = event.target();
        match input.value().trim().parse() {
            Ok(limit) => patterns.edit(|form| form.max_distance = limit),
            // An invalid number is replaced by the one in use.
            Err(_) => input.set_value(&limit()),
        }
    };
    view! {
        <div class="collection-options" role="group" aria-label=t("Options")>
            <div class="field">
                <label for="task-of-patterns">{t("Search")}</label>
                <span class="select">
                    <select id="task-of-patterns" on:change:target=choose>
                        {options}
                    </select>
                    {icon(Icon::Chevron)}
                </span>
            </div>
            <div class="field" hidden=move || task.get() != Task::ApproximateSearch>
                <label for="most-edits">{t("Edits at most")}</label>
                <input class="text" id="most-edits" type="number" min="0" inputmode="numeric" prop:value=limit on:change:target=choose_limit />
            </div>
            <div class="row wide">
                <Switch label=t("Both strands") of=|form| &mut form.has_both_strands />
                <Switch label=t("IUPAC codes match their bases") of=|form| &mut form.has_ambiguity />
                <Switch label=t("Ignore case") of=|form| &mut form.case_insensitive />
            </div>
        </div>
    }
}

#[component]
fn Switch(label: &'static str, of: fn(&mut PatternForm) -> &mut bool) -> impl IntoView {
    let patterns = expect_context::<PatternPage>();
    let on = move || *of(&mut patterns.form.get());
    let set = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let on = event.target().checked();
        patterns.edit(|form| *of(form) = on);
    };
    view! {
        <label class="check">
            <input type="checkbox" prop:checked=on on:change:target=set />
            <span>{label}</span>
        </label>
    }
}
