//! Faults of a file that holds credentials: what it says is never repeated.

use super::FaultKind;

/// In place of what is not said.
pub(crate) const HIDDEN: &str = "…";

/// A name of a field that may be repeated: near a known one, or nothing but a lower-case word, as no key is.
pub(crate) fn is_word(name: &str) -> bool {
    !name.is_empty() && name.len() <= 32 && name.bytes().all(|b| b == b'_' || b.is_ascii_lowercase())
}

impl FaultKind {
    /// The same without anything that the file says as a value. Exhaustive, so that a kind added later is thought of.
    pub(crate) fn concealed(self) -> Self {
        let hidden = || HIDDEN.to_owned();
        match self {
            Self::Syntax { format, message } => {
                // The parser's words are fixed but for a character that it quotes.
                let message = message.split('`').next().unwrap_or_default();
                let message = message.trim_end_matches([':', ' ']).to_owned();
                Self::Syntax { format, message }
            }
            Self::DuplicateAnchor { .. } => Self::DuplicateAnchor { name: hidden() },
            Self::AnchorName { .. } => Self::AnchorName { name: hidden() },
            Self::BeginsWithSign { text } => Self::BeginsWithSign {
                text: text.chars().take(1).chain(HIDDEN.chars()).collect(),
            },
            Self::Tag { .. } => Self::Tag { tag: hidden() },
            Self::BadScalar { expected, .. } => Self::BadScalar {
                expected,
                found: hidden(),
            },
            Self::WrongType { field, expected, found } => Self::WrongType {
                field,
                expected,
                // The kind stands before what is quoted.
                found: found.split(" (").next().unwrap_or_default().to_owned(),
            },
            Self::NotOneOf {
                field,
                allowed,
                nearest,
                ..
            } => Self::NotOneOf {
                field,
                found: hidden(),
                allowed,
                nearest,
            },
            Self::UnknownKey {
                key,
                record,
                known,
                nearest,
            } => Self::UnknownKey {
                key: if nearest.is_some() || is_word(&key) { key } else { hidden() },
                record,
                known,
                nearest,
            },
            Self::UnknownSetting {
                key,
                section,
                known,
                nearest,
            } => Self::UnknownSetting {
                key: if nearest.is_some() || is_word(&key) {
                    key
                } else {
                    hidden()
                },
                section,
                known,
                nearest,
            },
            Self::BadId { field, .. } => Self::BadId { field, found: hidden() },
            Self::Unusable { field, why, .. } => Self::Unusable {
                field,
                found: hidden(),
                why,
            },
            Self::OutOfRange {
                field,
                least,
                most,
                found,
            } => Self::OutOfRange {
                field,
                least,
                most,
                // Numbers only, and none as long as a key.
                found: if found.len() <= 20 { found } else { hidden() },
            },
            // Nothing of the file's is in these …
            Self::TooLarge { .. }
            | Self::NotUtf8 { .. }
            | Self::OtherEncoding { .. }
            | Self::ForbiddenCharacter { .. }
            | Self::Directive
            | Self::Tab
            | Self::EmptyKey
            | Self::SeveralMerges
            | Self::AliasLoop
            | Self::AliasBudget { .. }
            | Self::TooDeep { .. }
            | Self::SeveralDocuments
            | Self::KeyNotScalar { .. }
            | Self::MergeOf { .. }
            | Self::BareSign { .. }
            | Self::RootNotAMap { .. }
            | Self::Missing { .. }
            | Self::Blank { .. }
            | Self::TooFew { .. }
            | Self::KeyNotText { .. }
            | Self::DeliveryAndAutoMerge { .. }
            | Self::MoreThan { .. }
            | Self::LegacyApiKeys
            // … and these are said of protocols, which hold no credentials.
            | Self::Duplicate { .. }
            | Self::WaveScope { .. }
            | Self::ExclusiveTool { .. }
            | Self::DuplicateRole { .. }
            | Self::UndefinedValidator { .. }
            | Self::UndefinedInitialMode { .. }
            | Self::DispatchWithoutGate { .. }
            | Self::TooFewValidators { .. }
            | Self::DuplicateConstraint { .. }
            | Self::EmptyConstraint { .. }
            | Self::UnknownPredicate { .. }
            | Self::DuplicateModule { .. }
            | Self::CannotGrant { .. }
            | Self::ModuleValidator { .. } => self,
        }
    }
}
