//! Which ignored files git tracks, when the repository is not simply `.git` in the root (case C03): worktrees, submodules, folders
//! of a repository; and that a `.git` which somebody else made opens nothing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use snodo_workspace::ambient::open_root;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{Content, Read as _, ReadError};
use snodo_workspace::limits::{FileLimits, SearchLimits};
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use snodo_workspace::view::View;
use tempfile::TempDir;

use crate::world::{link, within_a_second};

/// Git, if the machine has it: what is tested here is what git itself wrote.
struct Git(TempDir);

impl Git {
    fn new() -> Option<Self> {
        if Command::new("git").arg("--version").output().is_err() {
            #[allow(clippy::print_stderr)] // Why nothing was tested has to be seen.
            {
                eprintln!("skipped: there is no `git` on the PATH");
            }
            return None;
        }
        Some(Self(tempfile::tempdir().unwrap()))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, folder: &str, arguments: &[&str]) -> String {
        let done = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(["-c", "protocol.file.allow=always", "-c", "safe.directory=*"])
            .args(arguments)
            .current_dir(self.path(folder))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{folder}: {arguments:?}: {error}");
        String::from_utf8(done.stdout).unwrap()
    }

    /// A repository in which `gen/tracked.txt` and `part/gen/tracked.txt` are tracked although they are ignored.
    fn repository(&self, name: &str) {
        std::fs::create_dir_all(self.path(name)).unwrap();
        self.fill(name);
        self.fill(&format!("{name}/part"));
        self.run(name, &["init", "-q"]);
        self.run(name, &["add", "."]);
        self.run(name, &["add", "-f", "gen/tracked.txt", "part/gen/tracked.txt"]);
        self.run(name, &["commit", "-q", "-m", "all"]);
    }

    /// Ignored files, of which the repository does not have one.
    fn fill(&self, folder: &str) {
        std::fs::create_dir_all(self.path(folder).join("gen")).unwrap();
        std::fs::write(self.path(folder).join(".gitignore"), "gen/\n").unwrap();
        std::fs::write(self.path(folder).join("gen/tracked.txt"), "tracked").unwrap();
        std::fs::write(self.path(folder).join("gen/secret.txt"), "secret").unwrap();
    }

    /// What may be read of the two ignored files.
    fn readable(&self, folder: &str) -> Vec<&'static str> {
        readable(&self.path(folder))
    }
}

fn readable(root: &Path) -> Vec<&'static str> {
    let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
    let root = Arc::new(open_root(root).unwrap());
    let view = View::of_base(Arc::new(Base::new(
        root,
        rules,
        FileLimits::standard(),
        SearchLimits::standard(),
    )));
    let mut found = Vec::new();
    for path in ["gen/tracked.txt", "gen/secret.txt"] {
        match within_a_second(|| view.read_file(path)) {
            Ok(file) => {
                assert!(matches!(file.content, Content::Text(_)));
                found.push(path);
            }
            Err(ReadError::Refused(refusal)) => assert!(refusal.rule.starts_with(".gitignore:1 `gen/`"), "{refusal:?}"),
            Err(other) => panic!("{other}"),
        }
    }
    found
}

const TRACKED: [&str; 1] = ["gen/tracked.txt"];
const NOTHING: [&str; 0] = [];

#[test]
fn c03_a_folder_of_a_repository() {
    let Some(git) = Git::new() else { return };
    git.repository("repo");
    assert_eq!(git.readable("repo"), TRACKED);
    assert_eq!(git.readable("repo/part"), TRACKED);
    // Beside it, with the same names, and a name that starts the same.
    git.fill("repo/par");
    git.fill("repo/part2");
    assert_eq!(git.readable("repo/par"), NOTHING);
    assert_eq!(git.readable("repo/part2"), NOTHING);
    // The nearest one decides, usable or not.
    std::fs::create_dir(git.path("repo/part/.git")).unwrap();
    assert_eq!(git.readable("repo/part"), NOTHING);
}

