//! A task's identity.

use sha2::{Digest as _, Sha256};

/// `task_` and the first 12 hex digits of the SHA-256 of the text's UTF-8: the id that snodo gives the same task.
pub fn task_id(spec: &str) -> String {
    let digest = Sha256::digest(spec.as_bytes());
    let hex: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("task_{hex}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn ids_are_snodos() {
        assert_eq!(super::task_id("one"), "task_7692c3ad3540");
        assert_eq!(super::task_id("日本語 の 仕様"), "task_79db991a2a20");
    }
}
