//! What `new` writes, from the outside: which files, with what in them, and where it refuses.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a failed unwrap is a failed test, and tests look at real folders by name"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use snodo_scaffold::{
    BadName, File, Language, ProjectName, Role, WriteError, commands, contract_reference, files, wit_package, wit_text,
    write,
};

fn name(language: Language) -> ProjectName {
    ProjectName::parse("two-words", language, &["patch"]).unwrap()
}

fn called(name: &str) -> ProjectName {
    ProjectName::parse(name, Language::C, &[]).unwrap()
}

fn every() -> impl Iterator<Item = (Language, Role)> {
    Language::ALL
        .into_iter()
        .flat_map(|language| Role::ALL.map(|role| (language, role)))
}

fn project(language: Language, role: Role) -> Vec<File> {
    files(role, language, &name(language))
}

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// What is not the same in every language: the contract, and what a Rust project carries.
fn own(files: &[File]) -> Vec<&str> {
    let carried = |path: &str| path.starts_with("wit/") || (path.starts_with("vendor/") && path != "vendor/README.md");
    files
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| !carried(path))
        .collect()
}

#[test]
fn the_files_of_a_rust_project() {
    let shared = [".gitignore", "Cargo.lock", "Cargo.toml", "README.md"];
    let of = |sources: &[&'static str]| [&shared, sources, &["vendor/README.md"]].concat();
    assert_eq!(
        own(&project(Language::Rust, Role::Coder)),
        of(&["src/changelog.rs", "src/lib.rs", "src/tests.rs"])
    );
    assert_eq!(
        own(&project(Language::Rust, Role::Validator)),
        of(&["src/judge.rs", "src/lib.rs", "src/tests.rs"])
    );
}

#[test]
fn the_files_of_a_c_project() {
    let shared = [".gitignore", "Makefile", "README.md", "src/bindings.h"];
    let of = |sources: &[&'static str]| {
        [
            &shared,
            sources,
            &["src/plugin.c", "src/text.c", "src/text.h", "tests/test.c"],
        ]
        .concat()
    };
    assert_eq!(
        own(&project(Language::C, Role::Coder)),
        of(&["src/changelog.c", "src/changelog.h"])
    );
    assert_eq!(
        own(&project(Language::C, Role::Validator)),
        of(&["src/judge.c", "src/judge.h"])
    );
}

#[test]
fn every_language_has_both_roles() {
    for (language, role) in every() {
        let files = project(language, role);
        let own = own(&files);
        assert!(
            own.contains(&"README.md") && own.contains(&".gitignore"),
            "{language} {role}: {own:?}"
        );
        let others = Role::ALL.into_iter().find(|other| *other != role).unwrap();
        assert_ne!(files, project(language, others), "{language}");
    }
}

#[test]
fn nothing_is_left_open_and_everything_is_plain_text() {
    for (language, role) in every() {
        for File {
            path,
            content,
            executable,
        } in project(language, role)
        {
            let place = format!("{language} {role} {path}");
            // What is carried has not been filled in: a brace there is one of Rust's.
            if !path.starts_with("vendor/snodo-") {
                assert!(!content.contains("{{"), "{place}");
            }
            assert!(content.ends_with('\n') && !content.contains('\r'), "{place}");
            assert_eq!(executable, content.starts_with("#!/"), "{place}");
            let segments = path.split('/').collect::<Vec<_>>();
            assert!(
                segments.iter().all(|segment| !matches!(*segment, "" | "." | "..")),
                "{place}"
            );
        }
    }
}

#[test]
fn paths_are_in_order_and_none_stands_twice() {
    for (language, role) in every() {
        let files = project(language, role);
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let sorted: BTreeSet<&str> = paths.iter().copied().collect();
        assert_eq!(paths, sorted.into_iter().collect::<Vec<_>>(), "{language} {role}");
    }
}

#[test]
fn a_readme_is_one_screen_and_says_every_command() {
    for (language, role) in every() {
        let files = project(language, role);
        let readme = &files.iter().find(|file| file.path == "README.md").unwrap().content;
        let typed = commands(role, language, &name(language));
        let lines = readme.lines().count();
        assert!(lines <= 50, "{language} {role}: {lines} lines");
        for command in typed
            .setup
            .iter()
            .chain([&typed.build, &typed.test, &typed.run, &typed.artifact])
        {
            assert!(readme.contains(command.as_str()), "{language} {role}: `{command}`");
        }
        assert!(typed.run.contains(&typed.artifact), "{language} {role}");
    }
}

#[test]
fn the_contract_stands_in_every_project_as_in_wit() {
    let folder = repository().join("wit");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut known: Vec<&str> = wit_package().iter().map(|(name, _)| *name).collect();
    known.sort_unstable();
    assert_eq!(names, known);
    for (name, text) in wit_package() {
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), *text, "{name}");
        for (language, role) in every() {
            let path = if language == Language::Rust {
                format!("vendor/snodo-plugin/wit/{name}")
            } else {
                format!("wit/{name}")
            };
            let files = project(language, role);
            let file = files.iter().find(|file| file.path == path).unwrap();
            assert_eq!(file.content, *text, "{language} {role} {path}");
        }
    }
}

