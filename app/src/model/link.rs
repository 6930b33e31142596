//! What stands in an address of the page, and how a text gets there.
//!
//! - [`address`]: the address bar; [`fragment`]: a form behind the `#`; [`look`]: how its result is looked at
//! - [`class_code`]: a word that a class types
//! - [`percent`], [`packed`](mod@packed), [`base64url`]: texts as letters, as they are, deflated, and of any bytes
//! - [`seal`]: a comparison as bytes to be encrypted, for a link whose key is behind the `#`

pub mod address;
pub mod base64url;
pub mod class_code;
pub mod fragment;
pub mod look;
pub mod packed;
pub mod percent;
pub mod seal;
