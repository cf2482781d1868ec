//! First-party plugin: secrets
