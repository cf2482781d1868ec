//! The path constructor: whatever text a plugin sends, it becomes a path that stays inside and means one thing, or a refusal.
#![no_main]

use std::path::{Component, Path};

use libfuzzer_sys::fuzz_target;
use snodo_workspace::path::{BadPath, MAX_COMPONENT_BYTES, MAX_COMPONENTS, MAX_PATH_BYTES, PathRule, WorkspacePath};

#[path = "../support/printed.rs"]
mod printed;

fuzz_target!(|data: &[u8]| {
    let given = String::from_utf8_lossy(data);
    let (file, folder) = (WorkspacePath::parse(&given), WorkspacePath::parse_folder(&given));
    for refusal in [file.as_ref().err(), folder.as_ref().err()].into_iter().flatten() {
        check_refusal(&given, refusal);
    }
    match (&file, &folder) {
        (Ok(file), Ok(Some(folder))) => assert_eq!(file, folder),
        // A folder may be the root and end in a slash; nothing else tells the two apart.
        (Err(refusal), Ok(None)) => assert_eq!(refusal.rule, PathRule::Empty),
        (Err(refusal), Ok(Some(_))) => assert_eq!(refusal.rule, PathRule::TrailingSlash),
        (Err(file), Err(folder)) => assert_eq!(file, folder),
        (Ok(_), Ok(None) | Err(_)) => panic!("{given:?}: {file:?} as a file, {folder:?} as a folder"),
    }
    if let Ok(Some(path)) = &folder {
        assert_eq!(path.as_str(), resolved(&given));
        check(path);
        if let Ok(below) = path.join(&given) {
            assert_eq!((below.parent().as_ref(), below.file_name()), (Some(path), &*given));
        }
        match WorkspacePath::in_folder(None, &given) {
            Ok(entry) => assert_eq!((entry.as_str(), entry.parent()), (&*given, None)),
            Err(refusal) => check_refusal(&given, &refusal),
        }
    }
});

/// The same in the plainest way, for text that is known to name something inside.
fn resolved(given: &str) -> String {
    let mut names = Vec::new();
    for name in given.split('/').filter(|name| !name.is_empty() && *name != ".") {
        if name == ".." {
            names.pop().expect("a path that leads above the root was taken");
        } else {
            names.push(name);
        }
    }
    names.join("/")
}

fn check(path: &WorkspacePath) {
    let text = path.as_str();
    // A fixpoint, also in the eyes of the standard library, which is what opens it in the end.
    assert_eq!(WorkspacePath::parse(text).as_ref(), Ok(path));
    assert_eq!(WorkspacePath::parse_folder(text).as_ref(), Ok(&Some(path.clone())));
    let normal: Vec<_> = Path::new(text)
        .components()
        .map(|component| match component {
            Component::Normal(name) => name.to_str().expect("text"),
            other => panic!("{text:?} has {other:?}"),
        })
        .collect();
    assert!(path.components().eq(normal.iter().copied()), "{text:?}: {normal:?}");
    assert_eq!(normal.join("/"), text);
    assert!(text.len() <= MAX_PATH_BYTES && normal.len() <= MAX_COMPONENTS);
    for name in &normal {
        assert!((1..=MAX_COMPONENT_BYTES).contains(&name.len()));
        assert!(!name.contains(['\0', '/', '\\', ':']), "{text:?}");
        assert!(!is_device(name), "{text:?}");
    }
    // Relations.
    let above: Vec<_> = path.ancestors().collect();
    assert_eq!(above.len() + 1, normal.len());
    assert_eq!(above.last(), path.parent().as_ref());
    for folder in &above {
        assert_eq!(WorkspacePath::parse(folder.as_str()).as_ref(), Ok(folder));
        assert!(path.is_or_is_below(folder) && !folder.is_or_is_below(path));
    }
    let again = WorkspacePath::in_folder(path.parent().as_ref(), path.file_name());
    assert_eq!(again.as_ref(), Ok(path));
    printed::check(&path.to_string(), 8 * text.len());
}

/// Windows' rule, told another way than the constructor tells it.
fn is_device(name: &str) -> bool {
    const PLAIN: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
    const PORTS: [&str; 2] = ["com", "lpt"];
    let lower = name.to_ascii_lowercase();
    let stem = lower
        .find('.')
        .map_or(lower.as_str(), |dot| &lower[..dot])
        .trim_end_matches(' ');
    PLAIN.contains(&stem)
        || PORTS
            .iter()
            .any(|port| "0123456789¹²³".chars().any(|digit| stem == format!("{port}{digit}")))
}

fn check_refusal(given: &str, refusal: &BadPath) {
    assert!(refusal.path.chars().count() <= 200);
    assert!(
        given.starts_with(&refusal.path) || refusal.path.ends_with(given),
        "{refusal:?}"
    );
    printed::check(&refusal.to_string(), 4000);
}
