//! Pictures of lenses for the picker: a few cells that show the idea of a lens, in the style of the pictures of fill
//! orders.

use std::fmt::Write as _;

use explain::lens::LensName;

/// Returns the picture of a lens as rows of squares: `#` is strong, `+` medium, `-` pale and `.` an outline; a space is
/// empty.
fn sketch(name: LensName) -> &'static [&'static str] {
    match name {
        // The path back through the matrix.
        LensName::Traceback => &["#.......", ".##.....", "...#....", "...#....", "....###.", ".......#"],
        // Two rows of the matrix.
        LensName::TwoRows => &["........", "........", "++++++++", "#####...", "........", "........"],
        // Both halves, and a quarter in each.
        LensName::Hirschberg => &["++--    ", "++--    ", "----    ", "    ----", "    --++", "    --++"],
        // The pattern at each offset in the text.
        LensName::Naive => &["........", "##      ", " #      ", "  ###   ", "   #    ", "    ##  "],
        // The pattern slides by more than one.
        LensName::Kmp => &["........", "####    ", "   +#   ", "    ### ", "      +#", "        "],
        // Slices that overlap.
        LensName::Slices => &["........", "####    ", "  ++++  ", "    ####", "........", "        "],
        // A diagonal of bits through words.
        LensName::ShiftAnd => &["#.......", ".#......", "..#.....", "...#....", "#...#...", ".#...#.."],
        // Counters that grow along a diagonal.
        LensName::ShiftAdd => &["-.......", ".+......", "..+.....", "...#....", "-...#...", ".+...#.."],
        // Streams of bits.
        LensName::ParallelShiftAdd => &["#..#.#..", "        ", ".##...#.", "        ", "#...#..#", "        "],
        // Columns as words.
        LensName::BitVectors => &["--+#....", "--+#....", "--+#....", "        ", "--+.....", "--+....."],
        // Requests of a warp on banks.
        LensName::Machine => &["########", "        ", "#.#.##.#", ".+..+...", "        ", "++++++++"],
        // The pattern below itself.
        LensName::FailureTable => &["--------", "   +++..", "        ", "........", "...-++#.", "        "],
        // A piece for each thread.
        LensName::Pieces => &["## ## ##", "+. +. +.", "-. -. -.", "        ", "########", "        "],
        LensName::Rows => &["--------", "--------", "++++++++", "####....", "........", "........"],
        LensName::Columns => &["--++#...", "--++#...", "--++#...", "--++....", "--++....", "--++...."],
        LensName::Diagonals => &["--++#...", "-++#....", "++#.....", "+#......", "#.......", "........"],
        LensName::Band => &["##      ", "####    ", " ####   ", "  ####  ", "    ####", "      ##"],
        LensName::CutOff => &["########", "#### ###", "##    ##", "#      #", "        ", "        "],
        LensName::Offsets => &["-+#.....", " -+#....", "  -+#...", "   -+#..", "    -+#.", "     -+#"],
        // Diagonals that are reached in waves.
        LensName::Furthest => &["#..+....", ".#..+...", "-.#..+..", ".-..#...", "..-..#..", "...-..#."],
        // A way that goes two back.
        LensName::Osa => &["#.......", ".#......", "..-.....", "...#....", "....#...", ".....#.."],
        // Sums of points along a path.
        LensName::NeedlemanWunsch => &["#-......", "-#+.....", ".-#+....", "..-#+...", "...-#+..", "....-+##"],
        // A piece between zeros.
        LensName::SmithWaterman => &["........", ".#......", "..#+....", "...##+..", ".....#..", "........"],
        // Three layers.
        LensName::Gotoh => &["#.    ..", ".#    ..", "   #.   ", "   .#   ", "#.    ..", ".#    #."],
        // Words of both sums, of which one is chosen.
        LensName::CarrySelect => &["## .. ##", "## .. ##", "        ", ".. ## ..", ".. ## ..", "        "],
    }
}

/// Draws the picture of a lens. Returns the SVG picture, its width and its height.
pub(super) fn draw(name: LensName) -> (String, usize, usize) {
    let rows = sketch(name);
    let mut cells = String::new();
    for (y, row) in rows.iter().enumerate() {
        for (x, square) in row.bytes().enumerate() {
            let (x, y) = (10 * x, 10 * y);
            let opacity = match square {
                b'#' => "1",
                b'+' => ".55",
                b'-' => ".25",
                b'.' => {
                    let _ = write!(cells, r#"<rect x="{x}.5" y="{y}.5" width="8" height="8" class="f-none s-line"/>"#);
                    continue;
                }
                _ => continue,
            };
            let _ = write!(cells, r#"<rect x="{x}" y="{y}" width="9" height="9" class="f-pine" opacity="{opacity}"/>"#);
        }
    }
    let columns = rows.iter().map(|row| row.len()).max().unwrap_or(1);
    (cells, 10 * columns - 1, 10 * rows.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sketches_have_one_size_and_differ() {
        for (at, name) in LensName::ALL.iter().enumerate() {
            assert!(sketch(*name).len() == 6 && sketch(*name).iter().all(|row| row.len() == 8), "{name:?}");
            assert!(LensName::ALL[..at].iter().all(|other| sketch(*other) != sketch(*name)), "{name:?}");
        }
    }
}
