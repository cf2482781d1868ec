//! The validator `scope`: stops a change that touches a path outside of the patterns given in the setting `paths`.
//!
//! What a pattern means is said in [`snodo_plugin::pattern`]. Both sides of a rename count, and so does a deletion.

use snodo_plugin::pattern::Pattern;
use snodo_plugin::prelude::*;

/// So many paths are written out.
const SHOWN: usize = 20;
/// So many paths are listed as examined.
const EXAMINED: usize = 100;

struct Scope;

impl Validator for Scope {
    fn describe() -> Description {
        Description::new(
            "scope",
            env!("CARGO_PKG_VERSION"),
            "Stops a change that touches a path outside of the patterns given.",
        )
        .phase(Phase::PostExecute)
        .setting(Setting::text_list(
            "paths",
            "Patterns of the paths that may be changed: `*` stops at `/`, `**` does not, a plain path means it and everything below.",
        ))
    }

    fn evaluate(evaluation: Evaluation, context: Context) -> Result<Verdict, Fault> {
        if evaluation.phase != Phase::PostExecute {
            return Err(Fault::Internal("it judges after execution only".to_owned()));
        }
        let patterns = patterns(context.text_list("paths")?)?;
        let changed = change::summary()?.files;
        Ok(judge(&patterns, changed.iter().flat_map(change::ChangedFile::paths)))
    }
}

snodo_plugin::export!(validator: Scope);

/// The patterns of the setting, or a fault that names the one that cannot be used, and why.
fn patterns(texts: &[String]) -> Result<Vec<Pattern>, Fault> {
    if texts.is_empty() {
        return Err(Fault::Setting(
            "`paths` names no pattern: give one, or `**` for everything".to_owned(),
        ));
    }
    texts
        .iter()
        .map(|text| {
            Pattern::parse(text).map_err(|reason| Fault::Setting(format!("`paths`, pattern `{text}`: {reason}")))
        })
        .collect()
}

fn judge<'a>(patterns: &[Pattern], paths: impl Iterator<Item = &'a str>) -> Verdict {
    let paths: Vec<&str> = paths.collect();
    let outside: Vec<&str> = paths
        .iter()
        .copied()
        .filter(|path| !patterns.iter().any(|pattern| pattern.matches(path)))
        .collect();
    let allowed = listed(patterns.iter().map(|pattern| format!("`{pattern}`")), SHOWN);
    let verdict = match (paths.len(), outside.len()) {
        (0, _) => Verdict::pass("No path was changed.".to_owned()),
        (1, 0) => Verdict::pass(format!("The changed path is within {allowed}.")),
        (count, 0) => Verdict::pass(format!("All {count} changed paths are within {allowed}.")),
        (count, out) => {
            let named = listed(outside.iter().map(|path| format!("`{path}`")), SHOWN);
            Verdict::blocker(format!("{out} of {count} changed paths outside of {allowed}: {named}."))
        }
    };
    let more = paths.len().saturating_sub(EXAMINED);
    let rest = (more > 0).then(|| format!("and {more} more paths"));
    verdict.examined(paths.iter().take(EXAMINED).map(|path| (*path).to_owned()).chain(rest))
}

/// Items in one line, at most so many of them.
fn listed(items: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let more = items.len().saturating_sub(most);
    let line = items.take(most).collect::<Vec<_>>().join(", ");
    if more == 0 {
        line
    } else {
        format!("{line} and {more} more")
    }
}

#[cfg(test)]
mod tests;
