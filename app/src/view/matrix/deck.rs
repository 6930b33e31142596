//! The deck: first, back, play, forward, last, a slider, the speed. It never plays by itself.

use leptos::prelude::*;

use super::scene::Scene;
use crate::tr;
use crate::tr::t;
use crate::view::icon::{Icon, icon};

/// Speeds to choose from.
const SPEEDS: [(f64, &str); 4] = [(0.5, "0.5 ×"), (1.0, "1 ×"), (2.0, "2 ×"), (4.0, "4 ×")];

/// The controls of the steps.
#[component]
pub fn Deck() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let key = |name: &'static str, which: Icon, act: Box<dyn Fn()>| {
        view! {
            <button class="btn only" type="button" aria-label=name title=name on:click=move |_| act()>
                {icon(which)}
            </button>
        }
    };
    let play = move || if scene.playing.get() { t("Pause") } else { t("Play") };
    let share = move || format!("{:.1}%", scene.step.get() as f64 / scene.last_step().max(1) as f64 * 100.0);
    let at = move || tr!("step {step} of {all}", step = scene.step.get(), all = scene.last_step());
    let speeds = SPEEDS.map(|(speed, name)| view! { <option value=speed.to_string() selected={speed == 1.0}>{name}</option> });
    view! {
        <div class="deck" role="group" aria-label=t("Steps")>
            <div class="keys">
                {key(t("First step"), Icon::First, Box::new(move || scene.go(0)))}
                {key(t("Step back"), Icon::Back, Box::new(move || scene.step_by(-1)))}
                <button class="btn only main" type="button" aria-label=play title=play on:click=move |_| scene.play()>
                    {move || icon(if scene.playing.get() { Icon::Pause } else { Icon::Play })}
                </button>
                {key(t("Step forward"), Icon::Forward, Box::new(move || scene.step_by(1)))}
                {key(t("Last step"), Icon::Last, Box::new(move || scene.go(usize::MAX)))}
            </div>
            <input
                class="range"
                type="range"
                min="0"
                max=move || scene.last_step()
                prop:value=move || scene.step.get().to_string()
                aria-label=t("Step")
                aria-valuetext=at
                style=("--at", share)
                on:input:target=move |event| scene.go(event.target().value().parse().unwrap_or(0))
            />
            <div class="row">
                <output class="at">{at}</output>
                <span class="select">
                    <select aria-label=t("Speed") on:change:target=move |event| scene.speed.set(event.target().value().parse().unwrap_or(1.0))>
                        {speeds.collect_view()}
                    </select>
                    {icon(Icon::Chevron)}
                </span>
            </div>
        </div>
    }
}
