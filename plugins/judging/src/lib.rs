//! What the first-party judges have in common.
