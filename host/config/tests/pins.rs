//! `.snodo/plugins.toml`: what a repository may say of plugins.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)] // a test fails by panicking, and takes its time

use std::fmt::Write as _;
use std::time::Instant;

use snodo_admission::{Digest, PluginName, Role};
use snodo_config::pins::{PINS_BYTES, Pin, Pins, load_pins, pin_text, pins_text};
use snodo_config::{FaultKind, Place};

const A: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn load(text: &str) -> Pins {
    match load_pins("plugins.toml", text.as_bytes()) {
        Ok(pins) => pins,
        Err(error) => panic!("{}", error.plain()),
    }
}

fn refused(text: &str) -> String {
    load_pins("plugins.toml", text.as_bytes()).unwrap_err().plain()
}

fn name(text: &str) -> PluginName {
    PluginName::parse(text).unwrap()
}

#[test]
fn a_pin_arrives_whole() {
    let pins = load(&format!(
        "# ours\n[[plugin]]\nname = \"reviewer\"\ndigest = \"{A}\"\nrole = \"validator\"\nimports = [\"snodo:plugin/search@0.1.0\", \"snodo:plugin/read@0.1.0\"]\n\n\
         [[plugin]]\nname = \"fixer\"\ndigest = \"{A}\"\n"
    ));
    let reviewer = pins.get(&name("reviewer")).unwrap();
    assert_eq!(reviewer.digest, Digest::of(b"abc"));
    assert_eq!(reviewer.role, Some(Role::Validator));
    assert_eq!(
        reviewer.imports.as_deref(),
        Some(
            &[
                "snodo:plugin/read@0.1.0".to_owned(),
                "snodo:plugin/search@0.1.0".to_owned()
            ][..]
        )
    );
    assert_eq!(reviewer.place.line, 3);
    let fixer = pins.get(&name("fixer")).unwrap();
    assert_eq!((fixer.role, &fixer.imports), (None, &None));
    // No other spelling gets around a pin.
    assert_eq!(pins.get(&name("FIXER")), Some(fixer));
    assert_eq!(pins.get(&name("other")), None);
    assert!(load("").is_empty() && load("# nothing\n").is_empty());
}

#[test]
fn a_repository_cannot_grant() {
    for key in [
        "grants",
        "grant",
        "Grants",
        "allow",
        "permissions",
        "capabilities",
        "trust",
    ] {
        let text = format!("[[plugin]]\nname = \"x\"\ndigest = \"{A}\"\n{key} = [\"model\"]\n");
        assert_eq!(
            refused(&text),
            format!(
                "plugins.toml:4:1: error[SCHEMA]: the table (`plugin[0]`) cannot hold `{key}`: a repository pins what must be used, and never grants\n  \
                 help: remove it; the user of a machine grants, with `snodo-host plugin add FILE --as NAME --grant GRANT`\n"
            )
        );
    }
    let text = format!("grants = {{ x = [\"model\"] }}\n[[plugin]]\nname = \"x\"\ndigest = \"{A}\"\n");
    assert!(refused(&text).starts_with("plugins.toml:1:1: error[SCHEMA]: the file cannot hold `grants`: "));
}

#[test]
fn every_fault_has_its_place_and_its_way_out() {
    let of = |lines: &str| refused(&format!("[[plugin]]\nname = \"x\"\ndigest = \"{A}\"\n{lines}"));
    assert_eq!(
        of("digests = 1\n"),
        "plugins.toml:4:1: error[SCHEMA]: the table (`plugin[0]`) has no field `digests`\n  help: did you mean `digest`?\n"
    );
    assert_eq!(
        of("role = \"judge\"\n"),
        "plugins.toml:4:8: error[SCHEMA]: `plugin[0].role` cannot be `judge`\n  help: one of `coder`, `validator`\n"
    );
    assert_eq!(
        of("imports = [\"a b\"]\n"),
        "plugins.toml:4:12: error[SCHEMA]: `plugin[0].imports` cannot be `a b`: an import is the name of an interface, as in `snodo:plugin/read@0.1.0`\n  \
         help: correct or remove the entry\n"
    );
    assert!(of("imports = [\"a:b/c\", \"a:b/c\"]\n").contains("it is there twice"));
    assert!(of("imports = [\"\"]\n").contains("an import is the name"));
    assert!(of("imports = \"a:b/c\"\n").contains("`plugin[0].imports` must be a list"));
    let of = |name: &str, digest: &str| refused(&format!("[[plugin]]\nname = \"{name}\"\ndigest = \"{digest}\"\n"));
    assert!(of("../x", A).contains("`plugin[0].name` cannot be `../x`: a name is of letters"));
    assert!(of("", A).contains("it is empty"));
    assert!(of("con", A).contains("it is the name of a device on some systems"));
    assert!(of("-x", A).contains("a name starts with a letter"));
    assert!(of(&"n".repeat(65), A).contains("64 characters at most"));
    let escapes = of("\\u001b[2Jx", A);
    assert!(
        escapes.contains("`\\u{1b}[2Jx`") && !escapes.contains('\u{1b}'),
        "{escapes}"
    );
    for digest in [
        "abc",
        &A.to_uppercase(),
        &A[7..],
        &format!("{A}0"),
        &A.replace("sha256", "sha512"),
    ] {
        assert!(
            of("x", digest).contains("a digest is `sha256:` and 64 hex digits in lower case"),
            "{digest}"
        );
    }
    assert!(refused("[[plugin]]\nname = \"x\"\n").contains("the field `digest` is missing in the table (`plugin[0]`)"));
    assert!(refused(&format!("[plugin]\nname = \"x\"\ndigest = \"{A}\"\n")).contains("`plugin` must be a list"));
    assert!(refused(&format!("[[plugins]]\nname = \"x\"\ndigest = \"{A}\"\n")).contains("did you mean `plugin`?"));
    assert!(refused("plugin = [1]\n").contains("must be a table"));
    assert!(refused("[[plugin]\n").contains("error[SYNTAX]"));
}

