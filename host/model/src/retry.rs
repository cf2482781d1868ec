//! Whether and when a request is sent again.
//!
//! | what happened | again |
//! |---|---|
//! | no connection, a connection that broke | yes |
//! | 408, 429, 500, 502, 503, 504, 529 | yes |
//! | 429 or 402 because a quota is used up | no: it will be so in a minute as well |
//! | 400, 401, 403, 404, 422, any other status, a redirect | no |
//! | nothing came for too long, the time for everything | no: another such wait costs as much, and the model's work twice |
//! | an answer that cannot be read | no |
//!
//! Statuses and error codes decide; no text is looked at. Between attempts the wait doubles, each time by half to the whole of it, or is what the
//! provider asks for, and never longer than [`Backoff::longest`]. Where the wait would go past the time for everything, it is not begun.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

use crate::http::header;

/// How long is waited between attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Before the second attempt.
    pub first: Duration,
    /// Before any, whatever the provider asks for.
    pub longest: Duration,
}

impl Backoff {
    /// One second at first, as snodo's judges; thirty at most, which is their whole budget for waiting.
    pub const STANDARD: Self = Self {
        first: Duration::from_secs(1),
        longest: Duration::from_secs(30),
    };

    /// Before the attempt after the `sent`th.
    pub(crate) fn wait(self, sent: u32, asked: Option<Duration>, jitter: &Jitter) -> Duration {
        if let Some(asked) = asked {
            return asked.min(self.longest);
        }
        let doubled = self
            .first
            .saturating_mul(1_u32.checked_shl(sent.saturating_sub(1)).unwrap_or(u32::MAX));
        let whole = doubled.min(self.longest);
        whole / 2 + (whole / 2).mul_f64(jitter.fraction())
    }
}

/// Whether that status can be another one in a moment.
pub(crate) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504 | 529)
}

/// Whether a provider's code says that a quota is used up.
pub(crate) fn is_quota(code: &str) -> bool {
    matches!(
        code,
        "insufficient_quota"
            | "billing_hard_limit_reached"
            | "billing_not_active"
            | "insufficient_balance"
            | "billing_error"
    )
}

/// How long the provider asks to wait: seconds, or a date. A date is measured against the same answer's `Date`, so that a clock that is wrong on
/// either side does not matter, and against `now` where there is none. What is neither, or lies in the past, is not there.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = header(headers, RETRY_AFTER)?.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let then = httpdate::parse_http_date(value).ok()?;
    let now = header(headers, DATE)
        .and_then(|date| httpdate::parse_http_date(date).ok())
        .unwrap_or(now);
    then.duration_since(now).ok()
}

/// Numbers that spread retries of several clients; nothing is kept secret with them. `SplitMix64`, from a seed that the caller gives.
#[derive(Debug)]
pub(crate) struct Jitter(AtomicU64);

impl Jitter {
    pub(crate) fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// From 0 to under 1.
    fn fraction(&self) -> f64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut z = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        // 32 bits are exact in a float, and more than a wait can show.
        f64::from(u32::try_from(z >> 32).unwrap_or(0)) / 4_294_967_296.0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn asked(value: &str, date: Option<&str>) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, value.parse().unwrap());
        if let Some(date) = date {
            headers.insert(DATE, date.parse().unwrap());
        }
        let now = httpdate::parse_http_date("Fri, 06 Nov 2026 08:49:30 GMT").unwrap();
        retry_after(&headers, now)
    }

    #[test]
    fn how_long_a_provider_asks_to_wait() {
        let date = "Fri, 06 Nov 2026 08:49:37 GMT";
        assert_eq!(asked("1", None), Some(Duration::from_secs(1)));
        assert_eq!(asked(" 0 ", None), Some(Duration::ZERO));
        assert_eq!(asked("1.5", None), Some(Duration::from_millis(1500)));
        assert_eq!(asked("99999", None), Some(Duration::from_secs(99_999)));
        assert_eq!(asked(date, None), Some(Duration::from_secs(7)));
        assert_eq!(
            asked(date, Some("Fri, 06 Nov 2026 08:49:35 GMT")),
            Some(Duration::from_secs(2))
        );
        for garbage in [
            "-1",
            "abc",
            "",
            "NaN",
            "inf",
            "1e300",
            "Fri, 06 Nov 2026 08:49:01 GMT",
            "99999999999999999999",
        ] {
            let found = asked(garbage, None);
            assert!(
                found.is_none() || found > Some(Duration::from_secs(1 << 40)),
                "{garbage}: {found:?}"
            );
        }
    }

    #[test]
    fn waits_grow_and_end() {
        let backoff = Backoff::STANDARD;
        let jitter = Jitter::new(7);
        for sent in 1..80 {
            let whole = Duration::from_secs(1_u64.checked_shl(sent - 1).unwrap_or(u64::MAX)).min(backoff.longest);
            let wait = backoff.wait(sent, None, &jitter);
            assert!(wait >= whole / 2 && wait <= whole, "{sent}: {wait:?}");
        }
        assert_eq!(
            backoff.wait(1, Some(Duration::from_secs(99_999)), &jitter),
            backoff.longest
        );
        assert_eq!(backoff.wait(9, Some(Duration::ZERO), &jitter), Duration::ZERO);
        let (one, other) = (Jitter::new(1), Jitter::new(1));
        assert_eq!(backoff.wait(3, None, &one), backoff.wait(3, None, &other));
    }
}
