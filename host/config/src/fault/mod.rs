//! What can be wrong with a configuration file, and what to do about it.

mod conceal;
mod help;
mod rule;

pub(crate) use conceal::{HIDDEN, is_word};
pub use rule::Rule;

use crate::printable::{listed, printable};
use crate::source::Place;

/// A fault: the file cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What.
    pub kind: FaultKind,
}

/// What makes a file unusable.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FaultKind {
    /// Over the size.
    #[error("the file has {bytes} bytes; {allowed} are read")]
    TooLarge {
        /// It has.
        bytes: usize,
        /// It may have.
        allowed: usize,
    },
    /// Not UTF-8.
    #[error("the file is not UTF-8: the byte at offset {offset} begins no character")]
    NotUtf8 {
        /// From 0.
        offset: usize,
    },
    /// Another Unicode encoding, by its byte order mark.
    #[error("the file is {encoding}, not UTF-8")]
    OtherEncoding {
        /// Which.
        encoding: &'static str,
    },
    /// A control character or a separator that only some readers take for a line end.
    #[error("the character U+{:04X} is not allowed in the file", u32::from(*.character))]
    ForbiddenCharacter {
        /// Which.
        character: char,
    },
    /// The parser's word.
    #[error("not readable as {format}: {}", printable(.message))]
    Syntax {
        /// YAML or TOML.
        format: &'static str,
        /// What the parser says.
        message: String,
    },
    /// A directive of YAML's that is not its version.
    #[error("only the directive `%YAML 1.1` is served")]
    Directive,
    /// A tab between tokens.
    #[error("a tab stands where only spaces may")]
    Tab,
    /// Two anchors of one name.
    #[error("the anchor `&{}` is set twice", printable(.name))]
    DuplicateAnchor {
        /// Its name.
        name: String,
    },
    /// An anchor with other characters in its name.
    #[error("the name of the anchor `&{}` may hold letters, digits, `-` and `_`", printable(.name))]
    AnchorName {
        /// Its name.
        name: String,
    },
    /// An unquoted text that begins with one of YAML's signs.
    #[error("`{}` begins with a sign that needs quotes", printable(.text))]
    BeginsWithSign {
        /// It.
        text: String,
    },
    /// A colon with nothing before it.
    #[error("a key is missing before `:`")]
    EmptyKey,
    /// Two merge keys in one map.
    #[error("`<<` stands twice in one map")]
    SeveralMerges,
    /// An alias within what it stands for.
    #[error("an alias stands within the value that it repeats")]
    AliasLoop,
    /// Aliases that blow up the file.
    #[error("the file's aliases repeat more than {allowed} bytes of values")]
    AliasBudget {
        /// Allowed in all.
        allowed: usize,
    },
    /// Nested too deeply.
    #[error("values are nested more than {allowed} deep")]
    TooDeep {
        /// Allowed.
        allowed: usize,
    },
    /// A second document.
    #[error("a second document begins here; the file may hold one")]
    SeveralDocuments,
    /// A tag that is not of the plain types.
    #[error("the tag `{}` is not served", printable(.tag))]
    Tag {
        /// As written, shorthand resolved.
        tag: String,
    },
    /// A tagged scalar that is not of its type.
    #[error("`{}` is not {expected}", printable(.found))]
    BadScalar {
        /// Of the tag.
        expected: &'static str,
        /// As written.
        found: String,
    },
    /// A list or a map as a key.
    #[error("{found} cannot be a key")]
    KeyNotScalar {
        /// What.
        found: &'static str,
    },
    /// `<<` with something else than maps.
    #[error("`<<` takes a map or a list of maps, not {found}")]
    MergeOf {
        /// What it was given.
        found: &'static str,
    },
    /// A bare `<<` or `=` as a value: YAML 1.1 gives them a meaning that no reader serves.
    #[error("a bare `{sign}` is a sign of YAML's own here")]
    BareSign {
        /// Which.
        sign: &'static str,
    },
    /// The root is something else.
    #[error("the file must be a map of fields, not {found}")]
    RootNotAMap {
        /// What.
        found: &'static str,
    },
    /// A field that must be there.
    #[error("the field `{field}` is missing in {record}")]
    Missing {
        /// Its name.
        field: &'static str,
        /// Of which record.
        record: String,
    },
    /// A value of another type.
    #[error("`{field}` must be {expected}, not {found}")]
    WrongType {
        /// Path from the root.
        field: String,
        /// What it must be.
        expected: &'static str,
        /// What it is, with an excerpt.
        found: String,
    },
    /// A number outside its bounds.
    #[error("`{field}` must be {}, not {found}", bounds(*.least, *.most))]
    OutOfRange {
        /// Path from the root.
        field: String,
        /// At least.
        least: i64,
        /// At most; none for no bound.
        most: Option<i64>,
        /// It is.
        found: String,
    },
    /// Empty where something must stand.
    #[error("`{field}` is blank")]
    Blank {
        /// Path from the root.
        field: String,
    },
    /// A list without an item.
    #[error("`{field}` needs at least one item")]
    TooFew {
        /// Path from the root.
        field: String,
    },
    /// A word outside a closed set.
    #[error("`{field}` cannot be `{}`", printable(.found))]
    NotOneOf {
        /// Path from the root.
        field: String,
        /// The word.
        found: String,
        /// The set.
        allowed: &'static [&'static str],
        /// The nearest of it.
        nearest: Option<&'static str>,
    },
    /// A key that a closed record does not have.
    #[error("{record} has no field `{}`", printable(.key))]
    UnknownKey {
        /// The key.
        key: String,
        /// The record.
        record: String,
        /// What it has.
        known: Vec<&'static str>,
        /// The nearest.
        nearest: Option<&'static str>,
    },
    /// A key that a section of settings does not have; the way out names all that it has.
    #[error("`{section}` has no setting `{}`", printable(.key))]
    UnknownSetting {
        /// The key.
        key: String,
        /// The section.
        section: String,
        /// What it has.
        known: Vec<&'static str>,
        /// The nearest.
        nearest: Option<&'static str>,
    },
    /// A repository's file that would give a plugin something.
    #[error("{record} cannot hold `{}`: a repository pins what must be used, and never grants", printable(.key))]
    CannotGrant {
        /// The key.
        key: String,
        /// The record.
        record: String,
    },
    /// A key that is no text.
    #[error("a key of {record} is {found}, not a text")]
    KeyNotText {
        /// The record.
        record: String,
        /// What it is.
        found: &'static str,
    },
    /// An id with other characters.
    #[error("`{field}` may hold letters, digits, `-` and `_`, at least one letter or digit; `{}` does not fit", printable(.found))]
    BadId {
        /// Path from the root.
        field: String,
        /// The id.
        found: String,
    },
    /// Two of one id.
    #[error("the {what} `{}` is declared twice (first on line {first})", printable(.id))]
    Duplicate {
        /// Of what: mode, validator.
        what: &'static str,
        /// The id.
        id: String,
        /// Line of the first.
        first: u32,
    },
    /// Both the field and its predecessor.
    #[error("`{record}.delivery` and `{record}.auto_merge` cannot both be set")]
    DeliveryAndAutoMerge {
        /// Which record.
        record: String,
    },
    /// A wave-wide judge after the coder.
    #[error("`scope: wave` is for pre_execute validators; `{}` judges in {phase}", printable(.validator))]
    WaveScope {
        /// Its id.
        validator: String,
        /// Its phase.
        phase: &'static str,
    },
    /// A text that a further rule refuses.
    #[error("`{field}` cannot be `{}`: {why}", printable(.found))]
    Unusable {
        /// Path from the root.
        field: String,
        /// It is.
        found: String,
        /// Why not.
        why: &'static str,
    },
    /// Two fields that contradict each other.
    #[error("`{field}` ({value}) is more than `{other}` ({most})")]
    MoreThan {
        /// Path from the root.
        field: String,
        /// It is.
        value: u64,
        /// The other field.
        other: &'static str,
        /// What that is.
        most: u64,
    },
    /// snodo's older place of keys, and nothing in the newer one.
    #[error("`api_keys` is the older form of this file and is not read")]
    LegacyApiKeys,
    /// WF1.
    #[error("the exclusive tool `{}` is held more than once: by {}", printable(.tool), listed(.modes))]
    ExclusiveTool {
        /// Which.
        tool: String,
        /// Ids of the modes, one for each time.
        modes: Vec<String>,
    },
    /// WF2.
    #[error("the role `{}` is declared twice (first on line {first})", printable(.id))]
    DuplicateRole {
        /// The id.
        id: String,
        /// Line of the first.
        first: u32,
    },
    /// WF3.
    #[error("the mode `{}` names a validator `{}` that is not declared", printable(.mode), printable(.validator))]
    UndefinedValidator {
        /// The mode.
        mode: String,
        /// What it names.
        validator: String,
        /// The nearest that is.
        nearest: Option<String>,
    },
    /// WF3.
    #[error("`initial_mode` names a mode `{}` that is not declared", printable(.mode))]
    UndefinedInitialMode {
        /// What it names.
        mode: String,
        /// What there is.
        modes: Vec<String>,
    },
    /// WF3.
    #[error("the mode `{}` may dispatch (its tools hold `dispatch`) but has no pre_execute validator", printable(.mode))]
    DispatchWithoutGate {
        /// The mode.
        mode: String,
    },
    /// WF4.
    #[error("the policy `{policy}` needs at least {needed} validators; the protocol declares {found}")]
    TooFewValidators {
        /// Which policy.
        policy: &'static str,
        /// It needs.
        needed: usize,
        /// There are.
        found: usize,
    },
    /// WF5.
    #[error("the constraint `{}` is declared twice (first on line {first})", printable(.id))]
    DuplicateConstraint {
        /// The id.
        id: String,
        /// Line of the first.
        first: u32,
    },
    /// WF5.
    #[error("the constraint `{}` has neither a predicate nor an expression", printable(.id))]
    EmptyConstraint {
        /// The id.
        id: String,
    },
    /// WF5.
    #[error("the constraint `{}` names a predicate `{}` that does not exist", printable(.id), printable(.predicate))]
    UnknownPredicate {
        /// The constraint.
        id: String,
        /// What it names.
        predicate: String,
        /// The nearest that does.
        nearest: Option<&'static str>,
    },
    /// Modules.
    #[error("the module `{}` is declared twice (first on line {first})", printable(.id))]
    DuplicateModule {
        /// The id.
        id: String,
        /// Line of the first.
        first: u32,
    },
    /// Modules.
    #[error("the module `{}` names a validator `{}` that is not declared", printable(.module), printable(.validator))]
    ModuleValidator {
        /// The module.
        module: String,
        /// What it names.
        validator: String,
        /// The nearest that is.
        nearest: Option<String>,
    },
}

