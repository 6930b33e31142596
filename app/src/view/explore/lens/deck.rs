//! The controls of the steps of a lens ([`Deck`]): first, back, play, forward, last, a slider, the speed. Steps are
//! played only after the visitor presses play.

use explain::lens::StepUnit;
use leptos::prelude::*;

use super::player::StepPlayer;
use crate::model::lens::lens_keys;
use crate::model::text::humanize::{grouped, point};
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};

/// Speeds to choose from, as factors of the normal speed.
const SPEEDS: [f64; 4] = [0.5, 1.0, 2.0, 4.0];

/// Formats the number of the current step out of `all` steps, such as "step 3 of 9". `unit` is the name of the steps.
pub fn step_label(unit: StepUnit, step: usize, all: usize) -> String {
    match unit {
        StepUnit::Step => tr!("step {step} of {all}", step = grouped(step as u64), all = grouped(all as u64)),
        StepUnit::Round | StepUnit::Comparison | StepUnit::TimeUnit => lens_keys::step_progress(unit, step, all),
    }
}

/// Renders the controls of the steps.
#[component]
pub fn Deck(player: StepPlayer) -> impl IntoView {
    let key = |name: &'static str, which: Icon, act: Box<dyn Fn()>| {
        view! {
            <button class="btn only" type="button" aria-label=name title=name on:click=move |_| act()>
                {icon(which)}
            </button>
        }
    };
    let play = move || if player.playing.get() { t("Pause") } else { t("Play") };
    let share = move || {
        let (first, last) = player.bounds.get();
        format!("{:.1}%", player.step.get().saturating_sub(first) as f64 / (last - first).max(1) as f64 * 100.0)
    };
    let at = move || step_label(player.unit, player.step.get(), player.last.get());
    let chosen = player.speed.get_untracked();
    let speeds = SPEEDS.map(
        |speed| view! { <option value=speed.to_string() selected={speed == chosen}>{format!("{} ×", point(speed.to_string()))}</option> },
    );
    view! {
        <div class="deck" role="group" aria-label=t("Steps")>
            <div class="keys">
                {key(t("First step"), Icon::First, Box::new(move || player.go(0)))}
                {key(t("Step back"), Icon::Back, Box::new(move || player.step_by(-1)))}
                <button class="btn only main" type="button" aria-label=play title=play on:click=move |_| player.play()>
                    {move || icon(if player.playing.get() { Icon::Pause } else { Icon::Play })}
                </button>
                {key(t("Step forward"), Icon::Forward, Box::new(move || player.step_by(1)))}
                {key(t("Last step"), Icon::Last, Box::new(move || player.go(usize::MAX)))}
            </div>
            <input
                class="range"
                type="range"
                min=move || player.bounds.get().0
                max=move || player.bounds.get().1
                prop:value=move || player.step.get().to_string()
                aria-label=t("Step")
                aria-valuetext=at
                style=("--at", share)
                on:input:target=move |event| player.go(event.target().value().parse().unwrap_or(0))
            />
            <div class="row">
                <output class="at">{at}</output>
                <span class="select">
                    <select aria-label=t("Speed") on:change:target=move |event| player.speed.set(event.target().value().parse().unwrap_or(1.0))>
                        {speeds.collect_view()}
                    </select>
                    {icon(Icon::Chevron)}
                </span>
            </div>
        </div>
    }
}
