//! Listings for programs.

use crate::bed::{Bed, MODEL, MODEL_VALIDATOR, NONE, VALIDATOR, plugin};

#[test]
fn a_listing_tells_programs_what_it_tells_people() {
    let bed = Bed::new();
    bed.add(&plugin(MODEL_VALIDATOR, "1"), "b", MODEL).unwrap();
    bed.add(&plugin(VALIDATOR, "1"), "a", NONE).unwrap();
    std::fs::write(bed.record("a"), "x").unwrap();
    let listing = bed.installed().list().unwrap();
    let json = serde_json::to_value(&listing.plugins).unwrap();
    assert_eq!(json[0]["name"], "a");
    assert!(json[0]["record"].is_null());
    assert_eq!(
        json[0]["error"],
        "the install record `CONFIG/plugins/a.toml` cannot be used: 1 fault"
    );
    assert_eq!(json[1]["record"]["role"], "validator");
    assert_eq!(json[1]["record"]["grants"]["model"], true);
    assert_eq!(json[1]["record"]["installed"], "2026-11-29T21:20:00Z");
    assert_eq!(json[1]["record"]["source"]["kind"], "file");
    assert!(json[1]["error"].is_null());
}
