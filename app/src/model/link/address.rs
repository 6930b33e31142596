//! The address shown in the address bar, which can be copied at any time: path, compared texts, and view of the result.
//! [`of_page`] makes it from an [`AddressState`].
//!
//! The page updates the address without being asked, so that the address must not contain more than the visitor has
//! already disclosed. Texts from a private link stay out of the address, even if edited, because the history of a
//! browser and everything that synchronizes it would store them.

use crate::model::form::FormState;
use crate::model::link::fragment;
use crate::model::link::link_view::LinkView;
use crate::model::link::packed_texts::PackedTexts;
use crate::model::visit::{PageRoute, task_path};

/// Appends `look`, the view of a result, to the address `place`. If the address has a fragment, such as the key of a
/// private link, the view follows it.
pub fn with_look(place: &str, look: &LinkView) -> String {
    let parts = look.write().join("&");
    let between = if place.contains('#') { "&" } else { "#" };
    if parts.is_empty() { place.to_owned() } else { format!("{place}{between}{parts}") }
}

/// The state of the page from which [`of_page`] makes the address.
#[derive(Clone, Copy, Debug)]
pub struct AddressState<'p> {
    pub form: &'p FormState,
    /// The view of the result.
    pub link_view: &'p LinkView,
    pub packed: Option<&'p PackedTexts>,
    /// Whether the texts came from a private link (a result encrypted with a key in the fragment).
    pub is_private: bool,
}

/// Returns the decryption key at the beginning of `fragment`, the fragment of a private link without its `#`.
pub fn key_of(fragment: &str) -> &str {
    fragment.split('&').next().unwrap_or_default()
}

/// Returns whether the address of a page at `path` may contain the compared texts, if they are short enough.
/// `is_private` tells whether the texts came from a private link.
pub fn holds_texts(path: &str, is_private: bool) -> bool {
    match PageRoute::of(path) {
        PageRoute::Job(_) | PageRoute::Link(_) | PageRoute::Sealed(_) | PageRoute::Collections => false,
        PageRoute::Print | PageRoute::Form(_) | PageRoute::Nowhere => !is_private,
    }
}

/// Returns the new address of a page at `path` in the state `shown`. `fragment` is the current fragment without its
/// `#`.
pub fn of_page(path: &str, fragment: &str, shown: &AddressState) -> String {
    let AddressState { form, link_view: look, packed, is_private } = *shown;
    let is_blank = form.a.is_blank() && form.b.is_blank();
    let whole = if is_blank || is_private { None } else { fragment::address(form, look, packed) };
    match PageRoute::of(path) {
        PageRoute::Job(_) | PageRoute::Link(_) => with_look(path, look),
        // The page writes its address itself.
        PageRoute::Collections if fragment.is_empty() => path.to_owned(),
        PageRoute::Collections => format!("{path}#{fragment}"),
        PageRoute::Sealed(_) => with_look(&format!("{path}#{}", key_of(fragment)), look),
        PageRoute::Print => {
            let parts = whole.as_ref().and_then(|whole| whole.split_once('#'));
            parts.map_or_else(|| "/print".into(), |(_, parts)| format!("/print#task={}&{parts}", form.task.name()))
        }
        PageRoute::Form(_) | PageRoute::Nowhere => whole.unwrap_or_else(|| task_path(form.task)),
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::*;
    use crate::model::form::FormText;

    fn of_page(path: &str, fragment: &str, form: &FormState, look: &LinkView, is_private: bool) -> String {
        super::of_page(path, fragment, &AddressState { form, link_view: look, packed: None, is_private })
    }

    fn form() -> FormState {
        FormState { a: FormText::typed("kitten"), b: FormText::typed("sitting"), ..FormState::new(Task::Lcs) }
    }

    #[test]
    fn private_link_keeps_its_key_and_contains_no_text() {
        let look = LinkView::read("view=matrix&step=3");
        for is_private in [true, false] {
            let address = of_page("/s/abc", "KEY_-9&view=dots", &form(), &look, is_private);
            assert_eq!(address, "/s/abc#KEY_-9&view=matrix&step=3");
        }
        assert_eq!(of_page("/s/abc", "KEY", &form(), &LinkView::default(), true), "/s/abc#KEY");
        // A form that was edited or has another task moves to the address of its task.
        for (path, expected) in [("/", "/lcs"), ("/lcs", "/lcs"), ("/print", "/print")] {
            assert_eq!(of_page(path, "", &form(), &look, true), expected);
        }
    }

    #[test]
    fn address_of_a_collection_stays_as_it_is() {
        let look = LinkView::default();
        assert_eq!(of_page("/collections", "a=x&alike=30", &form(), &look, false), "/collections#a=x&alike=30");
        assert_eq!(of_page("/collections", "", &form(), &look, false), "/collections");
        assert!(!holds_texts("/collections", false));
    }

    #[test]
    fn typed_texts_are_in_the_address_and_stored_ones_are_not() {
        let look = LinkView::read("view=metrics");
        assert_eq!(of_page("/lcs", "", &form(), &look, false), "/lcs#a=kitten&b=sitting&view=metrics");
        assert_eq!(of_page("/print", "", &form(), &LinkView::default(), false), "/print#task=lcs&a=kitten&b=sitting");
        assert_eq!(of_page("/lcs", "a=x", &FormState::new(Task::Lcs), &look, false), "/lcs");
        for path in ["/r/abc", "/j/abc"] {
            assert_eq!(of_page(path, "", &form(), &look, false), format!("{path}#view=metrics"));
        }
    }

    #[test]
    fn deflated_texts_of_private_links_are_not_in_the_address() {
        let form = FormState { a: FormText::typed("kitten ".repeat(900)), ..form() };
        let packed = PackedTexts::opened(crate::model::link::packed_texts::texts_of(&form).unwrap(), "AQcICQ");
        let of_page = |path, is_private| {
            super::of_page(path, "", &AddressState { form: &form, link_view: &LinkView::default(), packed: Some(&packed), is_private })
        };
        assert_eq!((of_page("/lcs", false), of_page("/print", false)), ("/lcs#z=AQcICQ".into(), "/print#task=lcs&z=AQcICQ".into()));
        assert_eq!(
            (of_page("/lcs", true), of_page("/print", true), of_page("/r/1", false)),
            ("/lcs".into(), "/print".into(), "/r/1".into())
        );
        assert!(holds_texts("/lcs", false) && holds_texts("/print", false) && !holds_texts("/lcs", true));
        assert!(!["/r/1", "/j/1", "/s/1"].into_iter().any(|path| holds_texts(path, false)));
    }

    #[test]
    fn links_contain_the_view_of_a_result() {
        let look = LinkView::read("view=matrix&order=column&step=20&cell=3,4");
        assert_eq!(with_look("/r/1", &look), "/r/1#view=matrix&order=column&step=20&cell=3,4");
        assert_eq!(with_look("/s/1#key", &look), "/s/1#key&view=matrix&order=column&step=20&cell=3,4");
        assert_eq!(with_look("/s/1#key", &LinkView::default()), "/s/1#key");
        assert_eq!((key_of("key&view=matrix"), key_of("key"), key_of("")), ("key", "key", ""));
    }
}
