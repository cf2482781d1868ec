//! The deny list of reads.

use super::BadRule;

/// Files whose content is never given to a plugin: secrets, by name.
#[derive(Debug, Clone)]
pub struct DenyList {}

impl DenyList {
    /// The host's own list.
    pub fn standard() -> Self {
        todo!()
    }

    /// A list of the user's; later patterns win over earlier ones, `!` allows again.
    pub fn new(patterns: &[String], origin: &str) -> Result<Self, BadRule> {
        let _ = (patterns, origin);
        todo!()
    }
}
