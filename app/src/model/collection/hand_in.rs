//! Time of a hand-in ([`HandInTime`]).

use std::fmt;

/// Number of minutes of a day.
const DAY: i64 = 24 * 60;

/// The time at which a text was handed in, to the minute, with the offset of its clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HandInTime {
    /// Minutes since 1 January 1970 in UTC.
    pub minutes: i64,
    /// Minutes that the clock of the list is ahead of UTC.
    offset: i32,
}

impl HandInTime {
    /// Parses `2026-11-14 14:06:00 +0100`. Time and offset may be missing. `T` may separate date and time, and `Z` means UTC.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (date, rest) = text.split_at_checked(10)?;
        let mut parts = date.split('-').map(number);
        let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
        if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
            return None;
        }
        let rest = rest.strip_prefix('T').unwrap_or(rest).trim_start();
        let zone = rest.find(['+', '-', 'Z', 'U']).unwrap_or(rest.len());
        let (time, zone) = rest.split_at(zone);
        let offset = offset_of(zone)?;
        let minute = if time.trim().is_empty() { 0 } else { minute_of(time.trim())? };
        Some(Self { minutes: days_before(year, month, day) * DAY + minute - i64::from(offset), offset })
    }

    /// Writes the time so that [`Self::parse`] restores it.
    pub fn written(self) -> String {
        let sign = if self.offset < 0 { '-' } else { '+' };
        let offset = self.offset.abs();
        format!("{self} {sign}{:02}{:02}", offset / 60, offset % 60)
    }

    /// Returns the minutes of the list's clock since its 1 January 1970.
    fn local(self) -> i64 {
        self.minutes + i64::from(self.offset)
    }

    /// Returns the same clock's midnight that begins the day.
    pub fn midnight(self) -> Self {
        Self { minutes: self.local().div_euclid(DAY) * DAY - i64::from(self.offset), ..self }
    }

    /// Returns the time after `minutes` more minutes.
    pub fn after(self, minutes: i64) -> Self {
        Self { minutes: self.minutes + minutes, ..self }
    }

    /// Returns the day: `2026-11-14`.
    pub fn day(self) -> String {
        // Days since 1 March of the year 0 (Hinnant, chrono-compatible low-level date algorithms).
        let days = self.local().div_euclid(DAY) + 719_468;
        let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let (day, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
        format!("{:04}-{month:02}-{day:02}", year + era * 400 + i64::from(month <= 2))
    }
}

/// Shows the time of the list's clock: `2026-11-14 14:06`.
impl fmt::Display for HandInTime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minute = self.local().rem_euclid(DAY);
        write!(formatter, "{} {:02}:{:02}", self.day(), minute / 60, minute % 60)
    }
}

fn number(digits: &str) -> Option<i64> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

fn minute_of(time: &str) -> Option<i64> {
    let mut parts = time.split(':');
    let (hour, minute) = (number(parts.next()?)?, number(parts.next()?)?);
    let second = number(parts.next().unwrap_or("0").split('.').next()?)?;
    (hour < 24 && minute < 60 && second < 61 && parts.next().is_none()).then_some(hour * 60 + minute)
}

/// Parses `+0100`, `+01:00`, `+01`, `Z`, `UTC` or nothing, in minutes.
fn offset_of(zone: &str) -> Option<i32> {
    if ["", "Z", "UTC"].contains(&zone) {
        return Some(0);
    }
    let digits: String = zone[1..].chars().filter(|letter| *letter != ':').collect();
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes = number(hours)? * 60 + if minutes.is_empty() { 0 } else { number(minutes)? };
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    (minutes <= 18 * 60).then_some(sign * minutes as i32)
}

fn days_of(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the number of days from 1 January 1970 to a day.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_offset_and_shown_by_their_clock() {
        let rows = [
            ("2019-07-23 17:12:33 +0200", 26_064_912, "2019-07-23 17:12"),
            ("2019-07-23T15:12:33Z", 26_064_912, "2019-07-23 15:12"),
            ("2019-07-23T15:12:33.123+00:00", 26_064_912, "2019-07-23 15:12"),
            ("2019-07-23 15:12:33 UTC", 26_064_912, "2019-07-23 15:12"),
            ("2019-07-23 10:42 -04:30", 26_064_912, "2019-07-23 10:42"),
            ("1970-01-01", 0, "1970-01-01 00:00"),
            ("2024-02-29 23:59", 28_487_519, "2024-02-29 23:59"),
            ("1969-12-31 23:00", -60, "1969-12-31 23:00"),
        ];
        for (text, minutes, shown) in rows {
            let time = HandInTime::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((time.minutes, time.to_string().as_str()), (minutes, shown), "{text}");
            assert_eq!(HandInTime::parse(&time.written()), Some(time));
        }
        let time = HandInTime::parse("2026-11-14 00:30 +0100").unwrap();
        assert_eq!(
            (time.midnight().to_string().as_str(), time.midnight().after(24 * 60).day().as_str()),
            ("2026-11-14 00:00", "2026-11-15")
        );
    }

    #[test]
    fn other_texts_are_no_times() {
        for text in
            ["", "yesterday", "2026-13-01", "2025-02-29", "2026-11-14 25:00", "14/11/2026", "2026-11-14 10:00 +99", "2026-11-1410:00:x"]
        {
            assert_eq!(HandInTime::parse(text), None, "{text}");
        }
    }

    #[test]
    fn every_day_of_many_years_is_restored() {
        for day in (-40_000..40_000).step_by(7) {
            let time = HandInTime { minutes: day * DAY, offset: 0 };
            assert_eq!(HandInTime::parse(&time.day()), Some(time));
        }
    }
}
