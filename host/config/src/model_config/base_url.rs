//! The address of a provider.

use std::fmt;

/// The longest address, in bytes.
const LONGEST: usize = 2048;

/// The address of a provider: `http` or `https`, a host, perhaps a port and a path. No name and password, no query, no fragment: what is
/// called is made by adding to its end, and what is printed holds no credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(String);

/// Who an address leads to: nothing that is meant for one origin goes to another.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    https: bool,
    host: String,
    port: u16,
}

impl BaseUrl {
    /// Checks an address. `/` at its end is taken off.
    pub fn parse(given: &str) -> Result<Self, &'static str> {
        if given.len() > LONGEST {
            return Err("an address may have 2048 bytes");
        }
        if !given.bytes().all(|b| b.is_ascii_graphic()) {
            return Err("an address is of visible ASCII characters, without blanks");
        }
        if given.contains(['?', '#', '\\']) {
            return Err("an address has no `?`, no `#` and no `\\`");
        }
        let (_, rest) = scheme(given).ok_or("an address begins with `https://` or `http://`")?;
        let authority = rest.split('/').next().unwrap_or_default();
        if authority.contains('@') {
            return Err("an address holds no name and no password; a key has fields of its own");
        }
        host_and_port(authority)?;
        Ok(Self(given.trim_end_matches('/').to_owned()))
    }

    /// It, without `/` at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn origin(&self) -> Option<Origin> {
        origin(&self.0)
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Of an address that [`BaseUrl::parse`] would take.
pub(crate) fn origin(address: &str) -> Option<Origin> {
    let (https, rest) = scheme(address)?;
    let (host, port) = host_and_port(rest.split('/').next()?).ok()?;
    Some(Origin {
        https,
        host: host.to_ascii_lowercase(),
        port: port.unwrap_or(if https { 443 } else { 80 }),
    })
}

impl Origin {
    /// Whether what is sent there can be read on its way: no `https`, and another machine than this one.
    pub(crate) fn is_in_the_clear(&self) -> bool {
        let of_127 = self
            .host
            .strip_prefix("127.")
            .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
        !self.https && !of_127 && !matches!(self.host.as_str(), "localhost" | "[::1]")
    }
}

fn scheme(address: &str) -> Option<(bool, &str)> {
    let (scheme, rest) = address.split_once("://")?;
    match scheme.to_ascii_lowercase().as_str() {
        "https" => Some((true, rest)),
        "http" => Some((false, rest)),
        _ => None,
    }
}

fn host_and_port(authority: &str) -> Result<(&str, Option<u16>), &'static str> {
    const NO_HOST: &str = "an address names a host behind `://`";
    let (host, port) = if let Some(rest) = authority.strip_prefix('[') {
        let end = rest.find(']').ok_or(NO_HOST)?;
        if end == 0
            || !rest[..end]
                .bytes()
                .all(|b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.'))
        {
            return Err(NO_HOST);
        }
        (&authority[..end + 2], &rest[end + 1..])
    } else {
        let end = authority.find(':').unwrap_or(authority.len());
        let host = &authority[..end];
        let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
        if host.is_empty() || !host.bytes().all(fits) {
            return Err(NO_HOST);
        }
        (host, &authority[end..])
    };
    match port.strip_prefix(':') {
        None if port.is_empty() => Ok((host, None)),
        Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => match digits.parse() {
            Ok(0) | Err(_) => Err("a port is from 1 to 65535"),
            Ok(port) => Ok((host, Some(port))),
        },
        _ => Err(NO_HOST),
    }
}
