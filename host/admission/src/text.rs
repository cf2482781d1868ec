//! How names, counts and sizes are written in messages.

/// Longest piece of foreign text in a message, in characters.
const SHOWN_CHARS: usize = 200;

/// Text that a stranger wrote, made safe to print: letters, digits, spaces and printable ASCII stay, everything else
/// (control characters, marks that turn the direction of writing, invisible characters) is escaped, and what is over
/// 200 characters is cut.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::new();
    for (at, c) in text.chars().enumerate() {
        if at == SHOWN_CHARS {
            out.push('…');
            break;
        }
        if c == ' ' || c.is_ascii_graphic() || (!c.is_ascii() && c.is_alphanumeric()) {
            out.push(c);
        } else {
            out.extend(c.escape_unicode());
        }
    }
    out
}

/// A count with its thousands set apart: `1,000,000`.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, c) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A size in the largest unit that leaves a number of one or more: `64 MiB`, `1.5 KiB`, `12 bytes`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut unit = 0;
    let mut scale = 1024_u64;
    while unit + 1 < UNITS.len() && bytes / scale >= 1024 {
        unit += 1;
        scale *= 1024;
    }
    let whole = bytes / scale;
    // One decimal, rounded up, so that what is just over a limit never reads as the limit itself.
    let tenths = (bytes % scale).saturating_mul(10).div_ceil(scale);
    match tenths {
        0 => format!("{} {}", count(whole), UNITS[unit]),
        10 => format!("{}.9 {}", count(whole), UNITS[unit]),
        t => format!("{}.{t} {}", count(whole), UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::{count, shown, size};

    #[test]
    fn foreign_text_cannot_steer_a_terminal_or_fake_a_line() {
        assert_eq!(shown("a\nb\u{1b}[2J\u{202e}x"), "a\\u{a}b\\u{1b}[2J\\u{202e}x");
        assert_eq!(shown("é\u{200b}"), "é\\u{200b}");
        assert_eq!(shown(&"x".repeat(500)).chars().count(), 201);
    }

    #[test]
    fn counts_and_sizes_read_well() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(size(12), "12 bytes");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(64 << 20), "64 MiB");
        assert_eq!(size((64 << 20) + 1), "64.1 MiB");
        assert_eq!(size((2 << 20) - 1), "1.9 MiB");
        assert_eq!(size(3 << 30), "3 GiB");
        assert_eq!(size(u64::MAX), "16,777,215.9 TiB");
    }
}
