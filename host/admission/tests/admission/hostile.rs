//! Whatever the bytes are, there is an answer in plain lines: no panic, no parser's words.

use proptest::prelude::*;
use snodo_admission::{Bodies, Context, Grants, Limits, Served, inspect};

use crate::build::{answer, context, name, of_world, plugin, text};

/// Components with most of what components have.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = ["coder", "model-coder", "validator", "runner-validator"]
        .map(of_world)
        .to_vec();
    seeds.push(plugin("import wasi:io/streams@0.2.6; import wasi:sockets/tcp@0.2.6; import go: func(); export snodo:plugin/judging@0.1.0;"));
    seeds.push(text(
        r#"(component
             (type $t (instance (type (record (field "a" u8))) (export "a" (type (eq 0)))))
             (import "snodo:plugin/types@0.1.0" (instance (type $t)))
             (component $c (core module $m (memory 1) (table 3 funcref)) (core instance (instantiate $m)))
             (instance (instantiate $c)) (instance (instantiate $c)))"#,
    ));
    seeds
}

/// The answer is checked for being plain lines where it is made; here for not being a parser's.
fn check(bytes: &[u8]) {
    let answer = answer(bytes);
    for word in [
        "offset 0x",
        "unexpected",
        "invalid leading byte",
        "unreachable",
        "panicked",
    ] {
        assert!(!answer.contains(word), "{answer}");
    }
    assert!(answer.len() < 200_000);
    let name = name();
    let lenient = Context {
        grants: Grants {
            model: true,
            runner: true,
        },
        served: Served { completion: true },
        bodies: Bodies::CompiledBefore,
        ..context(&name)
    };
    let json = serde_json::to_value(inspect(bytes, &lenient, &Limits::standard())).unwrap();
    assert!(json["verdict"]["admitted"].is_boolean());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_have_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..512), header in 0..4_usize) {
        let header: &[u8] = [&b""[..], b"\0asm\x0d\0\x01\0", b"\0asm", b"\x7fELF"][header];
        check(&[header, &bytes].concat());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_change_of_a_component_has_an_answer(
        seed in 0..6_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..8),
    ) {
        thread_local!(static SEEDS: Vec<Vec<u8>> = seeds());
        let mut bytes = SEEDS.with(|s| s[seed].clone());
        for (at, value, how) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = value,
                1 => bytes[at] ^= 1 << (value % 8),
                2 => bytes.insert(at, value),
                _ => { bytes.remove(at); }
            }
        }
        check(&bytes);
    }
}

#[test]
fn names_that_a_stranger_wrote_are_escaped_and_cut() {
    let long = "x".repeat(5000);
    let answer = answer(&text(&format!("(component (import \"{long}\" (func)))")));
    assert!(answer.len() < 1500, "{answer}");
    let nasty = "url=<\u{202e}\u{1b}[2J\\0a>";
    // The format itself refuses most of it; whatever it takes comes out escaped.
    if let Ok(bytes) = wat::parse_str(format!("(component (import \"{nasty}\" (component)))")) {
        check(&bytes);
    }
}

#[test]
fn a_deep_nest_is_answered() {
    let mut bytes = b"\0asm\x0d\0\x01\0".to_vec();
    for _ in 0..5000 {
        let mut outer = b"\0asm\x0d\0\x01\0\x04".to_vec();
        let mut n = bytes.len();
        while n >= 0x80 {
            outer.push(u8::try_from(n & 0x7f).unwrap() | 0x80);
            n >>= 7;
        }
        outer.push(u8::try_from(n).unwrap());
        outer.extend_from_slice(&bytes);
        bytes = outer;
    }
    let answer = answer(&bytes);
    assert!(
        answer.contains("it holds 5,000 nested components; the limit is 200"),
        "{answer}"
    );
}
