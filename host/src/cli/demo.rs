//! `snodo-host demo`: a run on a small project with a failing test, told step by step.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use snodo_config::resolve::CommandSource;

use super::args::DemoArgs;
use super::progress::Progress;
use super::render::{self, BOLD, DIM, GREEN, PLAIN, RED};
use super::set_up_error;
use crate::engine::{self, Environment, Host, RunRequest, Stop};
use crate::sandbox::{DeclaredCommand, Ending, OwnFolder};

/// The project: `examples/demo`, embedded.
const FILES: [(&str, &str); 5] = [
    ("Cargo.toml", include_str!("../../../examples/demo/Cargo.toml")),
    ("Cargo.lock", include_str!("../../../examples/demo/Cargo.lock")),
    ("src/lib.rs", include_str!("../../../examples/demo/src/lib.rs")),
    (
        "tests/duration.rs",
        include_str!("../../../examples/demo/tests/duration.rs"),
    ),
    ("task.md", include_str!("../../../examples/demo/task.md")),
];

/// How its tests are run: it needs nothing but what building snodo-host needs.
const TEST_COMMAND: &str = "cargo test --offline --quiet";

/// A run of the small project's tests takes a second or two, longer on a busy machine.
const PATIENCE: Duration = Duration::from_mins(5);

/// Performs it; answers the exit code of the run.
pub(super) async fn demo(args: &DemoArgs, environment: Environment, stop: &Stop) -> u8 {
    let temporary = environment
        .programs
        .get("TMPDIR")
        .map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    let mut folder = match OwnFolder::make(&temporary, "snodo-demo") {
        Ok(folder) => folder,
        Err(error) => return set_up_error(None, &format!("no temporary folder for the demo: {error}")),
    };
    let code = match perform(&folder, environment, stop).await {
        Ok(code) => code,
        Err(why) => set_up_error(None, &why),
    };
    if args.keep {
        folder.keep();
        say(&format!(
            "{DIM}the project is left in {}{PLAIN}",
            folder.path().display()
        ));
    }
    code
}

fn say(text: &str) {
    let mut text = render::adapted(text);
    text.push('\n');
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

async fn perform(own: &OwnFolder, environment: Environment, stop: &Stop) -> Result<u8, String> {
    for subfolder in ["src", "tests"] {
        own.dir().create_dir(subfolder).map_err(|e| e.to_string())?;
    }
    for (name, text) in FILES {
        own.dir().write(name, text).map_err(|e| e.to_string())?;
    }
    let folder = own.path();
    say(&format!(
        "{BOLD}1. A project with a failing test{PLAIN}  {DIM}{}{PLAIN}",
        folder.display()
    ));
    let before = tests(folder, &environment).await?;
    if before == Ending::Code(0) {
        return Err("the demo's test was to fail at first, and did not".to_owned());
    }
    say(&format!(
        "\n{BOLD}2. A coder is to fix it{PLAIN}, and validators judge what it does"
    ));
    let task = folder.join("task.md");
    say(&format!(
        "{DIM}$ snodo-host run --task-file {} --workspace {} --coder patch \\\n    --validator secrets --validator scope --set 'scope.paths=src/**' \\\n    --validator quality --test-command '{TEST_COMMAND}'{PLAIN}",
        task.display(),
        folder.display(),
    ));
    let task = FILES
        .iter()
        .find(|(name, _)| *name == "task.md")
        .map_or("", |(_, text)| text);
    let request = RunRequest {
        coder: Some("patch".to_owned()),
        validators: vec!["secrets".to_owned(), "scope".to_owned(), "quality".to_owned()],
        test_command: Some(TEST_COMMAND.to_owned()),
        settings: vec!["scope.paths=src/**".to_owned()],
        ..RunRequest::new(task, folder)
    };
    let host = Host::open(environment.clone()).map_err(|e| e.to_string())?;
    let report = {
        let progress = Progress::start();
        engine::run(&host, request, &progress, stop)
            .await
            .map_err(|e| super::run::explain(&e))?
    };
    say(&render::report(&report));
    if !report.ok {
        return Ok(report.exit_code);
    }
    say(&format!("{BOLD}3. The project now{PLAIN}"));
    match tests(folder, &environment).await? {
        Ending::Code(0) => Ok(0),
        _ => Err("the run completed, and the test still fails".to_owned()),
    }
}

/// Runs the project's tests in place and shows how they end.
async fn tests(folder: &Path, environment: &Environment) -> Result<Ending, String> {
    let command = DeclaredCommand::parse(TEST_COMMAND, CommandSource::Flag).ok_or("no test command")?;
    say(&format!("{DIM}$ {TEST_COMMAND}{PLAIN}"));
    let end = environment
        .helper
        .run_in_place(&command, folder, &environment.programs, PATIENCE)
        .await
        .map_err(|e| e.to_string())?;
    let shown = end.stdout.head.lines().chain(end.stderr.head.lines()).filter(|line| {
        let line = line.trim_start();
        // Of the parts of the project that have tests.
        (line.starts_with("test result:") && !line.contains(" 0 passed; 0 failed;"))
            || line.starts_with("assertion")
            || line.starts_with("left:")
            || line.starts_with("right:")
            || line.starts_with("error")
    });
    for line in shown.take(12) {
        say(&format!("  {line}"));
    }
    match end.ending {
        Ending::Code(0) => say(&format!("  {GREEN}green{PLAIN}")),
        _ => say(&format!("  {RED}red{PLAIN}")),
    }
    Ok(end.ending)
}
