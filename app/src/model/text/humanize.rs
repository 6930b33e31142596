//! Numbers in words, in the current language and the same in all views: grouped thousands, times with at most two
//! digits, rates with SI prefixes.

use explain::matrix::value::CellValue;
use kernels::job::{Points, Unit};
use kernels::plan::{EngineName, EnginePlace};

use crate::model::preferences::positions;
use crate::tr;
use crate::tr::t;

/// Formats a number like [`grouped`], with a minus sign if it is negative, and with a decimal if it has one: "−9.5".
pub fn signed(number: impl Into<Points>) -> String {
    let number = number.into();
    let tenths = number.tenths().unsigned_abs();
    let sign = if number < Points::ZERO { "−" } else { "" };
    let whole = grouped(tenths / 10);
    if number.is_whole() { format!("{sign}{whole}") } else { format!("{sign}{whole}{}{}", tr::language().marks().1, tenths % 10) }
}

/// Formats the value of a matrix cell without separators of thousands, for example "−1234.5" or "−∞".
pub fn cell_value(value: impl Into<CellValue>) -> String {
    point(value.into().to_string())
}

/// Formats points with their sign, for example "+2" or "−13".
pub fn plus(points: impl Into<Points>) -> String {
    let points = points.into();
    if points > Points::ZERO { format!("+{}", signed(points)) } else { signed(points) }
}

/// Formats a score, for example "−13 points".
pub fn points(score: impl Into<Points>) -> String {
    let score = score.into();
    let points = shown_count(&signed(score.abs()), is_one_point(score), "point", "points");
    if score < Points::ZERO { format!("−{points}") } else { points }
}

/// Formats a number with thousands grouped as in the language, for example "9,927".
pub fn grouped(number: u64) -> String {
    let language = tr::language();
    if number < language.least_grouped() {
        return number.to_string();
    }
    let (thousands, _) = language.marks();
    let text = kernels::humanize::grouped(number);
    if thousands == "," { text } else { text.replace(',', thousands) }
}

/// Formats a 0-based position by the visitor's convention, which counts positions from 0 or from 1.
pub fn position(at: u64) -> String {
    grouped(positions().to_displayed(at))
}

/// Formats the half-open, 0-based range `from..to` as two numbers, by the visitor's convention for positions.
pub fn range(from: u64, to: u64) -> (String, String) {
    let (first, last) = positions().range(from, to);
    (grouped(first), grouped(last))
}

/// Formats a number for little space: "9,999", "58k", "1.2M".
pub fn short(number: u64) -> String {
    let scaled = |unit: u64, name: &str| {
        let tenths = number / (unit / 10);
        let (_, point) = tr::language().marks();
        if tenths < 100 && !tenths.is_multiple_of(10) {
            format!("{}{point}{}{name}", tenths / 10, tenths % 10)
        } else {
            format!("{}{name}", tenths / 10)
        }
    };
    match number {
        0..10_000 => grouped(number),
        10_000..1_000_000 => scaled(1_000, "k"),
        1_000_000..1_000_000_000 => scaled(1_000_000, "M"),
        _ => scaled(1_000_000_000, "G"),
    }
}

/// Formats a number with its noun, given in singular (`one`) and plural (`many`): "1 edit", "3 edits", "9,927 edits".
///
/// A catalogue translates both by one entry, such as `# edits` with `#` for the number. Its translation has one form,
/// or two forms separated by `|`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    shown_count(&grouped(number), is_one(number), one, many)
}

/// Joins a formatted number and its noun like [`count`], in the singular form if `is_one`.
fn shown_count(shown: &str, is_one: bool, one: &str, many: &str) -> String {
    match tr::known(&format!("# {many}")) {
        Some(forms) => {
            let (first, second) = forms.split_once('|').unwrap_or((forms, forms));
            (if is_one { first } else { second }).replace('#', shown)
        }
        None => format!("{shown} {}", if is_one { one } else { many }),
    }
}

