//! `snodo-host new`: the project of a plugin, ready to be built with its language's own tools.

use std::fmt::Write as _;
use std::io::Write as _;

use snodo_admission::Role;
use snodo_scaffold::{Language, ProjectName, commands, files, write};
use snodo_workspace::ambient;

use super::args::{NewArgs, NewRole};
use super::render::{BOLD, DIM, PLAIN, adapted};
use super::set_up_error;
use crate::engine::reserved_names;

/// Writes it; answers 0, or 64 when nothing was written.
pub(super) fn new(args: &NewArgs) -> u8 {
    match made(args) {
        Ok(text) => {
            let _ = std::io::stdout().lock().write_all(adapted(&text).as_bytes());
            0
        }
        Err(why) => set_up_error(None, &why),
    }
}

fn made(args: &NewArgs) -> Result<String, String> {
    let language = Language::by_name(&args.lang).ok_or_else(|| {
        let known: Vec<&str> = Language::ALL.iter().map(|language| language.name()).collect();
        format!(
            "`{}` is no language of a template: there are {}",
            crate::text::one_line(&args.lang, 40),
            known.join(", ")
        )
    })?;
    let role = match args.role {
        NewRole::Coder => Role::Coder,
        NewRole::Validator => Role::Validator,
    };
    let reserved: Vec<&str> = reserved_names().collect();
    let name = ProjectName::parse(&args.name, language, &reserved).map_err(|error| error.to_string())?;
    let missing = || format!("`{}` is not there", args.into.display());
    let into = ambient::open_dir_if_there(&args.into)
        .map_err(|error| error.to_string())?
        .ok_or_else(missing)?;
    write(&into, &name, &files(role, language, &name)).map_err(|error| error.to_string())?;
    let commands = commands(role, language, &name);
    let folder = args.into.join(name.as_str());
    let mut out = format!(
        "{BOLD}{}{PLAIN}  a {} in {}\n\n",
        folder.display(),
        role.name(),
        language.title()
    );
    let _ = writeln!(out, "  cd {}", folder.display());
    for command in commands
        .setup
        .iter()
        .chain([&commands.build, &commands.test, &commands.run])
    {
        let _ = writeln!(out, "  {command}");
    }
    let _ = writeln!(out, "\n{DIM}{}{PLAIN}", commands.outcome);
    let _ = writeln!(
        out,
        "{DIM}Before it is published: snodo-host conform {}{PLAIN}",
        commands.artifact
    );
    Ok(out)
}
