//! An editor of the form ([`Editor`]): one text with its source and length, and the buttons that swap, open and clear
//! texts.

use leptos::ev;
use leptos::html::Input;
use leptos::prelude::*;

use crate::backend::files::archive::{self, DroppedEntries};
use crate::model::form::{FormSide, TextContent};
use crate::model::task::TaskDescription;
use crate::model::task::samples::SampleEntry;
use crate::page::Page;
use crate::tr;
use crate::tr::t;
use crate::view::browser::lazy::lazy;
use crate::view::browser::parts;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::menu;

/// Renders the editor of one text, which may be typed, dropped, opened or on the server.
#[component]
pub fn Editor(which: FormSide) -> impl IntoView {
    let page = expect_context::<Page>();
    let name = which.name();
    let dragging = RwSignal::new(false);
    let drop = move |event: ev::DragEvent| {
        dragging.set(false);
        let given = event.data_transfer().map(|transfer| archive::dropped(&transfer));
        // A browser inserts dropped text itself.
        if let Some(given) = given.filter(|given| !given.listed().is_empty()) {
            event.prevent_default();
            page.open_files(which, given, true);
        }
    };
    let over = move |event: ev::DragEvent| {
        event.prevent_default();
        dragging.set(true);
    };
    let role = move || page.form.with(|form| of_side(which, TaskDescription::of(form.task).roles()));
    let title = move || page.form.with(|form| form.side(which).name.clone());
    let is_given = Memo::new(move |_| page.form.with(|form| !form.side(which).is_blank()));
    // The part stays once it is loaded, because it hides itself if it has no message.
    let has_note = Memo::new(move |before| {
        if page.offered_files[which as usize].with(Option::is_some) {
            return true;
        }
        is_given.get() && (before == Some(&true) || page.action_table().is_some_and(|acts| (acts.needs_reading_note)(page, which)))
    });
    view! {
        <section class="editor" class:dragging=dragging aria-label=tr!("Text {name}", name = name) on:drop=drop on:dragover=over on:dragleave=move |_| dragging.set(false)
            on:focusin=move |_| page.warm_up()
            on:pointerenter=move |_| page.warm_up()>
            <header>
                <label for=format!("text-{name}")>
                    <b class="role" hidden=move || role().is_empty()>{role}</b>
                    <var>{name}</var>
                    <span hidden=move || title().is_none()>{title}</span>
                </label>
                <span class="count" id=format!("count-{name}")>{move || page.action_table().filter(|_| is_given.get()).map(|acts| (acts.count)(page, which))}</span>
                <FileActions which is_given />
            </header>
            <Body which />
            {lazy(move || has_note.get().then_some(which), parts::read_as)}
        </section>
    }
}

#[component]
pub fn Swap() -> impl IntoView {
    let page = expect_context::<Page>();
    view! {
        <button
            class="btn only swap"
            type="button"
            aria-label=t("Swap a and b")
            title=t("Swap a and b (X)")
            aria-keyshortcuts="X"
            on:pointerenter=move |_| page.warm_up()
            on:click=move |_| page.swap()
        >
            {icon(Icon::Swap)}
        </button>
    }
}

