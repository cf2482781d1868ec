//! `no_secrets_in_diff`: nothing that the change adds looks like a credential.
//!
//! Looked at are the lines that the new content has and the old one has not, found by comparing contents: there is no text of a
//! difference in between in which a line could pass for a header. A file that is not text is looked at whole, and what stood in it before
//! is left out. Paths are looked at too. snodo looks at `git diff HEAD`, which is empty once its engine has committed.

use std::collections::BTreeSet;

use regex::{Regex, RegexBuilder};

use super::result::{KEPT, SecretFinding, first_of, quoted, told};
use super::{BadParameter, Evidence, Found, Params, python_regex};
use crate::change::{ChangeSet, FileChange};
use crate::secrets;

const PATTERNS: &str = "patterns";
/// Of all patterns together; beyond it they are refused.
const MOST_BYTES: usize = 64 * 1024;
/// Of one compiled pattern, in bytes.
const COMPILED: usize = 2 * 1024 * 1024;

/// What is looked for.
pub(super) enum Finder {
    /// The product's own table.
    Table,
    /// The protocol's patterns, in its order.
    Own(Vec<(String, Regex)>),
}

/// One match.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Match {
    pattern: String,
    /// Kept to tell whether it stood there before; what is told is `shown`.
    value: String,
    shown: String,
}

/// What was found so far.
#[derive(Default)]
struct Findings {
    kept: Vec<SecretFinding>,
    count: usize,
    patterns: BTreeSet<String>,
}

impl Findings {
    fn add(&mut self, file: &FileChange, line: Option<u64>, found: Match) {
        self.count += 1;
        if self.kept.len() < KEPT {
            self.kept.push(SecretFinding {
                pattern: found.pattern.clone(),
                path: told(&file.path),
                line,
                matched: found.shown,
            });
        }
        self.patterns.insert(found.pattern);
    }
}

/// How many patterns stand in the parameters.
pub(super) fn own_patterns(params: &Params) -> usize {
    params.entries(PATTERNS)
}

impl Finder {
    /// A map that is not empty takes the table's place.
    pub(super) fn read(params: &Params) -> Result<Self, BadParameter> {
        let own = params.named_texts(PATTERNS)?;
        if own.is_empty() {
            return Ok(Self::Table);
        }
        if own.iter().map(|(_, pattern)| pattern.len()).sum::<usize>() > MOST_BYTES {
            return Err(BadParameter::new(
                PATTERNS,
                format!("holds more than {MOST_BYTES} bytes of patterns"),
            ));
        }
        let compiled = own.into_iter().map(|(name, pattern)| {
            let bad = |why: &str| {
                BadParameter::new(
                    PATTERNS,
                    format!("holds the pattern {}, which cannot be used: {why}", quoted(&name)),
                )
            };
            if let Some(why) = python_regex::means_something_else(&pattern) {
                return Err(bad(why));
            }
            let regex = RegexBuilder::new(&pattern).size_limit(COMPILED).build();
            let regex = regex.map_err(|error| bad(python_regex::explain(&error)))?;
            Ok((name, regex))
        });
        compiled.collect::<Result<_, _>>().map(Self::Own)
    }

    pub(super) fn look(&self, change: &ChangeSet) -> Found {
        let mut findings = Findings::default();
        for file in &change.files {
            self.file(file, &mut findings);
        }
        if findings.count == 0 {
            return Found::holds("nothing that is added looks like a credential");
        }
        let places = findings.kept.iter().map(|finding| {
            let place = match finding.line {
                Some(line) => format!("line {line} of {}", quoted(&finding.path)),
                None => format!("the path {}", quoted(&finding.path)),
            };
            format!("{place} ({}: {})", quoted(&finding.pattern), quoted(&finding.matched))
        });
        let justification = format!(
            "what is added holds what looks like {} of {}: {}",
            counted(findings.count, "credential"),
            counted(findings.patterns.len(), "kind"),
            first_of(places)
        );
        Found::broken(
            justification,
            Evidence::Secrets {
                more: findings.count - findings.kept.len(),
                findings: findings.kept,
            },
        )
    }

    fn file(&self, file: &FileChange, findings: &mut Findings) {
        let Some(after) = &file.after else {
            return;
        };
        let is_new_path = file.before.is_none() || file.old_path.is_some();
        if is_new_path {
            for found in self.matches(file.path.as_str()) {
                findings.add(file, None, found);
            }
        }
        if !file.binary {
            for (number, line) in file.added_lines() {
                // Only text gets here, so nothing is replaced.
                for found in self.matches(&String::from_utf8_lossy(line)) {
                    findings.add(file, Some(number), found);
                }
            }
            return;
        }
        let now = self.whole(&after.bytes);
        if now.is_empty() {
            return;
        }
        let earlier = file
            .before
            .as_ref()
            .map_or_else(Vec::new, |before| self.whole(&before.bytes));
        let earlier: BTreeSet<Match> = earlier.into_iter().map(|(_, found)| found).collect();
        for (number, found) in now.into_iter().filter(|(_, found)| !earlier.contains(found)) {
            findings.add(file, Some(number), found);
        }
    }

    fn matches(&self, line: &str) -> Vec<Match> {
        match self {
            Self::Table => secrets::in_line(line)
                .into_iter()
                .map(|hit| Match {
                    pattern: hit.rule().to_owned(),
                    shown: hit.shown(),
                    value: hit.into_value(),
                })
                .collect(),
            Self::Own(patterns) => {
                let all = patterns.iter().flat_map(|(name, regex)| {
                    regex.find_iter(line).map(|found| Match {
                        pattern: name.clone(),
                        value: found.as_str().to_owned(),
                        shown: secrets::shown(found.as_str()),
                    })
                });
                all.collect()
            }
        }
    }

    /// Of bytes that may be anything, by line. They are looked at as they stand, and once more with NUL bytes taken out, which
    /// shows the ASCII in UTF-16 and UTF-32.
    fn whole(&self, bytes: &[u8]) -> Vec<(u64, Match)> {
        let mut all = self.lines(bytes);
        if bytes.contains(&0) {
            let without: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
            let known: BTreeSet<(String, String)> =
                all.iter().map(|(_, m)| (m.pattern.clone(), m.value.clone())).collect();
            let more = self.lines(&without).into_iter();
            all.extend(more.filter(|(_, m)| !known.contains(&(m.pattern.clone(), m.value.clone()))));
        }
        all
    }

    fn lines(&self, bytes: &[u8]) -> Vec<(u64, Match)> {
        let numbered = (1..).zip(bytes.split(|byte| *byte == b'\n'));
        numbered
            .flat_map(|(number, line)| {
                self.matches(&secrets::ascii(line))
                    .into_iter()
                    .map(move |found| (number, found))
            })
            .collect()
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
