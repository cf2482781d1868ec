//! judges whether a task fits the protocol's modes, with a language model.
