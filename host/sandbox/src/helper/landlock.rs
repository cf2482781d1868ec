//! Landlock: which files, which ports, and whose signals.

use std::os::fd::AsFd as _;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, LandlockStatus, PathBeneath, PathFd,
    RestrictionStatus, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetStatus, Scope,
};

use super::fault::{Fault, OrFault};
use super::place::Place;
use crate::layer::{Layer, Layers};
use crate::plan::Plan;

/// The version whose rights over files are asked for; what an older kernel does not know of it is left out, down to [`LEAST`].
const ABI_ASKED: ABI = ABI::V6;

/// The oldest version that holds: before it a file could be cut off without being opened to write.
const LEAST: ABI = ABI::V3;

/// Restricts this process for ever. The answer is the kernel's version of Landlock.
pub(super) fn restrict(plan: &Plan, place: &Place, force: &mut Layers) -> Result<Option<i32>, Fault> {
    let tried = "making a Landlock ruleset (version 3, Linux 6.2)";
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))
        .layer(Layer::Landlock, tried)?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI_ASKED))
        .layer(Layer::Landlock, tried)?
        .set_compatibility(CompatLevel::HardRequirement);
    if plan.layers.has(Layer::LandlockNetwork) {
        rules = rules.handle_access(AccessNet::from_all(ABI_ASKED)).layer(
            Layer::LandlockNetwork,
            "restricting TCP (Landlock version 4, Linux 6.7)",
        )?;
    }
    if plan.layers.has(Layer::LandlockScope) {
        rules = rules.scope(Scope::from_all(ABI_ASKED)).layer(
            Layer::LandlockScope,
            "keeping signals and abstract sockets within (Landlock version 6, Linux 6.12)",
        )?;
    }
    let mut made = rules
        .create()
        .layer(Layer::Landlock, tried)?
        .set_compatibility(CompatLevel::BestEffort);
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
    for (paths, access) in [
        (&place.read, AccessFs::from_read(ABI_ASKED)),
        (&place.listed, AccessFs::ReadDir.into()),
        (&place.devices, device | AccessFs::ReadDir),
        (&place.write, AccessFs::from_all(ABI_ASKED)),
    ] {
        for path in paths {
            // What is not there cannot be opened either.
            let Ok(opened) = PathFd::new(path) else {
                continue;
            };
            let access = fitting(&opened, access);
            made = made
                .add_rule(PathBeneath::new(opened, access))
                .layer(Layer::Landlock, "adding a path to the Landlock ruleset")?;
        }
    }
    let status = made
        .restrict_self()
        .layer(Layer::Landlock, "restricting the process by Landlock")?;
    in_force(plan, &status, force)
}

/// Rights for a file, when it is one: those of folders would be refused with it.
fn fitting(path: &PathFd, access: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    let folder =
        rustix::fs::fstat(path.as_fd()).is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir());
    if folder {
        access
    } else {
        access & AccessFs::from_file(ABI_ASKED)
    }
}

fn in_force(plan: &Plan, status: &RestrictionStatus, force: &mut Layers) -> Result<Option<i32>, Fault> {
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err(Fault::Layer(
            Some(Layer::Landlock),
            "the kernel did not enforce the Landlock ruleset".to_owned(),
        ));
    }
    for layer in [Layer::Landlock, Layer::LandlockNetwork, Layer::LandlockScope] {
        if plan.layers.has(layer) {
            force.add(layer);
        }
    }
    Ok(match status.landlock {
        LandlockStatus::Available {
            effective_abi,
            kernel_abi,
        } => Some(kernel_abi.unwrap_or(effective_abi as i32)),
        _ => None,
    })
}
