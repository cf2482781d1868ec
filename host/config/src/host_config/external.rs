//! `[external.NAME]`: a coder that is a program.

use std::fmt;

use super::UserPath;
use super::value::{LIST, readable, unusable, variables, within, writable};
use crate::fault::FaultKind;
use crate::node::{Node, Placed, Value};
use crate::record::value::{list, placed, strict_boolean, text, wrong};
use crate::record::{Extra, Record};
use crate::report::Log;

/// The most external coders of a file.
pub const MOST_EXTERNALS: usize = 64;

/// The longest name, in bytes. A plugin's has the same.
const NAME_BYTES: usize = 64;

/// As long as a plugin's invocation (`limits.total_seconds`), which is snodo's own limit of a coder.
const TIMEOUT_SECONDS: u32 = 1800;

/// A model thinks for a minute or two; who is silent for longer waits for an answer that nobody gives.
const SILENCE_SECONDS: u32 = 300;

/// The name of an external coder: 1 to 64 ASCII letters, digits, `-` and `_`, not starting with `-`, and no device name
/// of any system. Coders are chosen by name, so that every such name could be a plugin's too (whose rule also allows `.`,
/// which separates names in TOML).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExternalName(String);

impl ExternalName {
    /// Checks a name that somebody gave. Nothing is trimmed, folded or replaced.
    pub fn parse(given: &str) -> Result<Self, &'static str> {
        const RULE: &str = "a name is of letters (a-z, A-Z), digits, `-` and `_`, and does not start with `-`";
        let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        if given.is_empty() || given.starts_with('-') || !given.bytes().all(fits) {
            Err(RULE)
        } else if given.len() > NAME_BYTES {
            Err("a name may have 64 characters")
        } else if is_device(given) {
            Err("it is the name of a device on some systems")
        } else {
            Ok(Self(given.to_owned()))
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What two names have in common that some reader takes for one: `A` and `a`.
    pub fn folds_like(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl fmt::Display for ExternalName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Windows takes these names for devices in every folder, in any letter case.
fn is_device(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(name.as_str(), "con" | "prn" | "aux" | "nul")
        || ["com", "lpt"].iter().any(|port| {
            name.strip_prefix(port)
                .is_some_and(|n| n.len() == 1 && n.bytes().all(|b| b.is_ascii_digit()))
        })
}

/// The program of an external coder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A name that is looked up in the folders of `PATH`.
    OnPath(String),
    /// A file outside the workspace; never [`UserPath::Workspace`]. What a repository holds never decides what runs.
    At(UserPath),
}

/// The command of an external coder: words, none of which a shell reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalCommand {
    /// The program.
    pub program: Program,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl ExternalCommand {
    /// From the list of words; also for words of a flag. The error names the word's index (0 if there is none) and what is wrong.
    pub fn of_words(words: &[String]) -> Result<Self, (usize, &'static str)> {
        let Some((program, arguments)) = words.split_first() else {
            return Err((0, "a command needs a program"));
        };
        if words.len() > LIST {
            return Err((LIST, "a list may hold 256 entries"));
        }
        if let Some(at) = words.iter().position(|word| word.contains('\0')) {
            return Err((at, "it holds a NUL character"));
        }
        Ok(Self {
            program: program_of(program).map_err(|why| (0, why))?,
            arguments: arguments.to_vec(),
        })
    }
}

fn program_of(word: &str) -> Result<Program, &'static str> {
    if word.trim().is_empty() {
        Err("it is blank")
    } else if word.contains('/') || word.starts_with('~') {
        if !word.starts_with(['/', '~']) {
            return Err(
                "a program is a name that is looked up on PATH, an absolute path, or one that begins with `~/`",
            );
        }
        UserPath::readable(word).map(Program::At)
    } else if word.contains(char::is_whitespace) {
        Err("each argument is an entry of its own, and no shell reads them")
    } else {
        Ok(Program::OnPath(word.to_owned()))
    }
}

/// `[external.NAME]`: a coder that is a program, run in the sandbox like every other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalConfig {
    /// By which it is chosen.
    pub name: ExternalName,
    /// What is run.
    pub command: ExternalCommand,
    /// The longest run, in seconds. 1 to 86400.
    pub timeout_seconds: u32,
    /// The longest time without any output, in seconds. 0 to 86400; 0 is none.
    pub silence_seconds: u32,
    /// Environment variables that are passed through, beside the few that every program gets; `[runner]` has its own.
    pub env: Vec<String>,
    /// Whether it may use the machine's network; `[sandbox]` may allow that to all.
    pub network: bool,
    /// More files and folders that it may read, beside those of `[sandbox]`. None is [`UserPath::Workspace`].
    pub read: Vec<UserPath>,
    /// Folders that it may write, beside those of `[sandbox]`.
    pub write: Vec<UserPath>,
}

