//! Icons of 16 by 16 units, drawn in the colour of the text.

use leptos::prelude::*;

/// The icons of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    Above,
    Alert,
    Back,
    Check,
    Chevron,
    Copy,
    Corner,
    Cross,
    Down,
    First,
    Forward,
    Last,
    LeftOf,
    TwoBack,
    Link,
    List,
    Minus,
    More,
    Next,
    Pause,
    Play,
    Plus,
    Previous,
    Print,
    Projector,
    Sliders,
    Swap,
    Theme,
    Up,
}

impl Icon {
    fn paths(self) -> &'static str {
        match self {
            Self::Plus => r#"<path d="M3 8h10M8 3v10"/>"#,
            Self::Play => r#"<path d="M5 3.2v9.6l8-4.8z" fill="currentColor"/>"#,
            Self::Pause => r#"<path d="M4.5 3.5h2v9h-2zM9.5 3.5h2v9h-2z" fill="currentColor"/>"#,
            Self::Minus => r#"<path d="M3 8h10"/>"#,
            Self::TwoBack => r#"<path d="m3 3 10 10M3 8V3h5M7 12V7h5"/>"#,
            Self::LeftOf => r#"<path d="M13 8H3M7 4 3 8l4 4"/>"#,
            Self::Last => r#"<path d="M4 3.5 9.5 8 4 12.5zM12 3.5v9" fill="currentColor"/>"#,
            Self::Forward => r#"<path d="M5.5 3.5 11 8l-5.5 4.5z" fill="currentColor"/>"#,
            Self::First => r#"<path d="M12 3.5 6.5 8l5.5 4.5zM4 3.5v9" fill="currentColor"/>"#,
            Self::Corner => r#"<path d="m4 4 8 8M4 9V4h5"/>"#,
            Self::Back => r#"<path d="M10.5 3.5 5 8l5.5 4.5z" fill="currentColor"/>"#,
            Self::Above => r#"<path d="M8 13V3M4 7l4-4 4 4"/>"#,
            Self::Alert => r#"<path d="M8 2.5 14.2 13.5H1.8zM8 6.5v3.2M8 11.6v.1"/>"#,
            Self::Check => r#"<path d="m3 8.5 3.3 3.3L13 4.5"/>"#,
            Self::Chevron => r#"<path d="m4 6 4 4 4-4"/>"#,
            Self::Copy => {
                r#"<rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2"/>"#
            }
            Self::Cross => r#"<path d="m4 4 8 8M12 4l-8 8"/>"#,
            Self::Down => r#"<path d="M8 2.5v8M5 7.5l3 3 3-3M2.5 13.5h11"/>"#,
            Self::Link => {
                r#"<path d="M6.5 9.5a2.8 2.8 0 0 0 4 0l2.3-2.3a2.8 2.8 0 1 0-4-4l-.8.8M9.5 6.5a2.8 2.8 0 0 0-4 0L3.2 8.8a2.8 2.8 0 1 0 4 4l.8-.8"/>"#
            }
            Self::List => r#"<path d="M6 4h8M6 8h8M6 12h8M2.2 4h.6M2.2 8h.6M2.2 12h.6"/>"#,
            Self::More => r#"<path d="M3 8h.2M8 8h.2M13 8h.2" stroke-width="2.4"/>"#,
            Self::Next => r#"<path d="m4 6.5 4 4 4-4"/>"#,
            Self::Previous => r#"<path d="m4 9.5 4-4 4 4"/>"#,
            Self::Print => r#"<path d="M4.5 6V2.5h7V6M4.5 12h-2V6h11v6h-2M4.5 9.5h7v4h-7z"/>"#,
            Self::Projector => r#"<path d="M2 2.5h12M3 2.5v7h10v-7M8 9.5v2M5 14l3-2.5 3 2.5"/>"#,
            Self::Sliders => {
                r#"<path d="M2 4.5h7.2M12.8 4.5H14M2 11.5h1.2M6.8 11.5H14"/><circle cx="11" cy="4.5" r="1.8"/><circle cx="5" cy="11.5" r="1.8"/>"#
            }
            Self::Swap => r#"<path d="M2.5 5.5h10M10 3l2.5 2.5L10 8M13.5 10.5h-10M6 8l-2.5 2.5L6 13"/>"#,
            Self::Theme => r#"<circle cx="8" cy="8" r="5.5"/><path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor"/>"#,
            Self::Up => r#"<path d="M8 10.5v-8M5 5.2l3-3 3 3M2.5 10.5v3h11v-3"/>"#,
        }
    }
}

/// Draws an icon, which is hidden from screen readers.
pub fn icon(icon: Icon) -> impl IntoView {
    view! { <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" inner_html=icon.paths()></svg> }
}
