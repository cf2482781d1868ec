//! protocol.yml and the user's configuration: load, check, resolve
