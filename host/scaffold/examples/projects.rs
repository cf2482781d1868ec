//! Writes, builds, tests and looks at new projects, each as its README says: what `.ci/examples` runs.
//!
//! ```console
//! $ cargo run -p snodo-scaffold --example projects -- FOLDER LANGUAGE...          # both roles of each, in an empty folder
//! $ cargo run -p snodo-scaffold --example projects -- --write FOLDER LANGUAGE...  # only writes them
//! $ cargo run -p snodo-scaffold --example projects -- --inspect FILE.wasm...      # components that were built elsewhere
//! ```
//!
//! With `SNODO_HOST` naming the binary, each is run and held to the interface too. A command that fails ends it.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool of the build, which works on files by name, starts programs and tells how it goes"
)]

use std::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;
use std::{env, fs};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use snodo_admission::{Bodies, Context, Grants, ImportClass, Limits, PluginName, Served, Verdict, inspect};
use snodo_scaffold::{Language, ProjectName, Role, commands, files, write};

/// The most that a plugin written by `new` in a compiled language may weigh, in bytes (issue 7, Figures).
const SMALL: usize = 200_000;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1).peekable();
    let inspect = arguments.next_if(|first| first == "--inspect").is_some();
    if inspect {
        for file in arguments {
            let (role, size) = look(Path::new(&file))?;
            println!("{file}: a {role}, {size} bytes");
        }
        return Ok(());
    }
    let write_only = arguments.next_if(|first| first == "--write").is_some();
    let folder = arguments
        .next()
        .ok_or("usage: projects [--write] FOLDER LANGUAGE... | projects --inspect FILE.wasm...")?;
    let mut languages = Vec::new();
    for name in arguments {
        languages.push(Language::by_name(&name).ok_or_else(|| format!("no language {name}"))?);
    }
    for language in languages {
        for role in Role::ALL {
            project(Path::new(&folder), role, language, write_only)?;
        }
    }
    Ok(())
}

/// From nothing to a component that was looked at and, where there is a host, run.
fn project(folder: &Path, role: Role, language: Language, write_only: bool) -> Result<(), Box<dyn Error>> {
    // Two words, so that what is made of the `-` is tried too.
    let name = ProjectName::parse(&format!("{}-{role}", language.name()), language, &[])?;
    let into = Dir::open_ambient_dir(folder, ambient_authority())?;
    write(&into, &name, &files(role, language, &name))?;
    if write_only {
        return Ok(());
    }
    let place = folder.join(name.as_str());
    let typed = commands(role, language, &name);

    for command in &typed.setup {
        shell(&place, command)?;
    }
    let start = Instant::now();
    shell(&place, &typed.build)?;
    let built = start.elapsed();
    let (found, size) = look(&place.join(&typed.artifact))?;
    if found != role {
        return Err(format!("{name}: it is a {found}, not a {role}", name = name.as_str()).into());
    }
    if matches!(language, Language::Rust | Language::C) && size > SMALL {
        return Err(format!("{}: {size} bytes, and {SMALL} are the most", name.as_str()).into());
    }
    shell(&place, &typed.test)?;
    if let Some(host) = env::var_os("SNODO_HOST") {
        run_it(&place, &host, &typed.run, typed.run_exit)?;
        run_it(&place, &host, &format!("snodo-host conform {}", typed.artifact), 0)?;
    }
    println!("{language} {role}: {size} bytes, built in {:.1} s", built.as_secs_f32());
    Ok(())
}

/// What a component is, if it may run with no grant.
fn look(file: &Path) -> Result<(Role, usize), Box<dyn Error>> {
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let name = PluginName::of_file(&file.file_name().unwrap_or_default().to_string_lossy())?;
    let context = Context {
        name: &name,
        role_expected: None,
        grants: Grants::NONE,
        served: Served { completion: true },
        bodies: Bodies::Validate,
    };
    let inspection = inspect(&bytes, &context, &Limits::standard());
    if let Verdict::Refused(findings) = &inspection.verdict {
        let words: Vec<String> = findings
            .iter()
            .map(|finding| format!("{}: {}", finding.what, finding.needed))
            .collect();
        return Err(format!("{}: refused\n{}", file.display(), words.join("\n")).into());
    }
    for import in &inspection.imports {
        if !matches!(import.class, ImportClass::GivenToRole | ImportClass::InertWasi) {
            return Err(format!(
                "{}: imports {}, which its role does not have",
                file.display(),
                import.name
            )
            .into());
        }
    }
    let role = inspection.role.ok_or("a component that was admitted has a role")?;
    Ok((role, bytes.len()))
}

/// Runs a command as it is typed; what asks for the administrator is not asked where there is nobody to ask.
fn shell(folder: &Path, command: &str) -> Result<(), Box<dyn Error>> {
    eprintln!("{}$ {command}", folder.display());
    let script = format!("command -v sudo >/dev/null || sudo() {{ \"$@\"; }}\n{command}");
    let mut shell = Command::new("sh");
    shell.current_dir(folder).args(["-e", "-c", &script]);
    // The project's own, whoever builds this.
    for variable in ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET", "RUSTFLAGS", "MAKEFLAGS"] {
        shell.env_remove(variable);
    }
    let status = shell.status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{command}` in {}: {status}", folder.display()).into())
    }
}

/// A command of the README's, with the host that was given; it has to end as is said there.
fn run_it(folder: &Path, host: &OsString, command: &str, exit: u8) -> Result<(), Box<dyn Error>> {
    eprintln!("{}$ {command}", folder.display());
    // A name with `-` is no name of a function to every `sh`.
    let script = format!("snodo-host() {{ \"$SNODO_HOST\" \"$@\"; }}\n{command}");
    let status = Command::new("bash")
        .current_dir(folder)
        .args(["-c", &script])
        .env("SNODO_HOST", host)
        .status()?;
    if status.code() == Some(i32::from(exit)) {
        Ok(())
    } else {
        Err(format!("`{command}` in {}: {status}, not {exit}", folder.display()).into())
    }
}
