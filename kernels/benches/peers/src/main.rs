//! Peers: crates that compute the same as Editscope, as contenders of `cargo xtask bench --peers`.
//!
//! - [`contenders`]: the crates for each task
//! - [`scalar`]: reference code for one core with words of 64 bits
//! - [`turns`]: the protocol by which contenders alternate with Editscope

mod contenders;
mod scalar;
mod turns;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    turns::serve(contenders::of)
}
