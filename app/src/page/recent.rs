//! Remembers comparisons on this device, if their answer was shown for [`REMEMBER_DELAY_MS`].

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Page;
use crate::backend::recent;
use crate::model::link::address::with_look;
use crate::model::link::fragment;
use crate::model::recent::RecentComparison;
use crate::model::result::preview::{briefly, form_names};
use crate::model::visit::{PageRoute, is_embed};
use crate::tr;

/// Time for which an answer must be shown before it is remembered, in milliseconds.
const REMEMBER_DELAY_MS: i32 = 1_500;

impl Page {
    /// Begins a new comparison in the list of remembered ones. The next answer becomes an entry of its own and does not
    /// replace the last entry.
    pub(super) fn begin_stretch(self) {
        self.stretch.set_value(0);
    }

    /// Remembers the comparison on the page if its result is still shown after [`REMEMBER_DELAY_MS`].
    pub(super) fn remember_soon(self) {
        spawn_local(async move {
            if self.answers.debounce(REMEMBER_DELAY_MS).await.is_some()
                && let Some(comparison) = self.comparison()
            {
                recent::add(comparison);
            }
        });
    }

    /// Returns the comparison on the page as it is remembered. Returns `None` if it is private, in a frame, lacks a
    /// text, or is too long for an address.
    fn comparison(self) -> Option<RecentComparison> {
        let shown = self.shown.get_untracked()?;
        let (form, answer) = (&shown.form, shown.run.answer.as_ref()?);
        let path = web_sys::window()?.location().pathname().ok()?;
        if self.is_private.get_untracked() || is_embed(&path) || form.a.is_blank() || form.b.is_blank() {
            return None;
        }
        let look = self.link_view.get_untracked().in_short();
        let address = match PageRoute::of(&path) {
            PageRoute::Form(_) => fragment::address(form, &look, self.packed().get_untracked().as_ref())?,
            PageRoute::Job(_) | PageRoute::Link(_) => with_look(&path, &look),
            PageRoute::Sealed(_) | PageRoute::Print | PageRoute::Collections | PageRoute::Nowhere => return None,
        };
        let [a, b] = form_names(form);
        let about = tr!("{answer}: {a} and {b}", answer = briefly(answer, shown.symbols, &form.job_options()), a = a, b = b);
        if self.stretch.get_value() == 0 {
            self.stretch.set_value(js_sys::Date::now() as u64);
        }
        Some(RecentComparison { stretch: self.stretch.get_value(), at: (js_sys::Date::now() / 1e3) as u64, address, about })
    }
}
