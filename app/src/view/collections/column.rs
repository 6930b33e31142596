//! The choice of a table's column that has the texts ([`ColumnChooser`]).

use leptos::ev;
use leptos::prelude::*;
use web_sys::{HtmlInputElement, HtmlSelectElement};

use super::fields::id_of;
use crate::model::collection::member_edits::MemberEdits;
use crate::model::collection::sources::TextSide;
use crate::model::collection::table::ColumnChoice;
use crate::model::form::FormSide;
use crate::page::collection::CollectionPage;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};

/// Renders the columns of texts and of names, if the texts of a side are in a column.
#[component]
pub fn ColumnChooser(side: FormSide) -> impl IntoView {
    let collection = expect_context::<CollectionPage>();
    let column = Memo::new(move |_| collection.form.with(|form| form.side(side).and_then(|side| side.column)));
    let is_chosen = Memo::new(move |_| column.with(Option::is_some));
    // The rows are read only if the texts change.
    let sources =
        Memo::new(move |_| collection.form.with(|form| form.side(side).filter(|_| is_chosen.get()).map(|side| side.sources.clone())));
    let rows = Memo::new(move |_| sources.get().map(|sources| TextSide { sources, ..TextSide::default() }.rows()).unwrap_or_default());
    let headings = Memo::new(move |_| rows.with(|rows| column.get().map(|column| column.headings(rows)).unwrap_or_default()));
    let edit = move |change: &dyn Fn(&mut ColumnChoice)| {
        collection.edit(|form| {
            if let Some(column) = &mut form.side_mut(side).column {
                change(column);
            }
        });
    };
    let options = move |chosen: fn(ColumnChoice) -> Option<usize>| {
        let option = |(number, name): (usize, String)| {
            view! {
                <option value=number.to_string() prop:selected=move || column.get().and_then(chosen) == Some(number)>
                    {name}
                </option>
            }
        };
        headings.get().into_iter().enumerate().map(option).collect_view()
    };
    let choose_text = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let chosen = event.target().value().parse();
        edit(&|column| column.text = chosen.clone().unwrap_or(column.text));
    };
    let choose_name = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let chosen = event.target().value().parse().ok();
        edit(&|column| column.name = chosen);
    };
    let choose_headings = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let has_headings = event.target().checked();
        edit(&|column| column.has_headings = has_headings);
        // The numbers of the rows have changed.
        collection.edit(|form| form.side_mut(side).set_edits(MemberEdits::default()));
    };
    let has_headings = move || column.get().is_some_and(|column| column.has_headings);
    let has_names = move || column.get().is_some_and(|column| column.name.is_some());
    let chooser = move || {
        view! {
            <div class="row wide columns">
                <label class="row">
                    {t("Column of the texts")}
                    <span class="select">
                        <select id=id_of("column", side) on:change:target=choose_text>{move || options(|column| Some(column.text))}</select>
                        {icon(Icon::Chevron)}
                    </span>
                </label>
                <label class="row">
                    {t("Column of the names")}
                    <span class="select">
                        <select id=id_of("names", side) on:change:target=choose_name>
                            <option value="" prop:selected=move || !has_names()>{t("none")}</option>
                            {move || options(|column| column.name)}
                        </select>
                        {icon(Icon::Chevron)}
                    </span>
                </label>
                <label class="check">
                    <input type="checkbox" prop:checked=has_headings on:change:target=choose_headings />
                    <span>{t("The first row names the columns")}</span>
                </label>
            </div>
        }
    };
    move || is_chosen.get().then(chooser)
}
