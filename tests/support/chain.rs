//! The audit log read by a second implementation, from the description of the format alone: canonical JSON, SHA-256, the chain.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::Sandbox;

/// One event.
#[derive(Debug, Clone)]
pub struct Logged {
    pub kind: String,
    pub data: Value,
}

/// Every event of the workspace's log. It verifies from the first line to the last, and ends where the report says.
#[track_caller]
pub fn replay(sandbox: &Sandbox, report: &Value) -> Vec<Logged> {
    let (events, head) = verified(&sandbox.read(".snodo/audit.log"));
    assert_eq!(report["audit"], head, "the report names the log's end");
    events
}

/// The events of a log's text, and its end as reports name it.
#[track_caller]
pub fn verified(text: &str) -> (Vec<Logged>, Value) {
    assert!(text.ends_with('\n') && text.is_ascii(), "{text}");
    let mut events = Vec::new();
    let mut previous = "0".repeat(64);
    for (number, line) in text.lines().enumerate() {
        let mut event: Map<String, Value> = serde_json::from_str(line).unwrap();
        let mut keys: Vec<&str> = event.keys().map(String::as_str).collect();
        keys.sort_unstable();
        let all = [
            "data",
            "event_hash",
            "event_type",
            "previous_hash",
            "project_id",
            "sequence",
            "timestamp",
        ];
        assert_eq!(keys, all, "{line}");
        assert_eq!(event["sequence"], number, "{line}");
        assert_eq!(event["previous_hash"], *previous, "{line}");
        assert!(event["timestamp"].as_str().unwrap().ends_with("+00:00"), "{line}");
        let hash = event.remove("event_hash").unwrap();
        let (kind, data) = (event["event_type"].as_str().unwrap().to_owned(), event["data"].clone());
        let mut canonical = String::new();
        write_canonical(&Value::Object(event), &mut canonical);
        previous = sha256(canonical.as_bytes());
        assert_eq!(hash, *previous, "{line}");
        events.push(Logged { kind, data });
    }
    let sequence = events.len().checked_sub(1).expect("a log with events");
    (
        events,
        serde_json::json!({ "sequence": sequence, "event_hash": previous }),
    )
}

/// The types, in order.
pub fn kinds(events: &[Logged]) -> Vec<&str> {
    events.iter().map(|event| event.kind.as_str()).collect()
}

/// The data of the events of a type.
pub fn of<'a>(events: &'a [Logged], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|e| e.kind == kind).map(|e| &e.data).collect()
}

/// As Python's `json.dumps(value, sort_keys=True)` writes it. There are no fractions in what this product writes.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Null | Value::Bool(_) => write!(out, "{value}").unwrap(),
        Value::Number(number) => {
            assert!(number.is_i64() || number.is_u64(), "{number}");
            write!(out, "{number}").unwrap();
        }
        Value::String(text) => write_text(text, out),
        Value::Array(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                out.push_str(if n > 0 { ", " } else { "" });
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(key, _)| key.as_bytes());
            out.push('{');
            for (n, (key, value)) in fields.into_iter().enumerate() {
                out.push_str(if n > 0 { ", " } else { "" });
                write_text(key, out);
                out.push_str(": ");
                write_canonical(value, out);
            }
            out.push('}');
        }
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").unwrap();
                }
            }
        }
    }
    out.push('"');
}

/// FIPS 180-4. Its constants are the fractions of square and cube roots of the first primes.
fn sha256(message: &[u8]) -> String {
    let primes: Vec<u64> = (2..312_u64).filter(|n| (2..*n).all(|d| n % d != 0)).take(64).collect();
    let mut state: Vec<u32> = primes[..8].iter().map(|p| root_fraction(*p, 2)).collect();
    let constants: Vec<u32> = primes.iter().map(|p| root_fraction(*p, 3)).collect();
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((message.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut w: Vec<u32> = block
            .chunks_exact(4)
            .map(|four| u32::from_be_bytes(four.try_into().unwrap()))
            .collect();
        for t in 16..64 {
            let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
            let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
            w.push(w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1));
        }
        let mut v = state.clone();
        for t in 0..64 {
            let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
            let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
            let t1 = [s1, choice, constants[t], w[t]]
                .into_iter()
                .fold(v[7], u32::wrapping_add);
            let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            v.rotate_right(1);
            v[4] = v[4].wrapping_add(t1);
            v[0] = t1.wrapping_add(s0).wrapping_add(majority);
        }
        for (s, v) in state.iter_mut().zip(v) {
            *s = s.wrapping_add(v);
        }
    }
    state.iter().fold(String::new(), |mut hex, word| {
        write!(hex, "{word:08x}").unwrap();
        hex
    })
}

/// The first 32 bits of the fraction of a prime's root: the root of `p · 2^(32·degree)`, in whole numbers.
fn root_fraction(prime: u64, degree: u32) -> u32 {
    let wanted = u128::from(prime) << (32 * degree);
    let (mut low, mut high) = (0_u128, 1 << 40);
    while high - low > 1 {
        let middle = u128::midpoint(low, high);
        if middle.pow(degree) <= wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    u32::try_from(low & 0xffff_ffff).unwrap()
}

#[test]
fn the_second_implementation_is_right() {
    assert_eq!(
        sha256(b""),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
    assert_eq!(
        sha256(b"abc"),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(
        sha256(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    );
    // Where the padding has just no room left.
    assert_eq!(
        sha256(&[b'a'; 63]),
        "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"
    );
    let mut canonical = String::new();
    write_canonical(
        &serde_json::json!({ "b": [1, -2, true, null], "a": "é\u{7f}\u{1f600}\n\"/" }),
        &mut canonical,
    );
    assert_eq!(
        canonical,
        r#"{"a": "\u00e9\u007f\ud83d\ude00\n\"/", "b": [1, -2, true, null]}"#
    );
}
