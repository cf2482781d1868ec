//! Where the toolchains of a user stand, as data: what of a home folder a program may read, since a test cannot run without it.
//!
//! A contained program has a home of its own, so each toolchain is told by its variable where it is. Of a folder that also holds
//! credentials only the named parts are shown.
//!
//! What is only on `PATH`, with no variable, is known by what an installation looks like: a program that lies in its `bin` needs what lies
//! beside that.

use std::path::{Path, PathBuf};

use crate::environment::ProgramEnvironment;

/// One toolchain's folder.
struct Toolchain {
    /// The variable that names it; none where the tool knows only one place.
    variable: Option<&'static str>,
    /// Where it is when the variable is not set, from the home folder; empty where there is no such place.
    home: &'static str,
    /// The parts of it that are shown; empty for all of it.
    parts: &'static [&'static str],
}

/// Of each: the tool's own documentation of its folders and variables.
const TOOLCHAINS: [Toolchain; 31] = [
    // Not `credentials.toml`.
    Toolchain {
        variable: Some("CARGO_HOME"),
        home: ".cargo",
        parts: &[
            "bin",
            "registry",
            "git",
            "config.toml",
            "config",
            "env",
            ".package-cache",
            ".global-cache",
        ],
    },
    whole(Some("RUSTUP_HOME"), ".rustup"),
    whole(Some("PYENV_ROOT"), ".pyenv"),
    whole(Some("VIRTUAL_ENV"), ""),
    whole(Some("CONDA_PREFIX"), ""),
    // Of `pip install --user`; `.local/share` holds much else.
    Toolchain {
        variable: Some("PYTHONUSERBASE"),
        home: ".local",
        parts: &["bin", "lib"],
    },
    whole(None, ".local/share/uv"),
    whole(Some("PIPX_HOME"), ".local/share/pipx"),
    whole(None, ".local/pipx"),
    whole(None, ".local/share/pypoetry"),
    // Where poetry, pipenv and virtualenvwrapper keep the environments of projects.
    whole(None, ".cache/pypoetry/virtualenvs"),
    whole(None, ".local/share/virtualenvs"),
    whole(Some("WORKON_HOME"), ".virtualenvs"),
    whole(None, ".local/share/pnpm"),
    whole(Some("NVM_DIR"), ".nvm"),
    whole(Some("FNM_DIR"), ".local/share/fnm"),
    whole(Some("VOLTA_HOME"), ".volta"),
    whole(Some("BUN_INSTALL"), ".bun"),
    whole(Some("DENO_INSTALL"), ".deno"),
    whole(Some("GOROOT"), ""),
    whole(Some("GOMODCACHE"), "go/pkg/mod"),
    whole(None, "sdk"),
    whole(Some("JAVA_HOME"), ""),
    whole(Some("SDKMAN_DIR"), ".sdkman"),
    whole(None, ".m2/repository"),
    whole(Some("RBENV_ROOT"), ".rbenv"),
    // Not `credentials`.
    Toolchain {
        variable: Some("GEM_HOME"),
        home: "",
        parts: &[
            "bin",
            "build_info",
            "extensions",
            "gems",
            "plugins",
            "ruby",
            "specifications",
        ],
    },
    whole(Some("ASDF_DATA_DIR"), ".asdf"),
    whole(Some("MISE_DATA_DIR"), ".local/share/mise"),
    whole(Some("DOTNET_ROOT"), ".dotnet"),
    whole(Some("NUGET_PACKAGES"), ".nuget/packages"),
];

const fn whole(variable: Option<&'static str>, home: &'static str) -> Toolchain {
    Toolchain {
        variable,
        home,
        parts: &[],
    }
}

/// An installation that is found by a folder `bin` on `PATH`.
struct Installed {
    /// What lies beside `bin` there, and nowhere else.
    mark: &'static str,
    /// The parts of it that its programs need: beside them may lie anything, for such a folder can be somebody's `~/.local`.
    parts: &'static [&'static str],
}

/// Of each: what its distribution unpacks, or its tool makes.
const INSTALLED: [Installed; 8] = [
    // A virtual environment that was not activated, only put on `PATH`.
    Installed {
        mark: "pyvenv.cfg",
        parts: &["pyvenv.cfg", "include", "lib", "lib64"],
    },
    Installed {
        mark: "conda-meta",
        parts: &["conda-meta", "etc", "include", "lib", "libexec", "share", "ssl"],
    },
    // A Python that was built where it is.
    Installed {
        mark: "bin/python3",
        parts: &["include", "lib", "lib64"],
    },
    Installed {
        mark: "lib/ruby",
        parts: &["include", "lib"],
    },
    // Node: its npm, and what was installed by `npm install --global`.
    Installed {
        mark: "lib/node_modules",
        parts: &["include/node", "lib/node_modules"],
    },
    // Go.
    Installed {
        mark: "src/runtime/runtime.go",
        parts: &["VERSION", "api", "go.env", "lib", "misc", "pkg", "src", "test"],
    },
    // Java.
    Installed {
        mark: "lib/modules",
        parts: &["conf", "include", "jmods", "legal", "lib", "release"],
    },
    Installed {
        mark: "lib/rustlib",
        parts: &["lib", "libexec"],
    },
];

