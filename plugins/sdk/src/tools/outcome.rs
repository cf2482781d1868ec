//! What a tool call came to.

/// What a tool call came to: the answer for the model, and what a plugin's own rules need to know of it.
///
/// ```
/// use snodo_plugin::tools::Outcome;
///
/// let outcome = Outcome::refused("Verdict not taken: the argument `severity` is missing.");
/// assert!(outcome.progress && !outcome.complete);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The answer for the model. What comes from the workspace is fenced.
    pub text: String,
    /// False exactly when all that was asked for had been shown before, so that the answer is a pointer. A call that failed is
    /// progress: it costs a turn.
    pub progress: bool,
    /// All that was asked for is in the text, or was shown before. False for what failed, was cut or was left out.
    pub complete: bool,
    /// What was really shown: `src/a.rs`, `src/a.rs:10-40`, `src/`, ``search `needle` in src/``. Spans of lines were shown whole; a line of which only the
    /// beginning was shown is `src/a.js:1 in part`.
    pub examined: Vec<String>,
}

impl Outcome {
    /// What a tool of the plugin's own has to say.
    pub fn told(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            progress: true,
            complete: true,
            examined: Vec::new(),
        }
    }

    /// Why a call was not carried out.
    pub fn refused(text: impl Into<String>) -> Self {
        Self {
            complete: false,
            ..Self::told(text)
        }
    }

    /// A pointer to what was shown before.
    pub(super) fn pointer(text: impl Into<String>) -> Self {
        Self {
            progress: false,
            ..Self::told(text)
        }
    }

    pub(super) fn examined(mut self, what: impl Into<String>) -> Self {
        self.examined.push(what.into());
        self
    }
}
