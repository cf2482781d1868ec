//! A grant to the one plugin that a command is about, with and without its name.

use crate::support::{Sandbox, guest};

#[test]
fn its_own_name_may_stand_before_it_and_no_other() {
    let sandbox = Sandbox::new();
    let asker = guest("guest_asker");
    for (command, more) in [
        (&["inspect"][..], &[][..]),
        (&["conform"], &[]),
        (&["plugin", "add"], &["--yes", "--as", "guest_asker"]),
    ] {
        let with = |grant: &str| sandbox.call(&[command, &[&asker, "--grant", grant], more].concat());
        let other = with("guest_echo:model");
        assert_eq!(other.code, 64, "{command:?}: {other:#?}");
        assert!(
            other
                .stderr
                .contains("`guest_echo` is granted something, and this is about `guest_asker`"),
            "{command:?}: {other:#?}"
        );
        let unknown = with("guest_asker:network");
        assert!(
            unknown.code == 64 && unknown.stderr.contains("`model` or `runner`"),
            "{command:?}: {unknown:#?}"
        );
        if command != ["conform"] {
            for own in ["guest_asker:model", "model"] {
                let own = with(own);
                assert_eq!(own.code, 0, "{command:?}: {own:#?}");
            }
        }
    }
}