impl ExternalConfig {
    /// An external coder of which only the command is given, as by `--external`.
    pub fn standard(name: ExternalName, command: ExternalCommand) -> Self {
        Self {
            name,
            command,
            timeout_seconds: TIMEOUT_SECONDS,
            silence_seconds: SILENCE_SECONDS,
            env: Vec::new(),
            network: false,
            read: Vec::new(),
            write: Vec::new(),
        }
    }
}

/// Reads the table of tables.
pub(super) fn read(node: &Node, path: &str, log: &mut Log) -> Option<Vec<ExternalConfig>> {
    let Value::Map(tables) = &node.value else {
        wrong(node, path, "a table", log);
        return None;
    };
    if let Some(beyond) = tables.get(MOST_EXTERNALS) {
        refuse(&beyond.key, path, "a file may declare 64 external coders", log);
    }
    let mut folded: Vec<String> = Vec::new();
    let mut read = Vec::new();
    for table in tables.iter().take(MOST_EXTERNALS) {
        let name = match ExternalName::parse(table.key.as_text().unwrap_or_default()) {
            Ok(name) => name,
            Err(why) => {
                refuse(&table.key, path, why, log);
                continue;
            }
        };
        if folded.contains(&name.folds_like()) {
            refuse(&table.key, path, "another one differs from it in letter case only", log);
            continue;
        }
        folded.push(name.folds_like());
        let of_table = format!("{path}.{name}");
        read.extend(one(name, &table.value, &of_table, log));
    }
    (read.len() == tables.len()).then_some(read)
}

fn refuse(key: &Node, path: &str, why: &'static str, log: &mut Log) {
    unusable(
        key.place,
        &format!("{path}.NAME"),
        key.as_text().unwrap_or_default(),
        why,
        log,
    );
}

fn one(name: ExternalName, node: &Node, path: &str, log: &mut Log) -> Option<ExternalConfig> {
    let mut record = Record::table(node, path, log)?;
    let command = record.required("command", command);
    let timeout_seconds = record.or("timeout_seconds", TIMEOUT_SECONDS, within(1, 86_400));
    let silence_seconds = record.or("silence_seconds", SILENCE_SECONDS, within(0, 86_400));
    let env = record.or("env", Vec::new(), variables);
    let network = record.or("network", false, strict_boolean);
    let read = record.or("read", Vec::new(), readable);
    let write = record.or("write", Vec::new(), writable);
    record.close(Extra::Refused);
    Some(ExternalConfig {
        name,
        command: command?,
        timeout_seconds: timeout_seconds?,
        silence_seconds: silence_seconds?,
        env: env?,
        network: network?,
        read: read?,
        write: write?,
    })
}

fn command(node: &Node, path: &str, log: &mut Log) -> Option<ExternalCommand> {
    let words: Vec<Placed<String>> = list(placed(text))(node, path, log)?;
    if words.is_empty() {
        log.fault(node.place, || FaultKind::TooFew { field: path.to_owned() });
        return None;
    }
    let plain: Vec<String> = words.iter().map(|word| word.value.clone()).collect();
    match ExternalCommand::of_words(&plain) {
        Ok(command) => Some(command),
        Err((at, why)) => {
            let place = words.get(at).map_or(node.place, |word| word.place);
            let found = plain.get(at).map_or("", String::as_str);
            unusable(place, path, found, why, log);
            None
        }
    }
}
