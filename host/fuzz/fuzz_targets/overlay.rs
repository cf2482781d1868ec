//! The overlay: any calls over a small base, each of which has to come out as a plain model of it says.
#![no_main]

use arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use snodo_workspace::capability::Operation;

use model::{PATHS, Step, replay};

// The model and its base are those of the crate's own tests; not every part of them is used here.
#[allow(dead_code)]
#[path = "../../workspace/tests/overlay/model.rs"]
mod model;
#[allow(dead_code)]
#[path = "../../workspace/tests/overlay/world.rs"]
mod world;

fuzz_target!(|calls: Calls| replay(calls.0));

/// Longer runs find nothing that shorter ones do not, and cost more than they are worth.
const MOST_CALLS: usize = 40;
const MOST_OPERATIONS: u8 = 5;

#[derive(Debug)]
struct Calls(Vec<Step>);

impl<'a> Arbitrary<'a> for Calls {
    /// A byte for each choice and from the front only, so that a change of one byte changes one thing.
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mut steps = Vec::new();
        while !bytes.is_empty() && steps.len() < MOST_CALLS {
            let kind = bytes.int_in_range(0..=9)?;
            let many = if kind < 6 {
                1
            } else {
                bytes.int_in_range(1..=MOST_OPERATIONS)?
            };
            steps.push(if kind == 9 {
                Step::Withdraw((0..many).map(|_| path(bytes)).collect::<Result<_>>()?)
            } else {
                Step::Submit((0..many).map(|_| operation(bytes)).collect::<Result<_>>()?)
            });
        }
        Ok(Self(steps))
    }
}

/// One that the tests know to meet others, or one made of parts, which nobody thought of.
fn path(bytes: &mut Unstructured<'_>) -> Result<String> {
    const PARTS: [&str; 14] = [
        "a", "A", "b", "d", "D", "x", "X", "y", "dir", "k", "new", "link", "dirlink", "pipe",
    ];
    Ok(match bytes.int_in_range(0..=7)? {
        0..=5 => (*bytes.choose(PATHS)?).to_owned(),
        6 => format!("{}/{}", bytes.choose(&PARTS)?, bytes.choose(&PARTS)?),
        _ => format!(
            "{}/{}/{}",
            bytes.choose(&PARTS)?,
            bytes.choose(&PARTS)?,
            bytes.choose(&PARTS)?
        ),
    })
}

fn operation(bytes: &mut Unstructured<'_>) -> Result<Operation> {
    const TEXTS: [&str; 6] = ["A", "B", "dx", "#!", "1", ""];
    let kind = bytes.int_in_range(0..=9)?;
    let path = path(bytes)?;
    Ok(match kind {
        0..=2 => world::write(&path, bytes.choose(&TEXTS)?),
        3 => world::write_as(&path, bytes.choose(&TEXTS)?, bytes.arbitrary()?),
        4 | 5 => world::delete(&path),
        6..=8 => world::rename(&path, &self::path(bytes)?),
        _ => world::executable(&path, bytes.arbitrary()?),
    })
}
