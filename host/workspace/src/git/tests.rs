#![allow(clippy::unwrap_used, clippy::disallowed_methods)] // A test that cannot go on fails; it makes its own folders.

use std::process::Command;

use proptest::prelude::*;

use super::split;

fn tracked_names(index: &[u8]) -> Option<Vec<Box<[u8]>>> {
    split::tracked_names(index, |_| None)
}

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
    let read_beside = |name: &str| std::fs::read(folder.path().join(".git").join(name)).ok();
    let names = split::tracked_names(&index, read_beside)?;
    let names: Vec<_> = names.iter().map(|n| String::from_utf8(n.to_vec()).unwrap()).collect();
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(folder.path())
        .output()
        .unwrap()
        .stdout;
    let mut listed: Vec<_> = listed
        .split(|b| *b == 0)
        .map(|n| String::from_utf8(n.to_vec()).unwrap())
        .collect();
    listed.retain(|name| !name.is_empty());
    listed.dedup();
    assert_eq!(names, listed);
    Some(names)
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
fn a_split_index_is_put_together() {
    let split: &[&str] = &["update-index", "--split-index"];
    let keep: &[&str] = &["config", "splitIndex.maxPercentChange", "100"];
    let more = |name| -> Vec<Vec<&str>> {
        vec![
            split.to_vec(),
            vec!["rm", "-q", "-f", name],
            vec!["update-index", "--chmod=+x", "b.txt", "sub/a.rs"],
            vec!["mv", "sub/deeper/x", "sub/y"],
            vec!["rm", "-q", "--cached", "sub/deeper/\u{e9}"],
            vec!["add", "--intent-to-add", "sub/deeper/\u{e9}"],
        ]
    };
    for format in ["sha1", "sha256"] {
        // The fourth version is written without a second file.
        for version in [2, 3] {
            // As it was split, and with entries that were deleted, replaced and added since.
            let as_split = written_by_git(version, format, &[keep, split]).unwrap();
            assert_eq!(as_split.len(), 7);
            for gone in ["a", "z"] {
                let more = more(gone);
                let mut all = vec![keep];
                all.extend(more.iter().map(Vec::as_slice));
                let names = written_by_git(version, format, &all).unwrap();
                assert!(names.contains(&"sub/y".to_owned()) && !names.contains(&gone.to_owned()));
            }
        }
    }
}

/// An entry of an index of the second version, with SHA-1.
fn entry(name: &str) -> Vec<u8> {
    let mut bytes = vec![0; 60];
    bytes.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
    bytes.extend(name.as_bytes());
    let length = bytes.len() / 8 * 8 + 8;
    bytes.resize(length, 0);
    bytes
}

fn index(names: &[&str], link: &[u8]) -> Vec<u8> {
    let mut bytes = b"DIRC\0\0\0\x02".to_vec();
    bytes.extend(u32::try_from(names.len()).unwrap().to_be_bytes());
    bytes.extend(names.iter().flat_map(|name| entry(name)));
    if !link.is_empty() {
        bytes.extend(b"link");
        bytes.extend(u32::try_from(link.len()).unwrap().to_be_bytes());
        bytes.extend(link);
    }
    bytes.extend([0; 20]);
    bytes
}

/// A bit map of these words.
fn bit_map(words: &[u64]) -> Vec<u8> {
    let mut bytes = 64_u32.to_be_bytes().to_vec();
    bytes.extend(u32::try_from(words.len()).unwrap().to_be_bytes());
    bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
    bytes.extend([0; 4]);
    bytes
}

#[test]
fn a_damaged_split_index_is_not_relied_on() {
    const ONE_WORD: u64 = 1 << 33;
    let shared = index(&["a", "b", "c"], b"");
    let joined = |names: &[&str], maps: &[u8]| {
        let link = [&[0xab; 20][..], maps].concat();
        let names = split::tracked_names(&index(names, &link), |name| {
            assert_eq!(name, format!("sharedindex.{}", "ab".repeat(20)));
            Some(shared.clone())
        })?;
        Some(
            names
                .iter()
                .map(|n| String::from_utf8(n.to_vec()).unwrap())
                .collect::<Vec<_>>(),
        )
    };
    let maps = |deleted: &[u64], replaced: &[u64]| [bit_map(deleted), bit_map(replaced)].concat();
    let names = |names: &[&str]| Some(names.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(joined(&["ab"], b""), names(&["a", "ab", "b", "c"]));
    assert_eq!(
        joined(&["", "d"], &maps(&[ONE_WORD, 0b100], &[ONE_WORD, 0b1])),
        names(&["a", "b", "d"])
    );
    for (own, maps) in [
        // A bit for what is not there: in a word, and in a run.
        (&[][..], maps(&[ONE_WORD, 0b1000], &[])),
        (&[], maps(&[1 | 1 << 1], &[])),
        (&[], maps(&[0xffff_ffff << 1, 1 | 0xffff_ffff << 1], &[])),
        // Words that are missing.
        (&[], maps(&[u64::MAX], &[])),
        (&[], maps(&[], &[])[..20].to_vec()),
        (&[], b"\0\0\0\x01\xff\xff\xff\xff".to_vec()),
        // Something behind.
        (&[], [maps(&[], &[]), vec![0]].concat()),
        // More or fewer replaced than stand there.
        (&[], maps(&[], &[ONE_WORD, 0b1])),
        (&[""], maps(&[], &[])),
    ] {
        assert_eq!(joined(own, &maps), None, "{own:?} {maps:?}");
    }
    // A name is needed where nothing is replaced; a shared file has no third one behind it.
    assert_eq!(tracked_names(&index(&["", "a"], b"")), None);
    let link = [0xab; 20];
    assert_eq!(split::tracked_names(&index(&[], &link), |_| None), None);
    assert_eq!(
        split::tracked_names(&index(&[], &link), |_| Some(index(&["a"], &link))),
        None
    );
    // Not split yet.
    assert_eq!(
        split::tracked_names(&index(&["a"], &[0; 20]), |_| None).unwrap().len(),
        1
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
        let link = index(&[], &bytes);
        header.append(&mut bytes);
        let _ = tracked_names(&header);
        let _ = split::tracked_names(&link, |_| Some(index(&["a", "b"], b"")));
    }
}
