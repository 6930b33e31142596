//! Tests of the search for the next difference, and of the requests for windows.

use super::*;

#[test]
fn the_next_difference_is_the_one_after_what_is_in_sight() {
    let place = |number, column| DifferencePosition { number, column, of: 10 };
    // From column 500 on: the last difference before it, one that begins there, or the first of all after it.
    assert_eq!((adjacent_difference(place(4, 480), 500, 1), adjacent_difference(place(4, 480), 500, -1)), (5, 4));
    assert_eq!((adjacent_difference(place(4, 500), 500, 1), adjacent_difference(place(4, 500), 500, -1)), (4, 3));
    assert_eq!((adjacent_difference(place(0, 700), 500, 1), adjacent_difference(place(0, 700), 500, -1)), (0, 0));
    assert_eq!(adjacent_difference(place(9, 480), 500, 1), 9, "there is none after it");
}

#[test]
fn windows_are_asked_for_once_and_the_oldest_goes() {
    let mut windows = RowWindows::default();
    assert_eq!(windows.missing(&[1, 2]), [1, 2]);
    assert!(windows.missing(&[1, 2]).is_empty());
    windows.keep(1, Vec::new());
    for number in 100..100 + WINDOWS as u64 {
        windows.missing(&[1, number]);
        windows.keep(number, Vec::new());
    }
    assert_eq!(windows.rows.len(), WINDOWS);
    assert!(windows.missing(&[1]).is_empty(), "window 1 was seen all the time");
    assert_eq!(windows.missing(&[100]), [100]);
}
