#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use snodo_workspace::capability::{Answer, ProviderFailure, Stop, Usage};

use super::*;

const MUCH: Allowance = Allowance {
    calls: 1_000,
    tokens: 1_000_000,
    money_micros: None,
};

fn ledger(run: Allowance, plugin: Allowance, price: Option<Price>) -> Arc<Ledger> {
    let budgets = Budgets {
        run,
        plugin,
        currency: "USD".to_owned(),
    };
    Arc::new(Ledger::new(
        budgets,
        price.map(|price| ("m".to_owned(), price)).into_iter().collect(),
    ))
}

fn caller(plugin: &str) -> Caller {
    Caller {
        role: ModelRole::Validator,
        plugin: plugin.to_owned(),
        validator: None,
    }
}

fn answered(input: u64, output: u64) -> Asked {
    Asked {
        result: Err(CompletionError::Truncated(1)),
        usage: Usage {
            input_tokens: Some(input),
            output_tokens: Some(output),
        },
        served: None,
        attempts: 1,
        lost: 0,
        adaptations: Vec::new(),
    }
}

fn refused(result: Result<Reservation, CompletionError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn a_budget_of_calls_is_the_runs_and_each_plugins() {
    let book = ledger(Allowance { calls: 3, ..MUCH }, Allowance { calls: 2, ..MUCH }, None);
    for plugin in ["a", "a", "b"] {
        book.reserve(&caller(plugin), "m", 1, 1)
            .unwrap()
            .settle(&answered(1, 1), Duration::ZERO, false);
    }
    assert_eq!(
        refused(book.reserve(&caller("b"), "m", 1, 1)),
        "no budget for this call: calls of the run (3 allowed by `[model] calls` of host.toml)"
    );
    let book = ledger(MUCH, Allowance { calls: 1, ..MUCH }, None);
    let _kept = book.reserve(&caller("a"), "m", 1, 1).unwrap();
    assert_eq!(
        refused(book.reserve(&caller("a"), "m", 1, 1)),
        "no budget for this call: calls of `a` (1 allowed by `[model] calls_per_plugin` of host.toml)"
    );
    book.reserve(&caller("b"), "m", 1, 1).unwrap();
}

#[test]
fn tokens_are_set_aside_by_the_ceiling_and_counted_by_what_was_used() {
    let book = ledger(Allowance { tokens: 100, ..MUCH }, MUCH, None);
    let first = book.reserve(&caller("a"), "m", 20, 60).unwrap();
    // Two at once cannot spend it twice.
    assert_eq!(
        refused(book.reserve(&caller("a"), "m", 20, 60)),
        "no budget for this call: tokens of the run (100 allowed by `[model] tokens` of host.toml; this call can take 80)"
    );
    first.settle(&answered(20, 5), Duration::ZERO, false);
    book.reserve(&caller("a"), "m", 15, 60).unwrap();
}

#[test]
fn what_nobody_counts_is_estimated_and_what_was_given_up_counts_whole() {
    let book = ledger(MUCH, MUCH, None);
    let asked = Asked {
        attempts: 1,
        ..Asked::not_sent(CompletionError::Truncated(1))
    };
    book.reserve(&caller("a"), "m", 30, 60)
        .unwrap()
        .settle(&asked, Duration::from_millis(7), false);
    let said = Answer {
        text: "x".repeat(30),
        tool_calls: Vec::new(),
        stop: Stop::EndOfTurn,
        model: "m".to_owned(),
        usage: asked.usage,
    };
    let unavailable = CompletionError::Unavailable(ProviderFailure {
        status: Some(503),
        message: String::new(),
    });
    for result in [Ok(said), Err(CompletionError::Timeout(1)), Err(unavailable)] {
        let asked = Asked {
            result,
            ..asked.clone()
        };
        book.reserve(&caller("a"), "m", 30, 60)
            .unwrap()
            .settle(&asked, Duration::ZERO, false);
    }
    drop(book.reserve(&caller("a"), "m", 30, 60).unwrap());
    let calls = book.calls();
    let told: Vec<_> = calls
        .iter()
        .map(|c| (c.ended, c.input_tokens, c.charged_tokens))
        .collect();
    assert_eq!(
        told,
        [
            ("truncated", None, 90),
            ("answered", None, 40),
            ("timeout", None, 90),
            ("unavailable", None, 30),
            ("interrupted", None, 90)
        ]
    );
}

#[test]
fn money_needs_a_price() {
    let bound = Allowance {
        money_micros: Some(5_000),
        ..MUCH
    };
    let book = ledger(bound, MUCH, None);
    assert_eq!(
        refused(book.reserve(&caller("a"), "m", 1, 1)),
        "no budget for this call: money (0.005 USD allowed by `[model] money` of host.toml), since no price is configured for `m`: \
         add `[model.prices.\"m\"]` there"
    );
    // 3.00 and 15.00 for a million tokens.
    let price = Price {
        input: 3_000_000,
        output: 15_000_000,
    };
    let book = ledger(bound, MUCH, Some(price));
    book.reserve(&caller("a"), "m", 1_000, 100)
        .unwrap()
        .settle(&answered(1_000, 100), Duration::ZERO, false);
    assert_eq!(book.totals().cost_micros, Some(4_500));
    assert_eq!(
        refused(book.reserve(&caller("a"), "m", 100, 100)),
        "no budget for this call: money of the run (0.005 USD allowed by `[model] money` of host.toml; this call can cost 0.0018 USD)"
    );
}

/// What others say is added up, and never past the end of a number.
#[test]
fn numbers_without_end_are_added_up() {
    let price = Price {
        input: u64::MAX,
        output: u64::MAX,
    };
    let book = ledger(MUCH, MUCH, Some(price));
    let reserved = [(); 2].map(|()| book.reserve(&caller("a"), "m", 0, 0).unwrap());
    for one in reserved {
        one.settle(&answered(u64::MAX, u64::MAX), Duration::ZERO, false);
    }
    // Nothing is left of the budget.
    assert!(book.reserve(&caller("a"), "m", 0, 0).is_err());
    let expected = Totals {
        calls: 2,
        input_tokens: u64::MAX,
        output_tokens: u64::MAX,
        cost_micros: Some(u64::MAX),
    };
    assert_eq!(book.totals(), expected);
}

#[test]
fn amounts_are_written_as_people_write_them() {
    for (micros, expected) in [
        (0, "0.00"),
        (5_000_000, "5.00"),
        (1, "0.000001"),
        (12_340_000, "12.34"),
        (500_000, "0.50"),
    ] {
        assert_eq!(decimal(micros), expected);
    }
}

#[test]
fn the_classifier_takes_nothing_from_those_that_decide() {
    let classifier = Caller {
        role: ModelRole::Classifier,
        ..caller("host")
    };
    let price = Price {
        input: 0,
        output: 1_000_000,
    };
    let bound = Allowance {
        calls: 1,
        tokens: 100,
        money_micros: Some(1_000),
    };
    let book = ledger(bound, bound, Some(price));
    for _ in 0..2 {
        book.reserve(&classifier, "m", 500, 300)
            .unwrap()
            .settle(&answered(400, 200), Duration::ZERO, false);
    }
    assert!(refused(book.reserve(&classifier, "m", 1, 1)).contains("calls of the classifier"));
    // All of the calls and the tokens are left, and what money is.
    assert!(refused(book.reserve(&caller("a"), "m", 50, 601)).contains("tokens of the run"));
    book.reserve(&caller("a"), "m", 50, 50)
        .unwrap()
        .settle(&answered(50, 50), Duration::ZERO, false);
    let expected = Totals {
        calls: 3,
        input_tokens: 850,
        output_tokens: 450,
        cost_micros: Some(450),
    };
    assert_eq!(book.totals(), expected);
    // Money bounds the run as a whole, and where nothing may be asked nothing is.
    let book = ledger(bound, bound, Some(price));
    assert!(refused(book.reserve(&classifier, "m", 0, 1_001)).contains("money of the run"));
    let book = ledger(Allowance { calls: 0, ..MUCH }, MUCH, None);
    assert!(book.reserve(&classifier, "m", 1, 1).is_err());
}

#[test]
fn the_mock_costs_nothing() {
    let book = ledger(MUCH, MUCH, None);
    let asked = Asked {
        attempts: 0,
        ..answered(0, 0)
    };
    book.reserve(&caller("a"), "mock", 0, 0)
        .unwrap()
        .settle(&asked, Duration::ZERO, true);
    let expected = Totals {
        calls: 1,
        cost_micros: Some(0),
        ..Totals::default()
    };
    assert_eq!(book.totals(), expected);
}

proptest! {
    /// Whatever is reserved and settled in whatever order, what is set aside and used together never passes the budget, as long as no
    /// provider counts more than was set aside.
    #[test]
    fn a_budget_is_never_passed(steps in proptest::collection::vec((0_u64..200, 0_u32..200, any::<bool>(), 0_usize..4), 1..60)) {
        let book = ledger(Allowance { calls: 20, tokens: 2_000, money_micros: None }, Allowance { calls: 15, tokens: 1_500, money_micros: None }, None);
        let mut open: Vec<Reservation> = Vec::new();
        for (input, output, settle, who) in steps {
            let plugin = ["a", "b", "c", "d"][who];
            if settle && !open.is_empty() {
                let one = open.swap_remove(who % open.len());
                let used = answered(one.input_estimate, 0);
                one.settle(&used, Duration::ZERO, false);
            } else if let Ok(one) = book.reserve(&caller(plugin), "m", input, output) {
                open.push(one);
            }
            let state = book.state();
            prop_assert!(state.run.calls <= 20 && state.run.tokens <= 2_000);
            prop_assert!(state.plugins.values().all(|p| p.calls <= 15 && p.tokens <= 1_500));
        }
    }
}
