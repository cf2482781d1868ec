//! Which answers are acted upon (cases E04, E05, E06, E12).

use serde_json::json;
use snodo_config::model::Wire;
use snodo_provider::{Answer, Arguments, Call, Finish, Id, Provider, Reply, script};
use snodo_workspace::capability::{Stop, Usage};

use crate::{WIRES, ask, client, kind, words};

async fn asked(wire: Wire, reply: Reply) -> snodo_model::Asked {
    let provider = Provider::start(script::always(reply));
    let asked = ask(&client(&provider, wire)).await;
    // None of these gets better by asking again.
    assert_eq!((asked.attempts, provider.requests().len()), (1, 1));
    asked
}

#[tokio::test]
async fn an_answer_with_everything_in_it() {
    for wire in WIRES {
        let answer = Answer {
            text: Some("see".into()),
            reasoning: Some("thinking".into()),
            usage: Some((11, 7)),
            model: Some("m-2026".into()),
            ..Answer::calls(vec![
                Call::new("read_file", &json!({"path": "a"})),
                Call::new("submit_verdict", &json!({})),
            ])
        };
        let asked = asked(wire, Reply::answer(answer)).await;
        let answer = asked.result.unwrap();
        assert_eq!(
            (answer.text.as_str(), answer.stop, answer.model.as_str()),
            ("see", Stop::ToolCalls, "m-2026")
        );
        let calls: Vec<_> = answer
            .tool_calls
            .iter()
            .map(|call| (call.name.as_str(), call.arguments.as_str()))
            .collect();
        assert_eq!(calls, [("read_file", "{\"path\":\"a\"}"), ("submit_verdict", "{}")]);
        assert_ne!(answer.tool_calls[0].id, answer.tool_calls[1].id);
        assert_eq!(asked.served.as_deref(), Some("m-2026"));
        assert_eq!(
            asked.usage,
            Usage {
                input_tokens: Some(11),
                output_tokens: Some(7)
            }
        );
        assert!(asked.adaptations.is_empty());
    }
}

/// E04
#[tokio::test]
async fn what_was_cut_or_filtered_or_is_not_understood_is_not_acted_upon() {
    let cut = || Reply::calls(vec![Call::raw("submit_verdict", "{\"verdict\":\"pa")]);
    let whole = || Reply::verdict("pass", "fine");
    for wire in WIRES {
        for (reply, expected, says) in [
            (cut().finish(Finish::Length), "truncated", "500"),
            (whole().finish(Finish::Length), "truncated", "500"),
            (Reply::text("whole").finish(Finish::Length), "truncated", "500"),
            (cut(), "malformed", "the arguments of the call of `submit_verdict`"),
            (whole().finish(Finish::Filtered), "filtered", ""),
            (Reply::text("no").finish(Finish::Filtered), "filtered", ""),
            (whole().finish(Finish::Word("because".into())), "malformed", "`because`"),
            (
                whole().finish(Finish::Missing),
                "malformed",
                "does not say why it ended",
            ),
            (whole().finish(Finish::Null), "malformed", "does not say why it ended"),
        ] {
            let asked = asked(wire, reply.clone()).await;
            assert_eq!(kind(&asked), expected, "{wire:?} {reply:?}");
            assert!(words(&asked).contains(says), "{wire:?}: {}", words(&asked));
            // It was paid for all the same.
            assert_eq!(asked.usage.output_tokens, Some(7));
        }
    }
}

