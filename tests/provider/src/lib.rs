//! A language model provider for tests.
