//! Compiled components, kept between starts: owner-only, outside any workspace, and authenticated.
//!
//! An entry is native code that the host will run. It is taken only when it is the owner's alone and its keyed hash, made
//! with a key that stands in the state folder and not beside the entries, is right; anything else is a miss. This protects
//! against rot, truncation and transplanted caches, not against an attacker who acts as the same user.

use std::fs::File;
use std::io::Read as _;

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _};
use rustix::fs::{Mode, OFlags};
use snodo_admission::Digest;
use wasmtime::Engine;
use wasmtime::component::Component;

/// Entries beyond this are removed, oldest first: a compiled Python plugin takes 35 MB.
const MAX_ENTRIES: usize = 64;

/// Bytes of the key and of an entry's keyed hash.
const HASH: usize = blake3::OUT_LEN;

/// Why the cache cannot be used. Running goes on without it.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The folder or the key could not be used.
    #[error("{what}: {source}")]
    Io {
        /// What was being done.
        what: &'static str,
        /// The system's words.
        source: std::io::Error,
    },
}

fn io(what: &'static str) -> impl FnOnce(std::io::Error) -> CacheError {
    move |source| CacheError::Io { what, source }
}

/// The folder and the key.
pub struct CompileCache {
    dir: Dir,
    key: [u8; HASH],
}

/// Names an entry: a component under an engine's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EntryName(String);

impl EntryName {
    /// From the component's digest and the engine's compatibility hash: whatever changes the code changes the name.
    pub(super) fn new(engine: &Engine, component: Digest) -> Self {
        struct Into256<'a>(&'a mut blake3::Hasher);
        impl std::hash::Hasher for Into256<'_> {
            fn write(&mut self, bytes: &[u8]) {
                self.0.update(bytes);
            }
            fn finish(&self) -> u64 {
                0
            }
        }
        let mut hasher = blake3::Hasher::new();
        std::hash::Hash::hash(&engine.precompile_compatibility_hash(), &mut Into256(&mut hasher));
        hasher.update(component.as_bytes());
        Self(hasher.finalize().to_hex().to_string())
    }

    fn code(&self) -> String {
        format!("{}.cwasm", self.0)
    }

    fn seal(&self) -> String {
        format!("{}.seal", self.0)
    }
}

impl CompileCache {
    /// Opens the cache in an owner-only folder, with the key kept in the state folder (made at the first use).
    pub fn open(dir: Dir, state: &Dir) -> Result<Self, CacheError> {
        Ok(Self { dir, key: key(state)? })
    }

    /// A compiled component, if there is one that can be trusted.
    pub(super) fn load(&self, engine: &Engine, name: &EntryName) -> Option<Component> {
        let seal = self.open_private(&name.seal())?;
        let mut expected = [0; HASH];
        let mut seal = seal.take(HASH as u64);
        seal.read_exact(&mut expected).ok()?;
        let code = self.open_private(&name.code())?;
        let found = self.keyed_hash(name, &code)?;
        // blake3's hashes compare in constant time.
        if found != blake3::Hash::from_bytes(expected) {
            tracing::warn!(entry = %name.0, "an entry of the compile cache is not what was put there; compiling again");
            return None;
        }
        load_open_file(engine, &code)
    }

    /// Keeps a compiled component; `code` is the open file that the compiler wrote under `temporary`.
    pub(super) fn keep(&self, name: &EntryName, temporary: &str, code: &File) -> Result<(), CacheError> {
        let sealed = self.keyed_hash(name, code).ok_or_else(|| CacheError::Io {
            what: "reading back what was compiled",
            source: std::io::Error::from(std::io::ErrorKind::UnexpectedEof),
        })?;
        let seal_temporary = format!("{temporary}.seal");
        let mut seal = self.create_private(&seal_temporary)?;
        std::io::Write::write_all(&mut seal, sealed.as_bytes()).map_err(io("writing to the compile cache"))?;
        // Code first: a seal without its code is a miss, and so is old code under a new seal.
        self.dir
            .rename(temporary, &self.dir, name.code())
            .map_err(io("keeping a compiled component"))?;
        self.dir
            .rename(&seal_temporary, &self.dir, name.seal())
            .map_err(io("keeping a compiled component"))?;
        self.prune();
        Ok(())
    }