#[test]
fn c03_a_linked_worktree() {
    let Some(git) = Git::new() else { return };
    git.repository("repo");
    git.run("repo", &["worktree", "add", "-q", "../tree"]);
    git.fill("tree");
    git.fill("tree/part");
    assert_eq!(git.readable("tree"), TRACKED);
    assert_eq!(git.readable("tree/part"), TRACKED);
    // Inside the repository's own folder, too.
    git.run("repo", &["worktree", "add", "-q", "inner/branch"]);
    git.fill("repo/inner/branch");
    assert_eq!(git.readable("repo/inner/branch"), TRACKED);
    // With relative paths, as newer versions of git can write them.
    std::fs::write(git.path("tree/.git"), "gitdir: ../repo/.git/worktrees/tree\n").unwrap();
    std::fs::write(git.path("repo/.git/worktrees/tree/gitdir"), "../../../../tree/.git\n").unwrap();
    git.run("tree", &["status"]);
    assert_eq!(git.readable("tree"), TRACKED);
    // Moved by hand: it does not point back any more.
    std::fs::rename(git.path("tree"), git.path("moved")).unwrap();
    assert_eq!(git.readable("moved"), NOTHING);
}

#[test]
fn c03_a_submodule() {
    let Some(git) = Git::new() else { return };
    git.repository("lib");
    git.repository("repo");
    git.run("repo", &["submodule", "--quiet", "add", "../lib", "deps/lib"]);
    git.fill("repo/deps/lib");
    assert_eq!(git.readable("repo/deps/lib"), TRACKED);
    git.fill("repo/deps/lib/part");
    assert_eq!(git.readable("repo/deps/lib/part"), TRACKED);
    // Of the outer repository, whose index has the folder only.
    assert_eq!(git.readable("repo"), TRACKED);
}

#[test]
fn c03_a_split_index() {
    let Some(git) = Git::new() else { return };
    git.repository("repo");
    git.run("repo", &["update-index", "--split-index"]);
    assert!(std::fs::read_dir(git.path("repo/.git")).unwrap().any(|entry| {
        let name = entry.unwrap().file_name();
        name.to_string_lossy().starts_with("sharedindex.")
    }));
    assert_eq!(git.readable("repo"), TRACKED);
    assert_eq!(git.readable("repo/part"), TRACKED);
    git.run("repo", &["rm", "-q", "--cached", "gen/tracked.txt"]);
    assert_eq!(git.readable("repo"), NOTHING);
    assert_eq!(git.readable("repo/part"), TRACKED);
}

/// An archive can bring a `.git` file and, in the workspace, the folder that it names, with an index that lists whatever its author
/// likes.
#[test]
fn c03_a_git_file_opens_nothing_that_came_along_with_it() {
    let Some(git) = Git::new() else { return };
    git.repository("repo");
    git.run("repo", &["add", "-f", "gen/secret.txt"]);
    std::fs::rename(git.path("repo/.git"), git.path("repo/forged")).unwrap();
    let forged = git.path("repo/forged");
    for named in [
        "forged".to_owned(),
        "./part/../forged".to_owned(),
        format!("../{}/forged", "repo"),
        forged.display().to_string(),
    ] {
        std::fs::write(git.path("repo/.git"), format!("gitdir: {named}\n")).unwrap();
        // The attack is real: git takes the file as tracked.
        let listed = git.run("repo", &["ls-files", "gen"]);
        assert_eq!(listed, "gen/secret.txt\ngen/tracked.txt\n");
        assert_eq!(git.readable("repo"), NOTHING, "{named}");
        std::fs::write(forged.join("gitdir"), git.path("repo/.git").display().to_string()).unwrap();
        git.run("repo", &["config", "core.worktree", ".."]);
        assert_eq!(git.readable("repo"), NOTHING, "{named}, pointing back");
        std::fs::remove_file(forged.join("gitdir")).unwrap();
        git.run("repo", &["config", "--unset", "core.worktree"]);
    }
    // By a link from outside, which leads back in.
    link(&forged, &git.path("alias"));
    std::fs::write(git.path("repo/.git"), "gitdir: ../alias\n").unwrap();
    assert_eq!(git.run("repo", &["ls-files", "gen/secret.txt"]), "gen/secret.txt\n");
    assert_eq!(git.readable("repo"), NOTHING);
}

