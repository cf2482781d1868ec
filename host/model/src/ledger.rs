//! What a run asked of models, and what it may ask.
//!
//! A call is reserved before it is made, by the most that it can take, and settled by what it took: several validators that ask at once
//! cannot spend a budget twice.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use snodo_config::model::ModelRole;
use snodo_workspace::capability::CompletionError;

use crate::Asked;

/// How often the classifier may ask in a run: as often as it does.
const CLASSIFIER_CALLS: u64 = 2;

/// Bounds of what may be asked, of a whole run or of one plugin in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Calls, however they end.
    pub calls: u64,
    /// Tokens, of requests and answers together.
    pub tokens: u64,
    /// Millionths of the currency unit; none for no bound.
    pub money_micros: Option<u64>,
}

/// The bounds of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budgets {
    /// Of all calls together.
    pub run: Allowance,
    /// Of the calls of each plugin.
    pub plugin: Allowance,
    /// What money is counted in, as the user names it.
    pub currency: String,
}

/// What a model costs, in millionths of the currency unit for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Of requests.
    pub input: u64,
    /// Of answers.
    pub output: u64,
}

impl Price {
    /// Of so many tokens, in millionths of the currency unit, rounded up.
    fn of(self, input: u64, output: u64) -> u64 {
        let of = |price: u64, tokens: u64| u128::from(price) * u128::from(tokens);
        let exact = of(self.input, input).saturating_add(of(self.output, output));
        u64::try_from(exact.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// In which role.
    pub role: ModelRole,
    /// The plugin; "host" for the host itself.
    pub plugin: String,
    /// The validator's id, of a validator.
    pub validator: Option<String>,
}

/// One call, as the report tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallRecord {
    /// `coder`, `validator` or `classifier`.
    pub role: &'static str,
    /// The plugin; "host" for the host itself.
    pub plugin: String,
    /// The validator's id, of a validator.
    pub validator_id: Option<String>,
    /// The model as it is configured.
    pub requested: String,
    /// The model that answered, as it says itself.
    pub served: Option<String>,
    /// Tokens of the request; none where nobody says so.
    pub input_tokens: Option<u64>,
    /// Tokens of the answer; none where nobody says so.
    pub output_tokens: Option<u64>,
    /// Tokens that were counted against the budgets: what was said, or else an estimate, and for each attempt that broke off the estimate of its request.
    pub charged_tokens: u64,
    /// Milliseconds, waiting between attempts included.
    pub duration_ms: u64,
    /// How often the request was sent.
    pub attempts: u32,
    /// Millionths of the currency unit; none where no price is configured.
    pub cost_micros: Option<u64>,
    /// `answered`, or the kind of error.
    pub ended: &'static str,
    /// It was the mock that answered.
    pub mock: bool,
    /// What of the request was changed since the provider does not take it.
    pub adaptations: Vec<String>,
}

/// All calls together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Calls.
    pub calls: u64,
    /// Tokens of requests, as far as they are known.
    pub input_tokens: u64,
    /// Tokens of answers, as far as they are known.
    pub output_tokens: u64,
    /// Millionths of the currency unit; none where a call has no price.
    pub cost_micros: Option<u64>,
}

/// The book of one run.
#[derive(Debug)]
pub struct Ledger {
    budgets: Budgets,
    /// By the model's configured name.
    prices: BTreeMap<String, Price>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    run: Spent,
    plugins: BTreeMap<String, Spent>,
    /// What the classifier set aside: it counts its calls, and no budget's.
    classifier: Spent,
    calls: Vec<CallRecord>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Spent {
    calls: u64,
    tokens: u64,
    money_micros: u64,
}

impl Spent {
    fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            tokens: self.tokens.saturating_add(other.tokens),
            money_micros: self.money_micros.saturating_add(other.money_micros),
        }
    }

    fn only_money(self) -> Self {
        Self {
            money_micros: self.money_micros,
            ..Self::default()
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_sub(other.calls),
            tokens: self.tokens.saturating_sub(other.tokens),
            money_micros: self.money_micros.saturating_sub(other.money_micros),
        }
    }

    /// What of an allowance would be exceeded.
    fn over(self, allowed: Allowance) -> Option<Exceeded> {
        if self.calls > allowed.calls {
            return Some(Exceeded::Calls(allowed.calls));
        }
        if self.tokens > allowed.tokens {
            return Some(Exceeded::Tokens(allowed.tokens));
        }
        let money = allowed.money_micros.filter(|&money| self.money_micros > money)?;
        Some(Exceeded::Money(money))
    }
}

/// A budget, and how much it is.
#[derive(Debug, Clone, Copy)]
enum Exceeded {
    Calls(u64),
    Tokens(u64),
    /// Millionths.
    Money(u64),
}

