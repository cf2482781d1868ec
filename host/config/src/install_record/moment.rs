//! A moment, to the second, in UTC.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Serialize, Serializer};

const DAY: u64 = 24 * 60 * 60;
/// The first second of the year 10000, which is not written with four digits any more.
const END: u64 = 253_402_300_800;

/// A moment from 1970 to 9999, to the second; written `2026-11-30T12:00:00Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Seconds since 1970.
    seconds: u64,
}

impl Moment {
    /// The nearest that can be written: a clock that is set to before 1970 tells 1970.
    pub fn of(time: SystemTime) -> Self {
        let seconds = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
        Self {
            seconds: seconds.min(END - 1),
        }
    }

    /// As it is written; none for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |from: usize, to: usize| -> Option<u64> {
            let digits = text.get(from..to)?;
            digits
                .bytes()
                .all(|b| b.is_ascii_digit())
                .then(|| digits.parse().ok())?
        };
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        if year < 1970 || !(1..=12).contains(&month) || day < 1 || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let before = days_before_year(year) + days_before_month(year, month);
        let moment = Self {
            seconds: (before + day - 1) * DAY + hour * 3600 + minute * 60 + second,
        };
        // The one spelling: separators, and days that the month has.
        (moment.to_string() == text).then_some(moment)
    }
}

fn leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

/// Days from 1970 to the first of a year.
fn days_before_year(year: u64) -> u64 {
    let leaps = |year: u64| year / 4 - year / 100 + year / 400;
    (year - 1970) * 365 + leaps(year - 1) - leaps(1969)
}

/// Days from the first of a year to the first of a month, from 1 to 13.
fn days_before_month(year: u64, month: u64) -> u64 {
    const DAYS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let days: u64 = DAYS.iter().zip(1..month).map(|(days, _)| days).sum();
    days + u64::from(month > 2 && leap(year))
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, of_day) = (self.seconds / DAY, self.seconds % DAY);
        // The mean year is a little longer than 365 days: the guess is this year or one too late.
        let mut year = 1970 + days / 365;
        while days_before_year(year) > days {
            year -= 1;
        }
        let of_year = days - days_before_year(year);
        let month = (1..=12)
            .rev()
            .find(|month| days_before_month(year, *month) <= of_year)
            .unwrap_or(1);
        let day = of_year - days_before_month(year, month) + 1;
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test fails by panicking

    use std::time::{Duration, UNIX_EPOCH};

    use super::{END, Moment};

    #[test]
    fn moments_are_written_as_everywhere() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_795_987_200, "2026-11-29T21:20:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (END - 1, "9999-12-31T23:59:59Z"),
        ] {
            let moment = Moment::of(UNIX_EPOCH + Duration::from_secs(seconds));
            assert_eq!(moment.to_string(), text);
            assert_eq!(Moment::parse(text), Some(moment));
        }
        for day in 0..40_000_u64 {
            let moment = Moment { seconds: day * 86_400 };
            assert_eq!(Moment::parse(&moment.to_string()), Some(moment));
        }
    }

    #[test]
    fn there_is_one_spelling() {
        for text in [
            "2026-11-30",
            "2026-11-30 12:00:00Z",
            "2026-11-30T12:00:00",
            "2026-11-30T12:00:00.5Z",
            "2026-11-30T12:00:00+01:00",
            "2026-02-29T12:00:00Z",
            "2026-13-01T12:00:00Z",
            "1969-12-31T23:59:59Z",
            "2026-11-30T24:00:00Z",
            "",
        ] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
        assert_eq!(
            Moment::of(UNIX_EPOCH - Duration::from_secs(5)).to_string(),
            "1970-01-01T00:00:00Z"
        );
    }
}
