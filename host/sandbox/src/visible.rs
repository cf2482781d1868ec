//! What a contained program sees of the machine: the system, the toolchains, and what the user opened. Nothing else.

use std::path::{Path, PathBuf};

use crate::environment::ProgramEnvironment;
use crate::policy::Permissions;
use crate::toolchain;

/// The system's own folders: programs and libraries, no user's data.
const SYSTEM: [&str; 13] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    // Homebrew's, which is put into a home that nobody lives in.
    "/home/linuxbrew/.linuxbrew",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
    // How many processors there are.
    "/sys/devices/system/cpu",
];

/// What of `/etc` any program needs: names, languages, certificates and the linker's cache. Whole, it holds password hashes and keys, which
/// root could read.
const ETC: [&str; 37] = [
    "alternatives",
    "bash.bashrc",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "default/locale",
    "fonts",
    "group",
    "host.conf",
    "hostname",
    "hosts",
    "inputrc",
    "java-17-openjdk",
    "java-21-openjdk",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "ld.so.preload",
    "locale.alias",
    "locale.conf",
    "localtime",
    "login.defs",
    "magic",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "pki/tls/certs",
    "profile",
    "protocols",
    "resolv.conf",
    "services",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
];

/// All of it that is there, and the environment that leads to it.
pub(crate) fn visible(
    environment: &ProgramEnvironment,
    permissions: &Permissions,
) -> (Vec<PathBuf>, ProgramEnvironment) {
    let mut environment = environment.clone();
    let home = environment
        .get("HOME")
        .map(PathBuf::from)
        .filter(|home| home.is_absolute());
    let mut read: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    read.extend(ETC.iter().map(|name| Path::new("/etc").join(name)));
    read.extend(toolchain::found(&mut environment, home.as_deref()));
    let programs = program_folders(&environment, home.as_deref());
    read.extend(
        programs
            .into_iter()
            .filter(|path| !SYSTEM.iter().any(|system| path.starts_with(system))),
    );
    read.extend(permissions.read.iter().cloned());
    read.retain(|path| path.symlink_metadata().is_ok());
    (read, environment)
}

/// The folders of `PATH`, but for one that is a whole home or the whole machine, and of an installation what its programs need.
fn program_folders(environment: &ProgramEnvironment, home: Option<&Path>) -> Vec<PathBuf> {
    let Some(path) = environment.get("PATH") else {
        return Vec::new();
    };
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute() && folder.is_dir())
        .filter(|folder| folder.parent().is_some() && !home.is_some_and(|home| home.starts_with(folder)))
        .flat_map(|folder| {
            let beside = toolchain::beside(&folder, home);
            std::iter::once(folder).chain(beside)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that panics has failed")]
    use super::*;

    #[test]
    fn neither_a_home_nor_what_lies_beside_toolchains_is_seen() {
        let home = tempfile::tempdir().unwrap();
        let bin = home.path().join("bin");
        for folder in [".ssh", "bin", ".pyenv"] {
            std::fs::create_dir(home.path().join(folder)).unwrap();
        }
        let mut environment = ProgramEnvironment::default();
        environment.set("HOME", home.path());
        environment.set(
            "PATH",
            format!("{}:{}:/:relative", bin.display(), home.path().display()),
        );
        let (read, _) = visible(&environment, &Permissions::default());
        let of_home: Vec<_> = read.iter().filter(|p| p.starts_with(home.path())).collect();
        assert_eq!(of_home, [&home.path().join(".pyenv"), &bin]);
        assert!(!read.iter().any(|p| p == Path::new("/") || p == Path::new("/etc")));
    }

    #[test]
    fn what_the_user_opened_is_seen() {
        let open = tempfile::tempdir().unwrap();
        let permissions = Permissions {
            read: vec![open.path().to_owned(), PathBuf::from("/not/there")],
            ..Permissions::default()
        };
        let (read, _) = visible(&ProgramEnvironment::default(), &permissions);
        assert!(read.contains(&open.path().to_owned()));
        assert!(!read.contains(&PathBuf::from("/not/there")));
    }
}
