//! Timestamps as snodo writes and reads them, and the weeks of ISO 8601, after which archives are named.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY: i64 = 24 * 60 * 60;
const MICROS: i64 = 1_000_000;

/// A moment that a log told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Since 1970, in UTC.
    pub(crate) micros: i64,
    /// Year and week, in the offset that the text has.
    pub(crate) week: (u16, u8),
}

/// Microseconds since 1970; none outside of the years 1 to 9999, which is what Python can say.
pub(crate) fn micros(moment: SystemTime) -> Option<i64> {
    let micros = match moment.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_micros()).ok()?,
        Err(before) => -i64::try_from(before.duration().as_micros()).ok()?,
    };
    let range = days_before(1, 1, 1) * DAY * MICROS..days_before(10_000, 1, 1) * DAY * MICROS;
    range.contains(&micros).then_some(micros)
}

/// As Python's `isoformat` in UTC: six digits of a second, or none when they are zero.
pub(crate) fn format(micros: i64) -> String {
    let (days, of_day) = (micros.div_euclid(DAY * MICROS), micros.rem_euclid(DAY * MICROS));
    let (year, month, day) = date(days);
    let (seconds, fraction) = (of_day / MICROS, of_day % MICROS);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = if fraction == 0 {
        String::new()
    } else {
        format!(".{fraction:06}")
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}+00:00")
}

/// Reads what Python's `fromisoformat` reads, of its forms those with separators: `2026-11-20T10:00:00.5+01:00`, `Z` for UTC, any number of
/// digits of a second, or a date alone. Without an offset it is UTC here; to Python it is the zone of the machine.
pub(crate) fn parse(text: &str) -> Option<Stamp> {
    let (date, time) = match text.char_indices().nth(10) {
        Some((at, separator)) => (&text[..at], &text[at + separator.len_utf8()..]),
        None => (text, "00"),
    };
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts[..] else { return None };
    let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
    let days = days_before(year, month, day);
    if year == 0 || self::date(days) != (year, month, day) {
        return None;
    }
    let (time, offset) = match time.strip_suffix('Z') {
        Some(time) => (time, 0),
        None => match time.rfind(['+', '-']) {
            Some(at) => {
                let sign = if time.as_bytes()[at] == b'-' { -1 } else { 1 };
                (&time[..at], sign * clock(&time[at + 1..])?)
            }
            None => (time, 0),
        },
    };
    let local = days * DAY * MICROS + clock(time)?;
    Some(Stamp {
        micros: local - offset,
        week: week(days)?,
    })
}

/// `HH`, `HH:MM`, `HH:MM:SS`, `HH:MM:SS.f…`, in microseconds.
fn clock(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once(['.', ',']).map_or((text, None), |(w, f)| (w, Some(f)));
    let parts: Vec<&str> = whole.split(':').collect();
    if parts.len() > 3 || fraction.is_some() && parts.len() < 3 {
        return None;
    }
    let mut seconds = 0;
    for (index, part) in parts.iter().enumerate() {
        let value = number(part, 2)?;
        if value > if index == 0 { 23 } else { 59 } {
            return None;
        }
        seconds += value * [3600, 60, 1][index];
    }
    let mut micros = 0;
    if let Some(digits) = fraction {
        if digits.is_empty() || !digits.bytes().all(|d| d.is_ascii_digit()) {
            return None;
        }
        let six: String = digits.chars().chain("000000".chars()).take(6).collect();
        micros = number(&six, 6)?;
    }
    Some(seconds * MICROS + micros)
}

fn number(digits: &str, length: usize) -> Option<i64> {
    let all = digits.len() == length && digits.bytes().all(|d| d.is_ascii_digit());
    all.then(|| digits.parse().ok()).flatten()
}

/// The ISO week of a day since 1970: weeks begin on Monday, and belong to the year of their Thursday.
pub(crate) fn week(days: i64) -> Option<(u16, u8)> {
    // 1970-01-01 was a Thursday.
    let weekday = (days + 3).rem_euclid(7);
    let thursday = days - weekday + 3;
    let (year, _, _) = date(thursday);
    let week = (thursday - days_before(year, 1, 1)) / 7 + 1;
    Some((year.try_into().ok()?, week.try_into().ok()?))
}

