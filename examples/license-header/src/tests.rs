use snodo_plugin::prelude::*;
use snodo_plugin::testing::Workspace;

use crate::LicenseHeader;

const SPDX: &str = "SPDX-License-Identifier: Apache-2.0";

/// What becomes of a file.
fn head(path: &str, text: &str) -> String {
    Workspace::new()
        .file(path, text)
        .coder::<LicenseHeader>()
        .run()
        .text(path)
}

#[test]
fn each_language_has_its_comments() {
    assert_eq!(head("src/a.rs", "fn a() {}\n"), format!("// {SPDX}\n\nfn a() {{}}\n"));
    assert_eq!(head("a.py", "import os\n"), format!("# {SPDX}\n\nimport os\n"));
    assert_eq!(head("Makefile", "all:\n"), format!("# {SPDX}\n\nall:\n"));
    assert_eq!(head("a.sql", "SELECT 1;"), format!("-- {SPDX}\n\nSELECT 1;"));
    assert_eq!(head("a.css", "a {}\n"), format!("/*\n * {SPDX}\n */\n\na {{}}\n"));
    assert_eq!(
        head("a.vue", "<template/>\n"),
        format!("<!--\n  {SPDX}\n-->\n\n<template/>\n")
    );
}

#[test]
fn what_must_come_first_comes_first() {
    assert_eq!(head("a.sh", "#!/bin/sh\nls\n"), format!("#!/bin/sh\n# {SPDX}\n\nls\n"));
    assert_eq!(
        head("a.py", "#!/usr/bin/python3\n# -*- coding: latin-1 -*-\n\nx = 1\n"),
        format!("#!/usr/bin/python3\n# -*- coding: latin-1 -*-\n# {SPDX}\n\nx = 1\n")
    );
    assert_eq!(head("a.rs", "#![no_std]\n"), format!("// {SPDX}\n\n#![no_std]\n"));
    assert_eq!(
        head("a.php", "<?php\necho 1;\n"),
        format!("<?php\n// {SPDX}\n\necho 1;\n")
    );
    assert_eq!(
        head("a.html", "<!DOCTYPE html>\n<p>\n"),
        format!("<!DOCTYPE html>\n<!--\n  {SPDX}\n-->\n\n<p>\n")
    );
    assert_eq!(
        head("a.rs", "\u{feff}fn a() {}\n"),
        format!("\u{feff}// {SPDX}\n\nfn a() {{}}\n")
    );
    assert_eq!(head("a.sh", "#!/bin/sh"), format!("#!/bin/sh\n# {SPDX}\n"));
}

#[test]
fn line_endings_stay_as_they_are() {
    assert_eq!(
        head("a.c", "int a;\r\nint b;\r\n"),
        format!("// {SPDX}\r\n\r\nint a;\r\nint b;\r\n")
    );
}

#[test]
fn a_notice_of_several_lines_is_one_comment() {
    let run = Workspace::new()
        .file("a.go", "package a\n")
        .coder::<LicenseHeader>()
        .setting("notice", "Copyright 2026 Example Ltd.\n\nAll rights reserved.")
        .run();
    assert_eq!(
        run.text("a.go"),
        "// Copyright 2026 Example Ltd.\n//\n// All rights reserved.\n\npackage a\n"
    );
}

#[test]
fn only_what_lacks_it_and_is_asked_for_is_changed() {
    let run = Workspace::new()
        .file("a.rs", "fn a() {}\n")
        .file("has.rs", format!("// Copyright\n// {SPDX}\n"))
        .file("vendor/b.rs", "fn b() {}\n")
        .file("README.md", "# read me\n")
        .file("empty.py", "")
        .file("binary.js", vec![0, 0xff])
        .file("LICENSES/c.rs", "fn c() {}\n")
        .protect("LICENSES")
        .coder::<LicenseHeader>()
        .setting("paths", vec!["**/*".to_owned(), "!vendor/**".to_owned()])
        .run();
    assert_eq!(run.changed(), ["a.rs"]);
    let report = run.implementation().report.as_ref().unwrap();
    assert_eq!(report.files.len(), 1);
    assert!(
        report.notes.contains("`LICENSES/c.rs` is protected"),
        "{}",
        report.notes
    );
}

#[test]
fn nothing_to_do_is_said() {
    let run = Workspace::new()
        .file("a.rs", format!("// {SPDX}\n"))
        .coder::<LicenseHeader>()
        .run();
    assert!(matches!(run.error(), CoderError::UnusableTask(why) if why.starts_with("none of 1 source files lacks")));
}

#[test]
fn a_second_run_has_nothing_to_do() {
    let first = Workspace::new()
        .file("a.py", "#!/usr/bin/python3\nx = 1\n")
        .coder::<LicenseHeader>()
        .run();
    let again = Workspace::new()
        .file("a.py", first.text("a.py"))
        .coder::<LicenseHeader>()
        .run();
    assert!(!again.produced_work());
}

#[test]
fn many_files_are_done_in_parts() {
    let mut workspace = Workspace::new();
    for at in 0..120 {
        workspace = workspace.file(format!("src/f{at}.rs"), "fn f() {}\n");
    }
    assert_eq!(workspace.coder::<LicenseHeader>().run().changed().len(), 120);
}
