#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

use proptest::prelude::*;

use super::*;

fn rule(given: &str) -> PathRule {
    WorkspacePath::parse(given).unwrap_err().rule
}

fn parsed(given: &str) -> String {
    WorkspacePath::parse(given).unwrap().as_str().to_owned()
}

#[test]
fn spellings_of_one_path_come_to_one() {
    for spelling in [
        "f/g",
        "./f/g",
        "f//g",
        "f/./g",
        "a/../f/g",
        "f/x/../g",
        "f/g/../g",
        "a/b/../../f/g",
    ] {
        assert_eq!(parsed(spelling), "f/g", "{spelling}");
    }
}

#[test]
fn paths_are_literal() {
    for literal in [
        "app/[id]/(group)/[[...slug]]/p.tsx",
        "a b/c*d/{e}",
        "-f",
        "~x",
        "$HOME",
        "%20",
        "a\u{202f}b.txt",
        "e\u{301}.txt",
        "\u{e9}.txt",
        " leading",
        "trailing ",
        "dot.",
        "...",
        "a\nb",
        "\u{1b}[2J",
        "com",
        "comx",
        "nul2",
        "console.rs",
        "aux_/x",
        "COM10",
        "LPT\u{2074}",
        "constants.con",
    ] {
        assert_eq!(parsed(literal), literal);
    }
}

#[test]
fn a_folder_may_be_the_root_and_may_end_in_a_slash() {
    for root in ["", ".", "./", "a/..", "./."] {
        assert_eq!(WorkspacePath::parse_folder(root).unwrap(), None, "{root:?}");
        assert_eq!(rule(root), PathRule::Empty, "{root:?}");
    }
    assert_eq!(WorkspacePath::parse_folder("a/b/").unwrap().unwrap().as_str(), "a/b");
    assert_eq!(WorkspacePath::parse_folder("a/b/..").unwrap().unwrap().as_str(), "a");
    for folder in ["a/", "a/.", "a/b/..", "a//"] {
        assert_eq!(rule(folder), PathRule::TrailingSlash, "{folder}");
    }
}

#[test]
fn what_is_no_path_is_refused_by_its_rule() {
    let long = "n".repeat(256);
    let longer = "n/".repeat(2049);
    let deep = vec!["d"; 129].join("/");
    for (given, expected) in [
        ("a\0b", PathRule::Nul),
        ("\0", PathRule::Nul),
        ("/", PathRule::Absolute),
        ("/etc/passwd", PathRule::Absolute),
        ("\\\\server\\share", PathRule::Absolute),
        ("\\x", PathRule::Absolute),
        ("C:", PathRule::Absolute),
        ("c:/x", PathRule::Absolute),
        ("C:\\x", PathRule::Absolute),
        ("C:x", PathRule::ReservedCharacter),
        ("a:b", PathRule::ReservedCharacter),
        ("a/b:stream", PathRule::ReservedCharacter),
        ("a\\..\\..\\b", PathRule::ReservedCharacter),
        ("a:b/../c", PathRule::ReservedCharacter),
        ("..", PathRule::EscapesRoot),
        ("../x", PathRule::EscapesRoot),
        ("a/../../a/x", PathRule::EscapesRoot),
        ("a/../..", PathRule::EscapesRoot),
        (long.as_str(), PathRule::TooLong),
        (longer.as_str(), PathRule::TooLong),
        (deep.as_str(), PathRule::TooDeep),
    ] {
        assert_eq!(rule(given), expected, "{given:?}");
        assert_eq!(
            WorkspacePath::parse_folder(given).unwrap_err().rule,
            expected,
            "{given:?}"
        );
    }
    assert_eq!(parsed(&long[1..]).len(), 255);
    assert_eq!(parsed(&deep[2..]).split('/').count(), 128);
}

#[test]
fn device_names_are_refused_in_every_spelling() {
    for device in [
        "nul",
        "NUL",
        "Con",
        "sub/CON.txt",
        "aux.tar.gz",
        "prn/x",
        "COM1",
        "com9.log",
        "COM0",
        "LPT3",
        "COM\u{b9}",
        "lpt\u{b2}.x",
        "COM\u{b3}",
        "CONIN$",
        "conout$",
        "nul .txt",
        "nul  ",
        "a/nul/../b",
    ] {
        assert_eq!(rule(device), PathRule::ReservedName, "{device:?}");
    }
}

