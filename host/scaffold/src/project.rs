//! The files of a new plugin's project.

use snodo_admission::{Role, contract_version};

use crate::table::{LOCKED, TEMPLATES, VENDORED};
use crate::{Language, ProjectName, wit_package};

/// A file of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Below the project's folder, `/`-separated, each segment a plain name.
    pub path: String,
    /// Its text.
    pub content: String,
    /// Whether it is a program.
    pub executable: bool,
}

/// What is typed in a new project's folder, to get from its files to a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commands {
    /// Once, before the first build; each may be typed again without harm.
    pub setup: Vec<String>,
    /// Makes the component.
    pub build: String,
    /// Runs the project's own tests.
    pub test: String,
    /// The component, by its path below the project's folder.
    pub artifact: String,
    /// A run with the component, on the project's folder, of which nothing is applied.
    pub run: String,
    /// What that run shows, in one sentence.
    pub outcome: &'static str,
    /// The exit code of that run.
    pub run_exit: u8,
}

/// The commands of a project.
pub fn commands(role: Role, language: Language, name: &ProjectName) -> Commands {
    let filled = |text: &str| {
        text.replace("{{name}}", name.as_str())
            .replace("{{snake}}", name.snake())
    };
    let artifact = filled(language.artifact());
    let (run, outcome, run_exit) = match role {
        Role::Coder => (
            format!("snodo-host run --dry-run --coder {artifact} \"Greet whoever reads this\""),
            "The coder proposes a changelog with the task as its entry.",
            0,
        ),
        Role::Validator => (
            format!("snodo-host run --dry-run --mock --validator {artifact} \"Say hello\""),
            "The stub coder behind `--mock` writes a file and no entry for it, so the validator stops the run: exit code 1.",
            1,
        ),
    };
    Commands {
        setup: language.setup().iter().copied().map(filled).collect(),
        build: filled(language.build()),
        test: filled(language.test()),
        artifact,
        run,
        outcome,
        run_exit,
    }
}

/// The files of a new plugin's project, in the order of their paths.
pub fn files(role: Role, language: Language, name: &ProjectName) -> Vec<File> {
    let placeholders = Placeholders::new(role, language, name);
    let mut files: Vec<File> = TEMPLATES
        .iter()
        .filter(|template| template.language == language.name())
        .filter(|template| template.part == "shared" || template.part == role.name())
        .map(|template| file(template.path.to_owned(), placeholders.fill(template.text)))
        .collect();
    if language == Language::Rust {
        files.extend(
            VENDORED
                .iter()
                .map(|&(path, text)| file(format!("vendor/{path}"), text.to_owned())),
        );
        files.push(file("Cargo.lock".to_owned(), lock(name)));
    }
    let wit = match language {
        // Where the SDK's macro reads it.
        Language::Rust => "vendor/snodo-plugin/wit",
        Language::JavaScript | Language::TypeScript | Language::Python | Language::C => "wit",
    };
    files.extend(
        wit_package()
            .iter()
            .map(|&(path, text)| file(format!("{wit}/{path}"), text.to_owned())),
    );
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

fn file(path: String, content: String) -> File {
    let executable = content.starts_with("#!/");
    File {
        path,
        content,
        executable,
    }
}

/// What the templates leave open.
struct Placeholders(Vec<(&'static str, String)>);

impl Placeholders {
    fn new(role: Role, language: Language, name: &ProjectName) -> Self {
        let commands = commands(role, language, name);
        Self(vec![
            ("{{name}}", name.as_str().to_owned()),
            ("{{snake}}", name.snake().to_owned()),
            ("{{role}}", role.name().to_owned()),
            ("{{wit}}", contract_version()),
            ("{{setup}}", commands.setup.join("\n")),
            ("{{build}}", commands.build),
            ("{{test}}", commands.test),
            ("{{artifact}}", commands.artifact),
            ("{{run}}", commands.run),
            ("{{outcome}}", commands.outcome.to_owned()),
        ])
    }

    fn fill(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (placeholder, value)| {
            text.replace(placeholder, value)
        })
    }
}

/// A lock file for a Rust project: the versions that the SDK is tested with, so that the first build takes those, and asks the
/// registry for nothing that was fetched before.
fn lock(name: &ProjectName) -> String {
    let own = format!(
        "[[package]]\nname = \"{}\"\nversion = \"0.1.0\"\ndependencies = [\n \"snodo-plugin\",\n]\n",
        name.as_str()
    );
    let mut entries: Vec<(&str, &str)> = LOCKED.to_vec();
    let at = entries.partition_point(|(other, _)| *other < name.as_str());
    entries.insert(at, (name.as_str(), &own));
    let mut out =
        "# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n"
            .to_owned();
    for (_, entry) in entries {
        out.push('\n');
        out.push_str(entry);
    }
    out
}
