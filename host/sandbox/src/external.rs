//! A coder that is a program: it works in a scratch of its own, and what differs there afterwards is what it proposes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use snodo_workspace::capability::{Cancel, Captured};
use snodo_workspace::escape::one_line;
use snodo_workspace::limits::SubmitLimits;
use snodo_workspace::scratch::{Difference, LeftOut};
use snodo_workspace::view::View;
use tokio::sync::oneshot;

use crate::execution::Execution;
use crate::launch::{Bounds, Ending};
use crate::policy::Permissions;
use crate::sandbox::{Brief, Prepared, Sandbox, SandboxError};
use crate::scratch::ScratchFault;

/// The program, and what the user says about it.
#[derive(Debug, Clone)]
pub struct External {
    /// What it is called by.
    pub name: String,
    /// The program and its arguments; never empty.
    pub argv: Vec<String>,
    /// What the user opened for it.
    pub permissions: Permissions,
    /// How long it may take, and be silent.
    pub bounds: Bounds,
}

/// What it is told.
pub struct Assigned {
    /// What it sees.
    pub view: Arc<View>,
    /// The task: its standard input, and the file that `SNODO_TASK_FILE` names.
    pub task: String,
    /// Task and circumstances as JSON: the file that `SNODO_CONTEXT_FILE` names.
    pub context: Vec<u8>,
    /// Bounds of what it may propose.
    pub limits: SubmitLimits,
}

/// What it did.
pub struct Worked {
    /// The execution.
    pub execution: Execution,
    /// How it ended.
    pub ending: Ending,
    /// What it printed on standard output.
    pub stdout: Captured,
    /// What it proposes.
    pub difference: Result<Difference, ScratchFault>,
}

/// Making the throw-away repository takes as long as reading every file once.
const REPOSITORY_PATIENCE: Duration = Duration::from_mins(5);

/// Where the coder has a repository of its own: what it does there is its own affair.
const REPOSITORY: &str = ".git";

/// One commit of what the coder finds, so that it can see its own difference. No hook and no template of the machine takes part.
const MAKE_REPOSITORY: &str = "git init --quiet --template= . && git add --all && \
                          git -c core.hooksPath=/dev/null commit --quiet --allow-empty --no-verify --message 'base'";

/// Git's settings in the coder's own home: who commits, and that the folder is its to work in.
const GIT_CONFIG: &[u8] =
    b"[user]\n\tname = coder\n\temail = coder@localhost\n[safe]\n\tdirectory = *\n[init]\n\tdefaultBranch = main\n\
                           [commit]\n\tgpgSign = false\n[gc]\n\tauto = 0\n";

impl External {
    /// With every file that its own words name by an absolute path open for reading: a script, a file of settings. The words are the user's.
    #[must_use]
    pub fn with_named_files(mut self) -> Self {
        let named = self.argv.iter().map(PathBuf::from);
        let files = named.filter(|word| word.is_absolute() && word.is_file());
        self.permissions.read.extend(files);
        self
    }

    /// The program.
    pub fn program(&self) -> &str {
        self.argv.first().map_or("", String::as_str)
    }

    /// Has it work. Dropping the future ends the program; the run still waits for that ([`Sandbox::finish`]).
    ///
    /// # Errors
    /// [`SandboxError`]: it was not run.
    pub async fn work(&self, sandbox: &Arc<Sandbox>, assigned: Assigned) -> Result<Worked, SandboxError> {
        let external = self.clone();
        let work =
            |sandbox: Arc<Sandbox>, abandoned| async move { external.in_scratch(&sandbox, assigned, abandoned).await };
        let worked = sandbox.owned(work).await;
        worked.unwrap_or_else(|| Err(ScratchFault::Folder(std::io::Error::other("the work was given up")).into()))
    }

    async fn in_scratch(
        &self,
        sandbox: &Sandbox,
        assigned: Assigned,
        abandoned: oneshot::Receiver<()>,
    ) -> Result<Worked, SandboxError> {
        let Assigned {
            view,
            task,
            context,
            limits,
        } = assigned;
        let briefs = vec![
            Brief {
                name: "task.md",
                variable: "SNODO_TASK_FILE",
                text: task.into_bytes(),
            },
            Brief {
                name: "context.json",
                variable: "SNODO_CONTEXT_FILE",
                text: context,
            },
        ];
        let mut place = sandbox
            .prepare(Arc::clone(&view), self.permissions.clone(), briefs)
            .await?;
        make_repository(sandbox, &mut place).await;
        place.allow_repository();
        let launched = match sandbox.run(&place, &self.argv, self.bounds, abandoned).await {
            Ok(launched) => launched,
            Err(error) => {
                place.remove().await;
                return Err(error);
            }
        };
        let stop = sandbox.cancel();
        let (place, difference) = difference(place, Arc::clone(&view), limits, stop).await?;
        let own = Some(Path::new(REPOSITORY));
        let (name, argv) = (self.name.clone(), self.argv.clone());
        let mut execution = Execution::of(name, argv, &launched, place, view, own, stop).await;
        if let Ok(difference) = &difference {
            execution.notes.extend(left_out(&difference.left_out));
        }
        Ok(Worked {
            execution,
            ending: launched.ending,
            stdout: launched.stdout,
            difference,
        })
    }
}

/// A private repository in the scratch, which goes with it. Without it the coder works all the same; that is said.
async fn make_repository(sandbox: &Sandbox, place: &mut Prepared) {
    if let Err(error) = place.scratch.write_home(".gitconfig", GIT_CONFIG) {
        place
            .scratch
            .note(format!("the coder's home has no settings for git: {error}"));
    }
    let argv = ["sh", "-c", MAKE_REPOSITORY].map(ToOwned::to_owned);
    let bounds = Bounds {
        wall: REPOSITORY_PATIENCE,
        silence: None,
    };
    let (here, abandoned) = oneshot::channel();
    let made = sandbox.run(place, &argv, bounds, abandoned).await;
    drop(here);
    let why = match made {
        Ok(end) if end.ending == Ending::Code(0) => return,
        Ok(end) => crate::execution::output_tail(&end).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    place.scratch.note(format!(
        "the coder worked without a repository of its own, since none could be made: {why}"
    ));
}

/// What is no part of its work.
fn left_out(left_out: &LeftOut) -> Option<String> {
    let first = left_out.examples.first()?;
    let first = one_line(first, 200);
    Some(match left_out.ignored {
        0 | 1 => format!("`{first}` was left out: ignore files name it"),
        more => format!("{more} files and folders were left out, since ignore files name them: `{first}` and others"),
    })
}

/// Looks at what it left. Long work.
async fn difference(
    place: Prepared,
    view: Arc<View>,
    limits: SubmitLimits,
    stop: &Cancel,
) -> Result<(Prepared, Result<Difference, ScratchFault>), SandboxError> {
    let stop = stop.clone();
    let looked = tokio::task::spawn_blocking(move || {
        let difference = place.scratch.difference(&view, limits, &stop);
        (place, difference)
    });
    looked
        .await
        .map_err(|error| ScratchFault::Folder(std::io::Error::other(error)).into())
}
