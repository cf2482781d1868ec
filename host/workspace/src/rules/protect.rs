//! Protected names and paths.
