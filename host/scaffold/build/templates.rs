//! The templates, as they stand in `templates/<language>/<part>/`.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};

use crate::{files_below, relative, watch};

/// A file of a template.
pub(crate) struct Template {
    pub(crate) language: String,
    /// `shared`, `coder` or `validator`.
    pub(crate) part: String,
    /// Where it goes in a project.
    pub(crate) path: String,
    pub(crate) file: PathBuf,
}

/// Every file of every template, in the order of paths.
pub(crate) fn collect(folder: &Path) -> Result<Vec<Template>, Box<dyn Error>> {
    watch(folder);
    let mut found = Vec::new();
    let mut places = BTreeSet::new();
    for file in files_below(folder)? {
        let place = relative(&file, folder)?;
        let mut segments = place.splitn(3, '/');
        let (Some(language), Some(part), Some(path)) = (segments.next(), segments.next(), segments.next()) else {
            return Err(format!("templates/{place}: a template stands in templates/<language>/<part>/").into());
        };
        let roles: &[&str] = match part {
            "shared" => &["coder", "validator"],
            "coder" => &["coder"],
            "validator" => &["validator"],
            _ => return Err(format!("templates/{place}: a part is `shared`, `coder` or `validator`").into()),
        };
        let path = dotted(path);
        for role in roles {
            if !places.insert((language.to_owned(), *role, path.clone())) {
                return Err(format!("templates/{place}: another template of that language is called so").into());
            }
        }
        found.push(Template {
            language: language.to_owned(),
            part: part.to_owned(),
            path,
            file,
        });
    }
    Ok(found)
}

/// `dot-x` in the place of `.x`, so that a template's hidden files do nothing where they are kept.
fn dotted(path: &str) -> String {
    let segment = |segment: &str| match segment.strip_prefix("dot-") {
        Some(rest) => format!(".{rest}"),
        None => segment.to_owned(),
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}