#[test]
fn f11_a_name_is_pinned_once() {
    let two = |a: &str, b: &str| {
        refused(&format!(
            "[[plugin]]\nname = \"{a}\"\ndigest = \"{A}\"\n[[plugin]]\nname = \"{b}\"\ndigest = \"{A}\"\n"
        ))
    };
    assert_eq!(
        two("x", "x"),
        "plugins.toml:5:8: error[SCHEMA]: the plugin `x` is declared twice (first on line 2)\n  help: rename or remove one of the two\n"
    );
    assert!(two("x", "X").contains("`plugin.name` cannot be `X`: another one differs from it in letter case only"));
}

#[test]
fn what_is_written_is_read_back() {
    let pin = |text: &str, imports: Option<Vec<String>>, role| Pin {
        name: name(text),
        digest: Digest::of(text.as_bytes()),
        imports,
        role,
        place: Place::START,
    };
    let imports = vec!["snodo:plugin/read@0.1.0".to_owned(), "wasi:io/streams@0.2.6".to_owned()];
    let pins = Pins::none()
        .with(pin("a", Some(imports), Some(Role::Coder)))
        .with(pin("b", None, None))
        .with(pin("c", Some(Vec::new()), Some(Role::Validator)))
        .with(pin("A", None, None))
        .without(&name("B"));
    assert_eq!(pins.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["A", "c"]);
    let without_places = |pins: &Pins| {
        pins.iter()
            .map(|p| (p.name.clone(), p.digest, p.imports.clone(), p.role))
            .collect::<Vec<_>>()
    };
    assert_eq!(without_places(&load(&pins_text(&pins))), without_places(&pins));
    // One pin may be put at the end of a file that somebody wrote.
    let more = format!("{}\n{}", pins_text(&pins), pin_text(&pin("z", None, None)));
    assert_eq!(load(&more).iter().count(), 3);
}

#[test]
fn hostile_files_are_refused_and_soon() {
    assert!(refused(&"#".repeat(PINS_BYTES + 1)).contains("error[FILE]"));
    assert!(load_pins("p", b"\xff\xfe").unwrap_err().plain().contains("UTF-16"));
    assert!(load_pins("p", b"a\x1b").unwrap_err().plain().contains("U+001B"));
    let many = |one: &str, n: usize| one.repeat(n);
    let files = [
        format!("plugin = [{}]", many("1,", PINS_BYTES / 2 - 10)),
        format!("x = {}", many("[", PINS_BYTES - 10)),
        many("[[plugin]]\n", PINS_BYTES / 11),
        (0..4000).fold(String::new(), |mut out, i| {
            let _ = writeln!(out, "k{i} = {{}}");
            out
        }),
        format!("[[plugin]]\nimports = [{}]", many("\"\",", PINS_BYTES / 3 - 20)),
    ];
    for file in files {
        assert!(file.len() <= PINS_BYTES, "{}", file.len());
        let before = Instant::now();
        let error = load_pins("p", file.as_bytes()).unwrap_err();
        assert!(error.faults().len() <= 50);
        let took = before.elapsed();
        assert!(took.as_secs() < 10, "{took:?} for {}", &file[..20]);
    }
    let over = (0..129).fold(String::new(), |mut out, i| {
        let _ = write!(out, "[[plugin]]\nname=\"p{i}\"\ndigest=\"{A}\"\n");
        out
    });
    let error = load_pins("p", over.as_bytes()).unwrap_err();
    assert!(matches!(
        &error.faults()[0].kind,
        FaultKind::Unusable {
            why: "a file may pin 128 plugins",
            ..
        }
    ));
}