/// Returns whether the language uses its singular form for a number of points.
pub fn is_one_point(score: Points) -> bool {
    score.is_whole() && is_one(score.tenths().unsigned_abs() / 10)
}

/// Returns whether the language uses its singular form for `number`.
pub fn is_one(number: u64) -> bool {
    tr::language().is_one(number)
}

/// Formats a number of symbols with the noun for symbols of `unit`: "1 letter", "201 letters".
pub fn symbols(number: u64, unit: Unit) -> String {
    match unit {
        Unit::Bytes => count(number, "byte", "bytes"),
        Unit::Chars => count(number, "character", "characters"),
        Unit::Graphemes => count(number, "letter", "letters"),
        Unit::Words => count(number, "word", "words"),
        Unit::Lines => count(number, "line", "lines"),
    }
}

/// Formats a size with a no-break space: "812 bytes", "46 kB", "1.5 MB".
pub fn bytes(bytes: u64) -> String {
    let scale = |unit: f64, prefix: &str| format!("{}\u{a0}{prefix}{}", two_digits(bytes as f64 / unit), tr::language().byte());
    match bytes {
        0..1_000 => count(bytes, "byte", "bytes"),
        1_000..1_000_000 => scale(1e3, "k"),
        1_000_000..1_000_000_000 => scale(1e6, "M"),
        _ => scale(1e9, "G"),
    }
}

/// Formats a measured time of `ms` milliseconds: "0.4 ms", "110 ms", "1.2 s", "3 min".
pub fn measured_time(ms: f64) -> String {
    match ms {
        ms if ms < 0.1 => tr!("under {time}", time = format!("{}\u{a0}ms", point("0.1".into()))),
        ms if ms < 1e3 => format!("{}\u{a0}ms", two_digits(ms)),
        ms if ms < 120e3 => format!("{}\u{a0}s", two_digits(ms / 1e3)),
        ms if ms < 7200e3 => format!("{}\u{a0}min", two_digits(ms / 60e3)),
        ms => format!("{}\u{a0}h", two_digits(ms / 3600e3)),
    }
}

/// Formats an expected time of `ms` milliseconds: "less than a millisecond", "about 17 s".
pub fn expected_time(ms: f64) -> String {
    if ms < 1.0 { t("less than a millisecond").into() } else { tr!("about {time}", time = measured_time(ms)) }
}

/// Parses a whole number that was typed into a field. Separators between groups of three digits are accepted. Returns
/// `None` if the text has other characters or no digit, or if the number is too large.
pub fn typed_number(text: &str) -> Option<u64> {
    let is_separator = |char: char| matches!(char, ',' | '.' | '\'' | '’' | '_') || char.is_whitespace();
    let mut groups = text.trim().split(is_separator);
    let first = groups.next()?.to_owned();
    let rest: Vec<&str> = groups.collect();
    let is_grouped = rest.is_empty() || first.len() <= 3 && rest.iter().all(|group| group.len() == 3);
    let digits = first + &rest.concat();
    let is_number = is_grouped && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

/// The unit of work in which the progress of a task is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkUnit {
    /// Cells of the matrix.
    Cells,
    /// Symbols, each read once.
    Symbols,
}

