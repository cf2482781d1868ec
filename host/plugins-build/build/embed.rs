//! Copies components to where the library includes them, and writes the list of them.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::Plugin;

/// The first bytes of a component: `\0asm`, then the component format's version, where a core module has another.
const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

pub(crate) fn write(out_dir: &Path, components: &[(&Plugin, PathBuf)]) -> Result<(), Box<dyn Error>> {
    let mut list = String::from("[\n");
    for (plugin, path) in components {
        let bytes = fs::read(path).map_err(|error| format!("`{}`: {error}", path.display()))?;
        if !bytes.starts_with(COMPONENT) {
            return Err(format!("`{}` is not a WebAssembly component", path.display()).into());
        }
        let name = plugin.name;
        fs::write(out_dir.join(format!("{name}.wasm")), &bytes)?;
        writeln!(
            list,
            "    BuiltIn {{\n        name: {name:?},\n        bytes: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.wasm\")),\n        \
             sha256: {:?},\n        grants: &{:?},\n    }},",
            hex(&Sha256::digest(&bytes)),
            plugin.grants
        )?;
    }
    list.push_str("]\n");
    fs::write(out_dir.join("built_in.rs"), list)?;
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