#[test]
fn the_package_as_one_file_is_the_same_package() {
    let mut one = wit_parser::Resolve::new();
    let whole = one.push_source("snodo.wit", &wit_text()).unwrap();
    let mut files = wit_parser::SourceMap::new();
    for (name, text) in wit_package() {
        files.push_str(name, *text);
    }
    let mut many = wit_parser::Resolve::new();
    let Ok(group) = files.parse() else {
        panic!("wit/ parses")
    };
    let parts = many.push_group(group).unwrap();
    assert_eq!(one.packages[whole].name, many.packages[parts].name);
    let items = |resolve: &wit_parser::Resolve| {
        let mut items: Vec<String> = resolve
            .interfaces
            .iter()
            .map(|(_, i)| {
                format!(
                    "{:?} {:?} {:?} {:?}",
                    i.name,
                    i.docs,
                    i.types.keys(),
                    i.functions.keys()
                )
            })
            .chain(
                resolve
                    .worlds
                    .iter()
                    .map(|(_, w)| format!("{} {:?} {}", w.name, w.docs, w.imports.len())),
            )
            .collect();
        items.sort();
        items
    };
    assert_eq!(items(&one), items(&many));
}

#[test]
fn a_rust_project_carries_the_sdk_and_no_tests_of_it() {
    let files = project(Language::Rust, Role::Coder);
    let sdk = repository().join("plugins/sdk");
    let mut sources = 0;
    for file in files
        .iter()
        .filter(|file| file.path.starts_with("vendor/snodo-plugin/src/"))
    {
        let path = file.path.strip_prefix("vendor/snodo-plugin/").unwrap();
        assert_eq!(fs::read_to_string(sdk.join(path)).unwrap(), file.content, "{path}");
        sources += 1;
    }
    assert!(sources > 10, "{sources}");
    for file in &files {
        let of_tests =
            file.path.starts_with("vendor/") && file.path.split('/').any(|s| s == "tests" || s == "tests.rs");
        assert!(!of_tests, "{}", file.path);
        if file.path.starts_with("vendor/") && file.path.ends_with("/Cargo.toml") {
            let manifest: toml::Table = file.content.parse().unwrap();
            assert!(!file.content.contains("workspace = true"), "{}", file.path);
            assert!(!manifest.contains_key("dev-dependencies"), "{}", file.path);
            for (name, dependency) in manifest["dependencies"].as_table().unwrap() {
                if let Some(path) = dependency.get("path") {
                    assert_eq!(path.as_str().unwrap(), format!("../{name}"));
                    let there = format!("vendor/{name}/Cargo.toml");
                    assert!(files.iter().any(|file| file.path == there), "{there}");
                }
            }
        }
    }
}

#[test]
fn a_rust_project_is_locked_to_the_versions_that_the_sdk_is_tested_with() {
    let files = project(Language::Rust, Role::Coder);
    let lock: toml::Table = files
        .iter()
        .find(|file| file.path == "Cargo.lock")
        .unwrap()
        .content
        .parse()
        .unwrap();
    let ours: toml::Table = fs::read_to_string(repository().join("Cargo.lock"))
        .unwrap()
        .parse()
        .unwrap();
    let key = |package: &toml::Value| {
        ["name", "version", "checksum"].map(|key| package.get(key).cloned().map(|value| format!("{value:?}")))
    };
    let ours: BTreeSet<_> = ours["package"].as_array().unwrap().iter().map(key).collect();
    let packages = lock["package"].as_array().unwrap();
    for package in packages.iter().filter(|package| package.get("source").is_some()) {
        assert!(ours.contains(&key(package)), "{package:?}");
    }
    let names: Vec<&str> = packages
        .iter()
        .map(|package| package["name"].as_str().unwrap())
        .collect();
    for name in ["two-words", "snodo-plugin", "wit-bindgen"] {
        assert!(names.contains(&name), "{name}");
    }
    assert!(names.is_sorted(), "{names:?}");
}

