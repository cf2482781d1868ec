//! What an item of `submit_files` may be.

use super::run;
use super::stand_in::{Desktop, call, calls, prose, writes};

/// What is said of one item.
fn item(text: &str) -> String {
    let desk = Desktop::new(&[("a", "a\n")]).script([
        calls(&[call("submit_files", &format!(r#"{{"files": [{text}]}}"#))]),
        writes("z", "z\n"),
        prose("done"),
    ]);
    run(&desk, 6).unwrap();
    desk.results()[0].lines().next().unwrap().to_owned()
}

#[test]
fn items_that_are_operations() {
    for (text, answer) in [
        (r#"{"path": "b", "content": ""}"#, "files[0] taken: write `b` (0 bytes)"),
        (
            r#"{"path": "a", "content": null, "action": "delete", "to": null}"#,
            "files[0] taken: delete `a`",
        ),
        (
            r#"{"path": "a", "content": "", "action": "delete"}"#,
            "files[0] taken: delete `a`",
        ),
        (
            r#"{"path": "b", "content": "x", "action": "write", "executable": true}"#,
            "files[0] taken: write `b` (1 bytes)",
        ),
        (
            r#"{"path": "a", "action": "rename", "to": "b"}"#,
            "files[0] taken: rename `a` to `b`",
        ),
        (
            r#"{"path": "a", "executable": true}"#,
            "files[0] taken: executable bit of `a`; it stands as it did before, which is no change",
        ),
    ] {
        assert_eq!(item(text), answer, "{text}");
    }
}

#[test]
fn items_that_are_none() {
    for (text, answer) in [
        (r#"{"content": "x"}"#, "the argument `path` is missing"),
        (
            r#"{"path": "b", "content": null}"#,
            "a write needs `content`, the whole of the file; an empty file has the content \"\"",
        ),
        (
            r#"{"path": "b", "content": {"x": 1}}"#,
            "the argument `content` has to be a text, and is an object",
        ),
        (
            r#"{"path": "b", "content": "x", "to": "c"}"#,
            "`to` belongs to the action rename",
        ),
        (
            r#"{"path": "a", "content": "x", "action": "delete"}"#,
            "a delete takes nothing but the path",
        ),
        (r#"{"path": "a", "action": "rename"}"#, "the argument `to` is missing"),
        (
            r#"{"path": "a", "action": "rename", "to": "b", "content": "x"}"#,
            "a rename takes the path and `to`; new content for `to` is an item of its own, after it",
        ),
        (
            r#"{"path": "a", "action": "append", "content": "x"}"#,
            "`action` is write, delete or rename",
        ),
        (
            r#"{"path": "a", "text": "x"}"#,
            "there is no argument `text`; the tool takes `path`, `content`, `action`, `to`, `executable`",
        ),
        (
            r#"{"path": "/etc/passwd", "content": "x"}"#,
            "write `/etc/passwd` (1 bytes): `/etc/passwd` is not a usable path: it is absolute",
        ),
    ] {
        assert_eq!(item(text), format!("files[0] REFUSED: {answer}"), "{text}");
    }
}

#[test]
fn a_call_that_is_no_list_of_items_is_told_so() {
    for (arguments, answer) in [
        (r#"{"files": []}"#, "Nothing submitted: `files` is empty."),
        (
            r#"{"files": "a"}"#,
            "submit_files was not carried out: the argument `files` has to be a list of objects, and is a text.",
        ),
        (
            r#"{"files": ["a"]}"#,
            "submit_files was not carried out: the argument `files[0]` has to be an object, and is a text.",
        ),
        (
            r#"[{"path": "a"}]"#,
            "submit_files was not carried out: the arguments are a list; give them as one JSON object.",
        ),
        (
            r#"{"path": "a", "content": "x"}"#,
            "submit_files was not carried out: there is no argument `content`; the tool takes `files`.",
        ),
    ] {
        let desk = Desktop::new(&[]).script([
            calls(&[call("submit_files", arguments)]),
            writes("z", "z\n"),
            prose("done"),
        ]);
        run(&desk, 6).unwrap();
        assert_eq!(desk.results()[0], answer, "{arguments}");
    }
}
