//! The dot plot of a result ([`DotsView`]): a point for each word that both texts have in common. The visible range of
//! the texts can be zoomed and moved.
//!
//! - [`plot`]: state, requests and actions
//! - [`gestures`]: pointers, wheel and keys
//! - [`drawing`]: the canvas; [`layout`]: the position of the picture on the canvas
//! - [`tools`]: controls below the plot; [`legend`]: explanations beside it; [`matches`](mod@matches): the visible
//!   matches as a list

use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;

use self::legend::Legend;
use self::matches::{Filters, Matches};
use self::plot::PlotState;
use self::tools::{Tools, Window};
use crate::model::text::humanize::grouped;
use crate::page::{Page, ShownResult};
use crate::tr;
use crate::tr::t;
use crate::view::browser::restyled::on_restyled;
use crate::view::widgets::chart::width_of;
use crate::view::widgets::prose::prose;
use crate::view::widgets::sheets::sheets;

pub mod drawing;
pub mod gestures;
pub mod layout;
pub mod legend;
pub mod matches;
pub mod plot;
pub mod tools;

/// Renders the dot plot of a result, with the visible range and the settings in the address.
#[component]
pub fn DotsView(shown: ShownResult) -> impl IntoView {
    let (links, styled) = sheets(["dots.css"]);
    view! {
        {links}
        {move || styled.get().then(|| view! { <WholePlot shown=shown.clone() /> })}
    }
}

/// Renders the plot as soon as its style sheet is loaded.
#[component]
fn WholePlot(shown: ShownResult) -> impl IntoView {
    let page = expect_context::<Page>();
    let (a, b) = shown.symbols;
    let room = NodeRef::<Div>::new();
    let plot = PlotState::new(page, &shown, width_of(room));
    provide_context(plot);
    drawing::keep_drawn(plot);
    let resize = window_event_listener(ev::resize, move |_| plot.look_again());
    on_cleanup(move || resize.remove());
    on_restyled(move || plot.look_again());
    let label = tr!("Dot plot of {a} by {b} symbols", a = grouped(a), b = grouped(b));
    let size = move |side: fn((f64, f64)) -> f64| move || format!("{:.0}px", side(plot.size.get()));
    view! {
        <section class="section dots-view" aria-label=t("Dot plot")>
            <p class="say wide projector-off">
                {prose(t("Every dot is a word of *a* that is also in *b*. A line of dots, down to the right, is a passage that both have; lines beside the main one are repeats, or passages that moved."))}
            </p>
            <div class="split">
                <div class="stack">
                    <div class="dots-room" node_ref=room>
                        <canvas
                            class="dots"
                            tabindex="0"
                            role="application"
                            aria-roledescription=t("zoomable plot")
                            aria-label=label
                            aria-describedby="dots-help"
                            style:width=size(|size| size.0)
                            style:height=size(|size| size.1)
                            node_ref=plot.canvas
                            on:keydown=move |event| plot.key(&event)
                            on:wheel=move |event| plot.wheel(&event)
                            on:pointerdown=move |event| plot.down(&event)
                            on:pointermove=move |event| plot.drag(&event)
                            on:pointerup=move |event| plot.up(&event)
                            on:pointercancel=move |event| plot.up(&event)
                            on:pointerleave=move |_| plot.hover.set(None)
                            on:dblclick=move |event| plot.nearer(&event)
                        ></canvas>
                    </div>
                    <Tools />
                    <Filters />
                    <Window />
                    <p class="note projector-off" id="dots-help">
                        {t("Drag to move, Ctrl and wheel or + and − to zoom, arrows move, 0 shows everything. Shift and drag zooms to an area. A click, or Enter for the middle, chooses a place.")}
                    </p>
                </div>
                <aside class="stack loose">
                    <Legend />
                    <Matches />
                </aside>
            </div>
        </section>
    }
}
