//! Helpers that all views share when they draw in a browser.
//!
//! - [`mod@client_only`]: views that only a browser draws; [`mod@lazy`]: views whose code is downloaded first;
//!   [`parts`]: the downloaded parts; [`mod@dialogs`]: the dialogs of every page
//! - [`keep_focus`], [`restore_focus`]: the focus when its element is removed or redrawn; [`mod@focus_next`]: moves it
//! - [`resized`], [`restyled`]: redraw after a change of size or colours

pub mod client_only;
pub mod dialogs;
pub mod focus_next;
pub mod keep_focus;
pub mod lazy;
pub mod parts;
pub mod resized;
pub mod restore_focus;
pub mod restyled;
