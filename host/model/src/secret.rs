//! A provider's key, fetched from where the configuration says that it is.

use std::ffi::OsString;
use std::process::Stdio;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use snodo_config::model::KeySource;
use tokio::io::AsyncReadExt as _;

/// How long a program may take to print a key: snodo's own limit.
const COMMAND_TIME: Duration = Duration::from_secs(10);
/// How much of what it prints is read. No provider's key is a tenth of it.
const COMMAND_BYTES: u64 = 16 * 1024;

/// Why there is no key. It holds nothing that a program printed and nothing of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyFault {
    /// The variable is not set, or is empty.
    #[error(
        "no key: the environment variable `{name}` is not set ({place}). Set it, or name another with `api_key_env`"
    )]
    NotSet {
        /// The variable.
        name: String,
        /// Who names it.
        place: String,
    },
    /// What is there cannot be a key.
    #[error("no key: what `{place}` gives is not one line of printable ASCII")]
    NotAKey {
        /// Where it stands or who names it.
        place: String,
    },
    /// The program could not be started.
    #[error("no key: `{program}` ({place}) could not be started: {reason}")]
    NotStarted {
        /// The program.
        program: String,
        /// Who names it.
        place: String,
        /// The system's words.
        reason: String,
    },
    /// It failed.
    #[error(
        "no key: `{program}` ({place}) ended with {status}. Run it yourself to see what it says: that can hold secrets and is not shown"
    )]
    Failed {
        /// The program.
        program: String,
        /// Who names it.
        place: String,
        /// `exit status: 1`
        status: String,
    },
    /// It did not end.
    #[error("no key: `{program}` ({place}) gave none within {} s", COMMAND_TIME.as_secs())]
    TimedOut {
        /// The program.
        program: String,
        /// Who names it.
        place: String,
    },
    /// It printed nothing, or far too much.
    #[error("no key: `{program}` ({place}) printed {what}")]
    BadOutput {
        /// The program.
        program: String,
        /// Who names it.
        place: String,
        /// `nothing`, `more than a key`.
        what: &'static str,
    },
    /// snodo's encrypted store.
    #[error(
        "no key: `{reference}` ({place}) is in snodo's encrypted store, which this host does not open. Name an environment variable with \
         `api_key_env`, or a program with `api_key_ref: command:…`"
    )]
    Encrypted {
        /// What the file says.
        reference: String,
        /// Where.
        place: String,
    },
}

/// Fetches the key. None where none is configured. `variable` looks into the environment.
pub async fn fetch(
    source: &KeySource,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<SecretString>, KeyFault> {
    match source {
        KeySource::None => Ok(None),
        KeySource::Literal { key, place } => checked(key.expose_secret(), place).map(Some),
        KeySource::Environment { name, place } => {
            let not_set = || KeyFault::NotSet {
                name: name.clone(),
                place: place.clone(),
            };
            let value = variable(name).ok_or_else(not_set)?;
            let value = value.to_str().ok_or_else(|| KeyFault::NotAKey {
                place: format!("${name}"),
            })?;
            if value.trim().is_empty() {
                return Err(not_set());
            }
            checked(value, &format!("${name}")).map(Some)
        }
        KeySource::Command { argv, place } => printed(argv, place).await.map(Some),
        KeySource::Encrypted { reference, place } => Err(KeyFault::Encrypted {
            reference: reference.clone(),
            place: place.clone(),
        }),
    }
}

/// A key goes into a header: anything but one line of printable ASCII would be refused there, or would become another header.
fn checked(key: &str, place: &str) -> Result<SecretString, KeyFault> {
    let key = key.trim();
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        return Err(KeyFault::NotAKey {
            place: place.to_owned(),
        });
    }
    Ok(SecretString::from(key))
}

async fn printed(argv: &[String], place: &str) -> Result<SecretString, KeyFault> {
    let program = argv.first().cloned().unwrap_or_default();
    let place = place.to_owned();
    let not_started = |reason: String| KeyFault::NotStarted {
        program: program.clone(),
        place: place.clone(),
        reason,
    };
    if program.is_empty() {
        return Err(not_started("no program is named".to_owned()));
    }
    // The one program that this crate starts, and the user names it in a file of their own. It gets the user's environment, since what
    // opens a password store needs it.
    let mut command = tokio::process::Command::new(&program);
    command
        .args(&argv[1..])
        // Not where the work is: a relative name, or a `.` on the search path, would find a program that a repository brought along.
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn().map_err(|error| not_started(error.to_string()))?;
    let mut group = Group::of(&child);
    let mut said = Vec::new();
    let ended = tokio::time::timeout(COMMAND_TIME, async {
        if let Some(out) = child.stdout.take() {
            out.take(COMMAND_BYTES + 1).read_to_end(&mut said).await?;
        }
        child.wait().await
    })
    .await;
    let status = match ended {
        Err(_) => return Err(KeyFault::TimedOut { program, place }),
        Ok(Err(error)) => return Err(not_started(error.to_string())),
        Ok(Ok(status)) => status,
    };
    group.ended();
    let bad = |what| KeyFault::BadOutput {
        program: program.clone(),
        place: place.clone(),
        what,
    };
    if said.len() as u64 > COMMAND_BYTES {
        return Err(bad("more than a key"));
    }
    if !status.success() {
        return Err(KeyFault::Failed {
            program,
            place,
            status: status.to_string(),
        });
    }
    let text = std::str::from_utf8(&said).map_err(|_| bad("no text"))?;
    if text.trim().is_empty() {
        return Err(bad("nothing"));
    }
    checked(text, &format!("`{program}` ({place})"))
}

/// A program that nobody has waited for yet, with whatever it started: ended with this, also where a run is interrupted while it waits.
#[cfg(unix)]
struct Group(Option<rustix::process::Pid>);

#[cfg(unix)]
impl Group {
    fn of(child: &tokio::process::Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(rustix::process::Pid::from_raw))
    }

    /// It came to its end; its number may be another's from now on.
    fn ended(&mut self) {
        self.0 = None;
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        if let Some(id) = self.0 {
            // Gone already, if it ended in this very moment.
            let _ = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
        }
    }
}

/// Dropping the child ends it here.
#[cfg(not(unix))]
struct Group;

#[cfg(not(unix))]
impl Group {
    fn of(_: &tokio::process::Child) -> Self {
        Self
    }

    fn ended(&mut self) {}
}

#[cfg(test)]
mod tests;
