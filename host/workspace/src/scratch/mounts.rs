//! What is mounted below a folder.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The mounts strictly below a path, by the text of `/proc/self/mountinfo`, in its order. An overlay whose lower layer is that path shows them as
/// empty folders, so a workspace with one has to be copied.
///
/// Lines that are none are passed over. In the text, space, tab, line feed and backslash of a path are written as three octal digits
/// (`proc_pid_mountinfo(5)`).
pub fn mounts_below(root: &Path, mountinfo: &str) -> Vec<PathBuf> {
    mountinfo
        .lines()
        .filter_map(|line| line.split(' ').nth(4))
        .map(|field| PathBuf::from(unescaped(field)))
        .filter(|point| point != root && point.starts_with(root))
        .collect()
}

fn unescaped(field: &str) -> OsString {
    let bytes = field.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = (byte == b'\\').then(|| octal(bytes.get(at + 1..at + 4)?)).flatten();
        plain.push(code.unwrap_or(byte));
        at += if code.is_some() { 4 } else { 1 };
    }
    os_string(plain)
}

fn octal(digits: &[u8]) -> Option<u8> {
    digits.iter().try_fold(0_u8, |value, digit| match digit {
        b'0'..=b'7' => value.checked_mul(8)?.checked_add(digit - b'0'),
        _ => None,
    })
}

#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::mounts_below;

    const TEXT: &str = "\
21 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 21 0:5 / /srv/project rw - tmpfs tmpfs rw
31 21 0:6 / /srv/project/node\\040modules/\\134x\\012y rw - tmpfs tmpfs rw
32 21 0:7 / /srv/projects/other rw - tmpfs tmpfs rw
33 21 0:8 / /srv/project/target rw shared:1 master:2 - ext4 /dev/vdb rw
34 21 0:9 / /srv/project/bad\\09\\400\\1 rw - tmpfs tmpfs rw
no line

";

    #[test]
    fn only_what_lies_strictly_below_counts() {
        let expected = [
            "/srv/project/node modules/\\x\ny",
            "/srv/project/target",
            "/srv/project/bad\\09\\400\\1",
        ];
        assert_eq!(
            mounts_below(Path::new("/srv/project"), TEXT),
            expected.map(PathBuf::from)
        );
        assert_eq!(mounts_below(Path::new("/work/pro"), TEXT), Vec::<PathBuf>::new());
        assert_eq!(mounts_below(Path::new("/"), TEXT).len(), 5);
    }
}
