//! When two names are one to some file system.
//!
//! A protected name has aliases on file systems that fold: other letter case (also across scripts: `ſ` is an `s`, `K` the
//! Kelvin sign is a `k`), decomposed or compatibility letters, characters that are not seen (HFS+ drops them), dots and spaces at
//! the end (Windows drops them), and the short names that FAT and NTFS make (`GIT~1`). Two names with one [`fold`] are treated as one
//! name wherever something is *refused*. Nothing is ever folded on its way to the disk.

use std::borrow::Cow;

use caseless::Caseless as _;
use unicode_normalization::UnicodeNormalization as _;

/// The form in which names are compared: compatibility caseless matching of the Unicode standard (3.13, D146) without
/// characters that are not seen, and without dots and spaces at the end.
pub(crate) fn fold(component: &str) -> Cow<'_, str> {
    if component.is_ascii() {
        let trimmed = component.trim_end_matches([' ', '.']);
        let is_folded = |b: u8| !b.is_ascii_uppercase() && !b.is_ascii_control();
        return if trimmed.bytes().all(is_folded) {
            Cow::Borrowed(trimmed)
        } else {
            let seen = trimmed.chars().filter(|c| !c.is_ascii_control());
            Cow::Owned(without_end(seen.map(|c| c.to_ascii_lowercase()).collect()))
        };
    }
    let folded = component
        .chars()
        .filter(|c| !is_unseen(*c))
        .nfd()
        .default_case_fold()
        .nfkd()
        .default_case_fold()
        .nfkd()
        // Compatibility decomposition may bring some up.
        .filter(|c| !is_unseen(*c))
        .collect();
    Cow::Owned(without_end(folded))
}

fn without_end(mut folded: String) -> String {
    folded.truncate(folded.trim_end_matches([' ', '.']).len());
    folded
}

/// Letter case alone: what a file system does that folds case and nothing else.
pub(crate) fn fold_case(text: &str) -> String {
    if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        caseless::default_case_fold_str(text)
    }
}

/// Whether `candidate` may be the short name (8.3) of `name`; both folded.
///
/// FAT and NTFS make one for every name that does not fit the scheme: six letters without dots and spaces, `~` and a number; after
/// some collisions two letters and four hexadecimal digits.
pub(super) fn is_short_name_of(candidate: &str, name: &str) -> bool {
    let (stem, extension) = candidate
        .rsplit_once('.')
        .map_or((candidate, ""), |(stem, extension)| (stem, extension));
    let Some((start, number)) = stem.rsplit_once('~') else {
        return false;
    };
    if start.is_empty() || number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let without_lead = name.trim_start_matches(['.', ' ']);
    let (long_stem, long_extension) = without_lead
        .rsplit_once('.')
        .map_or((without_lead, ""), |(stem, extension)| (stem, extension));
    if fits_the_scheme(name) {
        return false;
    }
    let squeezed = |text: &str, most: usize| -> String {
        text.chars()
            .filter(|c| !matches!(c, '.' | ' '))
            .map(|c| {
                if matches!(c, '+' | ',' | ';' | '=' | '[' | ']') {
                    '_'
                } else {
                    c
                }
            })
            .take(most)
            .collect()
    };
    if squeezed(long_extension, 3) != extension {
        return false;
    }
    let letters = squeezed(long_stem, 6);
    let is_cut = letters.starts_with(start) && (start == letters || number.len() > 1);
    let is_hashed = start.len() == start.chars().count()
        && start.len() >= 5
        && start.is_char_boundary(start.len() - 4)
        && start[start.len() - 4..].bytes().all(|b| b.is_ascii_hexdigit())
        && letters.starts_with(&start[..start.len() - 4]);
    is_cut || is_hashed
}

/// Whether a name is its own short name: at most eight characters, a dot and three, all of them plain.
fn fits_the_scheme(name: &str) -> bool {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let is_plain = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'()-@^_`{}~".contains(&b))
    };
    matches!(stem.len(), 1..=8) && extension.len() <= 3 && is_plain(stem) && is_plain(extension)
}

