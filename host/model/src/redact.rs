//! Secrets taken out of what others said, before anything of it is read, cut, shown or kept.
//!
//! A provider can say a key back: in an error, in a header, in the answer itself. Every secret that a client knows is looked for as it is (in lower and in upper case too), as
//! JSON and as URLs write it, in hexadecimal, and in base64 at each of the three places where it can begin in a longer text.
//!
//! **Short secrets.** What has fewer than 16 characters and is not letters and digits mixed, or has fewer than 8, is no key that anybody would have
//! to guess (`ollama`, `none`, `lm-studio`, `password`). Such a one is taken out of what is said about a failure, where it stands by
//! itself, and not out of answers: a model's code would lose every such word without anybody being told.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use memchr::memmem;
use secrecy::{ExposeSecret, SecretString};

/// What stands in the place of a secret.
pub(crate) const MARK: &str = "[removed]";

/// Fewer characters than these are no key.
const SHORT: usize = 8;
/// So many are one, whatever they are.
const LONG: usize = 16;
/// What a credential in a header begins with.
const SCHEMES: [&str; 3] = ["bearer ", "basic ", "token "];

/// The secrets of one client. Neither printed nor compared.
#[derive(Default)]
pub(crate) struct Redactor {
    /// Removed everywhere; the longest first, so that nothing is left of a form that contains another.
    forms: Vec<Vec<u8>>,
    /// Removed from failures, as words.
    words: Vec<String>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redactor")
            .field("forms", &self.forms.len())
            .finish_non_exhaustive()
    }
}

impl Redactor {
    /// For these secrets.
    pub(crate) fn new<'a>(secrets: impl IntoIterator<Item = &'a SecretString>) -> Self {
        let mut made = Self::default();
        for secret in secrets {
            let whole = secret.expose_secret().trim();
            made.add(whole);
            // `Bearer xyz` is also said back as `xyz`.
            if let Some(scheme) = SCHEMES.iter().find(|scheme| starts_with_ignoring_case(whole, scheme)) {
                made.add(whole[scheme.len()..].trim());
            }
        }
        made.forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        made.forms.dedup();
        made
    }

    fn add(&mut self, secret: &str) {
        if secret.is_empty() {
            return;
        }
        let digits = secret.bytes().any(|byte| byte.is_ascii_digit());
        let letters = secret.bytes().any(|byte| byte.is_ascii_alphabetic());
        if secret.len() >= LONG || (secret.len() >= SHORT && digits && letters) {
            self.forms.extend(forms(secret));
        } else {
            self.words.push(secret.to_owned());
        }
    }

    /// A body, before it is read.
    pub(crate) fn bytes(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        for form in &self.forms {
            let finder = memmem::Finder::new(form);
            if finder.find(&bytes).is_none() {
                continue;
            }
            let mut left = Vec::with_capacity(bytes.len());
            let mut from = 0;
            for at in finder.find_iter(&bytes) {
                left.extend_from_slice(&bytes[from..at]);
                left.extend_from_slice(MARK.as_bytes());
                from = at + form.len();
            }
            left.extend_from_slice(&bytes[from..]);
            bytes = left;
        }
        bytes
    }

    /// A text of an answer, once more after it was read: JSON can write any letter as `\u0041`.
    pub(crate) fn text(&self, text: String) -> String {
        // Forms are whole characters, and so is the mark.
        String::from_utf8(self.bytes(text.into_bytes())).unwrap_or_else(|_| MARK.to_owned())
    }

    /// What is said about a failure: without the short ones too.
    pub(crate) fn failure(&self, text: &str) -> String {
        let mut text = self.text(text.to_owned());
        for word in &self.words {
            text = without_word(&text, word);
        }
        text
    }
}

fn starts_with_ignoring_case(text: &str, start: &str) -> bool {
    text.get(..start.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// Everything that a secret can look like.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let json = serde_json::to_string(secret).unwrap_or_default();
    let json = json.trim_matches('"').to_owned();
    let mut all = vec![
        secret.to_owned(),
        secret.to_lowercase(),
        secret.to_uppercase(),
        json.replace('/', "\\/"),
        json,
        percent(
            secret,
            |byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte),
            true,
        ),
        percent(
            secret,
            |byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte),
            false,
        ),
        // As forms are sent, and as addresses are shown: fewer letters are encoded.
        percent(
            secret,
            |byte| byte.is_ascii_alphanumeric() || b"-._*".contains(&byte),
            true,
        )
        .replace("%20", "+"),
        percent(
            secret,
            |byte| byte.is_ascii_graphic() && !b"\"#<>%".contains(&byte),
            true,
        ),
        hex(secret, true),
        hex(secret, false),
    ];
    all.extend(base64_inside(secret));
    all.sort();
    all.dedup();
    all.into_iter()
        .filter(|form| form.len() >= SHORT)
        .map(String::into_bytes)
        .collect()
}

fn percent(secret: &str, plain: impl Fn(u8) -> bool, upper: bool) -> String {
    let letters = secret.bytes().map(|byte| match (plain(byte), upper) {
        (true, _) => char::from(byte).to_string(),
        (false, true) => format!("%{byte:02X}"),
        (false, false) => format!("%{byte:02x}"),
    });
    letters.collect()
}