impl WorkUnit {
    /// Returns the label for completed work, for example "Cells filled".
    pub fn done(self) -> &'static str {
        match self {
            Self::Cells => t("Cells filled"),
            Self::Symbols => t("Symbols read"),
        }
    }

    /// Formats the speed of the engine `who`, in cells or symbols per second, as a sentence: "The server’s GPU fills
    /// 28.3 × 10⁹ cells a second."
    pub fn speed(self, who: &str, per_second: f64) -> String {
        match self {
            Self::Cells => tr!("{who} fills {n} cells a second.", who = who, n = large(per_second)),
            Self::Symbols => tr!("{who} reads {n} symbols a second.", who = who, n = large(per_second)),
        }
    }

    /// Formats an amount of work: "2,499 cells", "4 × 10¹² cells", "42 million symbols".
    pub fn work(self, number: u64) -> String {
        match (self, number) {
            (Self::Cells, 0..1_000_000) => count(number, "cell", "cells"),
            (Self::Cells, _) => tr!("{n} cells", n = power_of_ten(number)),
            (Self::Symbols, 0..1_000_000) => count(number, "symbol", "symbols"),
            (Self::Symbols, 1_000_000..999_500_000) => tr!("{n} million symbols", n = two_digits(number as f64 / 1e6)),
            (Self::Symbols, _) => tr!("{n} billion symbols", n = two_digits(number as f64 / 1e9)),
        }
    }

    /// Formats a rate of work, given in cells or symbols per second, with an SI prefix: "1.2 GCUPS".
    pub fn rate(self, per_second: f64) -> String {
        let (unit, name) = self.rate_unit(per_second);
        format!("{}\u{a0}{name}", three_digits(per_second / unit))
    }

    /// Returns the unit in which a rate of work is best shown: the unit's size in cells or symbols per second, and its
    /// name.
    pub fn rate_unit(self, per_second: f64) -> (f64, &'static str) {
        match (self, per_second) {
            (Self::Cells, rate) if rate >= 1e12 => (1e12, "TCUPS"),
            (Self::Cells, rate) if rate >= 1e9 => (1e9, "GCUPS"),
            (Self::Cells, rate) if rate >= 1e6 => (1e6, "MCUPS"),
            (Self::Cells, _) => (1e3, "kCUPS"),
            (Self::Symbols, rate) if rate >= 1e9 => (1e9, t("billion symbols/s")),
            (Self::Symbols, _) => (1e6, t("million symbols/s")),
        }
    }
}

/// Formats a large number as a power of ten with a factor of one or two digits: "4 × 10¹²", "10¹²".
fn power_of_ten(number: u64) -> String {
    let (figures, power) = kernels::humanize::power_of_ten(number);
    if figures == "1" { format!("10{}", raised(power)) } else { format!("{} × 10{}", point(figures), raised(power)) }
}

/// Formats a number with thousands grouped if it is below 10⁶, and else as a multiple of a power of a thousand: "28.3 ×
/// 10⁹".
pub fn large(number: f64) -> String {
    let (value, power) = scaled(number, number);
    format!("{value}{power}")
}

/// Formats `part` and `whole` as multiples of the same power of a thousand, which suits `whole`: "65.8", "of 76.7 ×
/// 10⁹".
pub fn part_of(part: f64, whole: f64) -> (String, String) {
    let (of, power) = scaled(whole, whole);
    (scaled(part, whole).0, tr!("of {whole}", whole = format!("{of}{power}")))
}

/// Formats `number` as a multiple of the power of a thousand that suits `scale`. Returns the multiple, and the power
/// such as " × 10⁹" (empty for 1).
fn scaled(number: f64, scale: f64) -> (String, String) {
    let thousands = if scale >= 1e6 { (scale.log10() / 3.0).floor() as usize } else { 0 };
    if thousands == 0 {
        return (grouped(number.round() as u64), String::new());
    }
    let power = raised(3 * thousands);
    let value = number / 1000f64.powi(thousands as i32);
    (point(decimals(value, u32::from(value < 100.0))), format!(" × 10{power}"))
}

/// Formats an exponent in superscript digits.
fn raised(power: usize) -> String {
    power.to_string().bytes().filter_map(|digit| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(usize::from(digit - b'0'))).collect()
}

/// Joins texts with commas: "from the corner, from above".
pub fn list<S: AsRef<str>>(parts: &[S]) -> String {
    parts.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(t(", "))
}

