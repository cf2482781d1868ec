//! snodo-host.
