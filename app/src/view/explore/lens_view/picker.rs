//! The picker of methods: a strip of radio buttons for the orders of the matrix and the lenses, each with its name, its
//! number of steps and a description. The choice of an order shows the matrix; the choice of a lens shows the lens.
//! Arrow keys move through the strip, Home and End to its ends. If the strip is wider than its space, a button at each
//! end scrolls it.

use std::sync::Arc;

use explain::matrix::DpMatrix;
use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;

use crate::backend::language;
use crate::model::lens::LensInput;
use crate::model::lens::methods::{MethodChoice, PickerMethod, methods};
use crate::model::matrix::MatrixBoard;
use crate::page::Page;
use crate::tr::t;
use crate::view::browser::lazy::{LazyPart, draw_into};
use crate::view::browser::resized::on_resize;
use crate::view::browser::restore_focus;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::prose::prose;

/// Width in pixels of the fade at an end of the strip, which shows that the strip continues there.
const FADE: i32 = 64;

/// The inputs of the picker: the methods to choose from, and the signals of the view around it.
#[derive(Clone)]
pub struct PickerInputs {
    pub methods: Arc<Vec<PickerMethod>>,
    /// The method that is shown.
    pub chosen: Signal<MethodChoice>,
    /// Called with another method when the visitor chooses it.
    pub choose: Callback<MethodChoice>,
    /// Whether a quiz is running. Descriptions must then not reveal values.
    pub is_asking: Signal<bool>,
}

/// The inputs of the picker beside a matrix: the matrix, and `chosen`, `choose` and `is_asking` of [`PickerInputs`].
/// The picker computes the methods when it is drawn.
pub type BoardPickerInputs = (Arc<MatrixBoard>, Signal<MethodChoice>, Callback<MethodChoice>, Signal<bool>);

impl PickerInputs {
    /// Creates the inputs of the picker beside a lens on the texts `watched`. The other parameters become the fields
    /// with their names.
    pub fn of(watched: &LensInput, chosen: Signal<MethodChoice>, choose: Callback<MethodChoice>, is_asking: Signal<bool>) -> Self {
        let matrix =
            watched.task.and_then(|task| DpMatrix::new(task, watched.texts.costs, watched.texts.a.clone(), watched.texts.b.clone()).ok());
        let methods = matrix.map(|matrix| methods(&matrix, watched)).unwrap_or_default();
        Self { methods: Arc::new(methods), chosen, choose, is_asking }
    }
}

/// Writes the method `choice` into the address, and removes the settings of the previous method.
pub fn leave_for(page: Page, choice: MethodChoice) {
    // The strip is redrawn for the new method, and the focus is restored then.
    restore_focus::remember(id_of(choice), "");
    for name in ["step", "with", "cell", "seed", "answers"] {
        page.remember(name, None);
    }
    let (order, lens) = match choice {
        MethodChoice::Order(order) => (Some(order.name()).filter(|_| order != explain::matrix::order::FillOrder::default()), None),
        MethodChoice::Lens(name) => (None, Some(name.name())),
    };
    page.remember("order", order.map(str::to_owned));
    page.remember("lens", lens.map(str::to_owned));
}

/// Returns the element id of the button of the method `choice`.
fn id_of(choice: MethodChoice) -> String {
    format!("method-{}", choice.name())
}

/// Renders the strip of methods.
#[component]
pub fn Methods(picking: PickerInputs) -> impl IntoView {
    let PickerInputs { methods, chosen, choose, is_asking } = picking;
    let strip = NodeRef::<Div>::new();
    restore_focus::restore(&id_of(chosen.get_untracked()), "");
    // Scrolls a wide strip to the chosen method, now and when its style sheet is loaded.
    Effect::new(move |_| {
        let (choice, Some(strip)) = (chosen.get(), strip.get()) else { return };
        request_animation_frame(move || show(&strip, choice));
    });
    let ends = StripEnds::default();
    on_resize(strip, move |strip| {
        show(strip, chosen.get_untracked());
        ends.measure(strip);
    });
    let scrolled = move |_| {
        if let Some(strip) = strip.get_untracked() {
            ends.measure(&strip);
        }
    };
    let turn = move |by: i32| {
        if let Some(strip) = strip.get_untracked() {
            strip.set_scroll_left(strip.scroll_left() + by * strip.client_width() * 3 / 4);
        }
    };
    let end = move |class: &'static str, label: &'static str, sign: Icon, goes: RwSignal<bool>, by: i32| {
        view! {
            <button class=class type="button" tabindex="-1" aria-label=label title=label hidden=move || !goes.get() on:click=move |_| turn(by)>
                {icon(sign)}
            </button>
        }
    };
    let choices: Vec<MethodChoice> = methods.iter().map(|method| method.choice).collect();
    let keys = move |event: ev::KeyboardEvent| {
        let to = match event.key().as_str() {
            "Home" => choices.first(),
            "End" => choices.last(),
            _ => None,
        };
        let Some(choice) = to.copied() else { return };
        event.prevent_default();
        focus(choice);
        if chosen.get_untracked() != choice {
            choose.run(choice);
        }
    };
    let entries: Vec<_> = methods.iter().cloned().map(|method| view! { <Entry method chosen choose is_asking /> }).collect();
    view! {
        <div class="methods">
            {end("btn only before", t("Previous methods"), Icon::Back, ends.goes_back, -1)}
            <div class="orders" role="radiogroup" aria-label=t("Methods") node_ref=strip on:keydown=keys on:scroll=scrolled>
                {entries}
            </div>
            {end("btn only after", t("More methods"), Icon::Forward, ends.goes_on, 1)}
        </div>
    }
}