/// Formats a share, from 0 to 1, as per cent with as many digits as distinguish it from 100 %, at most four after the
/// decimal point: "99.01%".
pub fn percent(share: f64) -> String {
    let digits = match 1.0 - share {
        gap if gap <= 0.0 || gap >= 0.1 => 1,
        gap if gap >= 0.001 => 2,
        _ => 4,
    };
    let shown = decimals(share * 100.0, digits);
    let shown = if shown.contains('.') { shown.trim_end_matches('0').trim_end_matches('.') } else { &shown };
    tr::language().percent(&point(shown.to_owned()))
}

/// Formats a number of per cent with one decimal: "12.5%" for 12 and 5.
pub fn percent_with_tenth(whole: u64, tenth: u64) -> String {
    tr::language().percent(&format!("{}{}{tenth}", grouped(whole), tr::language().marks().1))
}

/// Formats a share, from 0 to 1, in whole per cent: "61%".
pub fn whole_percent(share: f64) -> String {
    tr::language().percent(&decimals(share * 100.0, 0))
}

/// Returns the name of an engine at the beginning of a sentence. It depends on `place`, the browser or the server:
/// "Your browser", "The server’s processor", "The server’s GPU".
pub fn engine(engine: EngineName, place: EnginePlace) -> &'static str {
    match (place, engine) {
        (EnginePlace::Browser, _) => t("Your browser"),
        (EnginePlace::Server, EngineName::Cpu) => t("The server’s processor"),
        (EnginePlace::Server, EngineName::Cuda) => t("The server’s GPU"),
    }
}

/// Returns the name of an engine in the middle of a sentence.
pub fn engine_within(name: EngineName, place: EnginePlace) -> &'static str {
    match (place, name) {
        (EnginePlace::Browser, _) => t("this browser"),
        (EnginePlace::Server, EngineName::Cpu) => t("the server’s processor"),
        (EnginePlace::Server, EngineName::Cuda) => t("the server’s GPU"),
    }
}

/// Formats a remaining time of `ms` milliseconds. Returns the words before the number, the number, and the words after
/// it: `["", "14", "s left"]`.
pub fn remaining_time(ms: f64) -> [String; 3] {
    let seconds = (ms / 1e3).ceil();
    let (number, said) = match seconds {
        s if s < 120.0 => (s, t("{n} s left")),
        s if s < 7200.0 => ((s / 60.0).ceil(), t("{n} min left")),
        s => ((s / 3600.0).ceil(), t("{n} h left")),
    };
    let (before, after) = said.split_once("{n}").unwrap_or(("", said));
    [before.trim().into(), decimals(number, 0), after.trim().into()]
}

/// Formats a time of day, in milliseconds after midnight, as "14:02:07".
pub fn clock(ms_of_day: f64) -> String {
    let seconds = (ms_of_day / 1e3) as u64 % 86_400;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Formats a duration of `seconds` seconds as a whole number of the largest unit that divides it: "10 minutes", "1
/// day".
pub fn span(seconds: u64) -> String {
    let fits = |unit: u64| seconds >= unit && seconds.is_multiple_of(unit);
    match seconds {
        _ if fits(86_400) => count(seconds / 86_400, "day", "days"),
        _ if fits(3_600) => count(seconds / 3_600, "hour", "hours"),
        _ if fits(60) => count(seconds / 60, "minute", "minutes"),
        _ => count(seconds, "second", "seconds"),
    }
}

/// Formats the date in UTC of a time in seconds since 1970: "20 December 2026".
pub fn day(seconds: u64) -> String {
    // Years begin on 1 March, and days are numbered from the year 0, so that a leap day is the last day of its year.
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12;
    let year = era * 400 + year_of_era + u64::from(month < 2);
    tr!("{day} {month} {year}", day = tr::language().day_of_month(day), month = month_name(month), year = year)
}

fn month_name(month: u64) -> &'static str {
    match month {
        0 => t("January"),
        1 => t("February"),
        2 => t("March"),
        3 => t("April"),
        4 => t("May"),
        5 => t("June"),
        6 => t("July"),
        7 => t("August"),
        8 => t("September"),
        9 => t("October"),
        10 => t("November"),
        _ => t("December"),
    }
}

