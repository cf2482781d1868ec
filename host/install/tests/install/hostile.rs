//! What somebody planted, or a disk spoiled. Each attack has its control: with `std::fs` it works.

use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use snodo_admission::Digest;
use snodo_install::InstallError;

use crate::bed::{Bed, MODEL, MODEL_VALIDATOR, NONE, VALIDATOR, message, name, plugin};

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn private(path: &Path, text: &[u8]) {
    std::fs::write(path, text).unwrap();
    mode(path, 0o600);
}

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// An installed plugin `x`, its bytes and other bytes of the same length.
fn one() -> (Bed, Vec<u8>, Vec<u8>) {
    let bed = Bed::new();
    let (bytes, other) = (plugin(VALIDATOR, "1"), plugin(VALIDATOR, "2"));
    bed.add(&bytes, "x", NONE).unwrap();
    (bed, bytes, other)
}

#[test]
fn bytes_that_changed_while_installed_are_not_used() {
    let (bed, bytes, other) = one();
    let path = bed.stored(&bytes);
    private(&path, &other);
    // The control: a reader that goes by the name takes them.
    assert_eq!(std::fs::read(&path).unwrap(), other);
    let installed = bed.installed();
    assert_eq!(
        message(installed.find(&name("x"))),
        format!(
            "the installed plugin `x` cannot be used: its bytes are not what was installed: the record says {}, the stored file is {}; \
             `snodo-host plugin add FILE --as x` puts the bytes back, `snodo-host plugin remove x` removes the record",
            Digest::of(&bytes),
            Digest::of(&other)
        )
    );
    // One bit, a byte less, a byte more, nothing.
    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    private(&path, &flipped);
    assert!(message(installed.find(&name("x"))).contains("the stored file is sha256:"));
    private(&path, &bytes[1..]);
    assert!(message(installed.find(&name("x"))).contains(&format!(
        "the record says {} bytes, the stored file has {};",
        bytes.len(),
        bytes.len() - 1
    )));
    private(&path, &[&bytes[..], b"x"].concat());
    assert!(message(installed.find(&name("x"))).contains("bytes, the stored file has more;"));
    private(&path, b"");
    assert!(message(installed.find(&name("x"))).contains("the stored file has 0;"));
    // The way out that the message names.
    assert!(bed.add(&bytes, "x", NONE).unwrap().stored);
    assert_eq!(installed.find(&name("x")).unwrap().unwrap().bytes.bytes(), bytes);
}

#[test]
fn a_link_in_the_place_of_bytes_is_not_followed() {
    let (bed, bytes, _) = one();
    let path = bed.stored(&bytes);
    let outside = bed.root().join("outside.wasm");
    private(&outside, &bytes);
    std::fs::remove_file(&path).unwrap();
    symlink(&outside, &path).unwrap();
    assert_eq!(
        std::fs::read(&path).unwrap(),
        bytes,
        "the control: it would be followed"
    );
    let installed = bed.installed();
    assert!(message(installed.find(&name("x"))).contains("is a symbolic link, and has to be a file"));
    // Put back: the link goes, what it led to stays as it is.
    private(&outside, b"precious");
    bed.add(&bytes, "x", NONE).unwrap();
    assert!(std::fs::symlink_metadata(&path).unwrap().is_file());
    assert_eq!(std::fs::read(&outside).unwrap(), b"precious");
    assert!(installed.find(&name("x")).unwrap().is_some());
}

#[test]
fn a_link_in_the_place_of_a_record_is_not_followed() {
    let (bed, bytes, other) = one();
    let outside = bed.root().join("outside.toml");
    let text = std::fs::read(bed.record("x")).unwrap();
    private(&outside, &text);
    std::fs::remove_file(bed.record("x")).unwrap();
    symlink(&outside, bed.record("x")).unwrap();
    assert_eq!(std::fs::read(bed.record("x")).unwrap(), text, "the control");
    let installed = bed.installed();
    assert_eq!(
        message(installed.find(&name("x"))),
        "the install record of `x` cannot be used: `CONFIG/plugins/x.toml` is a symbolic link, and has to be a file: look at what it is, and move it away; \
         `snodo-host plugin add FILE --as x` writes it anew, `snodo-host plugin remove x` removes it"
    );
    assert!(installed.list().unwrap().plugins[0].record.is_err());
    // Written anew: over the link, not through it; and the bytes of no record that can be read are touched meanwhile.
    bed.add(&other, "x", NONE).unwrap();
    assert_eq!(std::fs::read(&outside).unwrap(), text);
    assert_eq!(installed.find(&name("x")).unwrap().unwrap().bytes.bytes(), other);
    assert!(!bed.stored(&bytes).exists());
    // Removed: the link, not what it leads to.
    std::fs::remove_file(bed.record("x")).unwrap();
    symlink(&outside, bed.record("x")).unwrap();
    installed.remove(&name("x")).unwrap();
    assert_eq!(std::fs::read(&outside).unwrap(), text);
}

