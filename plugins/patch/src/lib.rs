//! First-party plugin: patch
