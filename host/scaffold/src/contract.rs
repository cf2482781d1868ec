//! placeholder
/// The contract.
pub fn contract_reference() -> String {
    String::new()
}
