#![allow(clippy::unwrap_used, clippy::disallowed_methods)] // A test that cannot go on fails; it makes its own folders.

use std::process::Command;

use proptest::prelude::*;

use super::tracked_names;

/// The names in an index that git itself wrote.
fn written_by_git(version: u32, format: &str, prepare: &[&[&str]]) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(arguments)
            .current_dir(folder.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
    };
    git(&["init", "-q", "--object-format", format]);
    std::fs::create_dir_all(folder.path().join("sub/deeper")).unwrap();
    for name in ["a", "b.txt", "sub/a.rs", "sub/deeper/x", "sub/deeper/\u{e9}", "z"] {
        std::fs::write(folder.path().join(name), name).unwrap();
    }
    let long = "n".repeat(200);
    std::fs::create_dir_all(folder.path().join(format!("{long}/{long}"))).unwrap();
    std::fs::write(folder.path().join(format!("{long}/{long}/f")), "").unwrap();
    git(&["add", "."]);
    for arguments in prepare {
        git(arguments);
    }
    git(&["update-index", "--index-version", &version.to_string()]);
    let index = std::fs::read(folder.path().join(".git/index")).unwrap();
    tracked_names(&index).map(|names| names.iter().map(|n| String::from_utf8(n.to_vec()).unwrap()).collect())
}

#[test]
fn every_version_of_the_index_is_read() {
    let long = "n".repeat(200);
    let long = format!("{long}/{long}/f");
    for format in ["sha1", "sha256"] {
        for version in [2, 3, 4] {
            let names = written_by_git(
                version,
                format,
                &[&["rm", "-q", "--cached", "z"], &["add", "--intent-to-add", "z"]],
            )
            .unwrap();
            assert_eq!(
                names,
                [
                    "a",
                    "b.txt",
                    long.as_str(),
                    "sub/a.rs",
                    "sub/deeper/x",
                    "sub/deeper/\u{e9}",
                    "z"
                ],
                "{format}, version {version}"
            );
        }
    }
}

#[test]
fn a_split_index_is_not_relied_on() {
    assert_eq!(
        written_by_git(
            2,
            "sha1",
            &[
                &["config", "core.splitIndex", "true"],
                &["update-index", "--split-index"]
            ]
        ),
        None
    );
}

#[test]
fn what_is_no_index_is_refused() {
    for bytes in [
        &b""[..],
        b"DIRC",
        b"DIRC\0\0\0\x02\xff\xff\xff\xff",
        b"DIRC\0\0\0\x09\0\0\0\0aaaaaaaaaaaaaaaaaaaa",
        &[0; 100],
    ] {
        assert_eq!(tracked_names(bytes), None);
    }
    let empty = [&b"DIRC\0\0\0\x02\0\0\0\0"[..], &[0; 20]].concat();
    assert_eq!(tracked_names(&empty), Some(Vec::new()));
}

proptest! {
    #[test]
    fn any_bytes_have_an_answer(mut bytes in proptest::collection::vec(any::<u8>(), 0..400), version in 2_u8..5, count in 0_u8..4) {
        let _ = tracked_names(&bytes);
        let mut header = b"DIRC\0\0\0".to_vec();
        header.extend([version, 0, 0, 0, count]);
        header.append(&mut bytes);
        let _ = tracked_names(&header);
    }
}
