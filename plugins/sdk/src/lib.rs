//! Write coders and validators for snodo-host in Rust
