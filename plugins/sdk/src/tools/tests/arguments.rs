//! Case E06: arguments in every spelling.

use crate::tools::{ArgumentError, Arguments};

#[test]
fn no_arguments_have_many_spellings() {
    for text in ["", "  ", "null", "{}", " {} ", r#""""#, r#""null""#, r#""{}""#] {
        assert_eq!(Arguments::parse(text), Ok(Arguments::default()), "{text}");
    }
}

#[test]
fn an_object_is_taken_once_or_twice_encoded_and_not_thrice() {
    let once = r#"{"path": "a\"b"}"#;
    let twice = serde_json::to_string(once).unwrap();
    let thrice = serde_json::to_string(&twice).unwrap();
    for text in [once, &twice] {
        assert_eq!(Arguments::parse(text).unwrap().text("path"), Ok("a\"b"));
    }
    assert_eq!(
        Arguments::parse(&thrice),
        Err(ArgumentError::NotAnObject { found: "a text" })
    );
}

#[test]
fn everything_else_is_an_error_that_says_what_it_is() {
    for (text, found) in [
        ("[]", "a list"),
        ("7", "a number"),
        ("true", "true or false"),
        (r#""[1]""#, "a list"),
    ] {
        assert_eq!(
            Arguments::parse(text),
            Err(ArgumentError::NotAnObject { found }),
            "{text}"
        );
    }
    for text in [
        r#"{"verdict":"pa"#,
        "{'a': 1}",
        "path",
        r#"{"a": 1} {"b": 2}"#,
        r#""{\"a\"""#,
        "{\"a\": NaN}",
    ] {
        assert!(
            matches!(Arguments::parse(text), Err(ArgumentError::NotJson { .. })),
            "{text}"
        );
    }
    // Deeper than anybody means.
    let deep = "[".repeat(100_000);
    assert!(matches!(Arguments::parse(&deep), Err(ArgumentError::NotJson { .. })));
}

#[test]
fn a_name_that_is_given_twice_is_refused_at_any_depth() {
    let twice = serde_json::to_string(r#"{"a": 1, "a": 2}"#).unwrap();
    for (text, name) in [
        (r#"{"a": 1, "a": 1}"#, "a"),
        (r#"{"severity":"blocker","severity":"pass"}"#, "severity"),
        // An escape spells the same name.
        (r#"{"a" : 1, "b": "}", "\u0061"	: null}"#, "a"),
        (r#"{"a\"b\\": 1, "a\"b\\": 2}"#, "a\"b\\"),
        (r#"{"x": [{"y": {"k": 1, "k": 2}}]}"#, "k"),
        (twice.as_str(), "a"),
    ] {
        let name = name.to_owned();
        assert_eq!(Arguments::parse(text), Err(ArgumentError::Repeated { name }), "{text}");
    }
    // The same name in two objects, and as a value, is no repetition.
    for text in [
        r#"{"a": {"a": 1, "b": [{"a": 2}, {"a": 3}]}, "b": "a"}"#,
        r#"{"a": "a", "b": "\"a\": 1, \"a\": 2", "c": ["a", "a"], "d": "\\"}"#,
    ] {
        assert!(Arguments::parse(text).is_ok(), "{text}");
    }
    assert_eq!(
        Arguments::parse(r#"{"a": 1, "a": 2}"#).unwrap_err().to_string(),
        "the name `a` is given more than once in one object; give it once"
    );
}

#[test]
fn numbers_in_the_forms_that_models_write() {
    let arguments = Arguments::parse(
        r#"{"a": 12, "b": 12.0, "c": "12", "d": -1, "e": 1.5, "f": "x", "g": 18446744073709551615, "h": 1e300, "n": null}"#,
    )
    .unwrap();
    for name in ["a", "b", "c"] {
        assert_eq!(arguments.number(name), Ok(12), "{name}");
    }
    for name in ["d", "e", "f", "h"] {
        assert!(
            matches!(arguments.number(name), Err(ArgumentError::WrongType { .. })),
            "{name}"
        );
    }
    assert_eq!(arguments.number("g"), Ok(u64::MAX));
    assert_eq!(arguments.optional_number("n"), Ok(None));
    assert_eq!(arguments.optional_number("z"), Ok(None));
    assert_eq!(
        arguments.number("n"),
        Err(ArgumentError::Missing { name: "n".to_owned() })
    );
}

#[test]
fn lists_name_the_element_that_does_not_fit() {
    let arguments =
        Arguments::parse(r#"{"files": [{"path": "a"}, 3], "cited": [1, "2", -3], "words": ["a", "b"]}"#).unwrap();
    assert_eq!(arguments.texts("words").unwrap(), ["a", "b"]);
    assert_eq!(
        arguments.objects("files").unwrap_err().to_string(),
        "the argument `files[1]` has to be an object, and is a number"
    );
    assert_eq!(
        arguments.numbers("cited").unwrap_err().to_string(),
        "the argument `cited[2]` has to be a whole number from 0, and is a number"
    );
    assert_eq!(arguments.optional_objects("none"), Ok(None));
    assert_eq!(
        arguments.object("words").unwrap_err().to_string(),
        "the argument `words` has to be an object, and is a list"
    );
}

#[test]
fn a_name_that_is_not_taken_is_shown_harmlessly() {
    let arguments = Arguments::parse("{\"pa\\u001b[2Jth\": 1}").unwrap();
    assert_eq!(
        arguments.only(&["path"]).unwrap_err().to_string(),
        r"there is no argument `pa\u{1b}[2Jth`; the tool takes `path`"
    );
}
