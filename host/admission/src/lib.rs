//! What a plugin file is, which role and imports it has, and whether it may run: read off its type, before any of it is compiled
