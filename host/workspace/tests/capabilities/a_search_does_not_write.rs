use snodo_workspace::capability::Search;

fn write(search: &dyn Search) {
    search.submit_files(Vec::new());
}

fn main() {
    let _ = write;
}
