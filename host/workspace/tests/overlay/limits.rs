//! The bounds of a submission.

use snodo_workspace::capability::{SubmitError, SubmitRefusal};
use snodo_workspace::limits::SubmitLimits;

use crate::world::{World, delete, rename, write};

const SMALL: SubmitLimits = SubmitLimits {
    file_bytes: 10,
    total_bytes: 25,
    call_operations: 4,
    pending_paths: 5,
};

fn limit(error: SubmitError) -> (&'static str, u64) {
    match error {
        SubmitError::Limit(limit) => (limit.name, limit.allowed),
        SubmitError::Rejected(rejected) => panic!("{rejected}"),
    }
}

#[test]
fn a_file_a_call_and_the_whole_are_bounded() {
    let world = World::with(|_| {}, SMALL);
    let (index, reason) = world.refused([write("x", "ok"), write("y", "12345678901")]);
    assert_eq!(
        (index, reason),
        (
            1,
            SubmitRefusal::TooLarge {
                path: "y".to_owned(),
                size: 11,
                limit: 10
            }
        )
    );
    let many = (0..5).map(|n| write(&format!("f{n}"), ""));
    assert_eq!(limit(world.submit(many).unwrap_err()), ("submit-operations", 4));
    let full = ["1", "2", "3"].map(|n| write(n, "123456789"));
    assert_eq!(limit(world.submit(full).unwrap_err()), ("submit-bytes", 25));
    assert!(world.pending().is_empty());
    let fits = ["1", "2"].map(|n| write(n, "1234567890"));
    world.submit(fits).unwrap();
    // What is replaced is not counted twice, and what is withdrawn not at all.
    world.submit([write("1", "0987654321"), write("3", "12345")]).unwrap();
    assert_eq!(
        limit(world.submit([write("4", "1")]).unwrap_err()),
        ("submit-bytes", 25)
    );
    world.submit([delete("3")]).unwrap();
    world.submit([write("4", "1")]).unwrap();
    world
        .overlay
        .withdraw(&["1".to_owned(), "2".to_owned(), "4".to_owned()])
        .unwrap();
    world.submit(["5", "6"].map(|n| write(n, "1234567890"))).unwrap();
    // Paths: a rename has two, a deletion one.
    world.submit([rename("a", "a2")]).unwrap();
    assert_eq!(
        limit(world.submit([delete("b"), delete("d/x")]).unwrap_err()),
        ("submit-paths", 5)
    );
    world.submit([delete("b")]).unwrap();
    assert_eq!(world.pending().len(), 5);
    let many: Vec<String> = (0..5).map(|n| n.to_string()).collect();
    assert_eq!(
        limit(world.overlay.withdraw(&many).unwrap_err()),
        ("submit-operations", 4)
    );
}
