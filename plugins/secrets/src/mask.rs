//! Shows a value without giving it away, and takes values out of text that is put out.

use snodo_plugin::prelude::*;

use crate::scan::Scanner;

/// At most this many characters of a value are shown: enough to tell two keys apart, as most start with their kind.
const SHOWN: usize = 4;

/// The first characters of a value, at most four and at most a quarter of it, and `…` for the rest.
pub(crate) fn value(value: &str) -> String {
    let shown = SHOWN.min(value.chars().count() / 4);
    value.chars().take(shown).chain(['…']).collect()
}

/// A text with every value in it masked, for what quotes names that the change chose.
pub(crate) fn text(scanner: &Scanner, text: &str) -> String {
    let mut hits = scanner.line(text);
    hits.sort_by_key(|hit| hit.start);
    let mut masked = String::new();
    let mut from = 0;
    for hit in hits {
        masked.push_str(&text[from..hit.start]);
        masked.push_str(&value(&hit.value));
        from = hit.start + hit.value.len();
    }
    masked.push_str(&text[from..]);
    masked
}

/// A fault with every value in its words masked: it may quote a path, and a path may hold one.
pub(crate) fn fault(scanner: &Scanner, fault: Fault) -> Fault {
    match fault {
        Fault::Model(words) => Fault::Model(text(scanner, &words)),
        Fault::Runner(words) => Fault::Runner(text(scanner, &words)),
        Fault::IncompleteView(words) => Fault::IncompleteView(text(scanner, &words)),
        Fault::Setting(words) => Fault::Setting(text(scanner, &words)),
        Fault::Internal(words) => Fault::Internal(text(scanner, &words)),
        limit @ Fault::Limit(_) => limit,
    }
}