impl Exceeded {
    /// The error: what does not suffice for which call, and the key by which there would be more. `key_end` is what the key of a plugin's budget ends
    /// with.
    fn error(self, whose: &str, key_end: &str, aside: Spent, currency: &str) -> CompletionError {
        let (name, allowed) = match self {
            Self::Calls(allowed) => (
                format!("calls of {whose} ({allowed} allowed by `[model] calls{key_end}` of host.toml)"),
                allowed,
            ),
            Self::Tokens(allowed) => (
                format!(
                    "tokens of {whose} ({allowed} allowed by `[model] tokens{key_end}` of host.toml; this call can take {})",
                    aside.tokens
                ),
                allowed,
            ),
            Self::Money(allowed) => (
                format!(
                    "money of {whose} ({} {currency} allowed by `[model] money` of host.toml; this call can cost {} {currency})",
                    decimal(allowed),
                    decimal(aside.money_micros)
                ),
                allowed,
            ),
        };
        CompletionError::BudgetSpent { name, allowed }
    }
}

/// Millionths as an amount: two digits behind the point, or as many as it takes.
fn decimal(micros: u64) -> String {
    let digits = format!("{:06}", micros % 1_000_000);
    let kept = digits.trim_end_matches('0').len().max(2);
    format!("{}.{}", micros / 1_000_000, &digits[..kept])
}

/// A call that may be made. What it can take at most is set aside until it is settled; one that is dropped unsettled was interrupted, and
/// counts as what was set aside, since nobody knows how far it came.
#[derive(Debug)]
pub struct Reservation {
    ledger: Arc<Ledger>,
    caller: Caller,
    model: String,
    aside: Spent,
    input_estimate: u64,
    settled: bool,
}

