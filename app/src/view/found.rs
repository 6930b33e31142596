//! What was found, outside the panel of its tab: what of an answer stands before its alignment.

use leptos::prelude::*;

use crate::model::link::look::Facet;
use crate::page::Page;

/// What belongs to [`Facet::Found`]; it keeps its state while another facet is looked at.
pub fn found<V: IntoView>(content: V) -> impl IntoView {
    let page = expect_context::<Page>();
    view! { <div hidden=move || page.look.with(|look| look.facet) != Facet::Found>{content}</div> }
}
