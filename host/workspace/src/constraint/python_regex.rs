//! Regular expressions that were written for Python's `re`, in an engine that takes linear time.
//!
//! What that engine cannot do (looking around, back references) it refuses itself. What it would read in another way is refused here:
//! a pattern that is meant to find credentials and quietly finds something else is worse than none.

/// Why a pattern would mean something else than in Python; none if it does not.
pub(super) fn means_something_else(pattern: &str) -> Option<&'static str> {
    let mut chars = pattern.chars().peekable();
    let mut in_set = false;
    // Whether the next character is the first member of a set.
    let mut first = false;
    while let Some(c) = chars.next() {
        let was_first = std::mem::replace(&mut first, false);
        match c {
            '\\' => match chars.next() {
                Some('<' | '>') => return Some("`\\<` and `\\>` are plain characters in Python; write `<` and `>`"),
                Some('z') => return Some("`\\z` is no escape in Python; write `\\Z`"),
                Some('Z') => return Some("`\\Z` is not served; write `$`"),
                _ => {}
            },
            '[' if in_set => return Some("a `[` within a set is a plain character in Python; write `\\[`"),
            '[' => {
                in_set = true;
                first = true;
                chars.next_if_eq(&'^');
            }
            ']' if in_set && !was_first => in_set = false,
            '&' | '-' | '~' if in_set && chars.peek() == Some(&c) => {
                return Some(
                    "doubled `&`, `-` or `~` within a set are plain characters in Python; write them with `\\`",
                );
            }
            _ => {}
        }
    }
    None
}

/// Why it does not compile, in a few words.
pub(super) fn explain(error: &regex::Error) -> &'static str {
    match error {
        regex::Error::CompiledTooBig(_) => "it is too large",
        _ => "it is no regular expression that is served; looking around and back references are not",
    }
}

#[cfg(test)]
mod tests {
    use super::means_something_else;

    #[test]
    fn what_both_read_alike_is_taken() {
        for pattern in [
            "AKIA[0-9A-Z]{16}",
            r"[]a]",
            r"[^]a]",
            r"[\[\]]",
            r"(?i)pass(?:word)?\s*[:=]\s*['\x22]([^'\x22]{4,})",
            r"(?P<key>[\w-]+)&&--~~",
            r"\bkey\b",
            r"[-a]",
        ] {
            assert_eq!(means_something_else(pattern), None, "{pattern}");
            assert!(regex::Regex::new(pattern).is_ok(), "{pattern}");
        }
    }

    #[test]
    fn what_they_read_differently_is_refused() {
        for pattern in ["[[a]", "[a&&b]", "[a--b]", "[a~~b]", r"\<b\>", r"a\Z", "[a[:alpha:]]"] {
            assert!(means_something_else(pattern).is_some(), "{pattern}");
        }
    }
}
