//! The language model client.
