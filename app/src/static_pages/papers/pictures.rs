//! The idea of each paper as a drawing: SVG elements in 240 × 120 units.

use std::fmt::Write as _;

/// Appends a rectangle with the CSS class `class` to `out`, given left, top, width and height.
fn rect(out: &mut String, class: &str, [x, y, width, height]: [f64; 4]) {
    let _ = write!(out, r#"<rect class="{class}" x="{x}" y="{y}" width="{width}" height="{height}"/>"#);
}

/// Draws a text in overlapping slices. In each slice a thread block works on a diagonal.
pub fn slices() -> String {
    let mut out = String::new();
    rect(&mut out, "once", [0.0, 8.0, 240.0, 18.0]);
    for slice in 0..4 {
        let (x, y) = (48.0 * f64::from(slice), 36.0 + 20.0 * f64::from(slice));
        rect(&mut out, "well", [x, y, 96.0, 15.0]);
        if slice > 0 {
            rect(&mut out, "idle", [x, y, 48.0, 15.0]);
        }
        rect(&mut out, "bar", [x + 60.0, y, 6.0, 15.0]);
    }
    out
}

/// Draws three memories that are divided into banks, above one memory that is divided into address groups.
pub fn memories() -> String {
    let mut out = String::new();
    for machine in 0..3 {
        let x = 8.0 + 80.0 * f64::from(machine);
        rect(&mut out, "cell", [x, 6.0, 64.0, 44.0]);
        for bank in 0..4 {
            let class = if bank == machine { "bar" } else { "once" };
            rect(&mut out, class, [x + 6.0 + 13.5 * f64::from(bank), 14.0, 11.0, 28.0]);
        }
        let _ = write!(out, r#"<path class="edge" d="M{} 50V72"/>"#, x + 32.0);
    }
    rect(&mut out, "well", [8.0, 72.0, 224.0, 40.0]);
    for cell in 0..16 {
        let class = if (4..8).contains(&cell) { "twice" } else { "cell" };
        rect(&mut out, class, [16.0 + 13.1 * f64::from(cell), 80.0, 11.0, 24.0]);
    }
    out
}

/// Draws the matrix as a rectangle, split at the row where the rows computed from above and from below meet.
pub fn halves() -> String {
    let mut out = String::new();
    for (class, place) in [
        ("once", [60.0, 2.0, 116.0, 116.0]),
        ("twice", [60.0, 2.0, 44.0, 58.0]),
        ("twice", [104.0, 60.0, 72.0, 58.0]),
        ("lit", [60.0, 2.0, 22.0, 29.0]),
        ("lit", [82.0, 31.0, 22.0, 29.0]),
    ] {
        rect(&mut out, class, place);
    }
    out.push_str(r#"<path class="cut" d="M52 60H184"/><circle class="ink" cx="104" cy="60" r="6"/>"#);
    out.push_str(r#"<path class="go" d="M194 6V48M194 114V72"/><path class="tip" d="M194 58l-5-9h10zM194 62l-5 9h10z"/>"#);
    out
}

/// Draws a word with counters of three bits each, which shift by one counter.
pub fn fields() -> String {
    let mut out = String::new();
    let rows: [&[usize]; 3] = [&[1, 5, 10, 11], &[4, 8], &[2, 11]];
    for (row, ones) in rows.into_iter().enumerate() {
        for bit in 0..12 {
            let class = if ones.contains(&bit) { "ink" } else { "cell" };
            rect(&mut out, class, [(60 * (bit / 3) + 17 * (bit % 3)) as f64, 6.0 + 38.0 * row as f64, 17.0, 26.0]);
        }
    }
    out.push_str(r#"<path class="go" d="M28 34L76 42"/><path class="tip" d="M84 43l-10 3 2-9z"/>"#);
    out
}

/// Draws a pattern that slides to the next position where a prefix of it is known to match.
pub fn slide() -> String {
    let mut out = String::new();
    for (row, (from, symbols)) in [(0, "abacabacab"), (0, "abacabad"), (4, "abacab")].into_iter().enumerate() {
        for (at, symbol) in symbols.chars().enumerate() {
            let (x, y) = (24.0 * (from + at) as f64, 6.0 + 38.0 * row as f64);
            let class = match (row, at) {
                (1, 0..7) => "twice",
                (2, 0..3) => "once",
                _ => "cell",
            };
            rect(&mut out, class, [x, y, 24.0, 26.0]);
            let _ = write!(out, r#"<text x="{}" y="{}" class="sym small mid">{symbol}</text>"#, x + 12.0, y + 18.0);
        }
    }
    rect(&mut out, "now", [169.5, 45.5, 21.0, 23.0]);
    out.push_str(r#"<path class="go" d="M20 95H84"/><path class="tip" d="M92 95l-9-5v10z"/>"#);
    out
}