/// Flags that tell whether a strip continues beyond its beginning and its end.
#[derive(Clone, Copy, Default)]
struct StripEnds {
    goes_back: RwSignal<bool>,
    goes_on: RwSignal<bool>,
}

impl StripEnds {
    /// Sets the flags by a comparison of the visible part of `strip` with its whole width. Both are rounded to whole
    /// pixels, so that a difference of a pixel is ignored.
    fn measure(self, strip: &web_sys::HtmlElement) {
        let (from, room) = (strip.scroll_left(), strip.client_width());
        self.goes_back.set(from > 1);
        self.goes_on.set(from + room + 1 < strip.scroll_width());
    }
}

#[component]
fn Entry(method: PickerMethod, chosen: Signal<MethodChoice>, choose: Callback<MethodChoice>, is_asking: Signal<bool>) -> impl IntoView {
    let PickerMethod { choice, name, steps, shows, hidden, picture } = method;
    let id = id_of(choice);
    let hides = move || hidden.filter(|_| is_asking.get());
    let title = move || prose(hides().map_or(name.as_str(), |(name, _)| name));
    let about = move || hides().map_or_else(|| shows.clone(), |(_, shows)| shows.to_owned());
    let (cells, width, height) = picture;
    view! {
        <label>
            <input
                type="radio"
                name="method"
                id=id.clone()
                value=choice.name()
                aria-labelledby=format!("{id}-name {id}-steps")
                aria-describedby=format!("{id}-shows")
                prop:checked=move || chosen.get() == choice
                on:change=move |_| choose.run(choice)
            />
            <span class="head">
                <svg viewBox=format!("0 0 {width} {height}") aria-hidden="true" inner_html=cells></svg>
                <span>
                    <b id=format!("{id}-name")>{title}</b>
                    <small id=format!("{id}-steps")>{steps}</small>
                </span>
            </span>
            <span class="shows" id=format!("{id}-shows")>{about}</span>
        </label>
    }
}

/// Scrolls `strip`, but not the page, to the button of the method `choice`.
fn show(strip: &web_sys::HtmlElement, choice: MethodChoice) {
    use wasm_bindgen::JsCast;
    let label = document().get_element_by_id(&id_of(choice)).and_then(|input| input.parent_element());
    let Some(label) = label.and_then(|label| label.dyn_into::<web_sys::HtmlElement>().ok()) else { return };
    let (from, to) = (label.offset_left(), label.offset_left() + label.offset_width());
    let (left, right) = (strip.scroll_left(), strip.scroll_left() + strip.client_width());
    if from < left + FADE || to > right - FADE {
        strip.set_scroll_left(from - (strip.client_width() - label.offset_width()) / 2);
    }
}

fn focus(choice: MethodChoice) {
    use wasm_bindgen::JsCast;
    let input = document().get_element_by_id(&id_of(choice)).and_then(|input| input.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(input) = input {
        let _ = input.focus();
    }
}

/// Draws the strip of methods beside a matrix.
#[inline(never)]
#[wasm_split(watch, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn part() -> LazyPart<BoardPickerInputs> {
    Ok(|place, of| draw_into(place, move || view! { <BesideMatrix of /> }))
}

/// Renders the strip beside a matrix as soon as the texts about methods are loaded.
#[component]
fn BesideMatrix(of: BoardPickerInputs) -> impl IntoView {
    let ready = RwSignal::new(false);
    spawn_local(async move {
        // Without its texts, the strip would show translation keys, but orders could still be chosen.
        let _ = language::speak_of_methods().await;
        ready.try_set(true);
    });
    let (board, chosen, choose, is_asking) = of;
    move || {
        let methods = ready.get().then(|| Arc::new(methods(&board.matrix, &board.watched)))?;
        let picking = PickerInputs { methods, chosen, choose, is_asking };
        Some(view! { <Methods picking /> })
    }
}
