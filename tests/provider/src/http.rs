//! Requests off a connection.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;

/// A request's method, target, headers and body.
pub(crate) type Request = (String, String, Vec<(String, String)>, Vec<u8>);

/// The next request; none when the client has closed.
pub(crate) fn next(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let first = line(reader)?;
    let mut words = first.split(' ');
    let method = words.next()?.to_owned();
    let target = words.next()?.to_owned();
    let mut headers = Vec::new();
    loop {
        let line = line(reader)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let find = |name: &str| {
        headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    };
    let mut body = Vec::new();
    if find("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        loop {
            let size = usize::from_str_radix(line(reader)?.split(';').next()?.trim(), 16).ok()?;
            let start = body.len();
            body.resize(start + size, 0);
            reader.read_exact(&mut body[start..]).ok()?;
            line(reader)?;
            if size == 0 {
                break;
            }
        }
    } else if let Some(length) = find("content-length") {
        body.resize(length.parse().ok()?, 0);
        reader.read_exact(&mut body).ok()?;
    }
    Some((method, target, headers, body))
}

fn line(reader: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    let read = reader.read_line(&mut line).ok()?;
    (read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
}