#[test]
fn relations() {
    let path = |given: &str| WorkspacePath::parse(given).unwrap();
    assert!(path("a/b").is_or_is_below(&path("a")));
    assert!(path("a").is_or_is_below(&path("a")));
    assert!(!path("ab").is_or_is_below(&path("a")));
    assert!(!path("a").is_or_is_below(&path("a/b")));
    assert_eq!(path("a/b/c").parent(), Some(path("a/b")));
    assert_eq!(path("a").parent(), None);
    assert_eq!(path("a/b/c").file_name(), "c");
    assert_eq!(path("a/b/c").ancestors().collect::<Vec<_>>(), [path("a"), path("a/b")]);
    assert_eq!(path("a").join("b").unwrap(), path("a/b"));
    assert_eq!(WorkspacePath::in_folder(None, "b").unwrap(), path("b"));
    for no_component in ["", ".", "..", "b/c", "nul", "b:c", "\0"] {
        path("a").join(no_component).unwrap_err();
        WorkspacePath::in_folder(None, no_component).unwrap_err();
    }
}

#[test]
fn refusals_say_what_is_wrong_and_are_safe_to_print() {
    let shown = WorkspacePath::parse("\u{1b}[2J\u{202e}/../../x")
        .unwrap_err()
        .to_string();
    assert_eq!(
        shown,
        "the path `\\u{1b}[2J\\u{202e}/../../x` leads above the root of the workspace: nothing outside it can be named"
    );
    let cut = WorkspacePath::parse(&"é".repeat(3000)).unwrap_err();
    assert_eq!(cut.path.chars().count(), 200);
}

/// Text made of what matters in paths, and of anything else.
fn any_path() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => Just("/".to_owned()),
        3 => Just("..".to_owned()),
        2 => Just(".".to_owned()),
        1 => Just("nul".to_owned()),
        1 => Just("\\".to_owned()),
        1 => Just(":".to_owned()),
        1 => Just("\0".to_owned()),
        4 => "[a-c]{1,3}",
        1 => "\\PC{1,4}",
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn whatever_is_given_is_a_path_by_the_rules_or_refused(given in any_path()) {
        if let Ok(path) = WorkspacePath::parse(&given) {
            let text = path.as_str();
            prop_assert!(!text.is_empty() && text.len() <= MAX_PATH_BYTES);
            prop_assert!(path.components().count() <= MAX_COMPONENTS);
            for component in path.components() {
                prop_assert!(!matches!(component, "" | "." | ".."));
                prop_assert!(component.len() <= MAX_COMPONENT_BYTES);
                prop_assert!(!component.contains(['/', '\\', ':', '\0']));
            }
            // Normal: giving it again changes nothing, and it is a folder's path as well.
            prop_assert_eq!(WorkspacePath::parse(text), Ok(path.clone()));
            prop_assert_eq!(WorkspacePath::parse_folder(text), Ok(Some(path.clone())));
            prop_assert_eq!(WorkspacePath::parse(&format!("./x/..//{text}")), Ok(path.clone()));
            // The system's own reading of the text agrees that it stays below.
            prop_assert!(std::path::Path::new(text).components().all(|c| matches!(c, std::path::Component::Normal(_))));
        }
        // Never a panic, and never more than the message may hold.
        if let Err(bad) = WorkspacePath::parse_folder(&given) {
            prop_assert!(bad.path.chars().count() <= 200);
            let is_safe = !bad.to_string().contains(['\n', '\u{1b}', '\0']);
            prop_assert!(is_safe, "{:?}", bad);
        }
    }

    /// What `..` resolves to by text is what walking over the components gives.
    #[test]
    fn normal_form_is_what_walking_gives(parts in proptest::collection::vec(prop_oneof![Just("a"), Just("b"), Just(".."), Just("."), Just("")], 1..12)) {
        let given = parts.join("/");
        let mut walked = Vec::new();
        let mut escaped = given.starts_with('/');
        for part in &parts {
            match *part {
                "" | "." => {}
                ".." => escaped |= walked.pop().is_none(),
                name => walked.push(name),
            }
        }
        match WorkspacePath::parse_folder(&given) {
            Ok(path) => {
                prop_assert!(!escaped);
                prop_assert_eq!(path.map(|p| p.as_str().to_owned()).unwrap_or_default(), walked.join("/"));
            }
            Err(_) => prop_assert!(escaped),
        }
    }
}
