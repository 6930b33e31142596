//! Tests of the search for the next difference, and of the requests for windows.

use super::*;

#[test]
fn next_difference_is_the_first_one_after_the_visible_rows() {
    let place = |number, column| DifferencePosition { number, column, of: 10 };
    // From column 500 on: the last difference before it, one that begins there, or the first of all after it.
    assert_eq!((adjacent_difference(place(4, 480), 500, 1), adjacent_difference(place(4, 480), 500, -1)), (5, 4));
    assert_eq!((adjacent_difference(place(4, 500), 500, 1), adjacent_difference(place(4, 500), 500, -1)), (4, 3));
    assert_eq!((adjacent_difference(place(0, 700), 500, 1), adjacent_difference(place(0, 700), 500, -1)), (0, 0));
    assert_eq!(adjacent_difference(place(9, 480), 500, 1), 9, "no difference follows");
}

#[test]
fn windows_are_requested_once_and_the_oldest_is_evicted() {
    let mut windows = RowWindows::default();
    assert_eq!(windows.missing(&[1, 2]), [1, 2]);
    assert!(windows.missing(&[1, 2]).is_empty());
    windows.keep(1, Vec::new());
    for number in 100..100 + WINDOWS as u64 {
        windows.missing(&[1, number]);
        windows.keep(number, Vec::new());
    }
    assert_eq!(windows.rows.len(), WINDOWS);
    assert!(windows.missing(&[1]).is_empty(), "window 1 was always visible");
    assert_eq!(windows.missing(&[100]), [100]);
}
