//! The one folder in which plugins are compiled, shared by all profiles of the outer build, and its lock.

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The folder, held for this process alone until it is dropped.
pub(crate) struct Guests {
    folder: PathBuf,
    /// Two builds at once (an editor's check and a test run) would otherwise add the target twice, which loses it, and wait for each
    /// other in cargo without a word.
    _lock: File,
}

impl Guests {
    /// Takes the folder of the target folder that `out_dir` is part of; waits for whoever has it.
    pub(crate) fn lock(out_dir: &Path) -> Result<Self, Box<dyn Error>> {
        let folder = target_folder(out_dir)?.join("guests");
        fs::create_dir_all(&folder).map_err(|error| format!("`{}` cannot be made: {error}", folder.display()))?;
        let path = folder.join(".lock");
        let lock = File::create(&path).map_err(|error| format!("`{}` cannot be made: {error}", path.display()))?;
        lock.lock()
            .map_err(|error| format!("`{}` cannot be locked: {error}", path.display()))?;
        Ok(Self { folder, _lock: lock })
    }

    /// Where cargo puts what it compiles for the plugins.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The component of a plugin, once compiled.
    pub(crate) fn component(&self, name: &str) -> PathBuf {
        self.artifact(name, "wasm")
    }

    /// What the component was made from, as cargo notes it.
    pub(crate) fn dependencies(&self, name: &str) -> PathBuf {
        self.artifact(name, "d")
    }

    fn artifact(&self, name: &str, extension: &str) -> PathBuf {
        self.folder
            .join(crate::toolchain::TARGET)
            .join(crate::compile::PROFILE)
            .join(format!("snodo_{name}.{extension}"))
    }
}

/// The outer build's target folder. Cargo marks it, but only when it made it; else it is told by the place of `out_dir` in it:
/// `<target folder>/[<triple>/]<profile>/build/<package>/out`. A triple's folder is marked too, and is not what is meant.
fn target_folder(out_dir: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let marked = out_dir
        .ancestors()
        .take(8)
        .find(|folder| folder.join("CACHEDIR.TAG").is_file());
    let folder = marked
        .or_else(|| out_dir.ancestors().nth(4))
        .ok_or_else(|| format!("`{}` is not in a target folder", out_dir.display()))?;
    let triple = env::var_os("TARGET");
    match folder.parent() {
        Some(parent) if folder.file_name() == triple.as_deref() => Ok(parent.to_owned()),
        _ => Ok(folder.to_owned()),
    }
}
