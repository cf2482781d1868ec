//! What a judge's model can ask for, and what it has seen so far.

use snodo_plugin::completion::{Tool, ToolCall};
use snodo_plugin::prelude::*;
use snodo_plugin::tools::{Outcome, Sight, Toolbox, unknown_tool};

use crate::change::{ChangeView, NAMED, READ_DIFF, bounded};
use crate::seam::Changes;
use crate::verdict::submit_verdict_tool;
use crate::visible::visible;

/// So many calls of one turn are carried out: each answer becomes a part of the conversation.
const CALLS: usize = 32;
/// So many things are listed as examined.
const EXAMINED: usize = 100;

pub(crate) struct Desk<'a, C, S> {
    toolbox: Toolbox<S>,
    changes: &'a C,
    change: Option<ChangeView>,
    /// The tools of an open turn.
    tools: Vec<Tool>,
    /// Criteria that can be cited.
    pub(crate) criteria: usize,
    /// What was looked at beside the change.
    looked_at: Vec<String>,
    /// Calls of this turn.
    calls: usize,
}

impl<'a, C: Changes, S: Sight> Desk<'a, C, S> {
    pub(crate) fn new(
        sight: S,
        changes: &'a C,
        change: Option<ChangeView>,
        evaluation: &Evaluation,
        context: &Context,
    ) -> Self {
        let toolbox = Toolbox::new(sight, &context.tools);
        let mut tools = toolbox.definitions();
        if change.is_some() {
            tools.push(ChangeView::read_diff_tool());
        }
        let criteria = evaluation.criteria.len();
        tools.push(submit_verdict_tool(criteria));
        Self {
            toolbox,
            changes,
            change,
            tools,
            criteria,
            looked_at: Vec::new(),
            calls: 0,
        }
    }

    /// Whether there is anything to look with.
    pub(crate) fn looks(&self) -> bool {
        self.tools.len() > 1
    }

    /// All that is on offer.
    pub(crate) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The verdict, and nothing else.
    pub(crate) fn verdict_only(&self) -> &[Tool] {
        &self.tools[self.tools.len() - 1..]
    }

    pub(crate) fn begin_turn(&mut self, turn: u32) {
        self.toolbox.begin_turn(turn);
        self.calls = 0;
    }

    /// Carries out one call; whatever comes of it is said to the model.
    pub(crate) fn call(&mut self, call: &ToolCall) -> Outcome {
        self.calls += 1;
        if self.calls > CALLS {
            return Outcome::refused(format!(
                "Not carried out: at most {CALLS} calls of one turn are. Ask again for what you need."
            ));
        }
        if let Some(change) = self.change.as_mut().filter(|_| call.name == READ_DIFF) {
            return change.read_diff(self.changes, &call.arguments);
        }
        let Some(mut outcome) = self.toolbox.call(&call.name, &call.arguments) else {
            return Outcome::refused(unknown_tool(&call.name, &self.tools));
        };
        outcome.text = visible(&outcome.text).into_owned();
        for seen in &outcome.examined {
            if let (Some(change), Some((path, first, last))) = (self.change.as_mut(), span(seen)) {
                change.was_read(path, first, last);
            }
            if !self.looked_at.contains(seen) {
                self.looked_at.push(seen.clone());
            }
        }
        outcome
    }

    /// What of the change was not looked at.
    pub(crate) fn unseen(&self) -> Vec<String> {
        let change = self.change.as_ref();
        change.map_or_else(Vec::new, |change| change.unseen(self.changes))
    }

    /// Whether the change holds what no model can be shown, and no setting allows.
    pub(crate) fn is_opaque(&self) -> bool {
        self.change.as_ref().is_some_and(ChangeView::is_opaque)
    }

    /// What was looked at: the change, then the rest.
    pub(crate) fn examined(&self) -> Vec<String> {
        let mut all: Vec<String> = self.change.as_ref().map_or_else(Vec::new, ChangeView::examined);
        all.extend(self.looked_at.iter().cloned());
        if all.len() > EXAMINED {
            let more = all.len() - EXAMINED;
            all.truncate(EXAMINED);
            all.push(format!("and {more} more"));
        }
        all
    }
}

/// Which lines of which file an entry of [`Outcome::examined`] names: `a.rs` is all of it, `a.rs:3` and `a.rs:3-9` are lines. A path
/// holds no `:`.
fn span(examined: &str) -> Option<(&str, u64, u64)> {
    if examined.starts_with("search ") {
        return None;
    }
    let Some((path, lines)) = examined.rsplit_once(':') else {
        return Some((examined, 1, u64::MAX));
    };
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    Some((path, first.parse().ok()?, last.parse().ok()?))
}

/// Names of what was not seen, as a text of several lines.
pub(crate) fn listed(unseen: &[String]) -> String {
    bounded(unseen, NAMED)
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn spans_of_what_was_examined() {
        assert_eq!(span("src/a.rs"), Some(("src/a.rs", 1, u64::MAX)));
        assert_eq!(span("src/a.rs:3"), Some(("src/a.rs", 3, 3)));
        assert_eq!(span("src/a.rs:3-9"), Some(("src/a.rs", 3, 9)));
        assert_eq!(span("search `a:3` in src/"), None);
        assert_eq!(span("a:b"), None);
    }
}
