//! Credentials taken out of everything that is printed or kept for reading, by the one table of patterns of the product
//! ([`snodo_workspace::secrets`], by which the constraint `no_secrets_in_diff` and the validator `secrets` judge).
//!
//! A task may hold a patch that adds a key, a test may print one: neither belongs on a screen, in a log of a build, or in a folder of the
//! repository. The change itself, kept in the state folder for the owner alone, is left as it is.

pub(crate) use snodo_workspace::secrets::mask;

use crate::sandbox::Execution;

use super::{CoderSection, GateResult, RunReport};

fn mask_in_place(text: &mut String) {
    *text = mask(text);
}

/// Masks every text of a report that somebody else has a hand in.
pub(super) fn mask_report(report: &mut RunReport) {
    mask_in_place(&mut report.task.spec);
    mask_in_place(&mut report.reason);
    report.warnings.iter_mut().for_each(mask_in_place);
    report.recovered.iter_mut().for_each(mask_in_place);
    report.protocol.test_command.iter_mut().for_each(mask_in_place);
    report.coder.iter_mut().for_each(mask_coder);
    report
        .gates
        .iter_mut()
        .flat_map(|gate| &mut gate.results)
        .for_each(mask_result);
    for change in &mut report.changes {
        mask_in_place(&mut change.path);
        change.old_path.iter_mut().for_each(mask_in_place);
    }
    for plugin in &mut report.plugins {
        mask_in_place(&mut plugin.log.stdout);
        mask_in_place(&mut plugin.log.stderr);
    }
    report.runner.iter_mut().for_each(mask_execution);
}

fn mask_execution(execution: &mut Execution) {
    mask_in_place(&mut execution.output_tail);
    execution
        .argv
        .iter_mut()
        .chain(&mut execution.notes)
        .chain(execution.written.iter_mut().map(|written| &mut written.path))
        .for_each(mask_in_place);
}

fn mask_coder(coder: &mut CoderSection) {
    coder.error.iter_mut().for_each(mask_in_place);
    coder.execution.iter_mut().for_each(mask_execution);
    for finding in &mut coder.findings {
        mask_in_place(&mut finding.title);
        mask_in_place(&mut finding.detail);
        finding.path.iter_mut().for_each(mask_in_place);
    }
    if let Some(report) = &mut coder.report {
        mask_in_place(&mut report.notes);
        report.files.iter_mut().for_each(|file| mask_in_place(&mut file.path));
    }
    coder
        .claimed_but_missing
        .iter_mut()
        .chain(&mut coder.unclaimed_but_present)
        .for_each(mask_in_place);
}

fn mask_result(result: &mut GateResult) {
    mask_in_place(&mut result.justification);
    result.examined.iter_mut().for_each(mask_in_place);
}