#[test]
fn a_pipe_does_not_make_it_wait() {
    let (bed, bytes, _) = one();
    std::fs::remove_file(bed.record("x")).unwrap();
    fifo(&bed.record("x"));
    assert!(
        std::fs::symlink_metadata(bed.record("x"))
            .unwrap()
            .file_type()
            .is_fifo()
    );
    let installed = bed.installed();
    assert!(message(installed.find(&name("x"))).contains("is a named pipe (FIFO), and has to be a file"));
    assert!(installed.list().unwrap().plugins[0].record.is_err());
    bed.add(&bytes, "x", NONE).unwrap();
    assert!(installed.find(&name("x")).unwrap().is_some());
    // In the place of bytes, of what is written first, and of the locks.
    std::fs::remove_file(bed.stored(&bytes)).unwrap();
    fifo(&bed.stored(&bytes));
    assert!(message(installed.find(&name("x"))).contains("named pipe"));
    fifo(&bed.store().join(".incoming"));
    fifo(&bed.records().join(".incoming"));
    bed.add(&bytes, "x", NONE).unwrap();
    assert!(installed.find(&name("x")).unwrap().is_some());
    std::fs::remove_file(bed.records().join(".lock")).unwrap();
    fifo(&bed.records().join(".lock"));
    assert!(
        message(bed.add(&bytes, "x", NONE))
            .contains("`CONFIG/plugins/.lock` is a named pipe (FIFO), and has to be a file")
    );
}

#[test]
fn what_is_written_first_does_not_go_through_a_link() {
    let bed = Bed::new();
    let bytes = plugin(VALIDATOR, "1");
    bed.add(&plugin(VALIDATOR, "0"), "first", NONE).unwrap();
    let precious = bed.root().join("precious");
    private(&precious, b"precious");
    symlink(&precious, bed.store().join(".incoming")).unwrap();
    symlink(&precious, bed.records().join(".incoming")).unwrap();
    bed.add(&bytes, "x", NONE).unwrap();
    assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
    assert_eq!(bed.installed().find(&name("x")).unwrap().unwrap().bytes.bytes(), bytes);
    for lock in [bed.store().join(".lock"), bed.records().join(".lock")] {
        std::fs::remove_file(&lock).unwrap();
        symlink(&precious, &lock).unwrap();
        assert!(message(bed.add(&bytes, "x", NONE)).contains(".lock` is a symbolic link"));
        std::fs::remove_file(&lock).unwrap();
    }
    assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
}

#[test]
fn a_folder_in_the_place_of_a_file_is_told_and_left() {
    let (bed, bytes, _) = one();
    std::fs::remove_file(bed.record("x")).unwrap();
    std::fs::create_dir(bed.record("x")).unwrap();
    private(&bed.record("x").join("inside"), b"precious");
    for answer in [
        message(bed.installed().find(&name("x"))),
        message(bed.add(&bytes, "x", NONE)),
        message(bed.installed().remove(&name("x"))),
    ] {
        assert!(answer.contains("x.toml"), "{answer}");
    }
    assert!(bed.record("x").join("inside").exists());
    std::fs::remove_dir_all(bed.record("x")).unwrap();
    std::fs::remove_file(bed.stored(&bytes)).ok();
    std::fs::create_dir(bed.stored(&bytes)).unwrap();
    assert!(message(bed.add(&bytes, "x", NONE)).contains("is a folder, and has to be a file"));
    assert!(!bed.record("x").exists(), "no record without bytes");
}

#[test]
fn folders_and_records_that_others_can_write_are_not_believed() {
    let (bed, bytes, _) = one();
    let installed = bed.installed();
    for (path, shown, bits) in [
        (bed.records(), "CONFIG/plugins", 0o770),
        (bed.records(), "CONFIG/plugins", 0o702),
        (bed.record("x"), "CONFIG/plugins/x.toml", 0o620),
        (bed.record("x"), "CONFIG/plugins/x.toml", 0o666),
        (bed.store(), "STATE/plugins", 0o777),
        (bed.stored(&bytes), "STATE/plugins/", 0o660),
    ] {
        let right = std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        mode(&path, bits);
        let answer = message(installed.find(&name("x")));
        assert!(
            answer.contains(&format!("others can write to `{shown}"))
                && answer.contains(&format!("(its mode is {bits:04o})")),
            "{answer}"
        );
        assert!(answer.contains(&format!("`chmod go-w {shown}")), "{answer}");
        // Not put right behind the user's back.
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, bits);
        mode(&path, right);
        assert!(installed.find(&name("x")).unwrap().is_some(), "the control");
    }
    mode(&bed.records(), 0o770);
    assert!(message(bed.add(&bytes, "y", NONE)).contains("others can write"));
    assert!(installed.list().is_err() && installed.remove(&name("x")).is_err());
    mode(&bed.records(), 0o755);
    assert!(
        installed.find(&name("x")).unwrap().is_some(),
        "reading is nobody's harm"
    );
}

