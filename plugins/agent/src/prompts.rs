//! What the model is told, as plain files.

pub(crate) const SYSTEM: &str = include_str!("../prompts/system.md");
pub(crate) const CHANGE: &str = include_str!("../prompts/change.md");
pub(crate) const FINDINGS: &str = include_str!("../prompts/findings.md");
pub(crate) const TESTS: &str = include_str!("../prompts/tests.md");
pub(crate) const NUDGE_CHANGE: &str = include_str!("../prompts/nudge-change.md");
pub(crate) const NUDGE_FINDINGS: &str = include_str!("../prompts/nudge-findings.md");
pub(crate) const LAST_TURN_CHANGE: &str = include_str!("../prompts/last-turn-change.md");
pub(crate) const LAST_TURN_FINDINGS: &str = include_str!("../prompts/last-turn-findings.md");
