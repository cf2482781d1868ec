//! An answer of a model, in words that belong to no provider.

use serde_json::Value;

/// What the model says.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// Prose. None is a null content.
    pub text: Option<String>,
    /// What it thought, apart from the answer: `reasoning_content`, a `thinking` block, a part that is a `thought`.
    pub reasoning: Option<String>,
    /// Calls of tools, all in one turn.
    pub calls: Vec<Call>,
    /// Why it stopped.
    pub finish: Finish,
    /// Tokens of the request and of the answer; none leaves them out.
    pub usage: Option<(u64, u64)>,
    /// The model that answers; none is the one that was asked for.
    pub model: Option<String>,
}

/// Why a model stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Finish {
    /// What fits: tool calls if there are some, else the end of its turn.
    #[default]
    Natural,
    /// At the limit of tokens.
    Length,
    /// By the provider's filter.
    Filtered,
    /// In a word of one's own.
    Word(String),
    /// It is null.
    Null,
    /// It is not there.
    Missing,
}

/// A call of a tool.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its id.
    pub id: Id,
    /// The tool.
    pub name: String,
    /// What it is called with.
    pub arguments: Arguments,
    /// Gemini's signature of the thought that led to it, to be sent back with the call.
    pub signature: Option<String>,
}

/// The id of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Id {
    /// `call_0`, `call_1` … by the position.
    Made,
    /// This one.
    Given(String),
    /// It is null.
    Null,
    /// It is not there.
    Missing,
}

/// How arguments are put on the wire.
#[derive(Debug, Clone)]
pub enum Arguments {
    /// This text, whatever it is: for OpenAI in a string, for the others as the JSON that it is, or in a string if it is none.
    Text(String),
    /// This JSON itself and never in a string.
    Bare(Value),
    /// They are null.
    Null,
    /// They are not there.
    Missing,
}

impl Call {
    /// A call with an id by its position.
    pub fn new(name: impl Into<String>, arguments: &Value) -> Self {
        Self::raw(name, arguments.to_string())
    }

    /// A call whose arguments are this text, valid or not.
    pub fn raw(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self::with(name, Arguments::Text(arguments.into()))
    }

    /// A call whose arguments have this form.
    pub fn with(name: impl Into<String>, arguments: Arguments) -> Self {
        Self {
            id: Id::Made,
            name: name.into(),
            arguments,
            signature: None,
        }
    }

    /// With this id.
    #[must_use]
    pub fn id(mut self, id: Id) -> Self {
        self.id = id;
        self
    }

    /// With a signature.
    #[must_use]
    pub fn signature(mut self, signature: impl Into<String>) -> Self {
        self.signature = Some(signature.into());
        self
    }
}

impl Answer {
    /// Prose alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            usage: Some((11, 7)),
            ..Self::default()
        }
    }

    /// Calls alone.
    pub fn calls(calls: Vec<Call>) -> Self {
        Self {
            calls,
            usage: Some((11, 7)),
            ..Self::default()
        }
    }
}
