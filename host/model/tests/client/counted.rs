//! What a call took, by what a provider says and by what is believed of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use snodo_config::model::{ModelRole, Wire};
use snodo_model::{Allowance, Budgets, Caller, Ledger, Seat};
use snodo_provider::{Provider, Reply, script};
use snodo_workspace::capability::{AssistantTurn, Complete as _, Message, ToolCall, ToolResult, Usage};

use crate::{WIRES, ask, client, request, terms};

const MUCH: Allowance = Allowance {
    calls: 100,
    tokens: 1_000_000,
    money_micros: None,
};

fn ledger() -> Arc<Ledger> {
    let budgets = Budgets {
        run: MUCH,
        plugin: MUCH,
        currency: "USD".to_owned(),
    };
    Arc::new(Ledger::new(budgets, BTreeMap::new()))
}

fn seat(provider: &Provider, wire: Wire, ledger: &Arc<Ledger>) -> Seat {
    let caller = Caller {
        role: ModelRole::Validator,
        plugin: "a".to_owned(),
        validator: None,
    };
    Seat::new(Arc::new(client(provider, wire)), Arc::clone(ledger), caller, terms())
}

/// A provider that counts without end takes no budget away, and stops no run.
#[tokio::test]
async fn a_count_that_cannot_be_is_not_said_and_is_estimated() {
    for wire in WIRES {
        for (said, input_tokens, output_tokens) in [
            ((u64::MAX, u64::MAX), None, None),
            ((u64::MAX, 7), None, Some(7)),
            ((11, 100_000_001), Some(11), None),
            // The control.
            ((100_000, 7), Some(100_000), Some(7)),
        ] {
            let provider = Provider::start(script::always(Reply::text("ok").usage(Some(said))));
            let usage = Usage {
                input_tokens,
                output_tokens,
            };
            let asked = ask(&client(&provider, wire)).await;
            assert_eq!((asked.usage, asked.result.unwrap().usage), (usage, usage), "{wire:?}");

            let ledger = ledger();
            for _ in 0..2 {
                seat(&provider, wire, &ledger).complete(request()).await.unwrap();
            }
            let totals = ledger.totals();
            assert_eq!(totals.input_tokens, 2 * input_tokens.unwrap_or(0), "{wire:?} {said:?}");
            assert_eq!(
                totals.output_tokens,
                2 * output_tokens.unwrap_or(0),
                "{wire:?} {said:?}"
            );
            assert!(
                ledger
                    .calls()
                    .iter()
                    .all(|call| call.charged_tokens > 0 && call.charged_tokens < 200_000)
            );
        }
    }
}

/// What was sent and broke off may have been read and paid; what a provider refused was not.
#[tokio::test]
async fn attempts_that_broke_off_are_charged() {
    let mut charged = Vec::new();
    for before in [
        Vec::new(),
        vec![Reply::reset(); 2],
        vec![Reply::error(503, "x", "later"); 2],
    ] {
        let failed = before.len();
        let replies = before.into_iter().chain([Reply::text("ok").usage(Some((11, 7)))]);
        let provider = Provider::start(script::queue(replies));
        let ledger = ledger();
        seat(&provider, Wire::OpenAi, &ledger)
            .complete(request())
            .await
            .unwrap();
        let call = ledger.calls().pop().unwrap();
        assert_eq!((call.attempts as usize, call.input_tokens), (failed + 1, Some(11)));
        charged.push(call.charged_tokens);
    }
    // Of the request's 84 bytes, two times 28 tokens.
    assert_eq!(charged, [18, 18 + 2 * 28, 18]);
}

/// Everything that is sent counts, ids and the number of messages too: a budget is not passed by with them.
#[tokio::test]
async fn ids_and_messages_count() {
    let provider = Provider::start(script::always(Reply::text("ok").usage(None)));
    let mut charged = Vec::new();
    let call = |id: &str| {
        let turn = AssistantTurn {
            text: String::new(),
            tool_calls: vec![ToolCall {
                id: id.to_owned(),
                name: "read_file".to_owned(),
                arguments: "{}".to_owned(),
            }],
        };
        let result = ToolResult {
            id: id.to_owned(),
            text: String::new(),
        };
        [Message::Assistant(turn), Message::Tool(result)]
    };
    for more in [
        Vec::new(),
        call(&"x".repeat(3_000)).to_vec(),
        vec![Message::User("x".to_owned()); 300],
    ] {
        let mut request = request();
        request.messages.extend(more);
        let ledger = ledger();
        seat(&provider, Wire::OpenAi, &ledger).complete(request).await.unwrap();
        charged.push(ledger.calls().pop().unwrap().charged_tokens);
    }
    assert!(charged[1] >= charged[0] + 2_000, "{charged:?}");
    assert!(charged[2] >= charged[0] + 900, "{charged:?}");
}
