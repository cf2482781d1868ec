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
use crate::source::{CharIndex, Place, place_at};

use compose::Composer;

/// How deep values may be nested. snodo's deepest field is at five; free maps get the rest.
const DEPTH: usize = 64;

/// How many bytes aliases may add to a file, all together. The file itself is capped, so this is what keeps "a
/// billion laughs" from filling memory. A value counts for its text and a constant.
const ALIAS_BYTES: usize = 1 << 20;

/// The document's root, or none with the faults in the log. An empty document is nothing
/// ([`crate::node::Value::Null`]).
pub(crate) fn parse(text: &str, log: &mut Log) -> Option<Node> {
    if let Some(place) = directive(text) {
        log.fault(place, || FaultKind::Directive);
        return None;
    }
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

/// The first directive of another kind than `%YAML 1.x`. Tags have no use here, and the parser passes over what it does
/// not know.
fn directive(text: &str) -> Option<Place> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with('%') {
            if !line.starts_with("%YAML 1.") {
                return Some(place_at(text, at, line.trim_end().len()));
            }
        } else if !(line.trim().is_empty() || line.trim_start().starts_with('#')) {
            return None;
        }
        at += line.len();
    }
    None
}

fn syntax(text: &str, index: &CharIndex<'_>, error: &ScanError) -> (Place, FaultKind) {
    let offset = index.byte(error.marker().index());
    // At the end of the text something is missing: right behind what is there.
    let offset = if offset < text.len() {
        offset
    } else {
        text.trim_end().len()
    };
    let place = place_at(text, offset, 0);
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
    if let Some(tab) = tab.or_else(|| {
        text[near..]
            .char_indices()
            .take(2)
            .find(|(_, c)| *c == '\t')
            .map(|(at, _)| near + at)
    }) {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test fails by panicking

    use saphyr_parser::{Event, Parser, ScalarStyle};

    use crate::source::CharIndex;

    /// Everything that is said of places rests on the parser's character indexes.
    #[test]
    fn the_parser_counts_characters_as_we_do() {
        let texts = [
            include_str!("../../tests/protocols/full.yml").to_owned(),
            include_str!("../../tests/protocols/faulty.yml").replace('\n', "\r\n"),
            "%YAML 1.1\n---\n# žluť 🦀\nklíč: [日本, \"a\\u00e9\", 'b''c', {x: y}]\nb: |\n  té\n\n  xt\nc: &a !!str d\ne: *a\n".to_owned(),
        ];
        for text in texts {
            let index = CharIndex::new(&text);
            let mut seen = 0;
            for event in Parser::new_from_str(&text) {
                let (event, span) = event.unwrap();
                let (start, end) = (index.byte(span.start.index()), index.byte(span.end.index()));
                if let Event::Scalar(value, ScalarStyle::Plain, ..) = event {
                    assert!(
                        text[start..end].ends_with(&*value),
                        "{value:?} is not at {:?}",
                        &text[start..end]
                    );
                    seen += 1;
                }
            }
            assert!(seen > 5);
        }
    }
}
