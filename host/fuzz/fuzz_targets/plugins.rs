//! What files say of plugins, a repository's pins and the user's install records: whatever they hold, it is a value within its bounds
//! that is written and read back the same, or an error that is fit to be printed.
#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use snodo_config::install_record::{SOURCE_BYTES, load_install_record};
use snodo_config::pins::{MOST_PINS, Pins, load_pins, pins_text};

#[path = "../support/faults.rs"]
mod faults;
#[path = "../support/printed.rs"]
mod printed;

fuzz_target!(|data: &[u8]| {
    match load_pins("plugins.toml", data) {
        Ok(pins) => check(&pins),
        Err(error) => faults::check(error),
    }
    match load_install_record("x.toml", data) {
        Ok(record) => {
            assert!(record.size > 0 && record.source.text.len() <= SOURCE_BYTES);
            imports(&record.imports);
            printed::check_lines(&record.text(), 128 << 10);
            assert_eq!(
                load_install_record("x.toml", record.text().as_bytes()).ok(),
                Some(record)
            );
        }
        Err(error) => faults::check(error),
    }
});

fn check(pins: &Pins) {
    let names: BTreeSet<String> = pins.iter().map(|pin| pin.name.folds_like()).collect();
    assert_eq!(
        names.len(),
        pins.iter().count(),
        "no name twice, in whatever letter case"
    );
    assert!(names.len() <= MOST_PINS);
    for pin in pins {
        pin.imports.as_deref().into_iter().for_each(imports);
        assert_eq!(pins.get(&pin.name), Some(pin));
    }
    let text = pins_text(pins);
    printed::check_lines(&text, 128 << 10);
    let told = |pins: &Pins| {
        pins.iter()
            .map(|pin| (pin.name.clone(), pin.digest, pin.imports.clone(), pin.role))
            .collect::<Vec<_>>()
    };
    // What was written close to the size may be over it in our spelling.
    if let Ok(again) = load_pins("plugins.toml", text.as_bytes()) {
        assert_eq!(told(&again), told(pins));
    }
}

fn imports(imports: &[String]) {
    assert!(
        imports.len() <= 256 && imports.is_sorted() && imports.iter().collect::<BTreeSet<_>>().len() == imports.len()
    );
    assert!(
        imports
            .iter()
            .all(|i| !i.is_empty() && i.bytes().all(|b| b.is_ascii_graphic()))
    );
}
