use snodo_workspace::path::WorkspacePath;

fn main() {
    let _ = WorkspacePath("../outside".to_owned());
}
