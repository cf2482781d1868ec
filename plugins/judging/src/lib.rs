//! What the first-party judges have in common: the loop in which a model looks, and its verdict.
//!
//! A judge gives its model a brief: who it is, what it judges, and by what. The model looks with the tools that the validator was given,
//! and decides by one call of `submit_verdict`. The rules that hold it:
//!
//! * **A verdict is a call, never a text.** What the model writes, what tools answer and what stands in the text under review is read for
//!   a verdict by nobody. The arguments are checked against a closed schema; a call that does not keep it is answered with what is
//!   wrong, and costs a turn. Of several valid ones in a turn the first counts, or the graver where they differ.
//! * **Turns are bounded.** The last of the budget, the one after an answer without calls, and the one after three turns in a row of
//!   nothing but repeated reads offer the verdict alone. Anything else there is a fault that says what was looked at.
//! * **No verdict is no pass.** A model that does not answer, an answer that was cut or filtered, is a fault, too.
//! * **An incomplete view is no pass.** The change is shown within a budget, and what was left out is named. A pass before all of it
//!   was looked at is sent back once; a second is a fault that names what was not seen.
//! * **Bytes that are no text were seen by nobody.** A file of which the change wrote such bytes cannot be passed, unless the setting
//!   `allow-binary` names it.
//! * **What is judged is data.** It stands between random marks, and nothing in it is hidden.
//!
//! Nothing here calls an import: the seams are [`Model`], [`Changes`] and [`snodo_plugin::tools::Sight`], and [`World::imports`] fills them.

mod brief;
mod change;
mod desk;
mod seam;
mod settings;
mod talk;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod text;
mod turns;
mod verdict;
mod visible;

use snodo_plugin::prelude::*;
use snodo_plugin::tools::Sight;

pub use brief::Brief;
pub use seam::{Changes, Imports, Model};
pub use settings::with_settings;

use change::ChangeView;
use settings::Settings;

/// All that a judge asks of.
#[derive(Debug, Clone, Copy)]
pub struct World<M, C, S> {
    /// The language model.
    pub model: M,
    /// The change.
    pub changes: C,
    /// The workspace.
    pub sight: S,
}

impl World<Imports, Imports, snodo_plugin::tools::Imports> {
    /// The plugin's own imports.
    pub fn imports() -> Self {
        Self {
            model: Imports,
            changes: Imports,
            sight: snodo_plugin::tools::Imports,
        }
    }
}

/// Has a model judge.
///
/// # Errors
///
/// Why there is no verdict.
pub fn judge<M: Model, C: Changes, S: Sight>(
    brief: &Brief,
    evaluation: &Evaluation,
    context: &Context,
    world: World<M, C, S>,
) -> Result<Verdict, Fault> {
    let settings = Settings::of(context)?;
    if context.model.is_none() {
        return Err(Fault::Model("no model is configured for validators".to_owned()));
    }
    let change = match evaluation.phase {
        Phase::PreExecute => None,
        Phase::PostExecute => Some(ChangeView::open(
            &world.changes,
            &world.sight,
            &settings.binary,
            settings.budget,
        )?),
    };
    let (view, section) = change.unzip();
    if evaluation.task.expects == Expectation::Findings && view.as_ref().is_some_and(ChangeView::is_empty) {
        return Ok(Verdict::skipped(
            "the task asks for findings, which a validator does not see, and nothing was changed",
        ));
    }
    let desk = desk::Desk::new(world.sight, &world.changes, view, evaluation, context);
    let turns = turns::Turns::new(settings.turns, desk.looks());
    let system = brief.system(if desk.looks() { settings.turns } else { 1 });
    let first = brief.first_message(evaluation, section.as_deref());
    talk::Talk::new(&world.model, desk, turns, system, first).verdict()
}
