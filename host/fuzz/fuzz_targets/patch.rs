//! Patches: whatever stands in a task, it comes to operations that fit together and are bounded, or to an error that is fit to be printed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snodo_patch::{Content, Edit, File, Options, PatchError, Strip, plan};

// The workspace in memory is that of the plugin's own tests; not every part of it is used here.
#[path = "../../../plugins/patch/tests/common/mod.rs"]
mod common;
#[path = "../support/printed.rs"]
mod printed;

use common::Tree;

/// What stands before a file of the workspace in the input: this, flags (`*` executable, `!` bytes that are not text), the path.
const FILE: &str = "%%% ";
/// What stands before the task.
const TASK: &str = "%%%%\n";

fuzz_target!(|data: &[u8]| {
    let input = String::from_utf8_lossy(data);
    let (workspace, task) = input.split_once(TASK).unwrap_or((
        "%%% x\n1\n2\n3\n%%% a\na\nb\n%%% *d/run\n#!/bin/sh\n%%% !bytes\n\0\n",
        &input,
    ));
    let tree = workspace_of(workspace);
    for options in options(data) {
        check(&tree, task, &options);
    }
});

fn workspace_of(text: &str) -> Tree {
    text.split(FILE)
        .filter_map(|part| part.split_once('\n'))
        .take(16)
        .map(|(head, content)| {
            let path = head.trim_start_matches(['*', '!']);
            let flags = &head[..head.len() - path.len()];
            let content = if flags.contains('!') || content.contains('\0') {
                Content::Bytes([content.as_bytes(), &[0xff]].concat())
            } else {
                Content::Text(content.to_owned())
            };
            let executable = flags.contains('*');
            (path.to_owned(), File { content, executable })
        })
        .collect()
}

/// The usual ones, and some others that follow from the input.
fn options(data: &[u8]) -> [Options; 2] {
    let unusual = Options {
        max_offset: [0, 1, u64::MAX][data.len() % 3],
        strip: Strip::Folders([0, 1, 2, u32::MAX][data.len() % 4]),
    };
    [Options::default(), unusual]
}

fn check(tree: &Tree, task: &str, options: &Options) {
    let mut steps = 0;
    let planned = plan(task, tree, options, &mut |step| {
        steps += 1;
        assert_eq!(step.done, steps);
        assert!(step.done <= step.total);
        printed::check(step.account, 4000);
    });
    match planned {
        Ok(plan) => {
            assert!(steps <= plan.account.len());
            for line in &plan.account {
                printed::check(line, 4000);
            }
            // Each operation costs the task a line at least, and has a path of its own.
            assert!(plan.edits.len() <= 2 * task.lines().count());
            let largest: usize = tree.values().map(|file| size(&file.content)).max().unwrap_or(0);
            for edit in &plan.edits {
                if let Edit::Write { content, .. } = edit {
                    assert!(
                        size(content) <= largest + task.len() + tree.values().map(|f| size(&f.content)).sum::<usize>()
                    );
                }
            }
            // They fit the workspace and each other.
            let after = common::carried_out(tree.clone(), &plan.edits);
            assert!(
                plan.edits.is_empty() || after != *tree,
                "{:?} change nothing",
                plan.edits
            );
        }
        Err(error) => {
            printed::check_lines(&error.to_string(), 8000);
            if let PatchError::Malformed { line, .. } | PatchError::Unsupported { line, .. } = &error {
                let last = task.split('\n').count() as u64;
                assert!((1..=last).contains(line), "line {line} of {last}: {error}");
            }
        }
    }
}

fn size(content: &Content) -> usize {
    match content {
        Content::Text(text) => text.len(),
        Content::Bytes(bytes) => bytes.len(),
    }
}