impl Ledger {
    /// An empty book.
    pub fn new(budgets: Budgets, prices: BTreeMap<String, Price>) -> Self {
        Self {
            budgets,
            prices,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets aside what a call can take: the tokens of its request (estimated) and the ceiling of its answer.
    ///
    /// # Errors
    /// [`CompletionError::BudgetSpent`], naming the budget.
    pub fn reserve(
        self: &Arc<Self>,
        caller: &Caller,
        model: &str,
        input_estimate: u64,
        max_output: u32,
    ) -> Result<Reservation, CompletionError> {
        let currency = &self.budgets.currency;
        let bounded = [self.budgets.run, self.budgets.plugin];
        let price = self.prices.get(model);
        if price.is_none()
            && let Some(allowed) = bounded.iter().find_map(|allowance| allowance.money_micros)
        {
            let name = format!(
                "money ({} {currency} allowed by `[model] money` of host.toml), since no price is configured for `{model}`: add \
                 `[model.prices.\"{model}\"]` there",
                decimal(allowed)
            );
            return Err(CompletionError::BudgetSpent { name, allowed });
        }
        let output = u64::from(max_output);
        let aside = Spent {
            calls: 1,
            tokens: input_estimate.saturating_add(output),
            money_micros: price.map_or(0, |price| price.of(input_estimate, output)),
        };
        let mut state = self.state();
        if caller.role == ModelRole::Classifier {
            self.classify(&mut state, aside)?;
        } else {
            let run = state.run.plus(aside);
            if let Some(exceeded) = run.over(self.budgets.run) {
                return Err(exceeded.error("the run", "", aside, currency));
            }
            let plugin = state
                .plugins
                .get(&caller.plugin)
                .copied()
                .unwrap_or_default()
                .plus(aside);
            if let Some(exceeded) = plugin.over(self.budgets.plugin) {
                return Err(exceeded.error(&format!("`{}`", caller.plugin), "_per_plugin", aside, currency));
            }
            state.run = run;
            state.plugins.insert(caller.plugin.clone(), plugin);
        }
        Ok(Reservation {
            ledger: Arc::clone(self),
            caller: caller.clone(),
            model: model.to_owned(),
            aside,
            input_estimate,
            settled: false,
        })
    }

    /// The classifier decides nothing, and takes nothing from those that do: its few calls, and their tokens, count in the totals and against no budget.
    /// Its money does: what a run may cost holds for all of it. Where a run may ask nothing, it asks nothing either.
    fn classify(&self, state: &mut State, aside: Spent) -> Result<(), CompletionError> {
        if self.budgets.run.calls == 0 {
            return Err(Exceeded::Calls(0).error("the run", "", aside, &self.budgets.currency));
        }
        if state.classifier.calls >= CLASSIFIER_CALLS {
            return Err(CompletionError::BudgetSpent {
                name: format!("calls of the classifier ({CLASSIFIER_CALLS} in a run, always)"),
                allowed: CLASSIFIER_CALLS,
            });
        }
        let run = state.run.plus(aside.only_money());
        let money_alone = Allowance {
            calls: u64::MAX,
            tokens: u64::MAX,
            ..self.budgets.run
        };
        if let Some(exceeded) = run.over(money_alone) {
            return Err(exceeded.error("the run", "", aside, &self.budgets.currency));
        }
        state.run = run;
        state.classifier = state.classifier.plus(aside);
        Ok(())
    }

    /// Every call, in the order in which they ended.
    pub fn calls(&self) -> Vec<CallRecord> {
        self.state().calls.clone()
    }

    /// What money is counted in.
    pub fn currency(&self) -> &str {
        &self.budgets.currency
    }

    /// All calls together; the mock's count as calls, and as nothing else.
    pub fn totals(&self) -> Totals {
        let state = self.state();
        // What is added was said by others: it never passes the end of a number.
        let sum = |of: fn(&CallRecord) -> Option<u64>| state.calls.iter().filter_map(of).fold(0, u64::saturating_add);
        let costs: Option<Vec<u64>> = state.calls.iter().map(|call| call.cost_micros).collect();
        Totals {
            calls: u64::try_from(state.calls.len()).unwrap_or(u64::MAX),
            input_tokens: sum(|call| call.input_tokens),
            output_tokens: sum(|call| call.output_tokens),
            cost_micros: costs
                .filter(|costs| !costs.is_empty())
                .map(|costs| costs.into_iter().fold(0, u64::saturating_add)),
        }
    }
}

impl Reservation {
    /// The call has ended.
    pub fn settle(mut self, asked: &Asked, took: Duration, mock: bool) {
        self.settled = true;
        let ended = match &asked.result {
            Ok(_) => "answered",
            Err(error) => kind(error),
        };
        // A request that was never sent cost nothing.
        let sent = asked.attempts > 0;
        let estimate = if sent { self.input_estimate } else { 0 };
        let input = asked.usage.input_tokens.unwrap_or(estimate);
        let output = asked
            .usage
            .output_tokens
            .unwrap_or_else(|| if sent { self.output(asked) } else { 0 });
        // A request that broke off on the way was read by the provider all the same, as far as anybody knows.
        let again = self.input_estimate.saturating_mul(asked.lost.into());
        let read = input.saturating_add(again);
        let price = self.ledger.prices.get(&self.model).copied();
        let cost = if mock {
            Some(0)
        } else {
            price.map(|price| price.of(read, output))
        };
        let took_for = Spent {
            calls: 1,
            tokens: read.saturating_add(output),
            money_micros: cost.unwrap_or(0),
        };
        self.close(
            took_for,
            CallRecord {
                role: self.caller.role.as_str(),
                plugin: self.caller.plugin.clone(),
                validator_id: self.caller.validator.clone(),
                requested: self.model.clone(),
                served: asked.served.clone(),
                input_tokens: asked.usage.input_tokens,
                output_tokens: asked.usage.output_tokens,
                charged_tokens: took_for.tokens,
                duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
                attempts: asked.attempts,
                cost_micros: cost,
                ended,
                mock,
                adaptations: asked.adaptations.clone(),
            },
        );
    }

    /// Tokens of an answer that nobody counts: by what was said; all that was set aside where the model may have written until it was stopped; none
    /// where a provider answered something that no model wrote.
    fn output(&self, asked: &Asked) -> u64 {
        match &asked.result {
            Ok(answer) => {
                let calls = answer.tool_calls.iter();
                estimate(answer.text.len() + calls.map(|call| call.name.len() + call.arguments.len()).sum::<usize>())
            }
            Err(CompletionError::Timeout(_) | CompletionError::Truncated(_)) => {
                self.aside.tokens.saturating_sub(self.input_estimate)
            }
            Err(_) => 0,
        }
    }

    fn close(&self, took: Spent, record: CallRecord) {
        let mut state = self.ledger.state();
        if self.caller.role == ModelRole::Classifier {
            let (aside, money) = (self.aside.only_money(), took.only_money());
            state.run = state.run.minus(aside).plus(money);
            state.calls.push(record);
            return;
        }
        state.run = state.run.minus(self.aside).plus(took);
        if let Some(plugin) = state.plugins.get_mut(&self.caller.plugin) {
            *plugin = plugin.minus(self.aside).plus(took);
        }
        state.calls.push(record);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        self.close(
            self.aside,
            CallRecord {
                role: self.caller.role.as_str(),
                plugin: self.caller.plugin.clone(),
                validator_id: self.caller.validator.clone(),
                requested: self.model.clone(),
                served: None,
                input_tokens: None,
                output_tokens: None,
                charged_tokens: self.aside.tokens,
                duration_ms: 0,
                attempts: 0,
                cost_micros: None,
                ended: "interrupted",
                mock: false,
                adaptations: Vec::new(),
            },
        );
    }
}

/// The kind of an error, in a word.
fn kind(error: &CompletionError) -> &'static str {
    match error {
        CompletionError::NoClient(_) => "no_client",
        CompletionError::Refused(_) => "refused",
        CompletionError::RateLimited(_) => "rate_limited",
        CompletionError::Timeout(_) => "timeout",
        CompletionError::Truncated(_) => "truncated",
        CompletionError::Filtered(_) => "filtered",
        CompletionError::Malformed(_) => "malformed",
        CompletionError::Unavailable(_) => "unavailable",
        CompletionError::BudgetSpent { .. } => "budget_spent",
        CompletionError::Limit(_) => "limit",
    }
}

/// An estimate of a text's tokens, for what is set aside: three bytes a token is more than any of the known tokenizers needs for prose and
/// code.
pub(crate) fn estimate(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(3)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
