//! Formatting of numbers as words, the same in the browser and on the server. Rounds like `format!`, but from integers:
//! the code that formats floats takes 20 kB, which every user would download with the solver.

/// Formats a number of cells: "2,499 cells", "4 × 10¹² cells". Small numbers have all digits, larger ones one or two
/// digits and a power of ten.
pub fn cells_in_words(cells: u64) -> String {
    if cells < 1_000_000 {
        return format!("{} {}", grouped(cells), if cells == 1 { "cell" } else { "cells" });
    }
    let (figures, power) = power_of_ten(cells);
    let superscript = |digit: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit as usize - '0' as usize).unwrap_or(digit);
    let power: String = power.to_string().chars().map(superscript).collect();
    if figures == "1" { format!("10{power} cells") } else { format!("{figures} × 10{power} cells") }
}

/// Rounds a positive number to at most two digits. Returns the digits as text, such as `4` or `4.1`, and the exponent
/// of the power of ten by which they are multiplied.
pub fn power_of_ten(number: u64) -> (String, usize) {
    let power = number.checked_ilog10().unwrap_or(0);
    let (tenths, power) = match power.checked_sub(1) {
        None => (10 * number, power),
        Some(less) => match rounded(number, 10u64.pow(less)) {
            100 => (10, power + 1),
            tenths => (tenths, power),
        },
    };
    (with_a_tenth(tenths), power as usize)
}

/// Returns `number / by`, rounded to the nearest integer, with ties to even.
fn rounded(number: u64, by: u64) -> u64 {
    let (whole, rest) = (number / by, 2 * (number % by));
    whole + u64::from(rest > by || rest == by && whole % 2 == 1)
}

/// Formats a number of tenths with at most one decimal: "4" or "4.1".
fn with_a_tenth(tenths: u64) -> String {
    let (whole, tenth) = (tenths / 10, tenths % 10);
    if tenth == 0 { whole.to_string() } else { format!("{whole}.{tenth}") }
}

/// Formats a number of symbols: "2,499 symbols", "42 million symbols". Small numbers have all digits, larger ones at
/// most two.
pub fn symbols_in_words(symbols: u64) -> String {
    let rounded = |unit: u64, name: &str| format!("{} {name} symbols", two_figures(symbols as f64 / unit as f64));
    match symbols {
        1 => "1 symbol".into(),
        0..1_000_000 => format!("{} symbols", grouped(symbols)),
        1_000_000..999_500_000 => rounded(1_000_000, "million"),
        _ => rounded(1_000_000_000, "billion"),
    }
}

/// Formats a duration of `ms` milliseconds with at most two digits: "less than a millisecond", "about 17 s".
pub fn time_in_words(ms: f64) -> String {
    match ms {
        ms if ms < 1.0 => "less than a millisecond".into(),
        ms if ms < 1e3 => format!("about {} ms", two_figures(ms)),
        ms if ms < 120e3 => format!("about {} s", two_figures(ms / 1e3)),
        ms if ms < 7200e3 => format!("about {} min", two_figures(ms / 60e3)),
        ms => format!("about {} h", two_figures(ms / 3600e3)),
    }
}

fn two_figures(value: f64) -> String {
    // From 1 on, a float is a multiple of 2⁻⁵². Below 1, smaller fractions are cut off.
    const PARTS: u64 = 1 << 52;
    if value.is_infinite() {
        "inf".into()
    } else if value >= 10.0 {
        (value.round_ties_even() as u64).to_string()
    } else {
        with_a_tenth(rounded((value * PARTS as f64) as u64 * 10, PARTS))
    }
}

/// Formats a number with commas between thousands: "1,000,206".
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trimmed(figures: &str) -> &str {
        figures.trim_end_matches('0').trim_end_matches('.')
    }

    /// Yields ties, numbers that round up to another power of ten, and random numbers that a float represents exactly.
    fn numbers() -> impl Iterator<Item = u64> {
        let powers = (0..20).map(|power| 10u64.pow(power));
        let around = powers.flat_map(|power| {
            (0..=100).flat_map(move |tenth| (0..3).map(move |by| (power / 20).saturating_mul(tenth).saturating_add(by).saturating_sub(1)))
        });
        let mut rng = fastrand::Rng::with_seed(1);
        let any = (0..20_000).map(move |_| rng.u64(..) >> rng.u32(11..64));
        around.chain(any).chain([999_499, 9_949, 9_950, 9_951]).filter(|number| (1..=1 << 53).contains(number))
    }

    #[test]
    fn powers_of_ten_are_rounded_like_formatted_floats() {
        for number in numbers() {
            let scientific = format!("{:.1e}", number as f64);
            let (figures, power) = scientific.split_once('e').unwrap();
            assert_eq!(power_of_ten(number), (trimmed(figures).to_owned(), power.parse().unwrap()), "{number}");
        }
    }

    #[test]
    fn two_digits_are_rounded_like_formatted_floats() {
        for number in numbers() {
            for by in [1.0, 2.0, 3.0, 20.0, 60e3, 1e9] {
                let value = number as f64 / by;
                if (10.0..1e15).contains(&value) {
                    assert_eq!(two_figures(value), format!("{value:.0}"), "{value}");
                } else if (1.0..10.0).contains(&value) {
                    assert_eq!(two_figures(value), trimmed(&format!("{value:.1}")), "{value}");
                }
            }
        }
        for (value, figures) in [(1.25, "1.2"), (1.35, "1.4"), (9.95, "9.9"), (9.951, "10"), (2.5, "2.5"), (10.5, "10"), (11.5, "12")] {
            assert_eq!(two_figures(value), figures, "{value}");
        }
        assert_eq!(two_figures(f64::INFINITY), "inf");
        assert_eq!(power_of_ten(u64::MAX), ("1.8".into(), 19));
    }
}