/// Formats a number with at most one digit after the decimal point if it is below 10, and with none otherwise.
fn two_digits(value: f64) -> String {
    point(if value >= 10.0 { decimals(value, 0) } else { decimals(value, 1).trim_end_matches('0').trim_end_matches('.').to_owned() })
}

/// Formats a number below 10¹⁵ with `digits` digits after the decimal point: "3.14".
///
/// Formats the whole part and the fraction as integers, because the standard library's code for decimals would make the
/// first download larger.
pub fn decimals(value: f64, digits: u32) -> String {
    let scale = 10u64.pow(digits);
    let scaled = (value.abs() * scale as f64).round_ties_even() as u64;
    let sign = if value < 0.0 && scaled > 0 { "-" } else { "" };
    let (whole, part) = (scaled / scale, scaled % scale);
    if digits == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part:0>width$}", width = digits as usize) }
}

/// Formats a number with one digit after the decimal mark: "3.0".
pub fn tenth(value: f64) -> String {
    point(decimals(value, 1))
}

/// Formats a number with two digits after the decimal mark if it is below 10, one if it is below 100, and else none:
/// "1.23", "12.3", "123".
pub fn three_digits(value: f64) -> String {
    point(match value {
        value if value >= 100.0 => decimals(value, 0),
        value if value >= 10.0 => decimals(value, 1),
        value => decimals(value, 2),
    })
}

/// Replaces the decimal point of a formatted number by the decimal mark of the current language.
pub fn point(number: String) -> String {
    let (_, mark) = tr::language().marks();
    if mark == "." { number } else { number.replace('.', mark) }
}

