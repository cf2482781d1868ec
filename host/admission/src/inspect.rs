//! From bytes to a verdict.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::census::Census;
use crate::digest::{Digest, Hashed};
use crate::explain::{damaged, failure_finding, import_finding, kind_finding, truncated};
use crate::export::{self, Export, Roles};
use crate::finding::Finding;
use crate::import::{self, Import};
use crate::kind::{FileKind, Frame, frame, sniff};
use crate::limits::Limits;
use crate::name::PluginName;
use crate::role::{Grants, Interface, Role, Served, world};
use crate::scan::{Bodies, scan};

/// Under which circumstances a plugin is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// What the plugin is called by; the lines that name a flag use it.
    pub name: &'a PluginName,
    /// The role that is asked for; none when any will do.
    pub role_expected: Option<Role>,
    /// What the user granted to it.
    pub grants: Grants,
    /// What this host serves.
    pub served: Served,
    /// Whether bodies of functions are validated.
    pub bodies: Bodies,
}

/// What a file is, and whether it may run. Made by reading alone: nothing of it is compiled or run.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Inspection {
    /// What it is called by.
    pub name: PluginName,
    /// What the file is.
    pub kind: FileKind,
    /// Of its bytes; none if they were not read (a folder, a file over the size limit).
    pub digest: Option<Digest>,
    /// In bytes; none of what has no size.
    pub size: Option<u64>,
    /// Read off the interface that it exports; none if it exports neither, or both.
    pub role: Option<Role>,
    /// The smallest world of the contract that it fits (two names with ` + ` for a judge that needs two); none if it has no role, or an
    /// import that no world of its role has.
    pub world: Option<&'static str>,
    /// The version of the contract that its role's interface names.
    pub built_against: Option<String>,
    /// What it asks for, in the order of the file.
    pub imports: Vec<Import>,
    /// What it offers, in the order of the file.
    pub exports: Vec<Export>,
    /// How much there is in it; none if it is no component.
    pub census: Option<Census>,
    /// Whether it may run.
    pub verdict: Verdict,
    /// How to keep what was refused out of a build, a line each, none twice.
    pub advice: Vec<&'static str>,
}

/// Whether a plugin may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may.
    Admitted,
    /// It may not: every reason, at least one.
    Refused(Vec<Finding>),
}

impl Verdict {
    /// The reasons against; none if it may run.
    pub fn findings(&self) -> &[Finding] {
        match self {
            Self::Admitted => &[],
            Self::Refused(findings) => findings,
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Verdict", 2)?;
        out.serialize_field("admitted", &matches!(self, Self::Admitted))?;
        out.serialize_field("findings", self.findings())?;
        out.end()
    }
}

impl From<Vec<Finding>> for Verdict {
    fn from(findings: Vec<Finding>) -> Self {
        if findings.is_empty() {
            Self::Admitted
        } else {
            Self::Refused(findings)
        }
    }
}

/// Something that is given as a plugin and cannot be read as a file, or must not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// A folder.
    Folder,
    /// A named pipe, socket or device.
    SpecialFile,
    /// A file over [`Limits::max_file_bytes`], told by its size alone. One that is not over it is not refused for that.
    Large {
        /// Its size.
        bytes: u64,
    },
}

/// Looks at bytes. The size comes first: a file over the limit is not even hashed.
pub fn inspect(bytes: &[u8], context: &Context<'_>, limits: &Limits) -> Inspection {
    match limits.file_too_large(bytes.len() as u64) {
        Some(finding) => Inspection {
            size: Some(bytes.len() as u64),
            ..refused(sniff(bytes), finding, context)
        },
        None => inspect_hashed(&Hashed::new(bytes), context, limits),
    }
}

