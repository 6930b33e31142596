//! A lens: a view that shows a method step by step ([`WatchView`]). It is shown instead of the matrix, and the picker
//! switches between the two.
//!
//! - [`picker`]: the orders of the matrix and the lenses, with their numbers of steps
//! - [`scene`]: state and actions
//! - [`picture`]: the drawing; [`step_texts`]: the sentence, counts, code, legend
//! - [`paper`]: the drawing for print
//! - [`question`]: the question about the next step; [`settings`]: the parameters

use explain::lens::LensName;
use explain::worker_protocol::query::MatrixQuery;
use leptos::either::EitherOf3;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::paper::Paper;
use self::picker::{Methods, PickerInputs, leave_for};
use self::picture::Picture;
use self::question::{Ask, Predict};
use self::scene::LensScene;
use self::settings::Fields;
use self::step_texts::{Code, Counts, Marked, Told};
use super::lens::{Lens, hide_answer};
use crate::backend::language;
use crate::model::lens::methods::MethodChoice;
use crate::model::lens::quiz::LensQuiz;
use crate::model::lens::{LensInput, lens_keys};
use crate::model::link::link_view::LinkView;
use crate::model::problem::Problem;
use crate::page::{Page, ShownResult};
use crate::tr;
use crate::tr::t;
use crate::view::widgets::prose::prose;
use crate::view::widgets::sheets::sheets;

pub mod paper;
pub mod picker;
pub mod picture;
pub mod question;
pub mod scene;
pub mod settings;
pub mod step_texts;

/// Renders the lens that the address names, on the texts of a result.
#[component]
pub fn WatchView(shown: ShownResult) -> impl IntoView {
    let page = expect_context::<Page>();
    let loaded = RwSignal::new(None::<Result<LensInput, Problem>>);
    let (task, options) = (shown.form.task, shown.form.job_options());
    spawn_local(async move {
        // Shows the problem if the texts about methods cannot be fetched, because a lens without them would show bare
        // keys.
        let words = language::speak_of_methods().await;
        let sheet = shown.location.query(MatrixQuery {}).await;
        loaded.try_set(Some(words.and(sheet).map(|sheet| LensInput::of(&sheet))));
    });
    let name = Memo::new(move |_| page.link_view.with(|look| look.lens(task, &options)));
    // The picker and the deck use the style sheet of the matrix.
    let (links, styled) = sheets(["matrix.css", "lens.css"]);
    view! {
        {links}
        {move || match loaded.get().filter(|_| styled.get()) {
            None => EitherOf3::A(view! { <p class="note" role="status">{t("Filling the matrix …")}</p> }),
            Some(Err(problem)) => EitherOf3::B(view! { <p class="say mt">{problem.detail}</p> }),
            Some(Ok(watched)) => {
                EitherOf3::C(move || {
                    let watched = watched.clone();
                    name.get().map(|name| view! { <Bench watched name /> })
                })
            }
        }}
    }
}

/// Renders the lens `name` on the texts `watched`, with its controls and explanations. If the texts are too long for
/// the lens, says which limit they exceed.
#[component]
fn Bench(watched: LensInput, name: LensName) -> impl IntoView {
    let page = expect_context::<Page>();
    let (with, step, quiz) = page.link_view.with_untracked(|look| {
        let step = look.detail("step").and_then(|step| step.parse().ok());
        let quiz = LensQuiz::read(look.detail("ask"), look.detail("seed"), look.detail("answers"));
        (look.detail("with").unwrap_or_default().to_owned(), step.unwrap_or(0), quiz)
    });
    let title = lens_keys::name(name);
    let scene = LensScene::open(watched.clone(), name, &with, step, quiz);
    let asks = scene.as_ref().ok().map(|scene| scene.quiz_state);
    let is_asking = Signal::derive(move || asks.is_some_and(|asks| asks.with(Option::is_some)));
    let choose = Callback::new(move |choice| leave_for(page, choice));
    let picking = PickerInputs::of(&watched, Signal::stored(MethodChoice::Lens(name)), choose, is_asking);
    match scene {
        Err(_) => {
            let (a, b) = name.max_symbols();
            leptos::either::Either::Left(view! {
                <section class="matrix-view" aria-label=title>
                    <div class="lens-pick"><Methods picking /></div>
                    <p class="say">{prose(&tr!("This view takes up to {a} symbols of *a* and {b} of *b*.", a = a, b = b))}</p>
                </section>
            })
        }
        Ok(scene) => {
            let scene = scene.between(page.link_view.with_untracked(LinkView::steps));
            provide_context(scene);
            scene.remember(page);
            hide_answer(Signal::derive(move || is_asking.get() || !scene.player.is_done()));
            leptos::either::Either::Right(view! {
                <section class="matrix-view watched" aria-label=title>
                    <Lens
                        player=scene.player
                        picker=view! { <Methods picking /><Predict /> }
                        picture=view! { <Picture /><Paper /> }
                        says=view! { <Ask /><Told /> }
                        knows=view! { <Counts /><Code /> }
                        more=view! { <Fields /><Marked /> }
                    />
                </section>
            })
        }
    }
}
