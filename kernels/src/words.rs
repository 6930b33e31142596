//! Figures in words, the same in browser and server.

/// "2,499 cells", "4 × 10¹² cells": digits while they are few, else one or two figures and a power of ten.
pub fn cells_in_words(cells: u64) -> String {
    if cells < 1_000_000 {
        return format!("{} {}", grouped(cells), if cells == 1 { "cell" } else { "cells" });
    }
    let (figures, power) = power_of_ten(cells);
    let superscript = |digit: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit as usize - '0' as usize).unwrap_or(digit);
    let power: String = power.to_string().chars().map(superscript).collect();
    if figures == "1" { format!("10{power} cells") } else { format!("{figures} × 10{power} cells") }
}

/// A number that is not 0 as at most two figures, `4` or `4.1`, and the power of ten that they are multiplied by.
pub fn power_of_ten(number: u64) -> (String, usize) {
    let scientific = format!("{:.1e}", number as f64);
    let (figures, power) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    (figures.trim_end_matches('0').trim_end_matches('.').to_owned(), power.parse().unwrap_or(0))
}

/// "2,499 symbols", "42 million symbols": digits while they are few, else at most two figures.
pub fn symbols_in_words(symbols: u64) -> String {
    let rounded = |unit: u64, name: &str| format!("{} {name} symbols", two_figures(symbols as f64 / unit as f64));
    match symbols {
        1 => "1 symbol".into(),
        0..1_000_000 => format!("{} symbols", grouped(symbols)),
        1_000_000..999_500_000 => rounded(1_000_000, "million"),
        _ => rounded(1_000_000_000, "billion"),
    }
}

/// "less than a millisecond", "about 17 s": at most two figures.
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
    if value >= 10.0 { format!("{value:.0}") } else { format!("{value:.1}").trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// Thousands parted by commas: "1,000,206".
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
