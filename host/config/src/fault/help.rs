//! The way out of each fault.

use super::FaultKind;
use crate::printable::{listed, printable};

impl FaultKind {
    /// The way out.
    pub fn help(&self) -> String {
        match self {
            Self::TooLarge { .. } => {
                "keep this file to what a person can read; generated data belongs elsewhere".to_owned()
            }
            Self::NotUtf8 { .. } | Self::OtherEncoding { .. } => "save the file as UTF-8".to_owned(),
            Self::ForbiddenCharacter { character } => {
                format!(
                    "remove it, or write it within double quotes as `\\u{:04X}`",
                    u32::from(*character)
                )
            }
            Self::Syntax { message, .. } if message.contains("indentation") => {
                "indent every line of a value further than its key, within quotes and brackets too".to_owned()
            }
            Self::Syntax { .. } => "correct the syntax around this place".to_owned(),
            Self::Directive => "remove the line".to_owned(),
            Self::Tab => "indent and separate with spaces; within quotes a tab may be written as `\\t`".to_owned(),
            Self::DuplicateAnchor { .. } => "give each anchor its own name".to_owned(),
            Self::AnchorName { .. } => "choose another name, or put a blank behind it".to_owned(),
            Self::BeginsWithSign { .. } => "put it in quotes".to_owned(),
            Self::EmptyKey => "name the field, or remove the colon".to_owned(),
            Self::SeveralMerges => {
                "merge several maps by one key: `<<: [*one, *other]`; the first has precedence".to_owned()
            }
            Self::AliasLoop => "write the value out; it cannot contain itself".to_owned(),
            Self::AliasBudget { .. } => {
                "write the values out where they are needed; a protocol needs few aliases".to_owned()
            }
            Self::TooDeep { .. } => "no field of this file needs such nesting".to_owned(),
            Self::SeveralDocuments => "keep one document; put others into files of their own".to_owned(),
            Self::Tag { .. } => {
                "leave the tag out; plain values have the type that they look like, quoted ones are texts".to_owned()
            }
            Self::BadScalar { .. } => "correct the value or leave the tag out".to_owned(),
            Self::KeyNotScalar { .. } => "use a text as the key".to_owned(),
            Self::MergeOf { .. } => "give it an alias of a map, such as `<<: *common`".to_owned(),
            Self::BareSign { sign } => format!("quote it: `'{sign}'`"),
            Self::RootNotAMap { .. } => "begin with `field: value` lines at the left margin".to_owned(),
            Self::Missing { field, .. } => format!("add `{field}`"),
            Self::WrongType { expected, found, .. } => wrong_type(expected, found),
            Self::OutOfRange { .. } => "choose a value within these bounds".to_owned(),
            Self::Blank { .. } => "give it a value, or remove the entry".to_owned(),
            Self::TooFew { .. } => "add one".to_owned(),
            Self::NotOneOf { allowed, nearest, .. } => with_nearest(*nearest, || format!("one of {}", listed(allowed))),
            Self::UnknownKey { known, nearest, .. } => with_nearest(*nearest, || format!("it has {}", listed(known))),
            Self::UnknownSetting { known, nearest, .. } => {
                let near = nearest.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
                format!("{near}it has {}", listed(known))
            }
            Self::CannotGrant { .. } => {
                "remove it; the user of a machine grants, with `snodo-host plugin add FILE --as NAME --grant GRANT`".to_owned()
            }
            Self::KeyNotText { .. } => "put the key in quotes, or remove it".to_owned(),
            Self::BadId { .. } => "choose another id".to_owned(),
            Self::Duplicate { .. }
            | Self::DuplicateRole { .. }
            | Self::DuplicateConstraint { .. }
            | Self::DuplicateModule { .. } => "rename or remove one of the two".to_owned(),
            Self::DeliveryAndAutoMerge { .. } => "keep `delivery` and remove `auto_merge`".to_owned(),
            Self::WaveScope { .. } => "remove `scope`, or judge in pre_execute".to_owned(),
            Self::Unusable { .. } => "correct or remove the entry".to_owned(),
            Self::MoreThan { other, .. } => format!("lower it, or raise `{other}`"),
            Self::LegacyApiKeys => "move each key to `providers.<name>.api_key`, or better, name the variable that holds it in `providers.<name>.api_key_env`".to_owned(),
            Self::ExclusiveTool { .. } => {
                "leave it in one mode (see `exclusive_tools`; `approve` and `merge` are always exclusive)".to_owned()
            }
            Self::UndefinedValidator { nearest, .. } | Self::ModuleValidator { nearest, .. } => {
                with_nearest(nearest.as_deref(), || {
                    "declare it under `validators`, or remove it here".to_owned()
                })
            }
            Self::UndefinedInitialMode { modes, .. } => format!("the protocol declares {}", listed(modes)),
            Self::DispatchWithoutGate { .. } => {
                "add a validator with `evaluation_phase: pre_execute` to the mode, or take `dispatch` from its tools"
                    .to_owned()
            }
            Self::TooFewValidators { .. } => {
                "declare another validator, or choose another `disagreement_policy`".to_owned()
            }
            Self::EmptyConstraint { .. } => "name a `predicate`, or say in `expression` what it means".to_owned(),
            Self::UnknownPredicate { nearest, .. } => {
                with_nearest(*nearest, || format!("one of {}", listed(&crate::protocol::PREDICATES)))
            }
        }
    }
}

fn wrong_type(expected: &str, found: &str) -> String {
    let help = match expected {
        _ if found == "nothing" => "give it a value, or remove the key",
        "a text" => "put it in quotes if it is meant as a text",
        "a whole number" => "write a number, without quotes or fraction",
        "true or false" => "write `true` or `false`",
        "a list" => "write `[item, …]`, or in YAML `- item` lines below it",
        "a table" => "write `key = value` lines below its name in brackets",
        _ => "write `key: value` lines below it",
    };
    help.to_owned()
}

fn with_nearest(nearest: Option<&str>, or: impl FnOnce() -> String) -> String {
    nearest.map_or_else(or, |near| format!("did you mean `{}`?", printable(near)))
}
