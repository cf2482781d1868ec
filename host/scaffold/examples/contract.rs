//! Prints `docs/authors/contract.md`: `cargo run -p snodo-scaffold --example contract > docs/authors/contract.md`.
#![allow(clippy::print_stdout, reason = "printing is all that it does")]

fn main() {
    print!("{}", snodo_scaffold::contract_reference());
}