/// Formats the name of the processor or graphics card of an engine. Names of this browser and of CPU cores are
/// translated.
pub fn device(name: &str) -> String {
    let cores = || name.strip_suffix(" cores").or_else(|| name.strip_suffix(" core"))?.parse().ok();
    match name {
        "WebAssembly, one thread" => t("WebAssembly, one thread").into(),
        name => match name.strip_prefix("WebAssembly, ").and_then(|name| name.strip_suffix(" workers")) {
            Some(workers) => tr!("WebAssembly, {n} workers", n = workers),
            None => cores().map_or_else(|| name.to_owned(), |cores: u64| count(cores, "core", "cores")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_counted_in_the_language_of_the_page() {
        assert_eq!(["1 core", "16 cores", "NVIDIA H200", "many cores"].map(device), ["1 core", "16 cores", "NVIDIA H200", "many cores"]);
        let german = tr::speaking(tr::Language::German, || device("2 cores"));
        assert_eq!(german, "2 Kerne");
    }

    #[test]
    fn decimals_agree_with_the_standard_library() {
        for value in [0.0, 0.25, 0.04, 0.06, 0.949, 0.951, 9.96, 12.34, 99.999, 123.456, 1e6 + 0.3, 1e14 + 0.3, -0.3, -0.01, -7.26] {
            assert_eq!(decimals(value, 0), format!("{value:.0}").replace("-0", "0"), "{value}");
            assert_eq!(decimals(value, 1), format!("{value:.1}").replace("-0.0", "0.0"), "{value}");
            assert_eq!(decimals(value, 2), format!("{value:.2}"), "{value}");
        }
    }

    #[test]
    fn short_numbers_are_truncated_not_rounded() {
        let shown = [7, 9_999, 58_248, 999_999, 1_030_149, 1_233_727, 64_000_000, 3_000_000_000].map(short);
        assert_eq!(shown, ["7", "9,999", "58k", "999k", "1M", "1.2M", "64M", "3G"]);
    }

    #[test]
    fn quantities_are_rounded_for_readers() {
        assert_eq!(count(1, "edit", "edits"), "1 edit");
        assert_eq!(symbols(1_000_206, Unit::Bytes), "1,000,206 bytes");
        assert_eq!(bytes(46_321), "46\u{a0}kB");
        assert_eq!(bytes(999), "999 bytes");
        assert_eq!(measured_time(0.42), "0.4\u{a0}ms");
        assert_eq!(measured_time(1_240.0), "1.2\u{a0}s");
        assert_eq!(WorkUnit::Cells.rate(41.93e12), "41.9\u{a0}TCUPS");
        assert_eq!(WorkUnit::Symbols.rate(27.1e9), "27.1\u{a0}billion symbols/s");
        assert_eq!(WorkUnit::Symbols.speed("It", 27.1e9), "It reads 27.1 × 10⁹ symbols a second.");
        let cells = [1, 2_499, 999_999_999_999, 4_000_000_000_000, 27_499_999].map(|cells| WorkUnit::Cells.work(cells));
        assert_eq!(cells, ["1 cell", "2,499 cells", "10¹² cells", "4 × 10¹² cells", "2.7 × 10⁷ cells"]);
        assert_eq!(
            [1, 42_300_000, 999_600_000].map(|all| WorkUnit::Symbols.work(all)),
            ["1 symbol", "42 million symbols", "1 billion symbols"]
        );
        assert_eq!([0.2, 17_000.0].map(expected_time), ["less than a millisecond", "about 17\u{a0}s"]);
        assert_eq!(large(28.31e9), "28.3 × 10⁹");
        assert_eq!(large(42_000.0), "42,000");
        assert_eq!(part_of(935e12, 1_532e12), ("0.9".into(), "of 1.5 × 10¹⁵".into()));
        assert_eq!(part_of(65.76e9, 76.68e9), ("65.8".into(), "of 76.7 × 10⁹".into()));
        assert_eq!(remaining_time(13_200.0), ["", "14", "s left"]);
        assert_eq!(remaining_time(600_000.0), ["", "10", "min left"]);
        assert_eq!(clock(50_527_900.0), "14:02:07");
    }

    #[cfg(feature = "ssr")]
    #[test]
    fn numbers_and_devices_are_written_in_the_current_language() {
        let of = |language| {
            crate::tr::speaking(language, || {
                [
                    three_digits(1.234),
                    tenth(0.25),
                    crate::model::matrix::cell_sentences::big("1234567890123456"),
                    device("WebAssembly, one thread"),
                ]
            })
        };
        assert_eq!(of(tr::Language::English), ["1.23", "0.2", "1.23 × 10¹⁵", "WebAssembly, one thread"]);
        assert_eq!(of(tr::Language::German), ["1,23", "0,2", "1,23 × 10¹⁵", "WebAssembly, ein Thread"]);
        assert_eq!(device("NVIDIA H200"), "NVIDIA H200");
    }

    #[test]
    fn numbers_are_parsed_with_and_without_separators() {
        let typed = ["1,024", " 7 ", "1.024", "", "k", "99999999999999999999999"].map(typed_number);
        assert_eq!(["1.5", "-3", "+3", "1e3", "12,34", "1,,024", "0x10"].map(typed_number), [None; 7]);
        assert_eq!(["1 048 576", "1\u{202f}024", "1’024", "007"].map(typed_number), [Some(1_048_576), Some(1_024), Some(1_024), Some(7)]);
        assert_eq!(typed, [Some(1_024), Some(7), Some(1_024), None, None, None]);
    }

    #[test]
    fn dates_have_the_name_of_the_month() {
        assert_eq!(day(0), "1 January 1970");
        assert_eq!(day(1_709_164_800), "29 February 2024");
        assert_eq!(day(1_797_724_799), "19 December 2026");
        assert_eq!(day(1_797_724_800), "20 December 2026");
    }

    #[test]
    fn similarity_below_one_is_not_shown_as_100_percent() {
        assert_eq!(percent(1.0), "100%");
        assert_eq!(percent(0.990_073), "99.01%");
        assert_eq!(percent(0.571_4), "57.1%");
        assert_eq!(percent(0.999_99), "99.999%");
        assert_eq!(percent(0.0), "0%");
    }
}
