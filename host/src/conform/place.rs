//! Folders of the suite's own: workspaces of many kinds, and the state of the runs in them. All of it goes when the suite ends.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use cap_std::fs::{Dir, OpenOptions};
use snodo_workspace::ambient;

use crate::sandbox::OwnFolder;

/// The suite's folder.
pub(super) struct Place {
    own: OwnFolder,
    next: AtomicU32,
    /// Workspaces that are only read, each made once.
    shared: Mutex<Vec<(Kind, PathBuf)>>,
}

/// Which workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A few files: [`FILES`].
    Ordinary,
    /// Nothing.
    Empty,
    /// The few files, and one of 8 GiB without content.
    HugeFile,
    /// The few files, and names that are hard to handle.
    Names,
    /// The few files, and more than a thousand.
    ManyFiles,
    /// The few files, and some that are no text.
    Bytes,
}

/// What stands in every workspace but an empty one. `docs/authors/conformance.md` shows it: tasks are written for it.
pub const FILES: &[(&str, &str)] = &[
    (
        "README.md",
        "# A project\n\nIt has two lines of prose,\nand they end here.\n",
    ),
    ("docs/guide.md", "one\ntwo\nthree\nfour\nfive\n"),
    (
        "src/main.py",
        "from greeting import greet\n\n\ndef main():\n    # TODO: say it politely\n    print(greet(\"world\"))\n\n\nmain()\n",
    ),
    ("src/greeting.py", "def greet(name):\n    return \"hello \" + name\n"),
    (
        "src/lib.rs",
        "//! A library.\n\n/// Adds.\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n",
    ),
    (
        "src/app.js",
        "export function total(prices) {\n  return prices.reduce((sum, price) => sum + price, 0);\n}\n",
    ),
    (
        "tests/test_greeting.py",
        "from greeting import greet\n\n\ndef test_greet():\n    assert greet(\"you\") == \"hello you\"\n",
    ),
];

/// How many files [`Kind::ManyFiles`] has beside the few.
const MANY: u32 = 1_200;

/// Names that have undone tools before.
const NAMES: [&str; 14] = [
    "a\nb.txt",
    "tab\there.txt",
    "quote\"s 'and' `ticks`.txt",
    "[id]/(group)/[[...slug]]/page.tsx",
    "*.md",
    "-rf",
    "$HOME",
    "%20%2e",
    " leading and trailing ",
    "caf\u{e9}.txt",
    "cafe\u{301}.txt",
    "\u{6f22}\u{5b57}\u{1f642}.txt",
    "right\u{202e}left.txt",
    "null\u{1b}[2J.txt",
];

impl Place {
    /// Made under a folder of the user's for such things.
    pub(super) fn make(temporary: &Path) -> std::io::Result<Self> {
        Ok(Self {
            own: OwnFolder::make(temporary, "snodo-conform")?,
            next: AtomicU32::new(0),
            shared: Mutex::default(),
        })
    }

    /// A path of its own in the folder. Nothing stands there.
    pub(super) fn path(&self, what: &str) -> PathBuf {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.own.path().join(format!("{what}-{number}"))
    }

    /// Puts a plugin's bytes down, so that what is checked are the same bytes to the end.
    pub(super) fn keep_plugin(&self, name: &str, bytes: &[u8]) -> std::io::Result<String> {
        let folder = self.path("plugin");
        let dir = ambient::open_private_dir(&folder).map_err(std::io::Error::other)?;
        let file = format!("{name}.wasm");
        dir.write(&file, bytes)?;
        Ok(folder.join(file).to_string_lossy().into_owned())
    }

    /// A workspace in which nothing is ever changed.
    pub(super) fn shared(&self, kind: Kind) -> std::io::Result<PathBuf> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, path)) = shared.iter().find(|(known, _)| *known == kind) {
            return Ok(path.clone());
        }
        let (path, _) = self.workspace(kind)?;
        shared.push((kind, path.clone()));
        Ok(path)
    }

    /// A new workspace.
    pub(super) fn workspace(&self, kind: Kind) -> std::io::Result<(PathBuf, Dir)> {
        let path = self.path("workspace");
        let dir = ambient::open_private_dir(&path).map_err(std::io::Error::other)?;
        if kind != Kind::Empty {
            for (name, text) in FILES {
                put(&dir, name, text.as_bytes())?;
            }
        }
        match kind {
            Kind::Ordinary | Kind::Empty => {}
            Kind::HugeFile => {
                let mut options = OpenOptions::new();
                let file = dir.open_with("huge.txt", options.write(true).create_new(true))?;
                file.set_len(8 << 30)?;
            }
            Kind::Names => {
                for name in NAMES {
                    put(&dir, name, b"needle\n")?;
                }
                let deep = vec!["deep"; 60].join("/");
                put(&dir, &format!("{deep}/end.txt"), b"needle\n")?;
                put(&dir, &"n".repeat(250), b"needle\n")?;
            }
            Kind::ManyFiles => {
                for folder in 0..10 {
                    dir.create_dir_all(format!("many/{folder}"))?;
                }
                for number in 0..MANY {
                    dir.write(format!("many/{}/{number}.txt", number % 10), b"needle\n")?;
                }
            }
            Kind::Bytes => {
                put(&dir, "image.bin", &[0, 0xff, 0xfe, 0, 1, 2, 3, 0x80])?;
                put(&dir, "latin.txt", b"caf\xe9\n")?;
                put(&dir, "utf16.txt", b"\xff\xfen\0e\0")?;
                put(&dir, "mixed.txt", b"a\r\nb\nc\rd")?;
                put(&dir, "bom.txt", b"\xef\xbb\xbfneedle")?;
                put(&dir, "long.txt", "x".repeat(2 << 20).as_bytes())?;
                put(&dir, "empty.txt", b"")?;
            }
        }
        Ok((path, dir))
    }
}

/// Writes a file, with the folders on the way.
pub(super) fn put(dir: &Dir, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    if let Some((folder, _)) = name.rsplit_once('/') {
        dir.create_dir_all(folder)?;
    }
    dir.write(name, bytes)
}

/// Every file of a workspace with its content, but the host's own folder: to say whether something changed. Of a file over a mebibyte only
/// the size counts.
pub(super) fn picture(dir: &Dir) -> std::io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut files = Vec::new();
    let mut open = vec![(PathBuf::new(), dir.try_clone()?)];
    while let Some((path, folder)) = open.pop() {
        for entry in folder.entries()? {
            let entry = entry?;
            let below = path.join(entry.file_name());
            if below == Path::new(".snodo") {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push((below, entry.open_dir()?));
            } else if kind.is_file() {
                let size = entry.metadata()?.len();
                let content = if size > 1 << 20 {
                    size.to_string().into_bytes()
                } else {
                    folder.read(entry.file_name())?
                };
                files.push((below, content));
            } else {
                files.push((below, b"something else".to_vec()));
            }
        }
    }
    files.sort();
    Ok(files)
}
