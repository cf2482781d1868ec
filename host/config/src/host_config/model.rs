//! `[model]`: of language models.

use super::money::{Money, Price, money};
use super::value::{LIST, unusable, within};
use crate::fault::FaultKind;
use crate::node::{Node, Value};
use crate::record::value::{nonblank, wrong};
use crate::record::{Extra, Record};
use crate::report::Log;

/// The word for a budget that is none.
const UNBOUNDED: &str = "unbounded";

/// The most tokens of a budget.
const MOST_TOKENS: i64 = 1_000_000_000_000;

/// `[model]`: of language models. Which ones there are says `config.yml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSettings {
    /// To reach the provider, in seconds. 1 to 300.
    pub connect_seconds: u32,
    /// Without a byte of an answer, in seconds. 1 to 3600.
    pub idle_seconds: u32,
    /// One call with all its attempts and the waiting between them, in seconds. 1 to 86400.
    pub total_seconds: u32,
    /// The largest body of an answer, in MiB. 1 to 256.
    pub answer_mib: u32,
    /// Calls of one run, of all plugins together. 0 to 1 million.
    pub calls: u32,
    /// Calls of one plugin in a run. 0 to 1 million; `calls` bounds them too.
    pub calls_per_plugin: u32,
    /// Tokens of one run, of requests and answers, of all plugins together. 0 to 10^12.
    pub tokens: u64,
    /// Tokens of one plugin in a run. 0 to 10^12; `tokens` bounds them too.
    pub tokens_per_plugin: u64,
    /// What the calls of one run may cost. None: no bound. Never without prices.
    pub money: Option<Money>,
    /// What `money` and `prices` are counted in. A label: nothing is converted.
    pub currency: String,
    /// Prices by the model's name as it is configured, in the file's order.
    pub prices: Vec<(String, Price)>,
}

impl ModelSettings {
    /// What holds without a file.
    pub fn standard() -> Self {
        Self {
            // A handshake over a slow line takes a second or two; who takes longer is not there.
            connect_seconds: 10,
            // A model that reasons before its first word is silent for a minute, seldom for two.
            idle_seconds: 120,
            // 16000 tokens, a coder's longest answer, take five minutes of a slow model; twice that, for one more attempt.
            total_seconds: 600,
            // 16000 tokens are some 100 KB; many times that, and still nothing that fills memory.
            answer_mib: 8,
            // A coder of six turns, three recoveries and ten judges of six turns make some 250 at the very worst, and a tenth of
            // that as a rule.
            calls: 200,
            // One that makes half of all calls of a run is in a loop.
            calls_per_plugin: 100,
            // The calls of a rather large run at some 20000 tokens each, and half of it to spare. At the prices of large models a few
            // ten dollars: what a slip may cost.
            tokens: 2_000_000,
            // As with calls.
            tokens_per_plugin: 1_000_000,
            // Nobody knows prices but the user.
            money: None,
            currency: "USD".to_owned(),
            prices: Vec::new(),
        }
    }

    /// The price of a model, by its name as it is configured.
    pub fn price(&self, model: &str) -> Option<Price> {
        let found = self.prices.iter().find(|(name, _)| name == model)?;
        Some(found.1)
    }
}

/// Reads the table.
pub(super) fn read(node: &Node, path: &str, log: &mut Log) -> Option<ModelSettings> {
    let standard = ModelSettings::standard();
    let mut record = Record::table(node, path, log)?;
    let connect_seconds = record.or("connect_seconds", standard.connect_seconds, within(1, 300));
    let idle_seconds = record.or("idle_seconds", standard.idle_seconds, within(1, 3600));
    let total_seconds = record.or("total_seconds", standard.total_seconds, within(1, 86_400));
    let answer_mib = record.or("answer_mib", standard.answer_mib, within(1, 256));
    let calls = record.or("calls", standard.calls, within(0, 1_000_000));
    let calls_per_plugin = record.or("calls_per_plugin", standard.calls_per_plugin, within(0, 1_000_000));
    let tokens = record.or("tokens", standard.tokens, tokens);
    let tokens_per_plugin = record.or("tokens_per_plugin", standard.tokens_per_plugin, self::tokens);
    let money = record.or("money", standard.money, budget);
    let currency = record.or("currency", standard.currency, label);
    let prices = record.or("prices", standard.prices, prices);
    if let (Some(Some(_)), Some(prices)) = (money, &prices)
        && prices.is_empty()
    {
        // A budget over calls of which nobody knows the price bounds nothing.
        let place = record.place_of("money");
        record.log.fault(place, || FaultKind::Missing {
            field: "prices",
            record: "the table (`model`) with `money`".to_owned(),
        });
    }
    record.close(Extra::Refused);
    Some(ModelSettings {
        connect_seconds: connect_seconds?,
        idle_seconds: idle_seconds?,
        total_seconds: total_seconds?,
        answer_mib: answer_mib?,
        calls: calls?,
        calls_per_plugin: calls_per_plugin?,
        tokens: tokens?,
        tokens_per_plugin: tokens_per_plugin?,
        money: money?,
        currency: currency?,
        prices: prices?,
    })
}

fn tokens(node: &Node, path: &str, log: &mut Log) -> Option<u64> {
    let read = crate::record::value::strict_number(0, Some(MOST_TOKENS));
    read(node, path, log).map(i64::unsigned_abs)
}

#[expect(clippy::option_option, reason = "faulty, unbounded, given: the three are told apart")]
fn budget(node: &Node, path: &str, log: &mut Log) -> Option<Option<Money>> {
    if node.as_text() == Some(UNBOUNDED) {
        return Some(None);
    }
    if let Some(word) = node.as_text().filter(|word| Money::parse(word).is_err()) {
        unusable(node.place, path, word, "it is an amount, or `unbounded`", log);
        return None;
    }
    money(node, path, log).map(Some)
}

fn label(node: &Node, path: &str, log: &mut Log) -> Option<String> {
    let label = nonblank(node, path, log)?;
    if label.len() > 8 || !label.bytes().all(|b| b.is_ascii_alphabetic()) {
        unusable(
            node.place,
            path,
            &label,
            "a currency is up to 8 letters, such as USD",
            log,
        );
        return None;
    }
    Some(label)
}

fn prices(node: &Node, path: &str, log: &mut Log) -> Option<Vec<(String, Price)>> {
    let Value::Map(tables) = &node.value else {
        wrong(node, path, "a table", log);
        return None;
    };
    if let Some(beyond) = tables.get(LIST) {
        let name = beyond.key.as_text().unwrap_or_default();
        unusable(beyond.key.place, path, name, "a list may hold 256 entries", log);
        return None;
    }
    let mut prices = Vec::with_capacity(tables.len());
    for table in tables {
        let name = table.key.as_text().unwrap_or_default();
        if let Err(why) = crate::model::checked_model(name) {
            unusable(table.key.place, path, name, why, log);
            continue;
        }
        let price = price(&table.value, &format!("{path}.\"{name}\""), log);
        prices.extend(price.map(|price| (name.to_owned(), price)));
    }
    (prices.len() == tables.len()).then_some(prices)
}

fn price(node: &Node, path: &str, log: &mut Log) -> Option<Price> {
    let mut record = Record::table(node, path, log)?;
    let input = record.required("input", money);
    let output = record.required("output", money);
    record.close(Extra::Refused);
    Some(Price {
        input: input?,
        output: output?,
    })
}