    /// A new file, for the owner alone.
    pub(super) fn create_private(&self, name: &str) -> Result<File, CacheError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o600);
        let file = self
            .dir
            .open_with(name, &options)
            .map_err(io("making a file in the compile cache"))?;
        Ok(file.into_std())
    }

    /// Takes away what an ended compilation left.
    pub(super) fn discard(&self, temporary: &str) {
        let _ = self.dir.remove_file(temporary);
    }

    /// A regular file of ours that nobody else can read or write, opened without following a link.
    fn open_private(&self, name: &str) -> Option<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = File::from(rustix::fs::openat(&self.dir, name, flags, Mode::empty()).ok()?);
        let stat = rustix::fs::fstat(&file).ok()?;
        let ours = stat.st_uid == rustix::process::geteuid().as_raw();
        let regular = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file();
        (ours && regular && owner_only(stat.st_mode)).then_some(file)
    }

    fn keyed_hash(&self, name: &EntryName, code: &File) -> Option<blake3::Hash> {
        let map = map(code)?;
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(name.0.as_bytes());
        hasher.update(&map);
        Some(hasher.finalize())
    }

    fn prune(&self) {
        let Ok(entries) = self.dir.entries() else { return };
        let mut code: Vec<(std::time::SystemTime, String)> = entries
            .flatten()
            .filter_map(|e| {
                Some((
                    e.metadata().ok()?.modified().ok()?.into_std(),
                    e.file_name().into_string().ok()?,
                ))
            })
            .filter(|(_, name)| name.strip_suffix(".cwasm").is_some())
            .collect();
        if code.len() <= MAX_ENTRIES {
            return;
        }
        code.sort();
        for (_, name) in &code[..code.len() - MAX_ENTRIES] {
            let _ = self.dir.remove_file(name);
            let _ = self.dir.remove_file(name.replace(".cwasm", ".seal"));
        }
    }
}

/// Nobody else may read, write or enter.
fn owner_only(mode: u32) -> bool {
    Mode::from_raw_mode(mode)
        .intersection(Mode::RWXG | Mode::RWXO)
        .is_empty()
}

/// The key, made once: 32 random bytes that only the owner can read.
fn key(state: &Dir) -> Result<[u8; HASH], CacheError> {
    const NAME: &str = "compile-cache.key";
    for _ in 0..2 {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if let Ok(file) = rustix::fs::openat(state, NAME, flags, Mode::empty()) {
            let mut file = File::from(file);
            let stat = rustix::fs::fstat(&file).map_err(|e| io("reading the cache's key")(e.into()))?;
            let mut key = [0; HASH];
            if owner_only(stat.st_mode) && file.read_exact(&mut key).is_ok() {
                return Ok(key);
            }
            state.remove_file(NAME).map_err(io("replacing the cache's key"))?;
        }
        let mut key = [0; HASH];
        random(&mut key).map_err(io("making the cache's key"))?;
        // Written whole under another name, so that two first starts at once agree on one key.
        let temporary = format!("{NAME}.{}", rustix::process::getpid().as_raw_nonzero());
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = state
            .open_with(&temporary, &options)
            .map_err(io("making the cache's key"))?;
        std::io::Write::write_all(&mut file, &key).map_err(io("making the cache's key"))?;
        let linked = state.hard_link(&temporary, state, NAME);
        let _ = state.remove_file(&temporary);
        if linked.is_ok() {
            return Ok(key);
        }
    }
    Err(io("reading the cache's key")(
        std::io::ErrorKind::PermissionDenied.into(),
    ))
}

fn random(buffer: &mut [u8]) -> std::io::Result<()> {
    let mut filled = 0;
    while filled < buffer.len() {
        filled += rustix::rand::getrandom(&mut buffer[filled..], rustix::rand::GetRandomFlags::empty())?;
    }
    Ok(())
}

#[expect(
    unsafe_code,
    reason = "mapping a file is unsafe since another process could change it: this one is the owner's alone"
)]
fn map(file: &File) -> Option<memmap2::Mmap> {
    // SAFETY: the file is owner-only and never written again after it is complete; a process of the same user that changes it
    // while it is mapped is outside what the cache protects against (see the module's words).
    unsafe { memmap2::Mmap::map(file) }.ok()
}

/// Loads from the very file that was authenticated, not from its name.
#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "precompiled code is trusted by the runtime: it was authenticated just above"
)]
fn load_open_file(engine: &Engine, code: &File) -> Option<Component> {
    use std::os::fd::AsRawFd as _;
    let path = format!("/proc/self/fd/{}", code.as_raw_fd());
    // SAFETY: the bytes carry a keyed hash that only this host could have made over what its own compiler wrote.
    unsafe { Component::deserialize_file(engine, path) }
        .inspect_err(|e| tracing::debug!(error = %e, "a cache entry could not be loaded"))
        .ok()
}

#[cfg(not(target_os = "linux"))]
#[expect(
    unsafe_code,
    reason = "precompiled code is trusted by the runtime: it was authenticated just above"
)]
fn load_open_file(engine: &Engine, code: &File) -> Option<Component> {
    let map = map(code)?;
    // SAFETY: the bytes carry a keyed hash that only this host could have made over what its own compiler wrote.
    unsafe { Component::deserialize(engine, &map[..]) }.ok()
}

/// Loads code that this process has just had compiled, where there is no cache.
#[expect(
    unsafe_code,
    reason = "precompiled code is trusted by the runtime: these bytes come straight from the compiler"
)]
pub(super) fn load_fresh(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the bytes were written by our own compiler into a pipe or file that nobody else has open.
    unsafe { Component::deserialize(engine, code) }
}
