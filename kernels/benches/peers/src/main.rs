//! Crates that compute what Editscope computes: contenders of `cargo xtask bench --peers`.
//!
//! - [`contenders`]: what there is for each task; [`scalar`]: what one core does with words of 64 bits
//! - [`turns`]: how they take turns with ours

mod contenders;
mod scalar;
mod turns;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    turns::serve(contenders::of)
}
