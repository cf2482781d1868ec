//! Numbers of `host.toml`: their bounds, those that bound each other, and what becomes of them in the workspace.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

use snodo_config::host_config::{HostConfig, load_host_config};
use snodo_config::{FaultKind, FileError};
use snodo_workspace::limits::{FileLimits, ScratchLimits, SearchLimits, SubmitLimits};

fn load(text: &str) -> HostConfig {
    match load_host_config("host.toml", text.as_bytes()) {
        Ok(config) => config,
        Err(error) => panic!("{}", error.plain()),
    }
}

fn refused(text: &str) -> FileError {
    load_host_config("host.toml", text.as_bytes()).unwrap_err()
}

#[test]
fn bounds_of_the_workspace_arrive_as_it_keeps_them() {
    let config = load(
        "[read]\nfile_mib = 2\nlines_mib = 3\nscan_mib = 4\nbatch_paths = 5\nbatch_mib = 6\n[submit]\nfile_mib = 1\n\
         pending_mib = 2\npending_paths = 3\ncall_operations = 4\n[search]\nresults = 5\nanswer_mib = 6\nline_bytes = 70\n\
         context_lines = 8\npattern_bytes = 90\n[scratch]\ntotal_mib = 7\nentries = 8\n",
    );
    let expected = FileLimits {
        whole_bytes: 2 << 20,
        lines_bytes: 3 << 20,
        scan_bytes: 4 << 20,
        batch_paths: 5,
        batch_bytes: 6 << 20,
    };
    assert_eq!(config.read.file_limits(), expected);
    let expected = SubmitLimits {
        file_bytes: 1 << 20,
        total_bytes: 2 << 20,
        pending_paths: 3,
        call_operations: 4,
    };
    assert_eq!(config.submit.submit_limits(), expected);
    let expected = SearchLimits {
        results: 5,
        answer_bytes: 6 << 20,
        line_bytes: 70,
        context_lines: 8,
        pattern_bytes: 90,
    };
    assert_eq!(config.search.search_limits(), expected);
    let expected = ScratchLimits {
        bytes: 7 << 20,
        entries: 8,
    };
    assert_eq!(config.scratch.scratch_limits(), expected);
}

#[test]
fn the_standard_of_the_workspace_is_the_standard_here() {
    let standard = HostConfig::standard();
    assert_eq!(standard.read.file_limits(), FileLimits::standard());
    assert_eq!(standard.search.search_limits(), SearchLimits::standard());
    assert_eq!(standard.submit.submit_limits(), SubmitLimits::standard());
    assert_eq!(standard.scratch.scratch_limits(), ScratchLimits::standard());
}

#[test]
fn numbers_are_bounded() {
    for (table, key, least, most) in [
        ("limits", "memory_mib", 1, 4096),
        ("limits", "compute_seconds", 1, 1800),
        ("limits", "total_seconds", 60, 86_400),
        ("limits", "host_calls", 1, 100_000_000),
        ("limits", "call_mib", 1, 256),
        ("limits", "read_mib", 1, 16_384),
        ("limits", "submit_mib", 1, 4096),
        ("limits", "compile_seconds", 1, 3600),
        ("limits", "compile_mib", 256, 65_536),
        ("limits", "component_mib", 1, 256),
        ("limits", "table_elements", 1, 100_000_000),
        ("limits", "instances", 1, 10_000),
        ("limits", "resource_handles", 16, 1_000_000),
        ("limits", "stack_kib", 64, 8192),
        ("limits", "output_kib", 1, 16_384),
        ("limits", "progress_lines", 0, 1_000_000),
        ("runner", "timeout_seconds", 1, 86_400),
        ("runner", "judge_timeout_seconds", 1, 86_400),
        ("runner", "calls", 0, 1000),
        ("sandbox", "processes", 16, 1_000_000),
        ("sandbox", "file_mib", 1, 1_048_576),
        ("sandbox", "open_files", 64, 1_048_576),
        // As large as what can be submitted, and the other way round.
        ("read", "file_mib", 16, 1024),
        ("submit", "file_mib", 1, 16),
        ("read", "lines_mib", 1, 256),
        ("read", "scan_mib", 1, 65_536),
        ("read", "batch_paths", 1, 100_000),
        ("read", "batch_mib", 1, 1024),
        ("search", "results", 1, 10_000),
        ("search", "answer_mib", 1, 256),
        ("search", "line_bytes", 40, 65_536),
        ("search", "context_lines", 0, 20),
        ("search", "pattern_bytes", 16, 65_536),
        ("submit", "pending_mib", 1, 4096),
        ("submit", "pending_paths", 1, 1_000_000),
        ("submit", "call_operations", 1, 1_000_000),
        ("scratch", "total_mib", 1, 1_048_576),
        ("scratch", "entries", 1, 100_000_000),
    ] {
        let with = |n: i64| load_host_config("host.toml", format!("[{table}]\n{key} = {n}\n").as_bytes());
        assert!(with(least).is_ok() && with(most).is_ok(), "{key}");
        for beyond in [least - 1, most + 1, -1, i64::MAX, i64::MIN] {
            let error = with(beyond).unwrap_err();
            let kind = &error.faults()[0].kind;
            assert!(
                matches!(kind, FaultKind::OutOfRange { .. } | FaultKind::MoreThan { .. }),
                "{key} = {beyond}: {kind}"
            );
        }
        for wrong in ["'1'", "1.0", "true", "[1]", "2026-01-01"] {
            let error = refused(&format!("[{table}]\n{key} = {wrong}\n"));
            assert!(
                matches!(error.faults()[0].kind, FaultKind::WrongType { .. }),
                "{key} = {wrong}"
            );
        }
    }
}

#[test]
fn computing_is_part_of_the_whole() {
    let error = refused("[limits]\ncompute_seconds = 100\ntotal_seconds = 50\n");
    assert!(matches!(
        error.faults()[0].kind,
        FaultKind::MoreThan {
            value: 100,
            most: 50,
            ..
        }
    ));
    // Also against a default.
    let error = refused("[limits]\ntotal_seconds = 30\n");
    assert_eq!(error.faults()[0].place.line, 2);
}

#[test]
fn what_can_be_submitted_can_be_read_back() {
    assert_eq!(
        load("[read]\nfile_mib = 1024\n[submit]\nfile_mib = 1024\n")
            .submit
            .file_mib,
        1024
    );
    let error = refused("[submit]\nfile_mib = 65\n[read]\nfile_mib = 64\n");
    insta::assert_snapshot!(error.plain(), @r#"
    host.toml:2:1: error[SCHEMA]: `submit.file_mib` (65) is more than `read.file_mib` (64)
      help: lower it, or raise `read.file_mib`
    "#);
    // Also against a default, on either side.
    for text in ["[read]\nfile_mib = 8\n", "[submit]\nfile_mib = 17\n"] {
        assert!(
            matches!(refused(text).faults()[0].kind, FaultKind::MoreThan { .. }),
            "{text}"
        );
        assert_eq!(refused(text).faults()[0].place.line, 2);
    }
}
