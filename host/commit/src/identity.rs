//! Who the author is: from git's configuration, as git itself finds it, but for the environment.

use std::path::{Path, PathBuf};

use gix_config::file::Metadata;
use gix_config::file::includes::{Options as Includes, conditional};
use gix_config::file::init::Options;
use gix_config::{File, Source};
use gix_object::bstr::BString;

use crate::config::RepositoryConfig;
use crate::error::{CommitError, said};
use crate::head::Head;
use crate::place::Place;

/// Bytes of a name or an address that are taken.
const MAX_TEXT_BYTES: usize = 512;

/// Where the user's own configuration is. The caller knows the surroundings; nothing is read from them here.
#[derive(Debug, Clone, Default)]
pub struct UserConfig {
    /// The configuration of the machine: `/etc/gitconfig`, mostly.
    pub system: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`, if set; `git/config` is in it. Else it is `.config` in the home folder.
    pub xdg_config_home: Option<PathBuf>,
    /// The home folder: `.gitconfig` is in it.
    pub home: Option<PathBuf>,
}

/// A name and an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Person {
    pub(crate) name: BString,
    pub(crate) email: BString,
}

/// Who wrote it, and who committed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct People {
    pub(crate) author: Person,
    pub(crate) committer: Person,
}

impl UserConfig {
    /// The files that may be there, the strongest last.
    fn files(&self) -> Vec<(PathBuf, Source)> {
        let xdg = self
            .xdg_config_home
            .clone()
            .or_else(|| self.home.as_ref().map(|home| home.join(".config")));
        let system = self.system.clone().map(|path| (path, Source::System));
        let xdg = xdg.map(|folder| (folder.join("git/config"), Source::Git));
        let home = self.home.as_ref().map(|home| (home.join(".gitconfig"), Source::User));
        [system, xdg, home].into_iter().flatten().collect()
    }

    /// Reads them, with the files that they include: they are the user's own.
    fn read(&self, place: &Place, head: &Head) -> Result<Vec<File>, CommitError> {
        let branch = head.branch_reference();
        let mut read = Vec::new();
        for (path, source) in self.files() {
            let bytes = match std::fs::read(&path) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    return Err(CommitError::Config {
                        at: path,
                        why: error.to_string(),
                    });
                }
            };
            read.push(parse(bytes, &path, source, self.home.as_deref(), place, branch)?);
        }
        Ok(read)
    }
}

fn parse(
    mut bytes: Vec<u8>,
    path: &Path,
    source: Source,
    home: Option<&Path>,
    place: &Place,
    branch: Option<&gix_ref::FullNameRef>,
) -> Result<File, CommitError> {
    let interpolate = gix_config::path::interpolate::Context {
        git_install_dir: None,
        home_dir: home,
        home_for_user: None,
    };
    let conditional = conditional::Context {
        git_dir: Some(&place.git_dir.path),
        branch_name: branch,
    };
    let options = Options {
        includes: Includes::follow(interpolate, conditional),
        lossy: true,
        ignore_io_errors: false,
    };
    let metadata = Metadata::from(source).at(path);
    File::from_bytes_owned(&mut bytes, metadata, options).map_err(|error| CommitError::Config {
        at: path.to_owned(),
        why: said(&error),
    })
}

impl People {
    /// `author.*` and `committer.*` before `user.*`; the repository's configuration before the user's.
    pub(crate) fn find(
        user: &UserConfig,
        repository: &RepositoryConfig,
        place: &Place,
        head: &Head,
    ) -> Result<Self, CommitError> {
        let own = user.read(place, head)?;
        let strongest_first: Vec<&File> = repository.files().rev().chain(own.iter().rev()).collect();
        let text = |section: &str, key: &str| {
            let of = |section: &str| {
                strongest_first
                    .iter()
                    .find_map(|file| file.string_by(section, None::<&gix_object::bstr::BStr>, key))
                    .map(|value| tidy(&value))
                    .filter(|value| !value.is_empty())
            };
            of(section).or_else(|| of("user"))
        };
        let person = |section: &str| {
            Ok(Person {
                name: text(section, "name").ok_or(CommitError::NoIdentity { missing: "user.name" })?,
                email: text(section, "email").ok_or(CommitError::NoIdentity { missing: "user.email" })?,
            })
        };
        Ok(Self {
            author: person("author")?,
            committer: person("committer")?,
        })
    }
}

/// Without what would break the line that it becomes part of, and within bounds.
fn tidy(value: &[u8]) -> BString {
    /// What git strips from both ends of a name.
    const CRUD: &[u8] = b".,:;<>\"\\'";
    let text = String::from_utf8_lossy(value);
    let mut kept = String::new();
    for c in text
        .chars()
        .filter(|c| !snodo_workspace::escape::acts(*c) && !matches!(c, '<' | '>'))
    {
        if kept.len() + c.len_utf8() > MAX_TEXT_BYTES {
            break;
        }
        kept.push(c);
    }
    kept.trim_matches(|c: char| c.is_whitespace() || u8::try_from(c).is_ok_and(|byte| CRUD.contains(&byte)))
        .into()
}

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn a_name_stays_in_its_line() {
        assert_eq!(tidy("Ada Łovelace".as_bytes()), "Ada Łovelace");
        assert_eq!(tidy(b" A <a@b> \n\0parent 123\x1b[2J. "), "A a@b parent 123[2J");
        assert_eq!(tidy(b"<>.,\n"), "");
        assert_eq!(tidy(&[b'a'; 4096]).len(), 512);
        assert_eq!(tidy(b"\xff"), "\u{fffd}");
    }
}
