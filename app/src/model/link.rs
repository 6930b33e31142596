//! Contents of the page's addresses, and their encodings.
//!
//! - [`address`]: the address bar; [`fragment`]: a form after the `#`; [`link_view`]: the view of a result
//! - [`costs`], [`points`]: the costs of edits, and the points of sequence alignment, in a fragment
//! - [`class_code`]: a short code that students type to open a copy of a result
//! - [`percent`], [`packed_texts`](mod@packed_texts), [`base64url`]: encodings of plain texts, of deflated texts, and
//!   of any bytes
//! - [`seal`]: a comparison as bytes to encrypt, for a private link, which has its key after the `#`

pub mod address;
pub mod base64url;
pub mod class_code;
pub mod costs;
pub mod fragment;
pub mod link_view;
pub mod packed_texts;
pub mod percent;
pub mod points;
pub mod seal;
