//! Protocols for tests.

/// A protocol of one mode, `work`, with `secrets` after the coder and the guest judge before it; what is added goes to the root.
pub fn simple(added: &str) -> String {
    format!(
        "protocol_id: simple\nname: Simple\ninitial_mode: work\n\
         modes:\n  - mode_id: work\n    name: Work\n    validators: [look]\n\
         validators:\n  - validator_id: look\n    validator_type: secrets\n    evaluation_phase: post_execute\n{added}"
    )
}
