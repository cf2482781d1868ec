//! judges by criteria, with a language model.