/// Returns the item of the pair that belongs to text `which`: `a` or `b`.
fn of_side(which: FormSide, [a, b]: [&'static str; 2]) -> &'static str {
    match which {
        FormSide::A => a,
        FormSide::B => b,
    }
}

/// Renders the text area, or the beginning of a text that is too long for one.
#[component]
fn Body(which: FormSide) -> impl IntoView {
    let page = expect_context::<Page>();
    let name = which.name();
    let head = Memo::new(move |_| {
        page.form.with(|form| match &form.side(which).content {
            TextContent::Typed(_) => None,
            TextContent::File { head, .. } | TextContent::Stored { head, .. } => Some(head.clone()),
        })
    });
    let dense = Memo::new(move |_| page.form.with(|form| form.side(which).text().is_some_and(is_dense)));
    let text = move || page.form.with(|form| form.side(which).text().unwrap_or_default().to_owned());
    let typed = move |event: ev::Targeted<ev::Event, web_sys::HtmlTextAreaElement>| {
        let text = event.target().value();
        let (side, is_whole) = page.form.with_untracked(|form| {
            let side = form.side(which);
            (side.retyped(text.clone()), is_brought(&event) && is_mostly_new(side.text().unwrap_or_default(), &text))
        });
        if is_whole {
            page.paste(which, side);
        } else {
            page.put(which, side);
        }
    };
    let placeholder = move || page.form.with(|form| of_side(which, TaskDescription::of(form.task).example));
    let label =
        move || page.form.with(|form| format!("{} {name}", of_side(which, TaskDescription::of(form.task).roles())).trim().to_owned());
    view! {
        <textarea
            id=format!("text-{name}")
            class:dense=dense
            aria-label=label
            aria-describedby=format!("count-{name}")
            spellcheck="false"
            autocapitalize="off"
            autocomplete="off"
            placeholder=placeholder
            hidden=move || head.with(Option::is_some)
            prop:value=text
            on:input:target=typed
        ></textarea>
        <pre class="head seq" tabindex="0" aria-label=tr!("Beginning of {name}", name = name) hidden=move || head.with(Option::is_none)>
            {move || head.get()}
        </pre>
    }
}

/// Returns whether an input event inserts pasted or dropped text, not typed text.
fn is_brought(event: &ev::Event) -> bool {
    let kind = js_sys::Reflect::get(event, &"inputType".into()).ok().and_then(|kind| kind.as_string());
    kind.is_some_and(|kind| kind.starts_with("insertFrom"))
}

/// Returns whether one contiguous part that makes up at least half of `after` is not in `before`.
fn is_mostly_new(before: &str, after: &str) -> bool {
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let begin = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let end = old[begin..].iter().rev().zip(new[begin..].iter().rev()).take_while(|(old, new)| old == new).count();
    (begin + end) * 2 <= new.len() && !new.is_empty()
}

/// Number of letters at the beginning of a text in which [`is_dense`] looks for white space.
const WORD_SAMPLE_LETTERS: usize = 300;

/// Returns whether a text begins like one long word, such as DNA. To break such a word, a browser tries the whole rest
/// of it for every line, unless the style allows breaks anywhere.
fn is_dense(text: &str) -> bool {
    text.as_bytes().get(..WORD_SAMPLE_LETTERS).is_some_and(|beginning| beginning.iter().all(u8::is_ascii_graphic))
}

/// Renders the buttons that open a file and clear the text.
#[component]
fn FileActions(which: FormSide, is_given: Memo<bool>) -> impl IntoView {
    let page = expect_context::<Page>();
    let picker = NodeRef::<Input>::new();
    let pick = move |_| {
        if let Some(picker) = picker.get_untracked() {
            picker.click();
        }
    };
    let picked = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let input = event.target();
        page.open_files(which, DroppedEntries::of_files(archive::listed(input.files())), false);
        // Resets the input so that the same file can be chosen again.
        input.set_value("");
    };
    let clear = move |_| page.clear_text(which);
    view! {
        <span class="file-actions">
            <button class="btn ghost small" type="button" aria-label=tr!("Open file: {name}", name = which.name()) on:click=pick>
                {icon(Icon::Up)}
                <span class="l">{t("Open file")}</span>
            </button>
            <input class="vh" type="file" multiple tabindex="-1" aria-label=tr!("File for {name}", name = which.name()) node_ref=picker on:change:target=picked />
            <button class="btn ghost small" type="button" aria-label=tr!("Clear {name}", name = which.name()) hidden=move || !is_given.get() on:click=clear>
                {t("Clear")}
            </button>
        </span>
    }
}

/// Renders the menu of sample texts.
#[component]
pub fn Samples() -> impl IntoView {
    let page = expect_context::<Page>();
    let panel = NodeRef::<leptos::html::Div>::new();
    let task = Memo::new(move |_| page.form.with(|form| form.task));
    let entry = move |(number, sample): (usize, &'static SampleEntry)| {
        let choose = move |_| {
            menu::close(panel);
            page.try_sample(number);
        };
        view! {
            <li>
                <button type="button" on:click=choose>
                    <b>{t(sample.title)}</b>
                    <small>{t(sample.about)}</small>
                </button>
            </li>
        }
    };
    let entries = move || TaskDescription::of(task.get()).menu.iter().enumerate().map(entry).collect_view();
    let label = view! { {t("Samples")} {icon(Icon::Chevron)} };
    menu::menu("samples".into(), "btn ghost small", panel, label, view! { <ul>{entries}</ul> })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_mostly_new_if_half_of_it_was_pasted() {
        assert!(is_mostly_new("", "kitten") && is_mostly_new("kitten", "sitting") && is_mostly_new("ab", "ab and more"));
        assert!(!is_mostly_new("a long text", "a long new text") && !is_mostly_new("kitten", "") && !is_mostly_new("kitten", "kitten"));
    }

    #[test]
    fn dna_is_shown_densely_and_prose_is_not() {
        assert!(is_dense(&"ACGT".repeat(100)));
        assert!(!is_dense(&"the quick brown fox ".repeat(100)) && !is_dense("ACGT") && !is_dense(&"é".repeat(400)));
        assert!(!is_dense(&format!(">phage\n{}", "ACGT".repeat(100))), "lines of a file are short");
    }
}
