//! Events to a tree.

use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, ScalarStyle, Span, Tag};

use super::scalar::{self, Resolved};
use super::{ALIAS_BYTES, DEPTH};
use crate::fault::FaultKind;
use crate::node::{Entry, Node, Value};
use crate::report::Log;
use crate::source::{CharIndex, Place, small};
use crate::warning::WarningKind;

/// What a value counts for in the alias budget, beside its text: about what it takes in memory.
const NODE_BYTES: usize = 64;

/// The file cannot be read further; why is in the log.
pub(super) struct Stop;

/// A node that is complete, with what later rules need to know of it.
#[derive(Clone)]
struct Item {
    node: Node,
    sign: Sign,
    /// Levels of nesting in it; 0 for a scalar.
    height: usize,
    /// Its size for the alias budget.
    bytes: usize,
}

/// Whether a plain scalar is one of YAML 1.1's signs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    None,
    Merge,
    Default,
}

enum Content {
    List(Vec<Node>),
    Map {
        entries: Vec<(Item, Node)>,
        key: Option<Item>,
    },
}

struct Frame {
    place: Place,
    anchor: usize,
    content: Content,
    height: usize,
    bytes: usize,
}

pub(super) struct Composer<'a, 't> {
    text: &'t str,
    index: &'a CharIndex<'t>,
    log: &'a mut Log,
    frames: Vec<Frame>,
    anchors: HashMap<usize, Item>,
    names: HashSet<&'t str>,
    aliased: usize,
    documents: usize,
    root: Option<Node>,
}

impl<'a, 't> Composer<'a, 't> {
    pub(super) fn new(text: &'t str, index: &'a CharIndex<'t>, log: &'a mut Log) -> Self {
        Self {
            text,
            index,
            log,
            frames: Vec::new(),
            anchors: HashMap::new(),
            names: HashSet::new(),
            aliased: 0,
            documents: 0,
            root: None,
        }
    }

    pub(super) fn into_root(self) -> Option<Node> {
        self.root
    }

    pub(super) fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Stop> {
        let place = self.place(span);
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return self.stop(place, FaultKind::SeveralDocuments);
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.name_anchor(anchor, place)?;
                if style == ScalarStyle::Plain {
                    self.plain(&text, place)?;
                }
                let bytes = NODE_BYTES + text.len();
                let (value, sign) = self.scalar(&text, style, tag.as_deref(), place)?;
                let item = Item {
                    node: Node { place, value },
                    sign,
                    height: 0,
                    bytes,
                };
                self.complete(item, anchor)?;
            }
            Event::Alias(anchor) => self.alias(anchor, place)?,
            Event::SequenceStart(anchor, tag) => {
                self.open(anchor, tag.as_deref(), "seq", place, Content::List(Vec::new()))?;
            }
            Event::MappingStart(anchor, tag) => {
                self.open(
                    anchor,
                    tag.as_deref(),
                    "map",
                    place,
                    Content::Map {
                        entries: Vec::new(),
                        key: None,
                    },
                )?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close()?,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn place(&self, span: Span) -> Place {
        let (start, end) = (self.index.byte(span.start.index()), self.index.byte(span.end.index()));
        // A block text's range runs to the line behind it; a label on its first line says enough.
        let range = self.text.get(start..end).unwrap_or("");
        let length = range.lines().next().unwrap_or("").trim_end().len();
        Place {
            length: small(length),
            ..self.index.place(span.start.index())
        }
    }

    fn stop(&mut self, place: Place, kind: FaultKind) -> Result<(), Stop> {
        self.log.fault(place, || kind);
        Err(Stop)
    }

    /// Two rules of PyYAML's that the parser does not have: an anchor is set once, and its name is of letters, digits,
    /// `-` and `_` (so that `&c: d` is not an anchor `c:`).
    fn name_anchor(&mut self, anchor: usize, place: Place) -> Result<(), Stop> {
        if anchor == 0 {
            return Ok(());
        }
        let from = &self.text[place.offset as usize..];
        // The range begins with the anchor, or with the tag before it.
        let named = if from.starts_with('&') {
            Some(from)
        } else {
            from.find([' ', '\t', '\n']).map(|end| from[end..].trim_start())
        };
        let Some(name) = named.and_then(|s| s.strip_prefix('&')) else {
            return Ok(());
        };
        let end = name.find(|c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | '{' | '}'));
        let name = &name[..end.unwrap_or(name.len())];
        if !name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        {
            return self.stop(place, FaultKind::AnchorName { name: name.to_owned() });
        }
        if !self.names.insert(name) {
            return self.stop(place, FaultKind::DuplicateAnchor { name: name.to_owned() });
        }
        Ok(())
    }

