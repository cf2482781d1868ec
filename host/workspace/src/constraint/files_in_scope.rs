//! `files_in_scope`: every path that the change touches is allowed by a pattern, or belongs to the task's module.

use super::pattern::{Budget, Exhausted, Pattern};
use super::result::{KEPT, first_of, quoted, told};
use super::{BadParameter, Evidence, Found, ModuleBound, Params, Subject, touched};
use crate::path::WorkspacePath;

const SCOPE_PATHS: &str = "scope_paths";

/// The patterns, as written and understood.
pub(super) struct Scope {
    texts: Vec<String>,
    patterns: Vec<Pattern>,
}

/// One path of a module: a pattern, or a place that owns everything below it.
struct Owner {
    pattern: Pattern,
    place: Option<WorkspacePath>,
}

impl Scope {
    /// Standard: everything. An empty list allows nothing.
    pub(super) fn read(params: &Params) -> Result<Self, BadParameter> {
        let texts = params.texts(SCOPE_PATHS, &["*"])?;
        let patterns = texts.iter().map(|text| Pattern::new(text)).collect();
        Ok(Self { texts, patterns })
    }

    pub(super) fn look(&self, subject: &Subject<'_>, budget: &mut Budget) -> Found {
        if let Some(module) = subject.module {
            return of_module(module, subject, budget);
        }
        let rule = if self.texts.is_empty() {
            "the scope, which allows nothing".to_owned()
        } else {
            format!("the scope {}", first_of(self.texts.iter().map(|text| quoted(text))))
        };
        let found = outside(subject, budget, |path, budget| {
            any(&self.patterns, |pattern| pattern.matches(path.1, budget))
        });
        answer(found, &rule)
    }
}

fn of_module(module: &ModuleBound, subject: &Subject<'_>, budget: &mut Budget) -> Found {
    let Some(paths) = &module.paths else {
        return Found::broken(
            format!(
                "the task is for the module {}, which the protocol does not declare: nobody knows what it may touch",
                quoted(&module.id)
            ),
            Evidence::UndeclaredModule {
                module_id: module.id.clone(),
            },
        );
    };
    let owners: Vec<Owner> = paths
        .iter()
        .map(|path| Owner {
            pattern: Pattern::new(path),
            // What names no place owns none: the root as a whole is no module.
            place: WorkspacePath::parse_folder(path).ok().flatten(),
        })
        .collect();
    let found = outside(subject, budget, |(path, chars), budget| {
        any(&owners, |owner| {
            let below = owner.place.as_ref().is_some_and(|place| path.is_or_is_below(place));
            Ok(below || owner.pattern.matches(chars, budget)?)
        })
    });
    answer(found, &format!("the module {}", quoted(&module.id)))
}

fn any<T>(items: &[T], mut holds: impl FnMut(&T) -> Result<bool, Exhausted>) -> Result<bool, Exhausted> {
    for item in items {
        if holds(item)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The touched paths for which `allowed` says no.
fn outside<'a>(
    subject: &Subject<'a>,
    budget: &mut Budget,
    mut allowed: impl FnMut((&WorkspacePath, &[char]), &mut Budget) -> Result<bool, Exhausted>,
) -> Result<Vec<&'a WorkspacePath>, Exhausted> {
    let mut outside = Vec::new();
    for path in touched(subject.change) {
        let chars: Vec<char> = path.as_str().chars().collect();
        if !allowed((path, &chars), budget)? {
            outside.push(path);
        }
    }
    Ok(outside)
}

fn answer(found: Result<Vec<&WorkspacePath>, Exhausted>, rule: &str) -> Found {
    match found {
        Err(Exhausted) => Found::cannot_run(format!("holding the changed paths against {rule} takes too long")),
        Ok(outside) if outside.is_empty() => Found::holds(format!("every changed path is within {rule}")),
        Ok(outside) => Found::broken(
            format!(
                "outside {rule}: {}",
                first_of(outside.iter().map(|path| quoted(path.as_str())))
            ),
            Evidence::OutOfScope {
                out_of_scope_files: outside.iter().take(KEPT).map(|path| told(path)).collect(),
                more: outside.len().saturating_sub(KEPT),
            },
        ),
    }
}