#[test]
fn c03_a_git_file_opens_nothing_of_another_repository() {
    let Some(git) = Git::new() else { return };
    git.repository("other");
    git.run("other", &["worktree", "add", "-q", "../tree"]);
    git.fill("work");
    for named in ["../other/.git", "../other/.git/worktrees/tree"] {
        std::fs::write(git.path("work/.git"), format!("gitdir: {named}\n")).unwrap();
        assert!(git.run("work", &["ls-files", "gen"]).contains("gen/tracked.txt"));
        assert_eq!(git.readable("work"), NOTHING, "{named}");
    }
    // Nor does a link.
    std::fs::remove_file(git.path("work/.git")).unwrap();
    link("../other/.git", &git.path("work/.git"));
    assert!(git.run("work", &["ls-files", "gen"]).contains("gen/tracked.txt"));
    assert_eq!(git.readable("work"), NOTHING);
}

#[test]
fn c03_a_repository_of_somebody_else_above_does_not_count() {
    let Some(git) = Git::new() else { return };
    if !rustix::process::geteuid().is_root() {
        #[allow(clippy::print_stderr)] // Why nothing was tested has to be seen.
        {
            eprintln!("skipped: only the administrator can give a folder to somebody else");
        }
        return;
    }
    git.repository("repo");
    git.run("repo", &["worktree", "add", "-q", "../tree"]);
    git.fill("tree");
    assert_eq!(git.readable("tree"), TRACKED);
    let give = |path: &str, to| std::os::unix::fs::chown(git.path(path), Some(to), None).unwrap();
    for (given, judged) in [
        ("repo", "repo/part"),
        ("repo/.git", "repo/part"),
        ("repo/.git/worktrees/tree", "tree"),
    ] {
        give(given, 12_345);
        assert_eq!(git.readable(judged), NOTHING, "{given}");
        assert!(git.run(judged, &["ls-files", "gen"]).contains("gen/tracked.txt"));
        give(given, 0);
        assert_eq!(git.readable(judged), TRACKED, "{given}");
    }
}

#[test]
fn c03_whatever_stands_where_git_keeps_its_files_holds_nobody_up() {
    let Some(git) = Git::new() else { return };
    git.repository("repo");
    git.run("repo", &["worktree", "add", "-q", "../tree"]);
    git.fill("tree");
    assert_eq!(git.readable("tree"), TRACKED);
    let fifo = |path: &Path| mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
    let giant = |path: &Path| std::fs::File::create(path).unwrap().set_len(60_000_000_000).unwrap();
    let admin = git.path("repo/.git/worktrees/tree");
    for path in [admin.join("index"), admin.join("gitdir"), git.path("tree/.git")] {
        let kept = std::fs::read(&path).unwrap();
        for make in [&fifo as &dyn Fn(&Path), &giant, &|path| link("/dev/zero", path)] {
            std::fs::remove_file(&path).unwrap();
            make(&path);
            assert_eq!(git.readable("tree"), NOTHING, "{}", path.display());
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, kept).unwrap();
        assert_eq!(git.readable("tree"), TRACKED, "{}", path.display());
    }
    fifo(&git.path("pipe"));
    for named in [
        "../pipe",
        "/dev/zero",
        "/proc/self/root",
        "/",
        "..",
        "\0",
        "",
        "x\ny",
        &"x".repeat(100_000),
    ] {
        std::fs::write(git.path("tree/.git"), format!("gitdir: {named}\n")).unwrap();
        assert_eq!(git.readable("tree"), NOTHING, "{named:?}");
    }
}
