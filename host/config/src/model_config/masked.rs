//! `config.yml` as it may be shown beside a fault: the words of its format and plain numbers, nothing else.
//!
//! The file holds keys, and a file with a fault in its syntax does not say which of its parts they are. So nothing is looked for that has to
//! be hidden: what may be seen is named, and the rest is not.

use std::collections::HashSet;

use crate::model::PROVIDER_NAMES;
use crate::nearest::nearest;

/// Names of fields whose values are no secrets when they are numbers, or words such as `true`.
const PLAIN: [&str; 21] = [
    "concurrency",
    "deadline_seconds",
    "liveness_interval_seconds",
    "max_age_days",
    "max_idle_days",
    "max_session_age_days",
    "max_subtask_depth",
    "max_tokens",
    "max_tool_turns",
    "num_agents",
    "num_retries",
    "port",
    "sandboxed",
    "session_reset_on_model_change",
    "session_token_warning",
    "silence_threshold_seconds",
    "silence_timeout_seconds",
    "sync_enabled",
    "temperature",
    "timeout_seconds",
    "token_ttl_seconds",
];

/// Names of other fields and of sections.
const OTHER: [&str; 40] = [
    "account_id",
    "account_id_env",
    "api_key",
    "api_key_env",
    "api_key_ref",
    "api_keys",
    "api_url",
    "base_url",
    "catalog_provider",
    "classifier",
    "classifier_llm",
    "cloud",
    "coder",
    "default_model",
    "engine",
    "events",
    "extra_headers",
    "headers",
    "litellm_provider",
    "llm",
    "match",
    "mcp",
    "model",
    "model_routes",
    "models",
    "models_endpoint",
    "models_url",
    "name",
    "notifications",
    "opencode",
    "probe_model",
    "providers",
    "recon",
    "targets",
    "token",
    "type",
    "url",
    "validator",
    "validator_llm",
    "wave",
];

/// The longest value that is shown, in bytes.
const SHOWN: usize = 12;

/// The text with everything replaced that may not be seen. As many bytes, and the same lines. `faulty` are the lines with faults: there a
/// name that comes near one of the format's is shown as well.
pub(super) fn masked(text: &str, faulty: &HashSet<u32>) -> String {
    let mut out = String::with_capacity(text.len());
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let shown = seen(line, faulty.contains(&number));
        out.push_str(&line[..shown]);
        hide(&line[shown..], &mut out);
    }
    out
}

/// How many bytes at the line's beginning may be seen.
fn seen(line: &str, faulty: bool) -> usize {
    let mut at = 0;
    loop {
        let rest = &line[at..];
        at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if !line[at..].starts_with("- ") {
            break;
        }
        at += 1;
    }
    let Some((name, value)) = line[at..].split_once(':') else {
        return at;
    };
    if !value.starts_with([' ', '\t', '\r', '\n']) && !value.is_empty() {
        return at;
    }
    let plain = PLAIN.contains(&name);
    let words = || PLAIN.iter().chain(&OTHER).chain(&PROVIDER_NAMES).copied();
    let known = plain || words().any(|word| word == name);
    if !known && (!faulty || nearest(name, words()).is_none()) {
        return at;
    }
    at += name.len() + 1;
    let rest = &line[at..];
    let said = rest.trim();
    if plain && is_plain(said) {
        return at + rest.trim_end().len();
    }
    at + rest.len() - rest.trim_start_matches([' ', '\t']).len()
}

fn is_plain(value: &str) -> bool {
    value.len() <= SHOWN
        && (matches!(value, "true" | "false" | "yes" | "no" | "null" | "~")
            || value
                .bytes()
                .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+')))
}

/// One sign for each character, of as many bytes where there is such a sign.
fn hide(text: &str, out: &mut String) {
    for c in text.chars() {
        match (c, c.len_utf8()) {
            ('\n' | '\r', _) => out.push(c),
            (_, 2) => out.push('·'),
            (_, 3) => out.push('•'),
            (_, bytes) => (0..bytes).for_each(|_| out.push('*')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        masked(text, &HashSet::from([2]))
    }

    #[test]
    fn names_and_numbers_are_seen_and_nothing_else() {
        let text = "llm:\n  max_tokns: 5\n  temperature: 0.5 # k\n  num_retries: lots\n- api_key:\tsecret\nsecret: a\nééé日🦀\n";
        let expected = "llm:\n  max_tokns: *\n  temperature: *******\n  num_retries: ****\n- api_key:\t******\n*********\n···•****\n";
        assert_eq!(of(text), expected);
        assert_eq!(expected.len(), text.len());
    }

    #[test]
    fn what_only_looks_like_a_field_is_hidden() {
        for (text, expected) in [
            ("api_key:secret", "**************"),
            ("'api_key': secret", "*****************"),
            ("x: 5", "****"),
            ("max_tokens: 1234567890123", "max_tokens: *************"),
            ("{api_key: secret}", "*****************"),
        ] {
            assert_eq!(of(text), expected);
        }
    }
}
