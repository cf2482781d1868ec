//! A record as text.

use super::{FORMAT, InstallRecord};
use crate::plugin_value::{quoted, quoted_list};

pub(super) fn record(record: &InstallRecord) -> String {
    let InstallRecord {
        name,
        role,
        digest,
        size,
        imports,
        grants,
        contract,
        installed,
        source,
    } = record;
    let grants: Vec<String> = grants.list().iter().map(|g| quoted(g.name())).collect();
    format!(
        "# An installed plugin, and what it may do. Written by `snodo-host plugin add`; to change it, use `snodo-host plugin add` or `remove`.\n\
         format = {FORMAT}\n\
         name = {}\n\
         role = {}\n\
         digest = {}\n\
         size = {size}\n\
         imports = {}\n\
         grants = [{}]\n\
         contract = {}\n\
         installed = {installed}\n\
         \n\
         [source]\n\
         kind = {}\n\
         text = {}\n",
        quoted(name.as_str()),
        quoted(role.name()),
        quoted(&digest.to_string()),
        quoted_list(imports),
        grants.join(", "),
        quoted(contract),
        quoted(source.kind.name()),
        quoted(&source.text),
    )
}
