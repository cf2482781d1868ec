//! The host's own side of the contract: the WIT package that this host was built with, parsed once.
//!
//! There is one released version so far. A later one will stand here beside it, so that plugins of both stay loadable.

use std::fmt;
use std::sync::LazyLock;

use wit_parser::{Interface, PackageId, Resolve, SourceMap};

/// `snodo:plugin`.
pub(crate) const NAMESPACE: &str = "snodo";
/// `snodo:plugin`.
pub(crate) const PACKAGE: &str = "plugin";

/// Every file of `wit/`, as the host's bindings are generated from.
pub(crate) const SOURCES: [(&str, &str); 10] = [
    ("types.wit", include_str!("../../../wit/types.wit")),
    ("read.wit", include_str!("../../../wit/read.wit")),
    ("search.wit", include_str!("../../../wit/search.wit")),
    ("submit.wit", include_str!("../../../wit/submit.wit")),
    ("runner.wit", include_str!("../../../wit/runner.wit")),
    ("change.wit", include_str!("../../../wit/change.wit")),
    ("completion.wit", include_str!("../../../wit/completion.wit")),
    ("coding.wit", include_str!("../../../wit/coding.wit")),
    ("judging.wit", include_str!("../../../wit/judging.wit")),
    ("worlds.wit", include_str!("../../../wit/worlds.wit")),
];

/// The contract's WIT, file by file: name and text.
pub fn wit_sources() -> &'static [(&'static str, &'static str)] {
    &SOURCES
}

/// The version of the contract that this host offers, as `0.1.0`.
pub fn contract_version() -> String {
    contract().version.to_string()
}

/// The parsed package.
pub(crate) struct Contract {
    resolve: Resolve,
    package: PackageId,
    pub(crate) version: Version,
}

pub(crate) fn contract() -> &'static Contract {
    static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::parse);
    &CONTRACT
}

impl Contract {
    #[expect(clippy::expect_used, reason = "the text is part of this program; a test parses it")]
    fn parse() -> Self {
        let mut files = SourceMap::new();
        for (name, text) in SOURCES {
            files.push_str(name, text);
        }
        let Ok(group) = files.parse() else {
            unreachable!("the contract's own WIT parses")
        };
        let mut resolve = Resolve::new();
        let package = resolve.push_group(group).expect("the contract's own WIT resolves");
        let version = resolve.packages[package].name.version.as_ref().map(ToString::to_string);
        let version = version
            .and_then(|v| Version::parse(&v))
            .expect("the contract has a version");
        Self {
            resolve,
            package,
            version,
        }
    }

    pub(crate) fn resolve(&self) -> &Resolve {
        &self.resolve
    }

    pub(crate) fn interface(&self, name: &str) -> Option<&Interface> {
        let id = self.resolve.packages[self.package].interfaces.get(name)?;
        Some(&self.resolve.interfaces[*id])
    }
}

/// A version of an interface's package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    major: u64,
    minor: u64,
    patch: u64,
    pre: String,
}

impl Version {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        // What stands after `+` has no part in compatibility.
        let text = text.split('+').next()?;
        let (numbers, pre) = text.split_once('-').unwrap_or((text, ""));
        let mut parts = numbers.split('.').map(|n| n.parse::<u64>().ok());
        let version = Self {
            major: parts.next()??,
            minor: parts.next()??,
            patch: parts.next()??,
            pre: pre.to_owned(),
        };
        parts.next().is_none().then_some(version)
    }

    /// Whether a plugin built against `other` can meet a host that offers `self`, by version alone: the rules of semantic
    /// versions, in either direction, since the items are compared one by one as well. A pre-release meets only itself.
    pub(crate) fn compatible(&self, other: &Self) -> bool {
        if !self.pre.is_empty() || !other.pre.is_empty() {
            return self == other;
        }
        match (self.major, self.minor) {
            (0, 0) => self == other,
            (0, minor) => other.major == 0 && other.minor == minor,
            (major, _) => other.major == major,
        }
    }

    /// The versions that are compatible with this one, for a person: `0.1.x`.
    pub(crate) fn track(&self) -> String {
        match (self.major, self.minor) {
            _ if !self.pre.is_empty() => self.to_string(),
            (0, 0) => self.to_string(),
            (0, minor) => format!("0.{minor}.x"),
            (major, _) => format!("{major}.x"),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if self.pre.is_empty() {
            Ok(())
        } else {
            write!(f, "-{}", self.pre)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::disallowed_methods,
        reason = "a failed unwrap is a failed test"
    )]

    use std::collections::BTreeSet;

    use super::{SOURCES, Version, contract};
    use crate::role::{Grant, Interface, Right, Role};

    #[test]
    fn every_file_of_the_contract_is_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../wit");
        let on_disk: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(on_disk, SOURCES.iter().map(|(name, _)| (*name).to_owned()).collect());
    }

    #[test]
    fn the_policy_says_what_the_worlds_say() {
        let contract = contract();
        let package = &contract.resolve.packages[contract.package];
        let worlds: [(&str, Role, &[Grant]); 5] = [
            ("coder", Role::Coder, &[]),
            ("model-coder", Role::Coder, &[Grant::Model]),
            ("validator", Role::Validator, &[]),
            ("model-validator", Role::Validator, &[Grant::Model]),
            ("runner-validator", Role::Validator, &[Grant::Runner]),
        ];
        for (name, role, grants) in worlds {
            let world = &contract.resolve.worlds[package.worlds[name]];
            let names = |items: &mut dyn Iterator<Item = &wit_parser::WorldKey>| -> BTreeSet<String> {
                items.map(|key| contract.resolve.name_world_key(key)).collect()
            };
            let id = |interface: &str| format!("snodo:plugin/{interface}@{}", contract.version);
            let allowed: BTreeSet<String> = Interface::ALL
                .into_iter()
                .filter(|i| match role.right_to(*i) {
                    Right::Base => true,
                    Right::WithGrant(g) => grants.contains(&g),
                    Right::Never => false,
                })
                .map(|i| id(i.name()))
                .collect();
            assert_eq!(names(&mut world.imports.keys()), allowed, "imports of {name}");
            assert_eq!(
                names(&mut world.exports.keys()),
                BTreeSet::from([id(role.export())]),
                "exports of {name}"
            );
        }
        let mut interfaces: BTreeSet<&str> = Interface::ALL.iter().map(|i| i.name()).collect();
        interfaces.extend(Role::ALL.iter().map(|r| r.export()));
        assert_eq!(
            package.interfaces.keys().map(String::as_str).collect::<BTreeSet<_>>(),
            interfaces
        );
    }

    #[test]
    fn compatible_versions_are_those_of_one_track() {
        let v = |text| Version::parse(text).unwrap();
        assert!(v("0.1.0").compatible(&v("0.1.7")) && v("0.1.7").compatible(&v("0.1.0")));
        assert!(!v("0.1.0").compatible(&v("0.2.0")) && !v("0.1.0").compatible(&v("1.1.0")));
        assert!(v("1.2.3").compatible(&v("1.9.0")) && !v("1.2.3").compatible(&v("2.0.0")));
        assert!(!v("0.0.1").compatible(&v("0.0.2")));
        assert!(!v("0.1.0").compatible(&v("0.1.0-rc.1")) && v("0.1.0-rc.1").compatible(&v("0.1.0-rc.1")));
        assert_eq!(v("0.1.0").track(), "0.1.x");
        assert_eq!(Version::parse("1.2"), None);
        assert_eq!(Version::parse("1.2.3.4"), None);
        assert_eq!(v("0.1.0+build.5"), v("0.1.0"));
    }
}
