//! The form: both texts, the options, and what is said about them before a run.
//!
//! - [`editor`]: one text; [`read_as`]: how it is read; [`convert`]: the offer to edit a file that is shown read-only
//! - [`several_files`]: the offer to choose one of several files
//! - [`options`]: the panel of options; [`unit_reason`]: the reason for an automatically chosen unit
//! - [`run_button`]: the button that runs and cancels; [`stored_data`]: texts of a cancelled job on the server
//! - [`opening`]: the matrix on the first page; [`mod@recent`]: comparisons that this browser remembers
//! - [`undo`]: the offer to restore replaced texts; [`message`]: problems, and the first visit

pub mod convert;
pub mod editor;
pub mod message;
pub mod opening;
pub mod options;
pub mod read_as;
pub mod recent;
pub mod run_button;
pub mod several_files;
pub mod stored_data;
pub mod undo;
pub mod unit_reason;
