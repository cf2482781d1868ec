//! First-party plugin: scope
