use snodo_workspace::capability::Read;

fn write(read: &dyn Read) {
    read.submit_files(Vec::new());
    read.write_file("a", "b");
}

fn main() {
    let _ = write;
}
