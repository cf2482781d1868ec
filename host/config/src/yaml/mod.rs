//! YAML as snodo reads it (PyYAML's safe loader, YAML 1.1), from the events of a YAML 1.2 parser.
//!
//! The parser does the grammar and the places; here events become a tree: anchors and aliases under a budget, merge
//! keys, duplicate keys (the last one counts, with a warning), scalars by YAML 1.1's rules ([`scalar`]), and refused
//! by name: further documents, tags of other types, nesting without end, tabs between tokens ([`tabs`]).

mod compose;
mod scalar;
mod tabs;

use saphyr_parser::{Parser, ScanError};

use crate::fault::FaultKind;
use crate::node::Node;
use crate::report::Log;
use crate::source::{CharIndex, Place, place_at, small};

use compose::Composer;

/// How deep values may be nested. snodo's deepest field is at five; free maps get the rest.
const DEPTH: usize = 64;

/// How many bytes aliases may add to a file, all together. The file itself is capped, so this is what keeps "a
/// billion laughs" from filling memory. A value counts for its text and a constant.
const ALIAS_BYTES: usize = 1 << 20;

/// The document's root, or none with the faults in the log. An empty document is nothing
/// ([`crate::node::Value::Null`]).
pub(crate) fn parse(text: &str, log: &mut Log) -> Option<Node> {
    let index = CharIndex::new(text);
    let mut composer = Composer::new(text, &index, log);
    let mut tabs = tabs::Tabs::new(text);
    for event in Parser::new_from_str(text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                let (place, kind) = syntax(text, &index, &error);
                log.fault(place, || kind);
                return None;
            }
        };
        tabs.pass(&event, index.byte(span.start.index()), index.byte(span.end.index()));
        if composer.take(event, span).is_err() {
            return None;
        }
    }
    let root = composer.into_root();
    if let Some(place) = tabs.first() {
        log.fault(place, || FaultKind::Tab);
        return None;
    }
    // No document at all is nothing, as an empty one is.
    Some(root.unwrap_or(Node {
        place: Place::START,
        value: crate::node::Value::Null,
    }))
}

fn syntax(text: &str, index: &CharIndex<'_>, error: &ScanError) -> (Place, FaultKind) {
    let marker = error.marker();
    let offset = index.byte(marker.index());
    let place = Place {
        line: small(marker.line()),
        column: small(marker.col() + 1),
        offset: small(offset),
        length: 0,
    };
    // The commonest cause, which the parser names in other words: a tab in the indentation, or where it stopped.
    let line_start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[line_start..];
    let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
    let near = text.floor_char_boundary(offset.saturating_sub(1));
    let tab = line[..indent].find('\t').map(|at| line_start + at);
    let tab = tab.or_else(|| {
        let named = error.info().contains("tab").then(|| text[offset..].find('\t'));
        named.flatten().map(|at| offset + at)
    });
    if let Some(tab) = tab.or_else(|| text[near..].chars().take(2).position(|c| c == '\t').map(|at| near + at)) {
        return (place_at(text, tab, 1), FaultKind::Tab);
    }
    // The scanner's own bound on nesting, which it can reach before the first event arrives here.
    if error.info().contains("recursion limit") {
        return (place, FaultKind::TooDeep { allowed: DEPTH });
    }
    (
        place,
        FaultKind::Syntax {
            format: "YAML",
            message: error.info().to_owned(),
        },
    )
}
