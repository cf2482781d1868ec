//! Reading, exact and bounded.

use snodo_workspace::capability::{Content, Count, Read as _, ReadError};

use crate::world::{World, within_a_second, write};

#[test]
fn whole_files_are_exact() {
    let world = World::new(&[], |tree| {
        std::fs::write(tree.root.join("bom"), "\u{feff}text").unwrap();
        std::fs::write(tree.root.join("nul"), "x").unwrap_or(());
        std::fs::write(tree.root.join("bytes"), b"\xff\xfe\0").unwrap();
        std::fs::write(tree.root.join("with-nul"), b"a\0b").unwrap();
        std::fs::write(tree.root.join("empty"), b"").unwrap();
        std::fs::create_dir(tree.root.join("dir")).unwrap();
    });
    let bom = world.read("bom").unwrap();
    assert_eq!(
        (bom.content, bom.bom, bom.size, bom.executable),
        (Content::Text("\u{feff}text".to_owned()), true, 7, false)
    );
    assert_eq!(
        world.read("bytes").unwrap().content,
        Content::Bytes(b"\xff\xfe\0".to_vec())
    );
    assert_eq!(
        world.read("with-nul").unwrap().content,
        Content::Bytes(b"a\0b".to_vec())
    );
    assert_eq!(world.read("./empty").unwrap().path, "empty");
    assert_eq!(
        world.read("missing/x").unwrap_err(),
        ReadError::NotFound("missing/x".to_owned())
    );
    assert_eq!(
        world.read("ok.txt/x").unwrap_err(),
        ReadError::NotFound("ok.txt/x".to_owned())
    );
    assert!(matches!(world.read("dir").unwrap_err(), ReadError::WrongKind { .. }));
    world.submit(write("made/f", "x")).unwrap();
    assert!(matches!(world.read("made").unwrap_err(), ReadError::WrongKind { .. }));
}

#[test]
fn lines_are_counted_as_git_counts_them() {
    let world = World::new(&[], |tree| {
        std::fs::write(tree.root.join("f"), "a\r\nb\rc\n\nlast").unwrap();
    });
    let lines = |first, last| world.view.read_lines("f", first, last).unwrap();
    let two = lines(1, 2);
    assert_eq!(
        (two.content.as_bytes(), two.first, two.last, two.total),
        (&b"a\r\nb\rc\n"[..], 1, 2, Count::Exact(4))
    );
    let end = lines(4, 100);
    assert_eq!(
        (end.content.as_bytes(), end.last, end.truncated),
        (&b"last"[..], 4, false)
    );
    let beyond = lines(9, 12);
    assert_eq!((beyond.content.as_bytes(), beyond.first, beyond.last), (&b""[..], 9, 8));
    for (first, last, field) in [(0, 3, "first"), (3, 2, "last")] {
        let error = world.view.read_lines("f", first, last).unwrap_err();
        assert!(matches!(error, ReadError::BadParameter(parameter) if parameter.field == field));
    }
    world.submit(write("f", "1\n2\n")).unwrap();
    assert_eq!(lines(2, 2).content.as_bytes(), b"2\n");
}

#[test]
fn c02_a_range_of_one_huge_line_is_that_line() {
    let huge = format!("{}needle{}", "x".repeat(400_000), "y".repeat(250_000));
    let world = World::new(&[], |tree| std::fs::write(tree.root.join("min.js"), &huge).unwrap());
    let line = within_a_second(|| world.view.read_lines("min.js", 1, 1)).unwrap();
    assert_eq!(line.content.as_bytes(), huge.as_bytes());
    assert_eq!((line.truncated, line.total), (false, Count::Exact(1)));
}

#[test]
fn a_batch_is_bounded_and_answers_one_by_one() {
    let megabytes = "x".repeat(15 * 1024 * 1024);
    let world = World::new(&[], |tree| std::fs::write(tree.root.join("large"), &megabytes).unwrap());
    let paths = ["large", "../x", "large", "large", "large", "large", "ok.txt", "large"].map(str::to_owned);
    let answers = world.view.read_files(&paths).unwrap();
    let given: Vec<bool> = answers.iter().map(|answer| answer.outcome.is_ok()).collect();
    assert_eq!(given, [true, false, true, true, true, false, true, false]);
    assert!(matches!(&answers[5].outcome, Err(ReadError::Limit(limit)) if limit.name == "batch-bytes"));
    assert_eq!(answers[1].path, "../x");
    let many = vec!["ok.txt".to_owned(); 1001];
    assert!(
        matches!(world.view.read_files(&many).unwrap_err(), ReadError::Limit(limit) if limit.name == "batch-paths")
    );
}
