//! Putting a reply on a connection.

use std::io::{self, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::reply::{Body, Delivery, Reply};
use crate::seen::{Seen, Wire};
use crate::server::Shared;
use crate::{gzip, render};

/// Sends it. Whether the connection can serve another request.
pub(crate) fn send(stream: &mut TcpStream, reply: &Reply, seen: &Seen, shared: &Shared) -> io::Result<bool> {
    let wire = seen.wire.unwrap_or(Wire::OpenAi);
    if !reply.delay.is_zero() && shared.wait(reply.delay) {
        return Ok(false);
    }
    let mut out = Counted { stream, shared };
    match reply.delivery {
        Delivery::StallBeforeHeaders => {
            shared.wait_for_ever();
            return Ok(false);
        }
        Delivery::Reset => {
            socket2::SockRef::from(&*out.stream).set_linger(Some(Duration::ZERO))?;
            return Ok(false);
        }
        _ => {}
    }
    let bytes = match &reply.body {
        Body::Huge(bytes) => return huge(&mut out, reply, *bytes).map(|()| false),
        Body::Bomb(bytes) => gzip::bomb(HUGE_START, *bytes),
        body => said(body, reply.status, seen, wire),
    };
    let bytes = if matches!(reply.delivery, Delivery::Gzip) {
        gzip::stored(&bytes)
    } else {
        bytes
    };
    let length = if matches!(reply.delivery, Delivery::NeverCloses) {
        None
    } else {
        Some(bytes.len())
    };
    out.write_all(head(reply, length).as_bytes())?;
    match reply.delivery {
        Delivery::StallAfter(count) => {
            out.write_all(&bytes[..count.min(bytes.len())])?;
            shared.wait_for_ever();
        }
        Delivery::Drip(every) => {
            for byte in &bytes {
                if shared.wait(every) {
                    return Ok(false);
                }
                out.write_all(&[*byte])?;
            }
        }
        Delivery::Cut(count) => {
            out.write_all(&bytes[..count.min(bytes.len())])?;
            return Ok(false);
        }
        Delivery::NeverCloses => {
            out.write_all(&bytes)?;
            shared.wait_for_ever();
            return Ok(false);
        }
        _ => out.write_all(&bytes)?,
    }
    Ok(true)
}

fn said(body: &Body, status: u16, seen: &Seen, wire: Wire) -> Vec<u8> {
    let value = match body {
        Body::Answer(answer) => render::answer(answer, seen, wire),
        Body::CallOrText { call, text } => {
            let answer = if seen.offers(&call.name) {
                crate::Answer::calls(vec![call.clone()])
            } else {
                crate::Answer::text(text)
            };
            render::answer(&answer, seen, wire)
        }
        Body::NoChoices => render::no_choices(wire),
        Body::NullMessage => render::null_message(wire),
        Body::Error { code, message } => render::error(status, code, message, wire),
        Body::Events(answer) => return render::events(&render::answer(answer, seen, wire)).into_bytes(),
        Body::Verbatim(bytes) => return bytes.clone(),
        Body::Huge(_) | Body::Bomb(_) => unreachable!("made while it is sent"),
    };
    value.to_string().into_bytes()
}

fn head(reply: &Reply, length: Option<usize>) -> String {
    use std::fmt::Write as _;

    let mut head = format!("HTTP/1.1 {} {}\r\n", reply.status, reason(reply.status));
    write!(head, "Content-Type: {}\r\n", reply.content_type).unwrap();
    if let Some(length) = length {
        write!(head, "Content-Length: {length}\r\n").unwrap();
    }
    for (name, value) in &reply.headers {
        write!(head, "{name}: {value}\r\n").unwrap();
    }
    head.push_str("\r\n");
    head
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 | 302 | 303 | 307 | 308 => "Redirect",
        400..500 => "Client Error",
        500.. => "Server Error",
        _ => "Status",
    }
}

const HUGE_START: &[u8] = br#"{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":""#;

fn huge(out: &mut Counted<'_>, reply: &Reply, bytes: u64) -> io::Result<()> {
    out.write_all(head(reply, None).as_bytes())?;
    out.write_all(HUGE_START)?;
    let block = vec![b'a'; 64 * 1024];
    let mut left = bytes;
    while left > 0 {
        let now = usize::try_from(left.min(block.len() as u64)).unwrap();
        out.write_all(&block[..now])?;
        left -= now as u64;
    }
    out.write_all(br#""}}]}"#)
}

/// Counts what went out, so that a test can see how much a client took before it had enough.
struct Counted<'a> {
    stream: &'a mut TcpStream,
    shared: &'a Shared,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.stream.write(bytes)?;
        self.shared.sent(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
