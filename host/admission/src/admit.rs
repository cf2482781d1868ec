//! The one way to a value from which the host compiles.

use std::fmt;

use crate::digest::{Digest, Hashed};
use crate::import::{Import, ImportClass};
use crate::inspect::{Context, Inspection, Verdict, inspect, inspect_hashed};
use crate::limits::Limits;
use crate::name::PluginName;
use crate::role::{Grant, Grants, Interface, Role};

/// A plugin that was admitted: the only value from which the host compiles. Nothing outside this module can make one, and it
/// holds the very bytes that were looked at and hashed.
#[derive(Debug, Clone)]
pub struct Admitted<'a> {
    bytes: &'a [u8],
    digest: Digest,
    role: Role,
    inspection: Inspection,
}

impl<'a> Admitted<'a> {
    /// What it is called by.
    pub fn name(&self) -> &PluginName {
        &self.inspection.name
    }

    /// The bytes to compile.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Of these bytes.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// What it is for.
    pub fn role(&self) -> Role {
        self.role
    }

    /// What it is given: every import passed.
    pub fn imports(&self) -> &[Import] {
        &self.inspection.imports
    }

    /// The grants that its imports stand on: a grant that was given and that nothing of it needs is not among them.
    pub fn grants_used(&self) -> Grants {
        let used: Vec<Grant> = self
            .imports()
            .iter()
            .filter_map(|i| match i.class {
                ImportClass::Granted { grant } => Some(grant),
                _ => None,
            })
            .collect();
        Grants::of(&used)
    }

    /// Whether it imports this interface of the contract, and so has to be given it.
    pub fn needs(&self, interface: Interface) -> bool {
        self.imports().iter().any(|i| i.interface == Some(interface))
    }

    /// All that was found.
    pub fn inspection(&self) -> &Inspection {
        &self.inspection
    }
}

/// Looks at bytes, and admits them or says everything that stands in the way.
pub fn admit<'a>(bytes: &'a [u8], context: &Context<'_>, limits: &Limits) -> Result<Admitted<'a>, Refusal> {
    decide(bytes, inspect(bytes, context, limits))
}

/// The same for bytes whose digest is known already.
pub fn admit_hashed<'a>(hashed: &Hashed<'a>, context: &Context<'_>, limits: &Limits) -> Result<Admitted<'a>, Refusal> {
    decide(hashed.bytes(), inspect_hashed(hashed, context, limits))
}

fn decide(bytes: &[u8], inspection: Inspection) -> Result<Admitted<'_>, Refusal> {
    match (&inspection.verdict, inspection.role, inspection.digest) {
        (Verdict::Admitted, Some(role), Some(digest)) => Ok(Admitted {
            bytes,
            digest,
            role,
            inspection,
        }),
        _ => Err(Refusal(Box::new(inspection))),
    }
}

/// A plugin that may not run. Printed, it names the plugin and gives one line for each reason, then the advice.
#[derive(Debug, Clone)]
pub struct Refusal(Box<Inspection>);

impl Refusal {
    /// Of an inspection that found a reason against.
    pub(crate) fn of(inspection: Inspection) -> Self {
        Self(Box::new(inspection))
    }

    /// All that was found.
    pub fn inspection(&self) -> &Inspection {
        &self.0
    }
}

impl Inspection {
    /// The refusal that it amounts to, as of a file that was not read ([`inspect_unread`](crate::inspect_unread)); none if the plugin
    /// may run.
    pub fn refusal(self) -> Option<Refusal> {
        match self.verdict {
            Verdict::Admitted => None,
            Verdict::Refused(_) => Some(Refusal(Box::new(self))),
        }
    }
}

impl std::error::Error for Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plugin `{}` is refused:", self.0.name)?;
        match (self.0.verdict.findings(), self.0.advice.as_slice()) {
            ([one], []) => write!(f, " {one}"),
            (findings, advice) => {
                for finding in findings {
                    write!(f, "\n  {finding}")?;
                }
                for line in advice {
                    write!(f, "\n  hint: {line}")?;
                }
                Ok(())
            }
        }
    }
}
