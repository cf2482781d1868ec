//! A repository's pins against what would be used.

use snodo_admission::Digest;
use snodo_config::pins::{Pins, load_pins, pin_text};
use snodo_install::{Candidate, Origin, check_pin, pin_of};

use crate::bed::{Bed, MODEL, MODEL_VALIDATOR, NONE, VALIDATOR, admitted, name, plugin};

fn pins(text: &str) -> Pins {
    load_pins(".snodo/plugins.toml", text.as_bytes()).unwrap()
}

#[test]
fn what_is_pinned_passes_and_what_is_not_pinned_is_free() {
    let bytes = plugin(VALIDATOR, "1");
    let seen = admitted(&bytes, "reviewer", NONE);
    for origin in [Origin::Installed, Origin::File, Origin::BuiltIn] {
        let candidate = Candidate::of(&seen, origin);
        let text = pin_text(&pin_of(&candidate));
        check_pin(&pins(&text), &candidate).unwrap();
        check_pin(&Pins::none(), &candidate).unwrap();
        // A digest alone says all.
        let digest = format!("[[plugin]]\nname = \"reviewer\"\ndigest = \"{}\"\n", Digest::of(&bytes));
        check_pin(&pins(&digest), &candidate).unwrap();
    }
    let bed = Bed::new();
    bed.add(&bytes, "reviewer", NONE).unwrap();
    let record = bed.installed().show(&name("reviewer")).unwrap();
    assert_eq!(Candidate::of_record(&record), Candidate::of(&seen, Origin::Installed));
}

#[test]
fn a_difference_is_listed_with_the_command_that_accepts_it() {
    let (one, two) = (plugin(VALIDATOR, "1"), plugin(MODEL_VALIDATOR, "2"));
    let pinned = Candidate::of(&admitted(&one, "reviewer", NONE), Origin::Installed);
    let text = format!("# ours\n\n{}", pin_text(&pin_of(&pinned)));
    let found = Candidate::of(&admitted(&two, "reviewer", MODEL), Origin::Installed);
    let refusal = check_pin(&pins(&text), &found).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        format!(
            "the plugin `reviewer` is not the one that this repository pins (`.snodo/plugins.toml`, line 4); pinned -> found:\n  \
             digest: {} -> {}\n  \
             import added: `snodo:plugin/completion@0.1.0`\n  \
             hint: install the one that was pinned with `snodo-host plugin add FILE --as reviewer`; `snodo-host plugin pin reviewer` pins the one that was found",
            Digest::of(&one),
            Digest::of(&two)
        )
    );
    assert_eq!(refusal.accept, "snodo-host plugin pin reviewer");
    let json = serde_json::to_value(&refusal).unwrap();
    assert_eq!(json["difference"]["imports_added"][0], "snodo:plugin/completion@0.1.0");
    // In any spelling of the name, from any place.
    for (called, origin, hint) in [
        ("Reviewer", Origin::File, "give the file that was pinned"),
        ("REVIEWER", Origin::BuiltIn, "its bytes change with the host's version"),
    ] {
        let found = Candidate::of(&admitted(&two, called, MODEL), origin);
        assert!(check_pin(&pins(&text), &found).unwrap_err().to_string().contains(hint));
    }
    // Accepted by what the command writes, in the place of the old pin.
    let accepted = pins(&text).with(pin_of(&found));
    check_pin(&accepted, &found).unwrap();
    assert_eq!(accepted.iter().count(), 1);
}

#[test]
fn imports_and_role_are_held_against_it_too() {
    let bytes = plugin(VALIDATOR, "1");
    let found = Candidate::of(&admitted(&bytes, "reviewer", NONE), Origin::Installed);
    let digest = Digest::of(&bytes);
    let refused = |more: &str| {
        let text = format!("[[plugin]]\nname = \"reviewer\"\ndigest = \"{digest}\"\n{more}\n");
        check_pin(&pins(&text), &found).unwrap_err().difference.lines()
    };
    assert_eq!(refused("role = \"coder\""), ["role: coder -> validator"]);
    assert_eq!(
        refused(
            "imports = [\"snodo:plugin/read@0.1.0\", \"snodo:plugin/search@0.1.0\", \"snodo:plugin/types@0.1.0\", \"snodo:plugin/change@0.1.9\"]"
        ),
        ["import in another version: `snodo:plugin/change@0.1.9` -> `snodo:plugin/change@0.1.0`"]
    );
    assert_eq!(refused("imports = []").len(), 4);
}

#[test]
fn a_pin_never_gives_anything() {
    // Two pins that say the same of the plugin: what is admitted with them is what is admitted without.
    let bytes = plugin(MODEL_VALIDATOR, "1");
    let bed = Bed::new();
    let found = Candidate::of(&admitted(&bytes, "reviewer", MODEL), Origin::Installed);
    let text = pin_text(&pin_of(&found));
    assert!(!text.contains("grant"));
    check_pin(&pins(&text), &found).unwrap();
    // Installing asks for the grant all the same.
    let installed = bed.installed();
    assert_eq!(installed.grants_for(&name("reviewer"), NONE).unwrap(), NONE);
}
