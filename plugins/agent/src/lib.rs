//! a coder that lets a language model read, test and submit.