/// Variables that choose among the versions of a toolchain.
const CHOICES: [&str; 4] = ["RUSTUP_TOOLCHAIN", "PYENV_VERSION", "RBENV_VERSION", "NODE_VERSION"];

/// Every variable that names a toolchain, or chooses one.
pub(crate) fn variables() -> impl Iterator<Item = &'static str> {
    TOOLCHAINS.iter().filter_map(|t| t.variable).chain(CHOICES)
}

/// The folders of those toolchains that are there, and the variables set that lead to them.
pub(crate) fn found(environment: &mut ProgramEnvironment, home: Option<&Path>) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for toolchain in &TOOLCHAINS {
        let named = toolchain
            .variable
            .and_then(|v| environment.get(v))
            .map(PathBuf::from)
            .filter(|path| path.is_absolute());
        let usual = || {
            home.filter(|_| !toolchain.home.is_empty())
                .map(|home| home.join(toolchain.home))
        };
        let Some(folder) = named.or_else(usual).filter(|folder| folder.is_dir()) else {
            continue;
        };
        // The whole of a home, or of the machine, is no toolchain.
        if folder.parent().is_none() || home.is_some_and(|home| home.starts_with(&folder)) {
            continue;
        }
        if let Some(variable) = toolchain.variable {
            environment.set(variable, &folder);
        }
        if toolchain.parts.is_empty() {
            folders.push(folder);
        } else {
            folders.extend(
                toolchain
                    .parts
                    .iter()
                    .map(|part| folder.join(part))
                    .filter(|p| p.exists()),
            );
        }
    }
    folders
}

/// What programs in a folder of `PATH` need that lies beside it, where it belongs to an installation. A whole home is none.
pub(crate) fn beside(programs: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let whole = |folder: &&Path| folder.parent().is_none() || home.is_some_and(|home| home.starts_with(folder));
    let installed = programs.parent().filter(|_| programs.ends_with("bin"));
    let Some(installed) = installed.filter(|folder| !whole(folder)) else {
        return Vec::new();
    };
    let found = INSTALLED.iter().filter(|kind| installed.join(kind.mark).exists());
    found
        .flat_map(|kind| kind.parts)
        .map(|part| installed.join(part))
        .filter(|path| path.exists())
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that panics has failed")]
    use super::*;

    #[test]
    fn credentials_beside_a_toolchain_are_not_shown() {
        let home = tempfile::tempdir().unwrap();
        let cargo = home.path().join(".cargo");
        for folder in ["bin", "registry"] {
            std::fs::create_dir_all(cargo.join(folder)).unwrap();
        }
        std::fs::write(cargo.join("credentials.toml"), "token").unwrap();
        let mut environment = ProgramEnvironment::default();
        let folders = found(&mut environment, Some(home.path()));
        assert_eq!(folders, [cargo.join("bin"), cargo.join("registry")]);
        assert_eq!(environment.get("CARGO_HOME"), Some(&cargo.into_os_string()));
    }

    #[test]
    fn of_an_installation_on_path_what_its_programs_need_is_shown_and_not_what_else_lies_there() {
        let local = tempfile::tempdir().unwrap();
        let (bin, share) = (local.path().join("bin"), local.path().join("share/keyrings"));
        for folder in [&bin, &share, &local.path().join("lib/python3.11")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        assert_eq!(beside(&bin, None), Vec::<PathBuf>::new(), "it is no installation");
        std::fs::create_dir_all(local.path().join("lib/node_modules/npm")).unwrap();
        assert_eq!(beside(&bin, None), [local.path().join("lib/node_modules")]);
        std::fs::write(local.path().join("pyvenv.cfg"), "home = /usr/bin\n").unwrap();
        let shown = beside(&bin, None);
        assert!(shown.contains(&local.path().join("lib")) && shown.contains(&local.path().join("pyvenv.cfg")));
        assert!(!shown.iter().any(|path| share.starts_with(path)), "{shown:?}");
        assert_eq!(beside(&bin, Some(local.path())), Vec::<PathBuf>::new(), "a home");
    }

    #[test]
    fn a_variable_that_names_the_home_itself_opens_nothing() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join(".ssh")).unwrap();
        for value in [home.path(), home.path().parent().unwrap(), Path::new("/")] {
            let mut environment = ProgramEnvironment::default();
            environment.set("JAVA_HOME", value);
            assert_eq!(found(&mut environment, Some(home.path())), Vec::<PathBuf>::new());
        }
    }
}
