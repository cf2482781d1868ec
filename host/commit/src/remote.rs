//! The address of the repository's remote: what the project is called by in the audit log. It is text, and nothing is asked of it.

use gix_object::bstr::BStr;
use snodo_workspace::root::Root;

use crate::config::RepositoryConfig;
use crate::place::Place;

/// `remote.origin.url`, or that of the first remote in the repository's configuration. None without a repository, a remote, or a
/// configuration that can be read: a project has a name all the same.
///
/// `url.<base>.insteadOf` is not followed, and the user's own configuration names no remote here.
pub fn remote(root: &Root) -> Option<String> {
    let place = Place::find(root).ok()?;
    let config = RepositoryConfig::read(&place).ok()?;
    let mut first = None;
    for section in config
        .files()
        .flat_map(|file| file.sections_by_name("remote").into_iter().flatten())
    {
        let Some(url) = section.value("url").and_then(|url| String::from_utf8(url.into()).ok()) else {
            continue;
        };
        if section.header().subsection_name() == Some(BStr::new("origin")) {
            return Some(url);
        }
        first.get_or_insert(url);
    }
    first
}