fn bounds(least: i64, most: Option<i64>) -> String {
    match most {
        Some(most) => format!("a whole number from {least} to {most}"),
        None => format!("a whole number from {least}"),
    }
}

impl FaultKind {
    /// The rule that it breaks.
    pub fn rule(&self) -> Rule {
        match self {
            Self::TooLarge { .. }
            | Self::NotUtf8 { .. }
            | Self::OtherEncoding { .. }
            | Self::ForbiddenCharacter { .. } => Rule::File,
            Self::Syntax { .. }
            | Self::Directive
            | Self::Tab
            | Self::DuplicateAnchor { .. }
            | Self::AnchorName { .. }
            | Self::BeginsWithSign { .. }
            | Self::EmptyKey
            | Self::SeveralMerges
            | Self::AliasLoop
            | Self::AliasBudget { .. }
            | Self::TooDeep { .. }
            | Self::SeveralDocuments
            | Self::Tag { .. }
            | Self::BadScalar { .. }
            | Self::KeyNotScalar { .. }
            | Self::MergeOf { .. }
            | Self::BareSign { .. } => Rule::Syntax,
            Self::RootNotAMap { .. } => Rule::Root,
            Self::Missing { .. }
            | Self::WrongType { .. }
            | Self::OutOfRange { .. }
            | Self::Blank { .. }
            | Self::TooFew { .. }
            | Self::NotOneOf { .. }
            | Self::UnknownKey { .. }
            | Self::UnknownSetting { .. }
            | Self::CannotGrant { .. }
            | Self::KeyNotText { .. }
            | Self::BadId { .. }
            | Self::Duplicate { .. }
            | Self::DeliveryAndAutoMerge { .. }
            | Self::WaveScope { .. }
            | Self::Unusable { .. }
            | Self::MoreThan { .. }
            | Self::LegacyApiKeys => Rule::Schema,
            Self::ExclusiveTool { .. } => Rule::Wf1,
            Self::DuplicateRole { .. } => Rule::Wf2,
            Self::UndefinedValidator { .. } | Self::UndefinedInitialMode { .. } | Self::DispatchWithoutGate { .. } => {
                Rule::Wf3
            }
            Self::TooFewValidators { .. } => Rule::Wf4,
            Self::DuplicateConstraint { .. } | Self::EmptyConstraint { .. } | Self::UnknownPredicate { .. } => {
                Rule::Wf5
            }
            Self::DuplicateModule { .. } | Self::ModuleValidator { .. } => Rule::Modules,
        }
    }
}
