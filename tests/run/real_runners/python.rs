//! `python3 -m unittest` and `pytest`: with a package that the user has installed, and in a virtual environment of the workspace's.
//!
//! A virtual environment names its own place by absolute paths, which through an overlay are still right; a copy stands elsewhere.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::{Ground, Project, asked, equip, executable, prove, works};
use crate::support::skips;

const FILES: [(&str, &str); 2] = [
    (
        "shout.py",
        "from louder import louder\n\n\ndef shout(text):\n    return louder(text) + \"?\"\n",
    ),
    (
        "test_shout.py",
        "import unittest\n\nfrom shout import shout\n\n\nclass Shouts(unittest.TestCase):\n    def test_text(self):\n        \
         self.assertEqual(shout(\"hello\"), \"HELLO!\")\n\n    def test_nothing(self):\n        self.assertEqual(shout(\"\"), \"!\")\n",
    ),
];

fn project(command: &str) -> Project {
    Project {
        mistake: (
            "shout.py",
            "    return louder(text) + \"?\"",
            "    return louder(text) + \"!\"",
        ),
        prints: (&["'HELLO?' != 'HELLO!'", "FAILED (failures=2)"], &["Ran 2 tests", "OK"]),
        ..Project::of(command, ".venv/\n__pycache__/\n", &FILES)
    }
}

/// Puts the dependency where a Python looks for packages.
fn install(packages: &Path) {
    let package = packages.join("louder");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::write(
        package.join("__init__.py"),
        "def louder(text):\n    return text.upper()\n",
    )
    .unwrap();
}

/// What a program prints, where a user has started it in the workspace.
fn prints(project: &Project, program: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    equip(&mut command, project.first.as_deref());
    command.args(arguments).current_dir(project.sandbox.workspace());
    command.envs(project.environment.iter().map(|(name, value)| (name, value)));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// With an environment in which the dependency is installed, and a script as `pip` would have made it, of the given text.
fn with_environment(mut project: Project, python: &Path, script: &str, text: &str) -> Project {
    let arguments = ["-m", "venv", "--system-site-packages", "--without-pip", ".venv"];
    prints(&project, python, &arguments);
    let bin = project.sandbox.workspace().join(".venv/bin");
    let of_it = bin.join("python");
    let packages = prints(
        &project,
        &of_it,
        &["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
    );
    install(Path::new(&packages));
    let script = bin.join(script);
    std::fs::write(&script, format!("#!{}\n{text}", of_it.display())).unwrap();
    executable(&script);
    project.environment.clear();
    project
}

/// A script that runs the tests.
const CHECK: &str =
    "import sys\nimport unittest\n\nsys.path.insert(0, '')\nunittest.main(module=None, argv=['check', 'discover'])\n";

/// Whether there is a Python that makes virtual environments.
fn makes_environments() -> bool {
    works("python3", &["-c", "import venv, unittest"])
}

#[test]
fn unittest_with_a_package_of_the_users() {
    let own = "import site, sys, unittest; sys.exit(not site.ENABLE_USER_SITE)";
    if works("python3", &["-c", own]) {
        prove(|| {
            let mut project = project("python3 -m unittest");
            let base = project.sandbox.path().join("user");
            project.environment.push(("PYTHONUSERBASE", base));
            let packages = prints(&project, Path::new("python3"), &["-m", "site", "--user-site"]);
            install(Path::new(&packages));
            project
        });
    }
}

#[test]
fn the_python_of_a_virtual_environment() {
    if makes_environments() {
        let command = ".venv/bin/python -m unittest";
        prove(|| with_environment(project(command), Path::new("python3"), "check", CHECK));
    }
}

#[test]
fn a_virtual_environment_that_the_user_has_activated() {
    if makes_environments() {
        prove(|| {
            let mut project = with_environment(project("check"), Path::new("python3"), "check", CHECK);
            let environment = project.sandbox.workspace().join(".venv");
            project.first = Some(environment.join("bin"));
            project.environment.push(("VIRTUAL_ENV", environment));
            project
        });
    }
}

#[test]
fn scripts_of_a_virtual_environment_lead_to_its_own_path() {
    if !makes_environments() {
        return;
    }
    // What is seen of it in a copy: that Python's own start fails, which nobody can tell from a test; that the shell may not run it.
    for (command, end) in [
        (".venv/bin/check", (1, "blocker", "blocked")),
        (
            ". .venv/bin/activate && check",
            (3, "validator_error", "validator_error"),
        ),
    ] {
        for ground in Ground::all() {
            let project = with_environment(project(command), Path::new("python3"), "check", CHECK);
            if ground == Ground::View {
                project.fails(ground);
                project.passes(ground);
                continue;
            }
            // A copy stands elsewhere, and the script leads to the workspace, which is closed: that is said.
            let report = project.run(ground, &super::replace("NOTES.md", "old", "new"));
            let report = report.ended(end.0, end.1, Some(end.2));
            let notes = report["runner"][0]["notes"].to_string();
            for words in ["a virtual environment's", "`[sandbox] read`"] {
                assert!(notes.contains(words), "no `{words}` in {notes}");
            }
            assert!(project.sandbox.exists(".venv/bin/check"));
            // What that says to do.
            let environment = project.sandbox.workspace().join(".venv");
            let open = format!("[sandbox]\nread = [{}]\n", json!(environment));
            let project = Project {
                sandbox: project.sandbox.host_toml(&open),
                ..project
            };
            project.fails(ground);
            project.passes(ground);
        }
    }
}

/// A Python on `PATH` that has pytest, with the folder of that.
fn with_pytest() -> Option<(PathBuf, PathBuf)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let package = "import os, pytest; print(os.path.dirname(os.path.dirname(pytest.__file__)))";
    let found = std::env::split_paths(&path).find_map(|folder| {
        let packages = asked(folder.join("python3"), &["-c", package])?;
        Some((folder.join("python3"), PathBuf::from(packages)))
    });
    if found.is_none() {
        skips::program("pytest", "no `python3` on PATH has it");
    }
    found
}

fn of_pytest(command: &str) -> Project {
    let mut project = project(command);
    project.sandbox.put(
        "test_shout.py",
        "import pytest\nfrom shout import shout\n\n\n@pytest.mark.parametrize('text, loud', [('hello', 'HELLO!'), ('', '!')])\n\
         def test_shout(text, loud, tmp_path):\n    (tmp_path / 'file').write_text(loud)\n    assert shout(text) == loud\n",
    );
    project.prints = (&["assert 'HELLO?' == 'HELLO!'", "2 failed"], &["2 passed"]);
    project
}

#[test]
fn pytest_with_a_package_of_the_users() {
    let Some((python, packages)) = with_pytest() else {
        return;
    };
    prove(|| {
        let mut project = of_pytest("python3 -m pytest");
        project.first = python.parent().map(Path::to_owned);
        // Beside the tests, as a plain module: not every Python looks where its user installs.
        project
            .sandbox
            .put("louder.py", "def louder(text):\n    return text.upper()\n");
        project
    });
    for ground in Ground::all() {
        if ground == Ground::Plain {
            continue;
        }
        let script = "import sys\nfrom pytest import console_main\nsys.exit(console_main())\n";
        let mut project = with_environment(of_pytest(".venv/bin/pytest"), &python, "pytest", script);
        project.first = python.parent().map(Path::to_owned);
        let of_it = project.sandbox.workspace().join(".venv/bin/python");
        let own = prints(
            &project,
            &of_it,
            &["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        );
        std::fs::write(Path::new(&own).join("outer.pth"), format!("{}\n", packages.display())).unwrap();
        project.fails(ground);
        project.passes(ground);
    }
}
