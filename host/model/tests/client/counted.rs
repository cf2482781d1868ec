//! What a call took, by what a provider says and by what is believed of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use snodo_config::model::{ModelRole, Wire};
use snodo_model::{Allowance, Budgets, Caller, Ledger, Seat};
use snodo_provider::{Provider, Reply, script};
use snodo_workspace::capability::{Complete as _, Usage};

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
