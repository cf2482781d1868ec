//! Who the program is, and which of root's rights it keeps.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use rustix::fs::{Gid, Uid};
use rustix::thread::{CapabilitiesSecureBits, CapabilitySet, CapabilitySets};

use super::fault::{Fault, OrFault};
use crate::layer::{Layer, Layers};
use crate::plan::{NOBODY, Plan};

/// Root's rights over files, which a program of root's needs to work with files as it is used to. They reach no further than the view.
const FILES: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID);

/// Takes another identity, and gives up capabilities, as the plan asks.
pub(super) fn take(plan: &Plan, force: &mut Layers, notes: &mut Vec<String>) -> Result<(), Fault> {
    let keep = kept(plan, notes)?;
    if plan.layers.has(Layer::Capabilities) {
        // Before the identity changes, which takes the right to do this.
        bound(keep).layer(Layer::Capabilities, "bounding capabilities")?;
    }
    if plan.layers.has(Layer::Identity) {
        change(notes).layer(Layer::Identity, "taking another identity")?;
        force.add(Layer::Identity);
    }
    if plan.layers.has(Layer::Capabilities) {
        give_up(keep, plan.layers.has(Layer::Identity)).layer(Layer::Capabilities, "giving up capabilities")?;
        force.add(Layer::Capabilities);
    }
    Ok(())
}

/// What is kept of root's rights.
fn kept(plan: &Plan, notes: &mut Vec<String>) -> Result<CapabilitySet, Fault> {
    let root = rustix::process::geteuid().is_root();
    if plan.layers.has(Layer::Identity) {
        if !root {
            let reason = "only root can take another identity".to_owned();
            return Err(Fault::Layer(Some(Layer::Identity), reason));
        }
        // To read what root could (a toolchain in root's home), and to write only where a folder that it may write is another's.
        let foreign = |path: &PathBuf| {
            path.metadata()
                .is_ok_and(|meta| meta.uid() != NOBODY && meta.mode() & 0o002 == 0)
        };
        let Some(path) = plan.write.iter().find(|path| foreign(path)) else {
            return Ok(CapabilitySet::DAC_READ_SEARCH);
        };
        notes.push(format!(
            "`{}` may be written and belongs to somebody else, so the program keeps the right to write any file, which Landlock \
             bounds, and with it that to change the times of any file, which nothing bounds",
            path.display()
        ));
        return Ok(CapabilitySet::DAC_OVERRIDE);
    }
    if root && plan.layers.has(Layer::Capabilities) && !plan.layers.has(Layer::UserNamespace) {
        let reason = "root keeps its rights over files, and needs a user namespace or another identity".to_owned();
        return Err(Fault::Layer(Some(Layer::Capabilities), reason));
    }
    Ok(if root { FILES } else { CapabilitySet::empty() })
}

/// From root to the identity that owns nothing. Landlock does not hold back a change of mode, owner or time, and root may make it to any
/// file of the machine; this identity only to its own, which are those of the scratch.
fn change(notes: &mut Vec<String>) -> io::Result<()> {
    let (uid, gid) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    // What is kept holds for `access` too, by which many a program asks before it opens: below a folder of root's it would be told no.
    let bits = rustix::thread::capabilities_secure_bits()? | CapabilitiesSecureBits::NO_SETUID_FIXUP;
    if let Err(error) = rustix::thread::set_capabilities_secure_bits(bits) {
        notes.push(format!(
            "a program that asks by `access` what it may do is told of less than it may: {error}"
        ));
    }
    rustix::thread::set_keep_capabilities(true)?;
    rustix::thread::set_thread_groups(&[])?;
    rustix::thread::set_thread_res_gid(gid, gid, gid)?;
    rustix::thread::set_thread_res_uid(uid, uid, uid)?;
    rustix::thread::set_keep_capabilities(false)?;
    Ok(())
}

/// Bounds what any program could ever get, where this process may.
fn bound(keep: CapabilitySet) -> io::Result<()> {
    if !rustix::thread::capabilities(None)?
        .effective
        .contains(CapabilitySet::SETPCAP)
    {
        return Ok(());
    }
    for bit in 0..u64::BITS {
        let one = CapabilitySet::from_bits_retain(1 << bit);
        // Past the last that the kernel knows.
        let Ok(there) = rustix::thread::capability_is_in_bounding_set(one) else {
            break;
        };
        if there && !keep.contains(one) {
            rustix::thread::remove_capability_from_bounding_set(one)?;
        }
    }
    Ok(())
}

fn give_up(keep: CapabilitySet, lasting: bool) -> io::Result<()> {
    match rustix::thread::clear_ambient_capability_set() {
        // Linux 4.3; before it there is no such set.
        Ok(()) | Err(rustix::io::Errno::INVAL) => {}
        Err(error) => return Err(error.into()),
    }
    rustix::thread::set_capabilities(
        None,
        CapabilitySets {
            effective: keep,
            permitted: keep,
            inheritable: if lasting { keep } else { CapabilitySet::empty() },
        },
    )?;
    if lasting {
        // Without this, exec takes from a user who is not root whatever it has.
        rustix::thread::configure_capability_in_ambient_set(keep, true)?;
    }
    Ok(())
}