/// The week that a moment is in, in UTC.
pub(crate) fn week_of(micros: i64) -> Option<(u16, u8)> {
    week(micros.div_euclid(DAY * MICROS))
}

/// The first moment of a week, in microseconds since 1970. A week beyond the year's last one is in the next year.
pub(crate) fn first_of_week((year, week): (u16, u8)) -> i64 {
    // The fourth of January is always in the first week.
    let fourth = days_before(i64::from(year), 1, 4);
    let monday = fourth - (fourth + 3).rem_euclid(7);
    (monday + 7 * (i64::from(week) - 1)) * DAY * MICROS
}

/// Days since 1970 at the beginning of a date of the Gregorian calendar. Months begin in March here, so that a leap day ends a year.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let since_march = (month + 9) % 12;
    let of_year = (153 * since_march + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + of_year - 719_468
}

/// The date of a day since 1970: year, month, day.
fn date(days: i64) -> (i64, i64, i64) {
    // Never too late a year, and a few too early at most: simpler to see through than counting in eras.
    let mut year = 1970 + days.div_euclid(if days < 0 { 365 } else { 366 });
    while days_before(year + 1, 1, 1) <= days {
        year += 1;
    }
    let mut month = 1;
    while month < 12 && days_before(year, month + 1, 1) <= days {
        month += 1;
    }
    (year, month, days - days_before(year, month, 1) + 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test that cannot go on fails.
mod tests {
    use super::{DAY, MICROS, date, days_before, first_of_week, format, parse, week};

    /// Every day of eight hundred years: the calendar repeats after four hundred.
    #[test]
    fn days_and_dates_are_each_others_inverse() {
        let mut before = date(days_before(1600, 1, 1) - 1);
        for day in days_before(1600, 1, 1)..days_before(2400, 1, 1) {
            let now = date(day);
            assert_eq!(days_before(now.0, now.1, now.2), day);
            assert!(now > before, "{now:?}");
            before = now;
        }
        assert_eq!((date(0), days_before(2026, 11, 18)), ((1970, 1, 1), 20_775));
    }

    #[test]
    fn weeks_are_those_of_iso_8601() {
        for (day, expected) in [
            ((2026, 11, 18), (2026, 47)),
            ((2026, 12, 31), (2026, 53)),
            ((2027, 1, 3), (2026, 53)),
            ((2027, 1, 4), (2027, 1)),
            ((2024, 12, 30), (2025, 1)),
            ((2021, 1, 1), (2020, 53)),
            ((2023, 1, 1), (2022, 52)),
        ] {
            let days = days_before(day.0, day.1, day.2);
            assert_eq!(week(days), Some(expected), "{day:?}");
            let monday = first_of_week(expected) / (DAY * MICROS);
            assert!((0..7).contains(&(days - monday)), "{day:?}");
        }
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        for micros in [
            0,
            1,
            -1,
            1_794_996_000_000_000,
            1_794_996_000_000_025,
            -62_135_596_800_000_000,
            253_402_300_799_999_999,
        ] {
            let text = format(micros);
            assert_eq!(parse(&text).unwrap().micros, micros, "{text}");
        }
    }

    #[test]
    fn other_spellings_are_read_and_rubbish_is_not() {
        let ten = parse("2026-11-18T10:00:00+00:00").unwrap();
        for same in [
            "2026-11-18T10:00:00Z",
            "2026-11-18 10:00",
            "2026-11-18T10",
            "2026-11-18T12:00:00+02:00",
            "2026-11-18T05:30:00.000000000-04:30",
        ] {
            assert_eq!(parse(same), Some(ten), "{same}");
        }
        // The week is that of the text's own day.
        assert_eq!(parse("2026-11-23T01:00:00+05:00").unwrap().week, (2026, 48));
        for rubbish in [
            "",
            "2026",
            "2026-11",
            "2026-13-01",
            "2026-02-29",
            "2026-11-18T",
            "2026-11-18T24:00",
            "2026-11-18T10:60",
            "2026-11-18T10:00:00.",
            "2026-11-18T10:00:00+",
            "0000-01-01",
            "-026-11-18",
            "2026-11-18T10:00:00+00:00x",
            "ü026-11-18",
            "2026-11-18T1ü",
            "2026-11-18Tü+ü",
        ] {
            assert_eq!(parse(rubbish), None, "{rubbish}");
        }
    }
}