/// Looks at bytes whose digest is known already.
pub fn inspect_hashed(hashed: &Hashed<'_>, context: &Context<'_>, limits: &Limits) -> Inspection {
    let bytes = hashed.bytes();
    let size = bytes.len() as u64;
    let inspection = match (limits.file_too_large(size), sniff(bytes)) {
        (Some(finding), kind) => refused(kind, finding, context),
        (None, FileKind::Component) => component(bytes, context, limits),
        (None, kind) => {
            let finding = kind_finding(kind).unwrap_or_else(|| damaged(0));
            refused(kind, finding, context)
        }
    };
    Inspection {
        digest: Some(hashed.digest()),
        size: Some(size),
        ..inspection
    }
}

/// Answers for something that was not read.
pub fn inspect_unread(what: Unread, context: &Context<'_>, limits: &Limits) -> Inspection {
    let kind = match what {
        Unread::Folder => FileKind::Folder,
        Unread::SpecialFile => FileKind::SpecialFile,
        Unread::Large { .. } => FileKind::Unknown,
    };
    let finding = match what {
        Unread::Large { bytes } => limits.file_too_large(bytes),
        Unread::Folder | Unread::SpecialFile => kind_finding(kind),
    };
    let size = if let Unread::Large { bytes } = what {
        Some(bytes)
    } else {
        None
    };
    Inspection {
        size,
        ..refused(kind, finding.unwrap_or_else(|| damaged(0)), context)
    }
}

fn refused(kind: FileKind, finding: Finding, context: &Context<'_>) -> Inspection {
    Inspection {
        name: context.name.clone(),
        kind,
        digest: None,
        size: None,
        role: None,
        world: None,
        built_against: None,
        imports: Vec::new(),
        exports: Vec::new(),
        census: None,
        verdict: Verdict::Refused(vec![finding]),
        advice: Vec::new(),
    }
}

fn component(bytes: &[u8], context: &Context<'_>, limits: &Limits) -> Inspection {
    match frame(bytes) {
        Frame::Whole => {}
        Frame::Short(missing) => {
            return refused(FileKind::TruncatedComponent, truncated(bytes.len(), missing), context);
        }
        Frame::Broken(at) => return refused(FileKind::DamagedComponent, damaged(at), context),
    }
    let scan = scan(bytes, context.bodies, limits);
    let broken = limits.broken_by(&scan.census);
    let types = match scan.types {
        Ok(types) => types,
        Err(failure) => {
            // A bound that is broken explains more than what the parser stumbled over.
            let kind = if broken.is_empty() && failure.feature.is_none() {
                FileKind::DamagedComponent
            } else {
                FileKind::Component
            };
            let findings = if broken.is_empty() {
                vec![failure_finding(failure)]
            } else {
                broken
            };
            let census = Some(scan.census);
            return Inspection {
                census,
                verdict: Verdict::Refused(findings),
                ..refused(kind, damaged(0), context)
            };
        }
    };
    let types = types.as_ref();
    let Roles {
        role,
        built_against,
        mut findings,
    } = export::roles(&scan.exports, types, context);
    let imports: Vec<Import> = scan
        .imports
        .iter()
        .map(|i| import::classify(i, types, role, context))
        .collect();
    findings.extend(imports.iter().filter_map(|i| import_finding(i, context)));
    findings.extend(broken);
    let mut advice: Vec<&'static str> = Vec::new();
    for line in imports.iter().filter_map(Import::advice) {
        if !advice.contains(&line) {
            advice.push(line);
        }
    }
    let refused_import = imports
        .iter()
        .any(|i| matches!(i.class, import::ImportClass::Refused { .. }));
    let interfaces: Vec<Interface> = imports.iter().filter_map(|i| i.interface).collect();
    Inspection {
        name: context.name.clone(),
        kind: FileKind::Component,
        digest: None,
        size: None,
        role,
        world: role.filter(|_| !refused_import).and_then(|r| world(r, &interfaces)),
        built_against,
        imports,
        exports: scan.exports.iter().map(export::export).collect(),
        census: Some(scan.census),
        verdict: findings.into(),
        advice,
    }
}
