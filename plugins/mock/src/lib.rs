//! First-party plugin: mock
