//! Which bytes a plugin is.

use std::fmt;

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// The SHA-256 of a plugin's bytes; written `sha256:` and 64 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Reads it as it is written: `sha256:` and 64 hex digits in lower case. None for any other spelling: one digest has one.
    pub fn parse(text: &str) -> Option<Self> {
        Self::of_hex(text.strip_prefix("sha256:")?)
    }

    /// Reads the 64 hex digits alone, as of a file's name.
    pub fn of_hex(digits: &str) -> Option<Self> {
        let value = |digit: u8| match digit {
            b'0'..=b'9' => Some(digit - b'0'),
            b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        };
        let digits: &[u8; 64] = digits.as_bytes().try_into().ok()?;
        let mut raw = [0_u8; 32];
        for (byte, pair) in raw.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = value(pair[0])? << 4 | value(pair[1])?;
        }
        Some(Self(raw))
    }

    /// The raw hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The 64 hex digits alone, as for a file's name.
    pub fn hex(&self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        self.0
            .iter()
            .flat_map(|b| [b >> 4, b & 15])
            .map(|n| char::from(DIGITS[usize::from(n)]))
            .collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Bytes with their digest, which can only have been taken of them. Whoever needs the digest before admission (to look into the
/// compile cache) takes it once and hands both on.
#[derive(Debug, Clone, Copy)]
pub struct Hashed<'a> {
    bytes: &'a [u8],
    digest: Digest,
}

impl<'a> Hashed<'a> {
    /// Takes the digest. The caller has bounded the length.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            digest: Digest::of(bytes),
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Their digest.
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

/// The same of a buffer that is owned: what was read from a file and hashed is the very buffer that goes on.
#[derive(Clone)]
pub struct HashedBytes {
    bytes: Vec<u8>,
    digest: Digest,
}

impl HashedBytes {
    /// Takes the digest. The caller has bounded the length.
    pub fn new(bytes: Vec<u8>) -> Self {
        let digest = Digest::of(&bytes);
        Self { bytes, digest }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Their digest.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// For admission; nothing is hashed again.
    pub fn hashed(&self) -> Hashed<'_> {
        Hashed {
            bytes: &self.bytes,
            digest: self.digest,
        }
    }

    /// The buffer, for whoever keeps the digest himself.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl fmt::Debug for HashedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HashedBytes({} bytes, {})", self.bytes.len(), self.digest)
    }
}

#[cfg(test)]
mod tests {
    use super::{Digest, HashedBytes};

    #[test]
    fn a_digest_is_read_in_one_spelling() {
        let digest = Digest::of(b"abc");
        let text = digest.to_string();
        assert_eq!(Digest::parse(&text), Some(digest));
        assert_eq!(Digest::of_hex(&digest.hex()), Some(digest));
        for other in [
            digest.hex(),
            text.to_uppercase(),
            format!("{text}0"),
            text[..70].to_owned(),
            text.replace("ba", "g0"),
            format!(" {text}"),
            String::new(),
        ] {
            assert_eq!(Digest::parse(&other), None, "{other}");
        }
    }

    #[test]
    fn the_buffer_that_was_hashed_goes_on() {
        let owned = HashedBytes::new(b"abc".to_vec());
        assert_eq!(owned.hashed().digest(), Digest::of(b"abc"));
        assert!(std::ptr::eq(owned.bytes(), owned.hashed().bytes()));
        assert_eq!(owned.into_bytes(), b"abc");
    }

    #[test]
    fn a_digest_is_written_as_everywhere() {
        assert_eq!(
            Digest::of(b"abc").to_string(),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
