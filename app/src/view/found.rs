//! What was found: the facet that a result begins with. Its parts are in several places of the page.

use leptos::prelude::*;

use crate::model::link::look::Facet;
use crate::page::Page;

/// What belongs to [`Facet::Found`]; it keeps its state while another facet is looked at.
pub fn found<V: IntoView>(content: V) -> impl IntoView {
    let page = expect_context::<Page>();
    view! { <div hidden=move || page.look.with(|look| look.facet) != Facet::Found>{content}</div> }
}
