//! A task's identity.

/// `task_` and the first 12 hex digits of the SHA-256 of the text's UTF-8: the id that snodo gives the same task.
pub fn task_id(spec: &str) -> String {
    let digest = snodo_admission::Digest::of(spec.as_bytes()).hex();
    format!("task_{}", &digest[..12])
}

#[cfg(test)]
mod tests {
    #[test]
    fn ids_are_snodos() {
        assert_eq!(super::task_id("one"), "task_7692c3ad3540");
        assert_eq!(super::task_id("日本語 の 仕様"), "task_79db991a2a20");
    }
}
