//! The times at which texts were handed in, one lane for all texts and one for each group: [`TimeLine`].

use super::answer::{ComparedTexts, TextGroup};
use super::hand_in::HandInTime;

/// Number of minutes of a day.
const DAY: i64 = 24 * 60;

/// Maximum number of labels of the axis.
const MAX_LABELS: i64 = 6;

/// The hand-ins of a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeLine {
    first: HandInTime,
    last: HandInTime,
    /// All texts with a time, then those of each group. The earliest text comes first.
    pub lanes: Vec<TimeLane>,
}

/// The hand-ins of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeLane {
    /// Letter of the group, or `None` for all texts.
    pub letter: Option<String>,
    pub texts: Vec<(usize, HandInTime)>,
}

/// A label of the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeLabel {
    /// Position from 0 to 1.
    pub at: f64,
    /// The day, or the time of the day.
    pub says: String,
}

impl TimeLine {
    /// Collects the times of all texts. Returns `None` if fewer than two texts have one.
    pub fn new(texts: &ComparedTexts, groups: &[TextGroup]) -> Option<Self> {
        let time = |text: usize| texts.source(text)?.about.handed_in;
        let lane = |letter: Option<String>, of: &mut dyn Iterator<Item = usize>| {
            let mut texts: Vec<(usize, HandInTime)> = of.filter_map(|text| Some((text, time(text)?))).collect();
            texts.sort_by_key(|(text, time)| (time.minutes, *text));
            TimeLane { letter, texts }
        };
        let all = lane(None, &mut (0..texts.len()));
        let [(_, first), .., (_, last)] = all.texts[..] else { return None };
        let of_group = |group: &TextGroup| lane(Some(group.letter.clone()), &mut group.members.iter().copied());
        let groups = groups.iter().map(of_group).filter(|lane| !lane.texts.is_empty());
        Some(Self { first, last, lanes: std::iter::once(all.clone()).chain(groups).collect() })
    }

    /// Returns the position of a time on the axis, from 0 to 1.
    pub fn share(&self, time: HandInTime) -> f64 {
        let whole = (self.last.minutes - self.first.minutes).max(1);
        (time.minutes - self.first.minutes) as f64 / whole as f64
    }

    /// Returns the labels of the axis: days, or times if all texts were handed in within two days.
    pub fn labels(&self) -> Vec<TimeLabel> {
        let minutes = (self.last.minutes - self.first.minutes).max(1);
        let is_short = minutes < 2 * DAY;
        let steps: &[i64] = if is_short { &[1, 5, 15, 30, 60, 120, 360, 720] } else { &[DAY, 2 * DAY, 7 * DAY, 30 * DAY, 91 * DAY] };
        let last = *steps.last().unwrap_or(&DAY);
        let step = steps.iter().copied().find(|step| minutes / step < MAX_LABELS).unwrap_or(last * (minutes / last / MAX_LABELS + 1));
        let midnight = self.first.midnight();
        let skipped = (self.first.minutes - midnight.minutes + step - 1) / step;
        let times = (skipped..).map(|number| midnight.after(number * step)).take_while(|time| time.minutes <= self.last.minutes);
        let says = |time: HandInTime| match is_short && time != time.midnight() {
            true => time.to_string()[11..].to_owned(),
            false => time.day(),
        };
        times.map(|time| TimeLabel { at: self.share(time), says: says(time) }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer::tests::compared_files;
    use super::super::measure::{Measure, Threshold};
    use super::*;

    #[test]
    fn groups_have_lanes_with_the_earliest_text_first() {
        let times = ["2026-11-14 07:54 +0100", "2026-11-12 17:06 +0100", "", "2026-11-13 21:42 +0100"];
        let texts = compared_files(&["aaaa", "aaab", "aaac", "xyz"], &times, Measure::Edits);
        let groups = texts.groups(Threshold::Edits(1));
        let line = TimeLine::new(&texts, &groups).unwrap();
        let lanes: Vec<_> =
            line.lanes.iter().map(|lane| (lane.letter.as_deref(), lane.texts.iter().map(|text| text.0).collect::<Vec<_>>())).collect();
        assert_eq!(lanes, [(None, vec![1, 3, 0]), (Some("A"), vec![1, 0])]);
        assert_eq!((line.share(line.first), line.share(line.last)), (0.0, 1.0));
        let labels = line.labels();
        let says: Vec<_> = labels.iter().map(|label| label.says.as_str()).collect();
        assert_eq!(says, ["2026-11-13", "12:00", "2026-11-14"]);
    }

    #[test]
    fn axis_has_few_labels_in_its_range() {
        for (first, last) in [
            ("2026-11-14 10:00", "2026-11-14 10:00"),
            ("2026-11-14 10:00", "2026-11-14 10:03"),
            ("2026-11-14 10:07", "2026-11-14 14:59"),
            ("2026-11-14 10:00", "2026-11-17 09:00"),
            ("2026-11-14 10:00", "2027-03-01 09:00"),
            ("1990-11-14 10:00", "2027-03-01 09:00"),
        ] {
            let texts = compared_files(&["a", "b"], &[first, last], Measure::Edits);
            let labels = TimeLine::new(&texts, &[]).unwrap().labels();
            assert!(labels.len() <= MAX_LABELS as usize + 1, "{first} {labels:?}");
            assert!(labels.iter().all(|label| (0.0..=1.0).contains(&label.at)), "{labels:?}");
        }
        let texts = compared_files(&["a", "b"], &["2026-11-14 10:00", ""], Measure::Edits);
        assert_eq!(TimeLine::new(&texts, &[]), None);
    }
}
