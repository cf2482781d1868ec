//! judges whether a change does what the task asks, with a language model.
