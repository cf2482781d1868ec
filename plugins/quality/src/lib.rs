//! First-party plugin: quality
