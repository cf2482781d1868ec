//! Generated bindings of the snodo:plugin contract for the host, and the conversions to and from domain types
