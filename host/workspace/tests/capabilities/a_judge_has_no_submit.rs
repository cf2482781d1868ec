use snodo_workspace::capability::JudgeCapabilities;

fn judge(capabilities: &JudgeCapabilities) {
    let _ = capabilities.submit.withdraw(&[]);
}

fn main() {
    let _ = judge;
}
