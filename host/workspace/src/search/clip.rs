//! Cutting long lines to what is shown.

use std::ops::Range;

/// The part of `line` that is shown, and whether that is less than all of it.
///
/// At most `max` bytes, cut between characters; `hit` is in bytes of the line, and the part begins with it or a little before.
pub(super) fn around<'a>(line: &'a str, hit: &Range<usize>, max: usize) -> (&'a str, bool) {
    if line.len() <= max {
        return (line, false);
    }
    // A quarter of what is shown stands before the hit, more when the hit is near the end.
    let start = hit.start.saturating_sub(max / 4).min(line.len() - max);
    let start = line.ceil_char_boundary(start);
    let end = line.floor_char_boundary(start + max);
    (&line[start..end], true)
}

/// The beginning of `line`, and whether that is less than all of it.
pub(super) fn beginning(line: &str, max: usize) -> (&str, bool) {
    (&line[..line.floor_char_boundary(max)], line.len() > max)
}

#[cfg(test)]
mod tests {
    use super::{around, beginning};

    #[test]
    fn a_line_that_fits_is_whole() {
        assert_eq!(around("abc", &(1..2), 3), ("abc", false));
        assert_eq!(beginning("abc", 3), ("abc", false));
    }

    #[test]
    fn the_hit_is_in_the_part_wherever_it_stands() {
        for at in 0..5_000 {
            let line = format!("{}NEEDLE{}", "x".repeat(at), "y".repeat(5_000 - at));
            let (part, clipped) = around(&line, &(at..at + 6), 400);
            assert!(clipped && part.len() == 400 && part.contains("NEEDLE"), "{at}");
        }
    }

    #[test]
    fn characters_are_not_cut_in_two() {
        for shift in 0..4 {
            let line = format!("{}{}", "x".repeat(shift), "💡".repeat(1_000));
            for at in (shift..3_000).step_by(7) {
                let (part, clipped) = around(&line, &(at..at), 399);
                assert!(clipped && part.len() <= 399 && part.len() > 390);
                assert!(beginning(&line, at).0.len() <= at);
            }
        }
    }
}
