//! What a provider does not take (case E11).

use serde_json::json;
use snodo_config::model::Wire;
use snodo_provider::{Choice, Provider, Reply, Seen};
use snodo_workspace::capability::ToolChoice;

use crate::{ask, client, kind, request, terms, words};
use snodo_model::LanguageModel as _;

fn refuses(seen: &Seen, parameters: &[&str]) -> Option<Reply> {
    let has = |name: &str| {
        seen.body.get(name).is_some_and(|value| !value.is_null()) || seen.body["generationConfig"].get(name).is_some()
    };
    let refused = parameters.iter().find(|name| has(name))?;
    Some(Reply::verbatim(
        400,
        "application/json",
        json!({"error": {"message": format!("Unsupported parameter: '{refused}' is not supported with this model."), "type": "invalid_request_error",
               "param": refused, "code": "unsupported_parameter"}})
        .to_string(),
    ))
}

#[tokio::test]
async fn each_is_left_out_once_and_remembered_and_told() {
    for (refused, told) in [
        (vec!["max_tokens"], 1),
        (vec!["temperature"], 1),
        (vec!["max_tokens", "temperature"], 2),
        (vec!["temperature", "max_tokens"], 2),
    ] {
        let parameters = refused.clone();
        let provider = Provider::start(move |seen| refuses(seen, &parameters).unwrap_or_else(|| Reply::text("ok")));
        let client = client(&provider, Wire::OpenAi);
        let asked = ask(&client).await;
        assert_eq!(
            (kind(&asked), asked.attempts as usize),
            ("answered", refused.len() + 1),
            "{refused:?}"
        );
        assert_eq!(asked.adaptations.len(), told, "{:?}", asked.adaptations);
        // The second time it is known, and told again: that call too was sent in another form.
        let asked = ask(&client).await;
        assert_eq!((kind(&asked), asked.attempts), ("answered", 1));
        assert_eq!(asked.adaptations.len(), told);
    }
}

#[tokio::test]
async fn what_is_refused_in_the_other_form_too_is_an_error() {
    let parameters = ["max_tokens", "max_completion_tokens", "temperature"];
    let provider = Provider::start(move |seen| refuses(seen, &parameters).unwrap_or_else(|| Reply::text("ok")));
    let client = client(&provider, Wire::OpenAi);
    let asked = ask(&client).await;
    assert_eq!((kind(&asked), asked.attempts), ("refused", 2));
    assert!(words(&asked).contains("max_completion_tokens"), "{}", words(&asked));
    // Nothing went through, so nothing is remembered.
    assert_eq!(ask(&client).await.attempts, 2);
}

#[tokio::test]
async fn a_refused_tool_choice_becomes_an_instruction() {
    for wire in crate::WIRES {
        let provider = Provider::start(move |seen| {
            if seen.tool_choice == Choice::Unsaid {
                Reply::verdict("pass", "fine")
            } else {
                Reply::error(
                    400,
                    "invalid_request_error",
                    "tool_choice: forced calls (function_calling_config) are not supported",
                )
            }
        });
        let client = client(&provider, wire);
        let mut request = request();
        request.tool_choice = ToolChoice::Named("submit_verdict".to_owned());
        let asked = client.ask(&request, &terms()).await;
        assert_eq!((kind(&asked), asked.attempts), ("answered", 2), "{wire:?} {asked:?}");
        assert_eq!(asked.adaptations.len(), 1);
        let seen = provider.requests();
        assert!(
            !seen[0].mentions("only that one")
                && seen[1].mentions("calling the tool `submit_verdict` now, and only that one")
        );
    }
}

#[tokio::test]
async fn other_refusals_change_nothing() {
    for message in [
        "the prompt is too long",
        "`completion_max_tokens` is odd",
        "x_temperature_y",
    ] {
        let provider = Provider::start(move |_| Reply::error(400, "x", message));
        let asked = ask(&client(&provider, Wire::OpenAi)).await;
        assert_eq!((kind(&asked), asked.attempts), ("refused", 1), "{message}");
    }
    // By the field, where there is one, and not by the text.
    let body = json!({"error": {"message": "bad messages: temperature", "param": "messages"}});
    let provider = Provider::start(move |_| Reply::verbatim(400, "application/json", body.to_string()));
    assert_eq!(ask(&client(&provider, Wire::OpenAi)).await.attempts, 1);
}

#[tokio::test]
async fn a_tool_that_is_not_on_offer_cannot_be_demanded() {
    let provider = Provider::start(|_| Reply::text("ok"));
    let client = client(&provider, Wire::OpenAi);
    let mut request = request();
    request.tool_choice = ToolChoice::Named("other".to_owned());
    let asked = client.ask(&request, &terms()).await;
    assert_eq!((kind(&asked), asked.attempts), ("refused", 0));
    request.tools.clear();
    request.tool_choice = ToolChoice::Required;
    assert_eq!(kind(&client.ask(&request, &terms()).await), "refused");
    assert!(provider.requests().is_empty());
    assert_eq!(provider.bytes_sent(), 0);
}

/// A plugin's own temperature goes no further than any format has one: a model at 4 294 967 says anything.
#[test]
fn a_temperature_is_bounded() {
    for (asked, expected) in [
        (None, Some(0)),
        (Some(700), Some(700)),
        (Some(2_000), Some(2_000)),
        (Some(u32::MAX), Some(2_000)),
    ] {
        let mut request = request();
        request.temperature_milli = asked;
        assert_eq!(terms().of(&request).temperature_milli, expected);
    }
}