    /// Plain scalars that YAML 1.1's readers take for something else, or refuse.
    fn plain(&mut self, text: &str, place: Place) -> Result<(), Stop> {
        let is_key = self.expects_key();
        if is_key && text.is_empty() {
            return self.stop(place, FaultKind::EmptyKey);
        }
        if text.starts_with(['>', '|', '%', '@', '`']) || (is_key && text.starts_with([':', '?'])) {
            return self.stop(place, FaultKind::BeginsWithSign { text: text.to_owned() });
        }
        Ok(())
    }

    fn open(
        &mut self,
        anchor: usize,
        tag: Option<&Tag>,
        plain: &'static str,
        place: Place,
        content: Content,
    ) -> Result<(), Stop> {
        self.name_anchor(anchor, place)?;
        if let Some(tag) = tag
            && !is_unspecific(tag)
            && !(tag.is_yaml_core_schema() && tag.suffix == plain)
        {
            return self.stop(place, FaultKind::Tag { tag: tag_text(tag) });
        }
        if self.frames.len() >= DEPTH {
            return self.stop(place, FaultKind::TooDeep { allowed: DEPTH });
        }
        self.frames.push(Frame {
            place,
            anchor,
            content,
            height: 0,
            bytes: NODE_BYTES,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Stop> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        let value = match frame.content {
            Content::List(items) => Value::List(items),
            Content::Map { entries, .. } => Value::Map(self.map(entries)?),
        };
        let item = Item {
            node: Node {
                place: frame.place,
                value,
            },
            sign: Sign::None,
            height: frame.height + 1,
            bytes: frame.bytes,
        };
        self.complete(item, frame.anchor)
    }

    fn alias(&mut self, anchor: usize, place: Place) -> Result<(), Stop> {
        // The parser has refused anchors that do not exist, so one without a value is still open.
        let Some(item) = self.anchors.get(&anchor) else {
            return self.stop(place, FaultKind::AliasLoop);
        };
        self.aliased += item.bytes;
        if self.aliased > ALIAS_BYTES {
            return self.stop(place, FaultKind::AliasBudget { allowed: ALIAS_BYTES });
        }
        if self.frames.len() + item.height > DEPTH {
            return self.stop(place, FaultKind::TooDeep { allowed: DEPTH });
        }
        let mut item = item.clone();
        // The alias is what is wrong here, not what it stands for.
        item.node.place = place;
        self.complete(item, 0)
    }

    /// A complete node goes to where it belongs.
    fn complete(&mut self, item: Item, anchor: usize) -> Result<(), Stop> {
        let place = item.node.place;
        let is_key = self.expects_key();
        let misplaced = match item.sign {
            _ if is_key && matches!(item.node.value, Value::List(_) | Value::Map(_)) => Some(FaultKind::KeyNotScalar {
                found: item.node.value.kind(),
            }),
            Sign::Merge if !is_key => Some(FaultKind::BareSign { sign: "<<" }),
            Sign::Default if !is_key => Some(FaultKind::BareSign { sign: "=" }),
            Sign::None | Sign::Merge | Sign::Default => None,
        };
        if let Some(kind) = misplaced {
            return self.stop(place, kind);
        }
        if anchor != 0 {
            self.anchors.insert(anchor, item.clone());
        }
        let Some(frame) = self.frames.last_mut() else {
            self.root = Some(item.node);
            return Ok(());
        };
        frame.height = frame.height.max(item.height);
        frame.bytes += item.bytes;
        match &mut frame.content {
            Content::List(items) => items.push(item.node),
            Content::Map { entries, key } => match key.take() {
                Some(key) => entries.push((key, item.node)),
                None => *key = Some(item),
            },
        }
        Ok(())
    }

    /// Whether the next node is the key of a map.
    fn expects_key(&self) -> bool {
        let frame = self.frames.last().map(|frame| &frame.content);
        matches!(frame, Some(Content::Map { key: None, .. }))
    }

    /// Merged keys first, so that the map's own keys override them; of two equal keys of its own the last one counts.
    fn map(&mut self, entries: Vec<(Item, Node)>) -> Result<Vec<Entry>, Stop> {
        let mut merged: Option<Vec<Entry>> = None;
        let mut own: Vec<Entry> = Vec::new();
        for (key, value) in entries {
            if key.sign != Sign::Merge {
                own.push(Entry { key: key.node, value });
            } else if merged.is_none() {
                merged = Some(self.merged(value)?);
            } else {
                // Readers disagree about which of the two has precedence.
                return self.refuse(key.node.place, FaultKind::SeveralMerges);
            }
        }
        let mut out: Vec<Entry> = Vec::with_capacity(own.len());
        // Where a key stands in `out`, and if it is the map's own, on which line.
        let mut seen: HashMap<String, (usize, Option<u32>)> = HashMap::new();
        let merged = merged.unwrap_or_default().into_iter().map(|entry| (entry, None));
        let own = own.into_iter().map(|entry| {
            let line = entry.key.place.line;
            (entry, Some(line))
        });
        for (entry, line) in merged.chain(own) {
            let name = identity(&entry.key);
            let Some((at, first)) = seen.get(&name).copied() else {
                seen.insert(name, (out.len(), line));
                out.push(entry);
                continue;
            };
            // Overriding what was merged is what merging is for.
            if let (Some(first), Some(_)) = (first, line) {
                self.log.warn(entry.key.place, || WarningKind::DuplicateKey {
                    key: entry.key.as_key(),
                    first,
                });
            }
            out[at].key.place = entry.key.place;
            out[at].value = entry.value;
            seen.insert(name, (at, line));
        }
        Ok(out)
    }

    /// What `<<` brings in: a map, or several, of which the first has precedence and so comes last.
    fn merged(&mut self, value: Node) -> Result<Vec<Entry>, Stop> {
        let maps = match value.value {
            Value::List(items) => items,
            other => vec![Node {
                place: value.place,
                value: other,
            }],
        };
        let mut entries = Vec::new();
        for map in maps.into_iter().rev() {
            match map.value {
                Value::Map(of_map) => entries.extend(of_map),
                other => return self.refuse(map.place, FaultKind::MergeOf { found: other.kind() }),
            }
        }
        Ok(entries)
    }

    fn refuse<T>(&mut self, place: Place, kind: FaultKind) -> Result<T, Stop> {
        self.log.fault(place, || kind);
        Err(Stop)
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        place: Place,
    ) -> Result<(Value, Sign), Stop> {
        let Some(tag) = tag.filter(|tag| !(is_unspecific(tag) && style == ScalarStyle::Plain)) else {
            if style != ScalarStyle::Plain {
                return Ok((Value::Text(text.to_owned()), Sign::None));
            }
            return Ok(match scalar::resolve(text) {
                Resolved::Value(value) => (value, Sign::None),
                Resolved::Merge => (Value::Text(text.to_owned()), Sign::Merge),
                Resolved::Default => (Value::Text(text.to_owned()), Sign::Default),
            });
        };
        let refused = || FaultKind::Tag { tag: tag_text(tag) };
        if !tag.is_yaml_core_schema() {
            return self.refuse(place, refused());
        }
        let bad = |expected| FaultKind::BadScalar {
            expected,
            found: text.to_owned(),
        };
        let value = match tag.suffix.as_str() {
            "str" => Ok(Value::Text(text.to_owned())),
            "null" => scalar::is_null(text).then_some(Value::Null).ok_or_else(|| bad("null")),
            "bool" => scalar::boolean(text).map(Value::Bool).ok_or_else(|| bad("a boolean")),
            "int" => scalar::integer(text).ok_or_else(|| bad("a whole number")),
            "float" => scalar::float(text)
                .or_else(|| text.parse().ok())
                .map(Value::Float)
                .ok_or_else(|| bad("a number")),
            "timestamp" => scalar::is_timestamp(text)
                .then(|| Value::Timestamp(text.to_owned()))
                .ok_or_else(|| bad("a date")),
            _ => Err(refused()),
        };
        match value {
            Ok(value) => Ok((value, Sign::None)),
            Err(kind) => self.refuse(place, kind),
        }
    }
}

/// `!` alone: "no particular tag".
fn is_unspecific(tag: &Tag) -> bool {
    (tag.handle.is_empty() && tag.suffix == "!") || (tag.handle == "!" && tag.suffix.is_empty())
}

fn tag_text(tag: &Tag) -> String {
    if tag.is_yaml_core_schema() {
        format!("!!{}", tag.suffix)
    } else {
        format!("{}{}", tag.handle, tag.suffix)
    }
}

/// What makes two keys the same: the value, where numbers and booleans of equal value are equal (as in Python).
fn identity(key: &Node) -> String {
    match &key.value {
        Value::Text(text) => format!("t{text}"),
        Value::Int(i) => format!("n{i}"),
        Value::Bool(b) => format!("n{}", i32::from(*b)),
        #[expect(clippy::float_cmp, reason = "exactly the floats that are whole numbers")]
        Value::Float(f) if f.trunc() == *f && f.is_finite() => format!("n{f:.0}"),
        Value::Float(f) => format!("f{f}"),
        Value::BigInt(digits) => format!("n{digits}"),
        Value::Timestamp(text) => format!("d{text}"),
        Value::Null | Value::List(_) | Value::Map(_) => String::new(),
    }
}
