//! What searching takes of memory and of handles (case A16 and the figure for it). The only test of this process, so that its peak
//! tells something and its limit is its own.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)] // A test that cannot go on fails; it makes its own folder.
#![cfg(target_os = "linux")] // The peak is read from /proc.

use std::sync::Arc;

use snodo_workspace::ambient::open_root;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{Cancel, Count, ListQuery, Read as _, Search as _, SymbolQuery, Syntax, TextQuery};
use snodo_workspace::limits::{FileLimits, SearchLimits};
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use snodo_workspace::view::View;

fn peak_in_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

#[test]
fn a16_searching_stays_small_whatever_lies_there_and_however_much_matches() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::File::create(path("big")).unwrap().set_len(60 << 30).unwrap();
    // The largest that is searched: nothing but matches, one line, and many symbols.
    std::fs::write(path("lines.rs"), "x\n".repeat(1 << 20)).unwrap();
    std::fs::write(path("line.rs"), "x ".repeat(8 << 20)).unwrap();
    std::fs::write(path("symbols.rs"), "fn x() {}\n".repeat(100_000)).unwrap();
    std::fs::create_dir(path("wide")).unwrap();
    for n in 0..5_000 {
        std::fs::write(path(&format!("wide/{}{n}", "long".repeat(50))), "x\n").unwrap();
    }
    // A comb: on each of 120 steps down there is one more folder that waits.
    let mut comb = path("comb");
    for _ in 0..120 {
        std::fs::create_dir_all(comb.join("e")).unwrap();
        std::fs::write(comb.join("e/tooth"), "a tooth\n").unwrap();
        comb.push("d");
    }
    let few = rustix::process::Rlimit {
        current: Some(256),
        ..rustix::process::getrlimit(rustix::process::Resource::Nofile)
    };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, few).unwrap();
    let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
    let base = Base::new(
        Arc::new(open_root(folder.path()).unwrap()),
        rules,
        FileLimits::standard(),
        SearchLimits::standard(),
    );
    let view = View::of_base(Arc::new(base));

    for syntax in [Syntax::Literal, Syntax::Regex] {
        let query = TextQuery {
            pattern: "x".to_owned(),
            syntax,
            context_before: 20,
            context_after: 20,
            limit: 10_000,
            ..TextQuery::default()
        };
        let found = view.search_text(&query, &Cancel::default()).unwrap();
        assert!(found.truncated);
    }
    let query = TextQuery {
        pattern: "a tooth".to_owned(),
        under: "comb".to_owned(),
        limit: 1_000,
        ..TextQuery::default()
    };
    let found = view.search_text(&query, &Cancel::default()).unwrap();
    assert_eq!((found.total, found.skipped), (Count::Exact(120), vec![]));
    let query = SymbolQuery {
        name: "x".to_owned(),
        limit: 10_000,
        ..SymbolQuery::default()
    };
    assert!(view.search_symbol(&query, &Cancel::default()).unwrap().truncated);
    assert_eq!(
        view.list_files(
            &ListQuery {
                limit: 10_000,
                ..ListQuery::default()
            },
            &Cancel::default()
        )
        .unwrap()
        .entries
        .len(),
        5_005 + 1 + 120 * 2 + 119
    );
    let peak = peak_in_mib();
    assert!(peak < 150, "{peak} MiB");
    // Control: reading a small part of the largest file takes more.
    let big = std::fs::File::open(folder.path().join("big")).unwrap();
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(big, 200 << 20), &mut bytes).unwrap();
    assert_eq!(bytes.len(), 200 << 20);
    let peak = peak_in_mib();
    assert!(peak > 150, "{peak} MiB");
}
