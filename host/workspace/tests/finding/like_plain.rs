//! Answers, held against a plain walk over the same files.

use std::collections::BTreeMap;

use proptest::prelude::*;
use snodo_workspace::capability::{ListQuery, Syntax, TextQuery};

use super::world::{World, everything, exact, gone, list, listed, literal, put, search};

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(&["a", "b", "a.b", "a-b", "A", "é", ".h", "x y", "[x]"][..]).prop_map(str::to_owned)
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(name(), 1..4).prop_map(|names| names.join("/"))
}

fn content() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(&["a", "b", "ab", "é", " ", "\n", "\n", "\r\n", "\u{feff}", ".", "_"][..]),
        0..30,
    )
    .prop_map(|pieces| pieces.concat())
}

#[derive(Debug, Clone)]
enum Change {
    Put(String, String),
    Delete(prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (path(), content()).prop_map(|(p, c)| Change::Put(p, c)),
        any::<prop::sample::Index>().prop_map(Change::Delete)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn search_and_list_give_what_a_plain_walk_gives(
        files in prop::collection::btree_map(path(), content(), 0..12),
        changes in prop::collection::vec(change(), 0..6),
        pattern in prop::sample::select(&["a", "ab", "é", " ", ".", "b\r", "é é"][..]),
        limit in 0_u32..12,
        hidden: bool,
    ) {
        let world = World::new();
        let mut model: BTreeMap<String, String> = BTreeMap::new();
        for (path, content) in files {
            let target = world.path(&path);
            if std::fs::create_dir_all(target.parent().unwrap()).is_ok() && std::fs::write(&target, &content).is_ok() {
                model.insert(path, content);
            }
        }
        let mut folders = std::collections::BTreeSet::new();
        for path in model.keys() {
            folders.extend(path.match_indices('/').map(|(at, _)| path[..at].to_owned()));
        }
        let coder = world.coder();
        for change in changes {
            match change {
                Change::Put(path, content) => {
                    if coder.try_submit(put(&path, &content)) {
                        model.insert(path, content);
                    }
                }
                Change::Delete(which) if !model.is_empty() => {
                    let path = which.get(&model.keys().cloned().collect::<Vec<_>>()).clone();
                    if coder.try_submit(gone(&path)) {
                        model.remove(&path);
                    }
                }
                Change::Delete(_) => {}
            }
        }
        let shown = |path: &str| hidden || !path.split('/').any(|name| name.starts_with('.'));

        let mut expected = Vec::new();
        for (path, content) in model.iter().filter(|(path, _)| shown(path)) {
            for (line, number) in content.split_inclusive('\n').zip(1_u64..) {
                let text = line.strip_suffix('\n').unwrap_or(line);
                if let Some(at) = text.find(pattern) {
                    expected.push((path.clone(), number, at as u64 + 1, text.to_owned()));
                }
            }
        }
        let total = expected.len();
        expected.truncate(limit as usize);
        for syntax in [Syntax::Literal, Syntax::Regex] {
            let pattern = if syntax == Syntax::Regex { regex::escape(pattern) } else { pattern.to_owned() };
            let found = search(&coder.view, &TextQuery { hidden, limit, syntax, ..literal(&pattern) });
            let places: Vec<_> = found.matches.iter().map(|m| (m.path.clone(), m.line, m.column, m.text.clone())).collect();
            prop_assert_eq!(&places, &expected);
            prop_assert_eq!(exact(found.total), total as u64);
            prop_assert_eq!(found.truncated, total > expected.len());
            prop_assert_eq!(found.files_searched, model.keys().filter(|path| shown(path)).count() as u64);
        }

        // Folders of the base stay, also when all their files went.
        for path in model.keys() {
            folders.extend(path.match_indices('/').map(|(at, _)| path[..at].to_owned()));
        }
        let mut entries: Vec<&str> = model.keys().chain(folders.iter().filter(|f| !model.contains_key(*f))).map(String::as_str).filter(|path| shown(path)).collect();
        entries.sort_unstable();
        entries.dedup();
        let listing = list(&coder.view, &ListQuery { hidden, ..everything() });
        prop_assert_eq!(listed(&listing), entries);
    }
}