fn hex(secret: &str, upper: bool) -> String {
    let digits = secret.bytes().map(|byte| {
        if upper {
            format!("{byte:02X}")
        } else {
            format!("{byte:02x}")
        }
    });
    digits.collect()
}

/// The letters of base64 that depend on nothing but the secret, for each of the places where it can begin in what was encoded.
fn base64_inside(secret: &str) -> Vec<String> {
    let mut all = Vec::new();
    for before in 0..3_usize {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(secret.as_bytes());
        // Each letter stands for six bits: those of a neighbour are left off on both sides.
        let first = (before * 8).div_ceil(6);
        let behind = bytes.len() * 8 / 6;
        for engine in [&STANDARD, &URL_SAFE] {
            let encoded = engine.encode(&bytes);
            if let Some(inside) = encoded.get(first..behind) {
                all.push(inside.to_owned());
            }
        }
    }
    all
}

fn without_word(text: &str, word: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in text.match_indices(word) {
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let stands = !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part);
        if stands && at >= from {
            out.push_str(&text[from..at]);
            out.push_str(MARK);
            from = at + word.len();
        }
    }
    out.push_str(&text[from..]);
    out
}

/// Headers that say who asks, or which form is spoken: names and dates that also stand in people's code, from where they would be taken out.
const DESCRIBING: [&str; 8] = [
    "user-agent",
    "referer",
    "http-referer",
    "x-title",
    "accept",
    "anthropic-version",
    "anthropic-beta",
    "openai-beta",
];

/// Whether what a header of the user's says may be a secret. A gateway's password has a header of any name, so that all may but those of which it is
/// known what they say.
pub(crate) fn may_be_secret(name: &str, value: &str) -> bool {
    !DESCRIBING.iter().any(|known| name.eq_ignore_ascii_case(known))
        || SCHEMES.iter().any(|scheme| starts_with_ignoring_case(value, scheme))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use proptest::prelude::*;

    use super::*;

    fn redactor(secrets: &[&str]) -> Redactor {
        let secrets: Vec<SecretString> = secrets.iter().map(|&secret| secret.into()).collect();
        Redactor::new(&secrets)
    }

    #[test]
    fn every_form_is_removed() {
        let secret = "sk-Ä\"+/=&7 %x\\y0123456789";
        let redactor = redactor(&[secret]);
        let in_header = format!("Bearer {secret}");
        let url = reqwest::Url::parse_with_params("http://h/", [("key", secret)]).unwrap();
        for said in [
            secret.to_owned(),
            serde_json::to_string(secret).unwrap(),
            serde_json::to_string(secret).unwrap().replace('/', "\\/"),
            url.to_string(),
            STANDARD.encode(&in_header),
            STANDARD.encode(secret),
            URL_SAFE.encode(format!("x{secret}yz")),
            URL_SAFE.encode(format!("xy{secret}")),
            hex(secret, false),
        ] {
            let said = format!("before {said} after {said}");
            let left = redactor.failure(&said);
            assert!(left.matches(MARK).count() == 2, "{said}\n{left}");
            assert!(!left.contains("0123456789"), "{left}");
        }
    }

    #[test]
    fn a_credential_is_also_removed_without_its_scheme() {
        let redactor = redactor(&["Bearer abcdefghijklmnop1"]);
        assert_eq!(redactor.text("x abcdefghijklmnop1 y".into()), format!("x {MARK} y"));
    }

    #[test]
    fn short_ones_stay_in_answers_and_leave_failures() {
        for word in ["ollama", "lm-studio", "password", "12345678", "a1"] {
            let redactor = redactor(&[word]);
            let said = format!("the {word} of x{word}y ({word}).");
            assert_eq!(redactor.text(said.clone()), said);
            assert_eq!(redactor.failure(&said), format!("the {MARK} of x{word}y ({MARK})."));
        }
    }

    #[test]
    fn it_is_not_printed() {
        let shown = format!("{:?}", redactor(&["abcdefghijklmnop1"]));
        assert!(!shown.contains("abcdefghijklmnop1"), "{shown}");
    }

    #[test]
    fn where_credentials_are_sent() {
        for (name, value) in [
            ("Authorization", "x"),
            ("X-Goog-Api-Key", "x"),
            ("cf-aig-authorization", "x"),
            ("x-gateway-pass", "x"),
            ("x", "basic y"),
            ("User-Agent", "Bearer y"),
        ] {
            assert!(may_be_secret(name, value), "{name}: {value}");
        }
        assert!(!may_be_secret("HTTP-Referer", "https://h"));
        assert!(!may_be_secret("anthropic-beta", "context-1m-2025-08-07"));
    }

    proptest! {
        #[test]
        fn base64_of_anything_around_it_is_removed(before in ".{0,9}", secret in "[!-~]{20,40}", after in ".{0,9}") {
            let redactor = redactor(&[&secret]);
            for engine in [STANDARD, URL_SAFE] {
                let said = engine.encode(format!("{before}{secret}{after}"));
                let left = redactor.text(said);
                prop_assert!(left.contains(MARK));
            }
            let json = serde_json::to_string(&format!("{before}{secret}{after}")).unwrap();
            prop_assert!(redactor.text(json).contains(MARK));
        }
    }
}
