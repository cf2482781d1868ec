//! TOML as a tree of nodes with places, so that records are read from it as from YAML.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::fault::FaultKind;
use crate::node::{Entry, Node, Value};
use crate::place_index::PlaceIndex;
use crate::report::Log;

/// The document's root, or none with the faults in the log. The parser bounds nesting and refuses duplicate keys.
pub(crate) fn parse(text: &str, log: &mut Log) -> Option<Node> {
    let (root, errors) = DeTable::parse_recoverable(text);
    let index = PlaceIndex::new(text);
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        let place = index.place(span.start, span.len());
        log.fault(place, || FaultKind::Syntax {
            format: "TOML",
            message: error.message().to_owned(),
        });
    }
    errors
        .is_empty()
        .then(|| table(text, &index, root.span().start, root.get_ref()))
}

fn table(text: &str, index: &PlaceIndex<'_>, start: usize, table: &DeTable<'_>) -> Node {
    let mut entries: Vec<Entry> = Vec::new();
    for (key, value) in table {
        let place = index.place(key.span().start, key.span().len());
        let key = Node {
            place,
            value: Value::Text(key.get_ref().to_string()),
        };
        entries.push(Entry {
            key,
            value: node(text, index, value),
        });
    }
    entries.sort_by_key(|entry| entry.key.place.offset);
    Node {
        place: index.place(start, 0),
        value: Value::Map(entries),
    }
}

fn node(text: &str, index: &PlaceIndex<'_>, given: &Spanned<DeValue<'_>>) -> Node {
    let span = given.span();
    let value = match given.get_ref() {
        DeValue::String(s) => Value::Text(s.to_string()),
        DeValue::Integer(i) => match i64::from_str_radix(&i.as_str().replace('_', ""), i.radix()) {
            Ok(n) => Value::Int(n),
            Err(_) => Value::BigInt(i.to_string()),
        },
        DeValue::Float(f) => match f.as_str().replace('_', "").parse() {
            Ok(n) => Value::Float(n),
            Err(_) => Value::Float(f64::NAN),
        },
        DeValue::Boolean(b) => Value::Bool(*b),
        DeValue::Datetime(d) => Value::Timestamp(d.to_string()),
        DeValue::Array(items) => Value::List(items.iter().map(|item| node(text, index, item)).collect()),
        DeValue::Table(fields) => return table(text, index, span.start, fields),
    };
    // A text of several lines is labelled on its first.
    let length = text
        .get(span.clone())
        .map_or(0, |range| range.lines().next().unwrap_or("").len());
    Node {
        place: index.place(span.start, length),
        value,
    }
}
