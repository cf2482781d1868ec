//! What it is to ask a model, whoever answers.

use async_trait::async_trait;
use snodo_workspace::capability::{Answer, CompletionError, Request, Usage};

/// Most tokens of one request, and of one answer, that are believed: far above what any model takes. More is an error or a lie, and counts as not said.
const MOST_TOKENS: u64 = 100_000_000;

/// The highest temperature that any of the formats has, in thousandths.
const HOTTEST: u32 = 2_000;

/// What somebody says that a call took, as far as it can be.
pub(crate) fn believed(said: Usage) -> Usage {
    let possible = |tokens: Option<u64>| tokens.filter(|&tokens| tokens <= MOST_TOKENS);
    Usage {
        input_tokens: possible(said.input_tokens),
        output_tokens: possible(said.output_tokens),
    }
}

/// A model that can be asked. One stands for one configured model; roles that resolve to the same one share it.
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// Its name, as it is configured.
    fn model(&self) -> &str;

    /// Whether it is the mock, whose answers are evidence of nothing.
    fn is_mock(&self) -> bool {
        false
    }

    /// Asks. Dropping the future gives the call up.
    async fn ask(&self, request: &Request, terms: &Terms) -> Asked;
}

/// On what terms: the configured ones of a role, which whoever asks can only tighten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// Ceiling of the answer, in tokens.
    pub max_tokens: u32,
    /// In thousandths; none for the provider's own.
    pub temperature_milli: Option<u32>,
    /// For headers that name the task.
    pub task_id: String,
}

impl Terms {
    /// With what a request asks for: not above the ceiling, and no temperature above what any format has (2.0).
    #[must_use]
    pub fn of(&self, request: &Request) -> Self {
        Self {
            max_tokens: request
                .max_tokens
                .map_or(self.max_tokens, |asked| asked.min(self.max_tokens)),
            temperature_milli: request
                .temperature_milli
                .map(|asked| asked.min(HOTTEST))
                .or(self.temperature_milli),
            task_id: self.task_id.clone(),
        }
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The answer, or why there is none.
    pub result: Result<Answer, CompletionError>,
    /// What it took; also of an answer that cannot be used.
    pub usage: Usage,
    /// Who answered, as it says itself; none where nobody did.
    pub served: Option<String>,
    /// How often the request was sent; 0 where it was not.
    pub attempts: u32,
    /// How many of these were sent, broke off, and were tried again: what they took nobody says.
    pub lost: u32,
    /// What of the request was changed since the provider does not take it, each in a sentence.
    pub adaptations: Vec<String>,
}

impl Asked {
    /// Nobody was asked.
    pub fn not_sent(error: CompletionError) -> Self {
        Self {
            result: Err(error),
            usage: Usage {
                input_tokens: None,
                output_tokens: None,
            },
            served: None,
            attempts: 0,
            lost: 0,
            adaptations: Vec::new(),
        }
    }
}
