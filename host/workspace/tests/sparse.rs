//! Files far larger than memory (case A16). The only test of this process, so that its peak memory tells something.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)] // A test that cannot go on fails; it makes its own folder.
#![cfg(unix)] // Sparse files are made without asking everywhere.

use std::sync::Arc;
use std::time::{Duration, Instant};

use snodo_workspace::ambient::open_root;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{
    Cancel, Content, Count, ListQuery, Operation, Read as _, ReadError, SubmitError, SubmitRefusal,
};
use snodo_workspace::limits::{FileLimits, SearchLimits, SubmitLimits};
use snodo_workspace::overlay::Overlay;
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use snodo_workspace::view::View;

const SIZE: u64 = 60 * 1024 * 1024 * 1024;

#[test]
fn a16_a_sparse_giant_takes_neither_memory_nor_time() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("big", ""), ("head", "1\n2\n3\n4\n5\n6\n"), ("ok.txt", "ok")] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    for name in ["big", "head"] {
        std::fs::File::options()
            .write(true)
            .open(folder.path().join(name))
            .unwrap()
            .set_len(SIZE)
            .unwrap();
    }
    let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
    let limits = FileLimits::standard();
    let base = Arc::new(Base::new(
        Arc::new(open_root(folder.path()).unwrap()),
        rules,
        limits,
        SearchLimits::standard(),
    ));
    let overlay = Arc::new(Overlay::new(Arc::clone(&base), SubmitLimits::standard()));
    let view = View::with_overlay(base, Arc::clone(&overlay));

    let start = Instant::now();
    for name in ["big", "head"] {
        let path = name.to_owned();
        assert_eq!(
            view.read_file(name).unwrap_err(),
            ReadError::TooLarge {
                path: path.clone(),
                size: SIZE,
                limit: limits.whole_bytes
            }
        );
        for operation in [
            Operation::Write {
                path: path.clone(),
                content: Content::Text("x".to_owned()),
                executable: None,
            },
            Operation::Delete { path: path.clone() },
            Operation::Rename {
                from: path.clone(),
                to: "z".to_owned(),
            },
            Operation::SetExecutable {
                path: path.clone(),
                executable: true,
            },
        ] {
            match overlay.submit(vec![operation]) {
                Err(SubmitError::Rejected(rejected)) => assert!(
                    matches!(rejected.reason, SubmitRefusal::TooLarge { size: SIZE, .. }),
                    "{rejected}"
                ),
                other => panic!("{other:?}"),
            }
        }
    }
    let near = view.read_lines("head", 1, 5).unwrap();
    assert_eq!(
        (near.content.as_bytes(), near.last, near.truncated),
        (&b"1\n2\n3\n4\n5\n"[..], 5, false)
    );
    assert!(matches!(near.total, Count::AtLeast(_)));
    // A line of which the end is not seen is not given in part.
    let endless = view.read_lines("big", 1, 5).unwrap();
    assert_eq!(
        (
            endless.content.as_bytes(),
            endless.last,
            endless.truncated,
            endless.total
        ),
        (&b""[..], 0, true, Count::AtLeast(1))
    );
    let far = view.read_lines("head", 1_000_000, 1_000_010).unwrap();
    assert_eq!(
        (far.content.as_bytes().len(), far.last, far.truncated, far.total),
        (0, 999_999, true, Count::AtLeast(7))
    );
    let answers = view.read_files(&["big".to_owned(), "ok.txt".to_owned()]).unwrap();
    assert!(answers[0].outcome.is_err() && answers[1].outcome.is_ok());
    let listing = view
        .list_files(
            &ListQuery {
                limit: 10,
                ..ListQuery::default()
            },
            &Cancel::default(),
        )
        .unwrap();
    assert_eq!(
        listing.entries.iter().map(|entry| entry.size).collect::<Vec<_>>(),
        [SIZE, SIZE, 2]
    );
    let took = start.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
    let peak = peak_memory();
    assert!(peak < 300 * 1024, "{peak} KiB");
    // Control: the file is as large as that to whoever reads it whole, and reading not even a hundredth of it takes more than the bound.
    let big = std::fs::File::open(folder.path().join("big")).unwrap();
    assert_eq!(big.metadata().unwrap().len(), SIZE);
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(big, 400 << 20), &mut bytes).unwrap();
    assert_eq!(bytes.len(), 400 << 20);
    let peak = peak_memory();
    assert!(peak == 0 || peak > 300 * 1024, "{peak} KiB");
}

/// Peak resident memory of this process, in KiB; 0 where the system does not tell.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB"))
        .and_then(|kib| kib.trim().parse().ok())
        .unwrap_or(0)
}
