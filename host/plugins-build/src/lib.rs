//! First-party plugins, compiled to components by the build and embedded
