//! Reads durations as people write them: `90s`, `5m`, `2h`.

/// A duration in seconds, or nothing for what is none.
pub fn seconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let unit = text.chars().last()?;
    let number = &text[..text.len() - unit.len_utf8()];
    let number: u64 = number.parse().ok()?;
    match unit {
        's' => Some(number),
        'm' => Some(number * 60),
        'h' => Some(number * 60),
        _ => None,
    }
}
