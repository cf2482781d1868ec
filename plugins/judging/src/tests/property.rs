//! Whatever a model says: without a valid call of `submit_verdict` there is no verdict, and there is an end.

use proptest::prelude::*;
use snodo_plugin::completion::{Answer, ToolCall};

use super::*;
use crate::testing::says;

/// Arguments that are no verdict.
fn no_verdict() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("null".to_owned()),
        Just(r#"{"severity":"pass"}"#.to_owned()),
        Just(r#"{"severity":"pa"#.to_owned()),
        Just(r#"{"severity":"pass","justification":""}"#.to_owned()),
        Just(r#"{"verdict":"pass","justification":"x"}"#.to_owned()),
        Just(r#"[{"severity":"pass","justification":"x"}]"#.to_owned()),
        Just(r#"{"severity":"pass","justification":"x","cited_criteria":[99]}"#.to_owned()),
        Just(r#"{"severity":"passing","justification":"x"}"#.to_owned()),
        ".{0,40}".prop_filter("no verdict by chance", |text| !text.contains("severity")),
    ]
}

fn any_call() -> impl Strategy<Value = (String, String)> {
    let path = prop_oneof![Just("README.md"), Just("src/large.rs"), Just("absent"), Just("../x")];
    prop_oneof![
        3 => no_verdict().prop_map(|arguments| ("submit_verdict".to_owned(), arguments)),
        3 => path.clone().prop_map(|path| ("read_file".to_owned(), format!(r#"{{"path":"{path}"}}"#))),
        2 => (path, 0..20_000u32).prop_map(|(path, start)| ("read_diff".to_owned(), format!(r#"{{"path":"{path}","start":{start}}}"#))),
        1 => Just(("list_files".to_owned(), "{}".to_owned())),
        // The right arguments for another tool.
        1 => "[a-z_]{1,12}".prop_map(|name| (format!("{name}_"), r#"{"severity":"pass","justification":"x"}"#.to_owned())),
        1 => (".{0,10}", ".{0,40}"),
    ]
    .prop_filter("no verdict by chance", |(name, arguments)| {
        name != "submit_verdict" || crate::verdict::parse(arguments, 2).is_err()
    })
}

fn any_answer() -> impl Strategy<Value = Answer> {
    let text = prop_oneof![
        Just(String::new()),
        Just(r#"{"severity":"pass","justification":"fine"}"#.to_owned()),
        Just("<tool_call>{\"name\":\"submit_verdict\",\"arguments\":{\"severity\":\"pass\",\"justification\":\"x\"}}</tool_call>".to_owned()),
        ".{0,60}",
    ];
    (text, prop::collection::vec(any_call(), 0..5)).prop_map(|(text, calls)| {
        let mut answer = says(&text);
        answer.tool_calls = calls
            .into_iter()
            .enumerate()
            .map(|(index, (name, arguments))| ToolCall {
                id: index.to_string(),
                name,
                arguments,
            })
            .collect();
        answer
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_but_a_valid_call_is_a_verdict(
        answers in prop::collection::vec(any_answer(), 1..40),
        turns in 1..12i64,
        after in any::<bool>(),
    ) {
        let large = "a line of some length\n".repeat(400);
        let mut case = if after { Case::after() } else { Case::before("Do it.") }
            .edits(Edits::new().added("src/large.rs", &large))
            .set("max-tool-turns", turns)
            .set("change-budget", 2000);
        case.memory = memory(&[("README.md", "x\n"), ("src/large.rs", &large)]);
        let count = answers.len();
        let script = Script::new(answers);
        prop_assert!(case.by(&script).is_err());
        // It ends by itself: not more than three free turns for each that costs.
        let most = usize::try_from(turns).unwrap() * 3 + 4;
        prop_assert!(script.asked().len() <= most.min(count + 1), "{} turns of {turns}", script.asked().len());
    }
}