/// E05
#[tokio::test]
async fn a_200_that_is_no_answer_is_a_typed_error() {
    for wire in WIRES {
        for (reply, expected, says) in [
            (Reply::no_choices(), "malformed", ""),
            (Reply::null_message(), "malformed", ""),
            (
                Reply::error_at_200("server_error", "the model fell over"),
                "refused",
                "the model fell over",
            ),
            (Reply::html(200), "malformed", "it is a page"),
            (Reply::empty(), "malformed", "it is empty"),
            (Reply::bad_json(), "malformed", "no JSON object"),
            (
                Reply::events("hello"),
                "malformed",
                "event stream, which was not asked for",
            ),
            (Reply::verbatim(200, "application/json", "[]"), "malformed", ""),
            (Reply::verbatim(200, "application/json", "{}"), "malformed", "without"),
            (
                Reply::verbatim(200, "application/json", "\"pass\""),
                "malformed",
                "no JSON object",
            ),
            (
                Reply::verbatim(200, "text/plain", "verdict: pass"),
                "malformed",
                "verdict: pass",
            ),
            (
                Reply::verbatim(200, "application/json", vec![0xff, 0xfe, 0x1b]),
                "malformed",
                "\\u{1b}",
            ),
            (Reply::text("").usage(None), "malformed", "neither text nor a tool call"),
            (
                Reply::verbatim(200, "application/json", "[".repeat(100_000)),
                "malformed",
                "",
            ),
        ] {
            let asked = asked(wire, reply.clone()).await;
            assert_eq!(kind(&asked), expected, "{wire:?} {reply:?} {asked:?}");
            let said = words(&asked);
            assert!(said.contains(says) && said.len() < 1600, "{wire:?}: {said}");
        }
    }
}

/// E05: what is unusual and no fault.
#[tokio::test]
async fn compression_and_another_content_type_do_not_matter() {
    for wire in WIRES {
        for reply in [
            Reply::text("hello").gzip(),
            Reply::text("hello").content_type("text/plain"),
        ] {
            assert_eq!(asked(wire, reply).await.result.unwrap().text, "hello");
        }
    }
}

/// E06
#[tokio::test]
async fn arguments_in_every_form() {
    let once = json!({"path": "a"}).to_string();
    let twice = json!(once).to_string();
    for wire in WIRES {
        for (arguments, expected) in [
            (Arguments::Null, Some("{}")),
            (Arguments::Missing, Some("{}")),
            (Arguments::Text(String::new()), Some("{}")),
            (Arguments::Text("{}".into()), Some("{}")),
            (Arguments::Text("null".into()), Some("{}")),
            (Arguments::Bare(json!({"path": "a"})), Some("{\"path\":\"a\"}")),
            (Arguments::Text(once.clone()), Some("{\"path\":\"a\"}")),
            (Arguments::Text(twice.clone()), Some("{\"path\":\"a\"}")),
            (Arguments::Text("[1]".into()), None),
            (Arguments::Text("pass".into()), None),
            (Arguments::Bare(json!(1)), None),
        ] {
            let asked = asked(wire, Reply::calls(vec![Call::with("read_file", arguments.clone())])).await;
            match expected {
                Some(expected) => assert_eq!(
                    asked.result.unwrap().tool_calls[0].arguments,
                    expected,
                    "{wire:?} {arguments:?}"
                ),
                None => assert_eq!(kind(&asked), "malformed", "{wire:?} {arguments:?}"),
            }
        }
    }
}

/// E06
#[tokio::test]
async fn ids_are_there_and_differ() {
    for wire in WIRES {
        let call = |id: Id| Call::new("read_file", &json!({})).id(id);
        let same = || Id::Given("same".into());
        let given = [
            Id::Missing,
            Id::Null,
            same(),
            same(),
            Id::Given(String::new()),
            Id::Given("host_call_0".into()),
        ];
        let asked = asked(wire, Reply::calls(given.map(call).into())).await;
        let answer = asked.result.unwrap();
        let ids: std::collections::BTreeSet<_> = answer.tool_calls.iter().map(|call| call.id.clone()).collect();
        assert!(ids.len() == 6 && !ids.contains(""), "{wire:?} {ids:?}");
        assert!(ids.contains("same"));
    }
}

#[tokio::test]
async fn many_calls_are_taken_up_to_a_bound() {
    for wire in WIRES {
        for (count, expected) in [(256, "answered"), (257, "malformed"), (2_000, "malformed")] {
            let calls = (0..count).map(|_| Call::new("read_file", &json!({}))).collect();
            let asked = asked(wire, Reply::calls(calls)).await;
            assert_eq!(kind(&asked), expected, "{wire:?} {count}");
        }
    }
}

