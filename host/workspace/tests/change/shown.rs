//! The change as validators see it.

use std::sync::Arc;

use snodo_workspace::capability::{
    BeforeError, Change as _, ChangeError, Content, DiffAnswer, DiffQuery, LineOrigin, ReadError,
};
use snodo_workspace::change::{ChangeView, NoChangeYet};

use crate::world::{World, delete, executable, put, rename, write};

fn view(world: &World) -> ChangeView {
    ChangeView::new(Arc::clone(&world.base), Arc::new(world.set()))
}

fn query(paths: &[&str], max_bytes: u64) -> DiffQuery {
    DiffQuery {
        paths: paths.iter().map(|p| (*p).to_owned()).collect(),
        context_lines: 1,
        max_bytes,
    }
}

/// `path`, then each hunk's head and lines.
fn text(answer: &DiffAnswer) -> Vec<String> {
    let mut out = Vec::new();
    for file in &answer.files {
        out.push(file.path.clone());
        for hunk in &file.hunks {
            out.push(format!(
                "@@ {},{} {},{}",
                hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count
            ));
            for line in &hunk.lines {
                let sign = match line.origin {
                    LineOrigin::Context => ' ',
                    LineOrigin::Added => '+',
                    LineOrigin::Removed => '-',
                };
                out.push(format!(
                    "{sign}{}{}",
                    line.text,
                    if line.no_newline { "\\" } else { "" }
                ));
            }
        }
    }
    out
}

fn world() -> World {
    let world = World::new(|root| {
        put(root, "a", "1\n2\n3\n4\n5\n6\n7\n8\n", 0o644);
        put(root, "b", "gone\r\nlast", 0o644);
        put(root, "c", b"\x00", 0o644);
        put(root, "m", "same\n", 0o644);
    });
    world.submit([
        write("a", "1\ntwo\n3\n4\n5\n6\n7\neight\n"),
        delete("b"),
        write("c", b"\x01\x00"),
        rename("m", "n"),
        write("z", "new\n"),
    ]);
    world
}

#[test]
fn line_by_line_with_counts() {
    let answer = view(&world()).diff(&query(&[], 10_000)).unwrap();
    assert_eq!(
        text(&answer),
        [
            "a",
            "@@ 1,3 1,3",
            " 1",
            "-2",
            "+two",
            " 3",
            "@@ 7,2 7,2",
            " 7",
            "-8",
            "+eight",
            "b",
            "@@ 1,2 0,0",
            "-gone\r",
            "-last\\",
            "c",
            "n",
            "z",
            "@@ 0,0 1,1",
            "+new"
        ]
    );
    assert!(answer.omitted.is_empty());
    assert!(answer.files[2].binary);
}

#[test]
fn the_bound_is_kept_and_what_is_left_out_is_named() {
    let world = world();
    let view = view(&world);
    // Each line counts with its LF.
    let answer = view.diff(&query(&[], 9)).unwrap();
    assert_eq!(text(&answer), ["a", "@@ 1,2 1,2", " 1", "-2", "+two"]);
    assert_eq!(answer.omitted, ["a", "b", "c", "n", "z"]);
    let answer = view.diff(&query(&["a"], 17)).unwrap();
    assert_eq!(
        text(&answer),
        ["a", "@@ 1,3 1,3", " 1", "-2", "+two", " 3", "@@ 7,2 7,1", " 7", "-8"]
    );
    assert_eq!(answer.omitted, ["a"]);
    let answer = view.diff(&query(&["a"], 20)).unwrap();
    assert_eq!(answer.omitted, Vec::<String>::new());
    let answer = view.diff(&query(&[], 0)).unwrap();
    assert!(answer.files.is_empty());
    assert_eq!(answer.omitted.len(), 5);
}

#[test]
fn paths_are_exact_and_checked() {
    let world = world();
    let view = view(&world);
    let answer = view.diff(&query(&["z", "./b", "b"], 10_000)).unwrap();
    assert_eq!(
        answer.files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(),
        ["b", "z"]
    );
    assert_eq!(
        view.diff(&query(&["y"], 1)).unwrap_err(),
        ChangeError::NotInChange("y".to_owned())
    );
    assert!(matches!(view.diff(&query(&["../b"], 1)), Err(ChangeError::BadPath(_))));
    let mut wide = query(&[], 1);
    wide.context_lines = 101;
    assert!(matches!(view.diff(&wide), Err(ChangeError::BadParameter(p)) if p.field == "context-lines"));
}

#[test]
fn before_is_the_base_by_its_path_there() {
    let world = world();
    let view = view(&world);
    let before = view.before("b").unwrap();
    assert_eq!(before.content, Content::Text("gone\r\nlast".to_owned()));
    assert_eq!(view.before("m").unwrap().path, "m");
    assert_eq!(view.before("c").unwrap().content, Content::Bytes(vec![0]));
    for not_there in ["n", "z", "other"] {
        assert_eq!(
            view.before(not_there).unwrap_err(),
            BeforeError::NotInChange(not_there.to_owned())
        );
    }
}

/// What may not be read does not come out through the change either.
#[test]
fn a_denied_file_is_not_shown_as_it_was() {
    let world = World::with(&["private.txt"], |root| {
        put(root, "private.txt", "the secret\n", 0o644);
        put(root, "open.txt", "not secret\n", 0o644);
    });
    world.submit([delete("private.txt"), write("open.txt", "x\n")]);
    let view = view(&world);
    let answer = view.diff(&query(&[], 10_000)).unwrap();
    assert_eq!(text(&answer), ["open.txt", "@@ 1,1 1,1", "-not secret", "+x"]);
    assert_eq!(answer.omitted, ["private.txt"]);
    assert!(matches!(
        view.before("private.txt"),
        Err(BeforeError::Read(ReadError::Refused(_)))
    ));
    // It is still told of.
    assert_eq!(view.summary().unwrap().files.len(), 2);
}

#[test]
fn before_execution_there_is_no_change_and_it_says_so() {
    assert_eq!(NoChangeYet.summary().unwrap_err(), ChangeError::NoChangeYet);
    assert_eq!(NoChangeYet.diff(&query(&[], 1)).unwrap_err(), ChangeError::NoChangeYet);
    assert_eq!(NoChangeYet.before("a").unwrap_err(), BeforeError::NoChangeYet);
}

#[test]
fn mode_changes_cost_nothing_and_have_no_lines() {
    let world = World::new(|root| put(root, "f", "x\n", 0o644));
    world.submit([executable("f", true)]);
    let answer = view(&world).diff(&query(&[], 0)).unwrap();
    assert_eq!(text(&answer), ["f"]);
    assert!(answer.omitted.is_empty());
}