#[test]
fn a_name_is_one_for_every_language() {
    for good in ["a", "greeter", "two-words", "v2", "a-1-b"] {
        for language in Language::ALL {
            assert_eq!(ProjectName::parse(good, language, &[]).unwrap().as_str(), good);
        }
    }
    let refusal = |given: &str| ProjectName::parse(given, Language::Rust, &["patch", "mock"]).unwrap_err();
    for bad in ["", "../x", "a/b", "-a", ".a", "con", "nul.x", "a b", "\u{1b}[2J", "ä"] {
        assert!(matches!(refusal(bad), BadName::Plugin(_)), "{bad:?}");
    }
    assert!(matches!(refusal(&"x".repeat(65)), BadName::Plugin(_)));
    for (bad, suggestion) in [
        ("My_Plugin", Some("my-plugin")),
        ("a--b", Some("a-b")),
        ("a-", Some("a")),
        ("_x", Some("x")),
        ("a.b", Some("a-b")),
        ("9lives", None),
    ] {
        let BadName::Shape { suggestion: found, .. } = refusal(bad) else {
            panic!("{bad}")
        };
        assert_eq!(found.as_deref(), suggestion, "{bad}");
    }
    assert!(matches!(refusal("patch"), BadName::BuiltIn { .. }));
    assert!(matches!(
        ProjectName::parse("two-words", Language::C, &["Two_Words"]).unwrap_err(),
        BadName::BuiltIn { .. }
    ));
    for word in ["fn", "test", "core", "snodo-plugin"] {
        assert!(matches!(refusal(word), BadName::Reserved { .. }), "{word}");
    }
    assert_eq!(
        refusal("My_Plugin").to_string(),
        "`My_Plugin` cannot be the name of a new plugin: one name serves the plugin, its file and its package, so it is lower-case letters and digits in words, each after the first following a `-`, and starts with a letter: `my-plugin` would do"
    );
}

#[test]
fn a_project_is_written_whole_or_not_at_all() {
    let place = tempfile::tempdir().unwrap();
    let into = Dir::open_ambient_dir(place.path(), ambient_authority()).unwrap();
    let files = project(Language::C, Role::Coder);
    write(&into, &called("two-words"), &files).unwrap();
    for file in &files {
        assert_eq!(
            fs::read_to_string(place.path().join("two-words").join(&file.path)).unwrap(),
            file.content
        );
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing else is left");

    // What is there stays as it is.
    fs::write(place.path().join("two-words/README.md"), "mine").unwrap();
    assert!(matches!(
        write(&into, &called("two-words"), &files).unwrap_err(),
        WriteError::Exists { .. }
    ));
    assert_eq!(
        fs::read_to_string(place.path().join("two-words/README.md")).unwrap(),
        "mine"
    );

    // A second file of one path cannot be written: the first one goes too.
    let twice = vec![files[0].clone(), files[0].clone()];
    let WriteError::Io { path, .. } = write(&into, &called("other"), &twice).unwrap_err() else {
        panic!()
    };
    assert_eq!(path, files[0].path);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing of it is left");
}

#[cfg(unix)]
#[test]
fn a_link_in_the_way_is_something_in_the_way() {
    let place = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("nowhere", place.path().join("two-words")).unwrap();
    let into = Dir::open_ambient_dir(place.path(), ambient_authority()).unwrap();
    let error = write(&into, &called("two-words"), &project(Language::C, Role::Coder)).unwrap_err();
    assert!(matches!(error, WriteError::Exists { .. }));
    assert!(place.path().join("two-words").is_symlink());
}

#[cfg(unix)]
#[test]
fn a_program_may_be_run_and_nothing_else_may() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = tempfile::tempdir().unwrap();
    let into = Dir::open_ambient_dir(place.path(), ambient_authority()).unwrap();
    let file = |path: &str, executable| File {
        path: path.to_owned(),
        content: "#!/bin/sh\n".to_owned(),
        executable,
    };
    write(&into, &called("x"), &[file("a/run", true), file("a/read", false)]).unwrap();
    let bits = |path: &str| {
        fs::metadata(place.path().join("x").join(path))
            .unwrap()
            .permissions()
            .mode()
            & 0o111
    };
    assert_ne!(bits("a/run"), 0);
    assert_eq!(bits("a/read"), 0);
}

#[test]
fn the_tools_of_c_are_of_one_version_wherever_they_are_named() {
    let text = |path: &str| fs::read_to_string(repository().join(path)).unwrap();
    let installed: Vec<String> = commands(Role::Coder, Language::C, &name(Language::C))
        .setup
        .into_iter()
        .filter(|command| command.starts_with("cargo install"))
        .collect();
    assert_eq!(installed.len(), 2);
    for place in ["examples/todo/build.sh", "docs/authors/c.md"] {
        for command in &installed {
            assert!(text(place).contains(command.as_str()), "{place}: {command}");
        }
    }
    let version = installed[0]
        .split(['@', ' '])
        .find(|word| word.starts_with("0."))
        .unwrap();
    for place in ["host/scaffold/templates/c/shared/Makefile", "examples/todo/Makefile"] {
        assert!(
            text(place).contains(&format!("WIT_BINDGEN_VERSION := {version}\n")),
            "{place}"
        );
    }
    // The SDK's macro is of the same family, so that both say of the contract what the other says.
    assert!(text("Cargo.lock").contains(&format!("name = \"wit-bindgen\"\nversion = \"{version}\"\n")));
}

#[test]
fn the_contract_for_reading_is_up_to_date() {
    let file = fs::read_to_string(repository().join("docs/authors/contract.md")).unwrap();
    assert!(
        file == contract_reference(),
        "docs/authors/contract.md is behind wit/: cargo run -p snodo-scaffold --example contract > docs/authors/contract.md"
    );
}