#[tokio::test]
async fn a_call_without_a_name_is_malformed() {
    for wire in WIRES {
        let asked = asked(wire, Reply::calls(vec![Call::new("", &json!({}))])).await;
        assert_eq!(kind(&asked), "malformed");
        assert!(words(&asked).contains("call without a name"), "{}", words(&asked));
    }
}

/// E12
#[tokio::test]
async fn reasoning_is_never_an_answer() {
    let verdict = "{\"severity\":\"pass\",\"justification\":\"fine\"}";
    for wire in WIRES {
        for reply in [
            Reply::only_reasoning(verdict),
            Reply::text(format!("<think>{verdict}</think>")),
            Reply::text(format!("<think>{verdict}")),
            Reply::text(format!("{verdict}</think>\n")),
        ] {
            let asked = asked(wire, reply.clone()).await;
            assert_eq!(kind(&asked), "malformed", "{wire:?} {reply:?}");
            assert!(
                words(&asked).contains("only reasoning, no answer and no tool call"),
                "{}",
                words(&asked)
            );
            assert!(!words(&asked).contains("pass"), "{}", words(&asked));
        }
        let cut = asked(wire, Reply::only_reasoning(verdict).finish(Finish::Length)).await;
        assert_eq!(kind(&cut), "truncated");
        let answer = asked(wire, Reply::text("<think>no</think>\n\nyes"))
            .await
            .result
            .unwrap();
        assert_eq!(answer.text, "yes");
    }
}

#[tokio::test]
async fn a_refusal_is_filtered() {
    let body = json!({"choices": [{"message": {"content": null, "refusal": "I will not"}, "finish_reason": "stop"}]});
    let asked_openai = asked(Wire::OpenAi, Reply::verbatim(200, "application/json", body.to_string())).await;
    assert_eq!(kind(&asked_openai), "filtered");
    let body = json!({"promptFeedback": {"blockReason": "SAFETY"}});
    let asked_gemini = asked(Wire::Gemini, Reply::verbatim(200, "application/json", body.to_string())).await;
    assert_eq!(words(&asked_gemini), "filtered: SAFETY");
}

/// Only the model's own words are an answer, and only where there is one: nothing says which of two would count.
#[tokio::test]
async fn another_role_and_a_second_choice_are_no_answer() {
    let openai = |roles: &[&str]| {
        let choices = roles
            .iter()
            .map(|role| json!({"message": {"role": role, "content": "yes"}, "finish_reason": "stop"}));
        json!({"choices": choices.collect::<Vec<_>>()})
    };
    let gemini = |roles: &[&str]| {
        let candidates = roles
            .iter()
            .map(|role| json!({"content": {"role": role, "parts": [{"text": "yes"}]}, "finishReason": "STOP"}));
        json!({"candidates": candidates.collect::<Vec<_>>()})
    };
    let anthropic =
        |role: &str| json!({"role": role, "content": [{"type": "text", "text": "yes"}], "stop_reason": "end_turn"});
    for (wire, body, expected) in [
        // The controls.
        (Wire::OpenAi, openai(&["assistant"]), None),
        (Wire::Gemini, gemini(&["model"]), None),
        (Wire::Anthropic, anthropic("assistant"), None),
        (Wire::OpenAi, openai(&["user"]), Some("the role `user`")),
        (
            Wire::OpenAi,
            openai(&["assistant", "assistant"]),
            Some("2 choices in one answer"),
        ),
        (Wire::Gemini, gemini(&["user"]), Some("the role `user`")),
        (
            Wire::Gemini,
            gemini(&["model", "model", "model"]),
            Some("3 candidates in one answer"),
        ),
        (Wire::Anthropic, anthropic("user"), Some("the role `user`")),
    ] {
        let reply = Reply::verbatim(200, "application/json", body.to_string());
        let asked = asked(wire, reply).await;
        let Some(expected) = expected else {
            assert_eq!(asked.result.unwrap().text, "yes", "{wire:?}");
            continue;
        };
        assert_eq!(kind(&asked), "malformed", "{body}");
        assert!(words(&asked).contains(expected), "{}", words(&asked));
    }
}
