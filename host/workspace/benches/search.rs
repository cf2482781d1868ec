//! `search-text` and its neighbours over a tree of sources.
//!
//! The tree is the folder named by `SNODO_BENCH_TREE`, else the sources in cargo's registry folder, else one that is made: 6,000
//! small files. Where `rg` is on the path, its whole process is timed for the same query, which is the figure to hold against; the
//! number of matching lines of both is printed first.
//!
//! `cargo bench -p snodo-workspace --bench search`
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::print_stderr)] // A benchmark that cannot be set up has to stop, and says what it measures.
#![allow(clippy::disallowed_methods)] // It makes its own tree, and starts what it compares with.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

use divan::Bencher;
use snodo_workspace::ambient::open_root;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{Cancel, LetterCase, ListQuery, Search as _, SymbolQuery, Syntax, TextQuery};
use snodo_workspace::limits::{FileLimits, SearchLimits};
use snodo_workspace::list::list_files;
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use snodo_workspace::view::View;

/// Queries with few hits and with many, literal, regular, and without regard to letter case.
const QUERIES: [(&str, Syntax, LetterCase); 5] = [
    ("unsafe impl", Syntax::Literal, LetterCase::Sensitive),
    ("no such text anywhere", Syntax::Literal, LetterCase::Sensitive),
    ("self", Syntax::Literal, LetterCase::Sensitive),
    ("PathBuf", Syntax::Literal, LetterCase::Insensitive),
    (r"fn\s+\w+_bytes\b", Syntax::Regex, LetterCase::Sensitive),
];

fn main() {
    eprintln!("tree: {}", tree().display());
    for query in &QUERIES {
        let all = TextQuery {
            limit: u32::MAX,
            ..text(query)
        };
        let found = view().search_text(&all, &Cancel::default()).expect("a search");
        let ours: BTreeSet<String> = found
            .matches
            .iter()
            .map(|m| format!("{}:{}:{}", m.path, m.line, m.column))
            .collect();
        let theirs = ripgrep(query).map(|mut rg| places(&rg.output().expect("a process").stdout));
        let compared = match &theirs {
            None => "no rg here".to_owned(),
            Some(_) if found.truncated => "too many to compare".to_owned(),
            // Files that are no text from end to end are searched by rg all the same, as far as it gets.
            Some(theirs) => format!(
                "rg has {}, other {:?}",
                theirs.len(),
                theirs.symmetric_difference(&ours).take(3).collect::<Vec<_>>()
            ),
        };
        eprintln!(
            "{query:?}: {:?} in {} files; {compared}",
            found.total, found.files_searched
        );
    }
    divan::main();
}

/// `path:line:column` of each line of rg's output, from the tree.
fn places(output: &[u8]) -> BTreeSet<String> {
    let prefix = format!("{}/", tree().display());
    String::from_utf8_lossy(output)
        .lines()
        .filter_map(|line| {
            let mut parts = line.strip_prefix(&prefix)?.splitn(4, ':');
            Some(format!("{}:{}:{}", parts.next()?, parts.next()?, parts.next()?))
        })
        .collect()
}

#[divan::bench(args = QUERIES.iter(), sample_count = 20, sample_size = 1)]
fn search_text(bencher: Bencher<'_, '_>, query: &(&str, Syntax, LetterCase)) {
    let (view, query) = (view(), text(query));
    bencher.bench(|| view.search_text(&query, &Cancel::default()).expect("a search").total);
}

#[divan::bench(args = QUERIES.iter(), sample_count = 20, sample_size = 1)]
fn ripgrep_process(bencher: Bencher<'_, '_>, query: &(&str, Syntax, LetterCase)) {
    if ripgrep(query).is_none() {
        return;
    }
    bencher.bench(|| ripgrep(query).map(|mut rg| rg.stdout(Stdio::null()).status().expect("a process")));
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn search_symbol(bencher: Bencher<'_, '_>) {
    let query = SymbolQuery {
        name: "new".to_owned(),
        hidden: true,
        limit: 1_000,
        ..SymbolQuery::default()
    };
    let view = view();
    bencher.bench(|| view.search_symbol(&query, &Cancel::default()).expect("a search").total);
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn list(bencher: Bencher<'_, '_>) {
    let query = ListQuery {
        hidden: true,
        limit: 1_000,
        ..ListQuery::default()
    };
    let view = view();
    bencher.bench(|| list_files(&view, &query, &Cancel::default()).expect("a listing").total);
}

fn text(&(pattern, syntax, letter_case): &(&str, Syntax, LetterCase)) -> TextQuery {
    TextQuery {
        pattern: pattern.to_owned(),
        syntax,
        letter_case,
        hidden: true,
        limit: 1_000,
        ..TextQuery::default()
    }
}

/// The same query for ripgrep; `None` where it is not installed.
fn ripgrep(&(pattern, syntax, letter_case): &(&str, Syntax, LetterCase)) -> Option<Command> {
    static THERE: OnceLock<bool> = OnceLock::new();
    let there = THERE.get_or_init(|| {
        Command::new("rg")
            .arg("--version")
            .stdout(Stdio::null())
            .status()
            .is_ok_and(|s| s.success())
    });
    let mut rg = Command::new("rg");
    rg.args([
        "--no-config",
        "--hidden",
        "--no-ignore-parent",
        "--no-ignore-global",
        "--no-ignore-exclude",
        "--no-ignore-dot",
    ]);
    rg.args([
        "--no-require-git",
        "--no-messages",
        "--line-number",
        "--column",
        "--no-heading",
        "--color=never",
    ]);
    if syntax == Syntax::Literal {
        rg.arg("--fixed-strings");
    }
    if letter_case == LetterCase::Insensitive {
        rg.arg("--ignore-case");
    }
    rg.args(["-e", pattern]).arg("--").arg(tree());
    there.then_some(rg)
}

fn view() -> View {
    static VIEW: OnceLock<View> = OnceLock::new();
    VIEW.get_or_init(|| {
        let root = open_root(tree()).expect("the tree");
        let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).expect("rules");
        View::of_base(Arc::new(Base::new(
            Arc::new(root),
            rules,
            FileLimits::standard(),
            SearchLimits::standard(),
        )))
    })
    .clone()
}

fn tree() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| {
        if let Some(tree) = std::env::var_os("SNODO_BENCH_TREE") {
            return tree.into();
        }
        let cargo = std::env::var_os("CARGO_HOME")
            .map(PathBuf::from)
            .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
        match cargo.map(|cargo| cargo.join("registry/src")) {
            Some(sources) if sources.is_dir() => sources,
            _ => made(),
        }
    })
}

/// 6,000 files of some 200 lines in 300 folders.
fn made() -> PathBuf {
    let tree = tempfile::tempdir().expect("a folder").keep();
    for folder in 0..300 {
        let folder_path = tree.join(format!("crate{}/src/m{folder}", folder % 20));
        std::fs::create_dir_all(&folder_path).expect("a folder");
        for file in 0..20 {
            let text: String = (0..200)
                .map(|line| match (file + line) % 50 {
                    0 => format!("unsafe impl Send for T{line} {{}}\n"),
                    1 => format!("    pub fn read_{line}_bytes(&self, path: &PathBuf) -> u32 {{\n"),
                    _ => format!("        let value_{line} = self.table[{folder}].get({file}).copied();\n"),
                })
                .collect();
            std::fs::write(folder_path.join(format!("f{file}.rs")), text).expect("a file");
        }
    }
    tree
}