/// Characters that are not seen: Unicode's `Default_Ignorable_Code_Point` (16.0), format characters beside it, and controls.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{600}'..='\u{605}'
                | '\u{61c}'
                | '\u{6dd}'
                | '\u{70f}'
                | '\u{890}'..='\u{891}'
                | '\u{8e2}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{110bd}'
                | '\u{110cd}'
                | '\u{13430}'..='\u{1343f}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test that cannot go on fails.
mod tests {
    use super::{fold, is_short_name_of, is_unseen};

    #[test]
    fn aliases_of_one_name_fold_together() {
        for alias in [
            ".git",
            ".GIT",
            ".gIt",
            ".git.",
            ".git ",
            ".git. . ",
            ".g\u{200c}it",
            ".git\u{200d}",
            "\u{feff}.git",
            ".gi\u{ff54}",
            "\u{ff0e}git",
            ".g\u{ad}it",
        ] {
            assert_eq!(fold(alias), ".git", "{alias:?}");
        }
        for alias in [".snodo", ".\u{17f}nodo", ".SNODO", ".sn\u{200b}odo", ".snodo\u{a0}"] {
            assert_eq!(fold(alias), ".snodo", "{alias:?}");
        }
        assert_eq!(fold("caf\u{e9}.md"), fold("cafe\u{301}.md"));
        assert_eq!(fold("CAF\u{c9}.MD"), fold("cafe\u{301}.md"));
        assert_eq!(fold("Stra\u{df}e"), fold("STRASSE"));
        assert_eq!(fold("\u{212a}ey"), fold("key"));
        assert_eq!(fold("\u{fb01}le"), fold("FILE"));
    }

    #[test]
    fn other_names_stay_apart() {
        for other in [
            "git",
            ".gitignore",
            ".github",
            "x.git",
            ".git2",
            "..git",
            ".snodo-x",
            " .git",
        ] {
            assert_ne!(fold(other), ".git", "{other:?}");
            assert_ne!(fold(other), ".snodo", "{other:?}");
        }
        assert_ne!(fold("cafe.md"), fold("caf\u{e9}.md"));
    }

    #[test]
    fn folding_again_changes_nothing() {
        for name in [".GIT. ", "Stra\u{df}e", "\u{390}", "\u{1f88}", "\u{130}x", "a\u{345}b"] {
            assert_eq!(fold(&fold(name)), fold(name), "{name:?}");
        }
    }

    #[test]
    fn short_names_are_known() {
        assert!(is_short_name_of("git~1", ".git"));
        assert!(is_short_name_of("git~12", ".git"));
        assert!(is_short_name_of("snodo~1", ".snodo"));
        assert!(is_short_name_of("sn4f2a~1", ".snodo"));
        assert!(is_short_name_of("infras~1", "infrastructure"));
        assert!(is_short_name_of("prod~1.con", "prod.config"));
        assert!(is_short_name_of("docker~2.yml", "docker-compose.yml"));
        assert!(!is_short_name_of("docs~1", "docs") && !is_short_name_of("prod~1.tf", "prod.tf"));
        for other in ["git", "git~", "git~x", "~1", "gi~1", "gitx~1", "git~1.txt", "snod~1"] {
            assert!(!is_short_name_of(other, ".git") || other == "git", "{other:?}");
            assert!(!is_short_name_of(other, ".snodo"), "{other:?}");
        }
    }

    /// The table against the regular expression engine's own copy of the Unicode data.
    #[test]
    fn unseen_characters_are_unicodes() {
        let unseen = regex::Regex::new(r"[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]").unwrap();
        let all: String = ('\0'..=char::MAX).collect();
        let expected: String = unseen.find_iter(&all).map(|m| m.as_str()).collect();
        let found: String = all.chars().filter(|c| is_unseen(*c)).collect();
        assert_eq!(found, expected);
    }
}
