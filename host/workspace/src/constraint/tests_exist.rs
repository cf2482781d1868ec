//! `tests_exist_for_modified`: for every file that the change touches outside the tests, a test of its name exists.
//!
//! As in snodo, every kind of file counts (`README.md` needs one too), and so does a file that is deleted.

use std::collections::BTreeSet;

use super::result::{KEPT, first_of, quoted, told};
use super::{BadParameter, Evidence, Found, Params, Subject, touched};
use crate::capability::EntryKind;
use crate::path::WorkspacePath;

const DIR: &str = "test_dir_pattern";
const NAME: &str = "test_name_pattern";

/// Where tests stand and how they are called.
pub(super) struct Naming {
    folder: WorkspacePath,
    name: Vec<Piece>,
}

/// A piece of a name.
enum Piece {
    Text(String),
    /// `{stem}`: the file's name without its last extension.
    Stem,
    /// `{path}`: the file's whole path.
    Path,
}

impl Naming {
    /// Standard: `tests/`, `test_{stem}.py`.
    pub(super) fn read(params: &Params) -> Result<Self, BadParameter> {
        let folder = params.text(DIR, "tests/")?;
        let folder = WorkspacePath::parse_folder(&folder)
            .map_err(|bad| BadParameter::new(DIR, format!("names no folder of the workspace: {bad}")))?
            // For snodo every file stands in it, so that the constraint would hold for nothing.
            .ok_or_else(|| BadParameter::new(DIR, "must name a folder below the workspace's root"))?;
        let name = params.text(NAME, "test_{stem}.py")?;
        Ok(Self {
            folder,
            name: pieces(&name)?,
        })
    }

    pub(super) fn look(&self, subject: &Subject<'_>) -> Found {
        let mut missing: Vec<(&WorkspacePath, WorkspacePath)> = Vec::new();
        for path in touched(subject.change) {
            if path.is_or_is_below(&self.folder) {
                continue;
            }
            let test = match self.test_of(path) {
                Ok(test) => test,
                Err(bad) => {
                    return Found::cannot_run(format!(
                        "the test of {} has no path: it would be {}, which {}",
                        quoted(path.as_str()),
                        quoted(&bad.path),
                        bad.rule.explain()
                    ));
                }
            };
            match subject.view.kind(&test) {
                Ok(Some(EntryKind::File)) => {}
                Ok(_) => missing.push((path, test)),
                Err(error) => {
                    return Found::cannot_run(format!(
                        "whether {} exists cannot be told: {}",
                        quoted(test.as_str()),
                        crate::escape::escaped(&crate::secrets::mask(&error.to_string()))
                    ));
                }
            }
        }
        if missing.is_empty() {
            return Found::holds(format!(
                "every changed file has a test in {}",
                quoted(self.folder.as_str())
            ));
        }
        let told_pairs = missing
            .iter()
            .map(|(path, test)| format!("{} (for {})", quoted(test.as_str()), quoted(path.as_str())));
        let justification = format!("tests that do not exist: {}", first_of(told_pairs));
        // Two files may want one test.
        let tests: BTreeSet<&WorkspacePath> = missing.iter().map(|(_, test)| test).collect();
        Found::broken(
            justification,
            Evidence::MissingTests {
                more: tests.len().saturating_sub(KEPT),
                missing_tests: tests.into_iter().take(KEPT).map(told).collect(),
            },
        )
    }

    fn test_of(&self, path: &WorkspacePath) -> Result<WorkspacePath, crate::path::BadPath> {
        let mut test = format!("{}/", self.folder.as_str());
        for piece in &self.name {
            test.push_str(match piece {
                Piece::Text(text) => text,
                Piece::Stem => stem(path.file_name()),
                Piece::Path => path.as_str(),
            });
        }
        WorkspacePath::parse(&test)
    }
}

/// Without the last extension; leading dots start none.
fn stem(name: &str) -> &str {
    let dots = name.len() - name.trim_start_matches('.').len();
    name[dots..].rfind('.').map_or(name, |at| &name[..dots + at])
}

/// `{stem}` and `{path}` are filled in, `{{` and `}}` are braces; nothing else in braces has a meaning.
fn pieces(pattern: &str) -> Result<Vec<Piece>, BadParameter> {
    let bad = |problem: &str| BadParameter::new(NAME, problem);
    if pattern.trim().is_empty() {
        return Err(bad("must not be blank"));
    }
    if pattern.starts_with('/') {
        return Err(bad("must be a name below the folder of tests, without a leading `/`"));
    }
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '{' | '}' if after.starts_with(c) => {
                text.push(c);
                &after[1..]
            }
            '{' => {
                let (field, after) = after
                    .split_once('}')
                    .ok_or_else(|| bad("has a `{` that is not closed"))?;
                let piece = match field {
                    "stem" => Piece::Stem,
                    "path" => Piece::Path,
                    _ => return Err(bad("may hold `{stem}` and `{path}`, and nothing else in braces")),
                };
                pieces.push(Piece::Text(std::mem::take(&mut text)));
                pieces.push(piece);
                after
            }
            '}' => return Err(bad("has a `}` that closes nothing")),
            other => {
                text.push(other);
                after
            }
        };
    }
    pieces.push(Piece::Text(text));
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn what_a_stem_is() {
        for (name, expected) in [
            ("a.py", "a"),
            ("a.tar.gz", "a.tar"),
            (".env", ".env"),
            (".env.local", ".env"),
            ("Makefile", "Makefile"),
            ("__init__.py", "__init__"),
            ("..x", "..x"),
            ("é.txt", "é"),
        ] {
            assert_eq!(stem(name), expected);
        }
    }
}