#[test]
fn what_belongs_to_somebody_else_is_not_believed() {
    if !rustix::process::geteuid().is_root() {
        // Only the system's administrator can give files away.
        return;
    }
    let (bed, bytes, _) = one();
    let installed = bed.installed();
    for path in [bed.records(), bed.record("x"), bed.store(), bed.stored(&bytes)] {
        std::os::unix::fs::chown(&path, Some(65_534), None).unwrap();
        let answer = message(installed.find(&name("x")));
        assert!(
            answer.contains("belongs to user 65534, not to the user 0 who runs this"),
            "{answer}"
        );
        std::os::unix::fs::chown(&path, Some(0), None).unwrap();
        assert!(installed.find(&name("x")).unwrap().is_some(), "the control");
    }
}

#[test]
fn a_folder_of_plugins_that_is_a_link_or_a_file_is_not_used() {
    let (bed, bytes, _) = one();
    let elsewhere = bed.root().join("elsewhere");
    std::fs::rename(bed.records(), &elsewhere).unwrap();
    symlink(&elsewhere, bed.records()).unwrap();
    assert!(bed.record("x").exists(), "the control");
    assert!(
        message(bed.installed().find(&name("x")))
            .contains("`CONFIG/plugins` is a symbolic link, and has to be a folder")
    );
    assert!(message(bed.add(&bytes, "y", NONE)).contains("is a symbolic link"));
    std::fs::remove_file(bed.records()).unwrap();
    private(&bed.records(), b"");
    assert!(message(bed.add(&bytes, "y", NONE)).contains("`CONFIG/plugins` is a file, and has to be a folder"));
}

#[test]
fn a_record_of_another_plugin_is_not_taken_for_this_one() {
    let bed = Bed::new();
    let bytes = plugin(MODEL_VALIDATOR, "1");
    bed.add(&bytes, "trusted", MODEL).unwrap();
    std::fs::copy(bed.record("trusted"), bed.record("x")).unwrap();
    let installed = bed.installed();
    assert!(
        message(installed.find(&name("x")))
            .contains("it is the record of a plugin `trusted`, and not of the one that the file is named for")
    );
    // Nothing is held by it.
    assert_eq!(installed.grants_for(&name("x"), NONE).unwrap(), NONE);
    assert!(installed.find(&name("trusted")).unwrap().is_some());
}

#[test]
fn a_damaged_record_is_told_with_its_place_and_takes_down_itself_alone() {
    let (bed, bytes, other) = one();
    bed.add(&other, "y", NONE).unwrap();
    let text = std::fs::read_to_string(bed.record("x")).unwrap();
    private(
        &bed.record("x"),
        text.replace("grants = []", "grants = [\"root\"]").as_bytes(),
    );
    let installed = bed.installed();
    let error = installed.find(&name("x")).unwrap_err();
    let InstallError::Record { fault, .. } = &error else {
        panic!("{error}")
    };
    let snodo_install::RecordFault::Damaged(file) = &**fault else {
        panic!("{fault}")
    };
    assert!(
        file.plain()
            .starts_with("CONFIG/plugins/x.toml:13:11: error[SCHEMA]: `grants[0]` cannot be `root`"),
        "{}",
        file.plain()
    );
    assert!(installed.find(&name("y")).unwrap().is_some());
    // Nothing is collected while it is not known what it names.
    assert_eq!(installed.remove(&name("y")).unwrap().freed, 0);
    assert!(bed.stored(&bytes).exists() && bed.stored(&other).exists());
    // Its removal collects both.
    assert_eq!(
        installed.remove(&name("x")).unwrap().freed,
        (bytes.len() + other.len()) as u64
    );
    for damage in ["", "format = 1\n", "\u{0}", "[["] {
        private(&bed.record("x"), damage.as_bytes());
        assert!(matches!(installed.find(&name("x")), Err(InstallError::Record { .. })));
        bed.add(&bytes, "x", NONE).unwrap();
        assert!(installed.find(&name("x")).unwrap().is_some());
    }
    private(&bed.record("x"), &vec![b'#'; 10 << 20]);
    assert!(message(installed.find(&name("x"))).contains("and is not what was written there"));
}
