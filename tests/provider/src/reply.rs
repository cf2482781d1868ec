//! What the server does with a request.

use std::time::Duration;

use serde_json::{Value, json};

use crate::answer::{Answer, Call, Finish};

/// A reply: what is said, and how it is sent.
#[derive(Debug, Clone)]
pub struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) content_type: String,
    pub(crate) body: Body,
    pub(crate) delay: Duration,
    pub(crate) delivery: Delivery,
}

/// What is said.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    Answer(Answer),
    /// A tool call if that tool is on offer, else prose.
    CallOrText {
        call: Call,
        text: String,
    },
    Verbatim(Vec<u8>),
    NoChoices,
    NullMessage,
    Error {
        code: String,
        message: String,
    },
    /// Server-sent events although nobody asked.
    Events(Answer),
    /// JSON with a text of so many bytes in it, made while it is sent.
    Huge(u64),
    /// The same compressed: a megabyte that becomes two hundred.
    Bomb(u64),
}

/// How it is sent.
#[derive(Debug, Clone)]
pub(crate) enum Delivery {
    Whole,
    /// Nothing is sent, ever.
    StallBeforeHeaders,
    /// So many bytes of the body are sent, and then nothing.
    StallAfter(usize),
    /// One byte at a time.
    Drip(Duration),
    /// So many bytes are sent and the connection is closed, although more were announced.
    Cut(usize),
    Gzip,
    /// Nobody says how long it is, and the connection stays open.
    NeverCloses,
    /// The connection is reset without an answer.
    Reset,
}

impl Reply {
    fn new(status: u16, content_type: &str, body: Body) -> Self {
        Self {
            status,
            headers: Vec::new(),
            content_type: content_type.to_owned(),
            body,
            delay: Duration::ZERO,
            delivery: Delivery::Whole,
        }
    }

    fn json(body: Body) -> Self {
        Self::new(200, "application/json", body)
    }

    /// An answer.
    pub fn answer(answer: Answer) -> Self {
        Self::json(Body::Answer(answer))
    }

    /// Prose.
    pub fn text(text: impl Into<String>) -> Self {
        Self::answer(Answer::text(text))
    }

    /// Calls of tools, all in one turn.
    pub fn calls(calls: Vec<Call>) -> Self {
        Self::answer(Answer::calls(calls))
    }

    /// One call of a tool.
    pub fn call(name: impl Into<String>, arguments: &Value) -> Self {
        Self::calls(vec![Call::new(name, arguments)])
    }

    /// A judge's verdict: `pass`, `warn` or `blocker`.
    pub fn verdict(severity: &str, justification: &str) -> Self {
        Self::call(
            "submit_verdict",
            &json!({"severity": severity, "justification": justification}),
        )
    }

    /// The classifier's answer: `feature`, `defect`, `debt` or `risk`. A call of `classify_task` if that is on offer, else JSON as prose.
    pub fn classify(flow: &str) -> Self {
        let said = json!({"flow_type": flow});
        Self::json(Body::CallOrText {
            call: Call::new("classify_task", &said),
            text: said.to_string(),
        })
    }

    /// A coder's files: path and whole content.
    pub fn submit_files(files: &[(&str, &str)]) -> Self {
        let files: Vec<Value> = files
            .iter()
            .map(|(path, content)| json!({"path": path, "content": content}))
            .collect();
        Self::call("submit_files", &json!({"files": files}))
    }

    /// Thoughts and no answer.
    pub fn only_reasoning(reasoning: impl Into<String>) -> Self {
        Self::answer(Answer {
            reasoning: Some(reasoning.into()),
            usage: Some((11, 7)),
            ..Answer::default()
        })
    }

    /// This status with this body, as it is.
    pub fn verbatim(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::new(status, content_type, Body::Verbatim(body.into()))
    }

    /// An error in the provider's own form.
    pub fn error(status: u16, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(
            status,
            "application/json",
            Body::Error {
                code: code.into(),
                message: message.into(),
            },
        )
    }

    /// An error object under a status that says success.
    pub fn error_at_200(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::error(200, code, message)
    }

    /// JSON that is none.
    pub fn bad_json() -> Self {
        Self::verbatim(
            200,
            "application/json",
            &b"{\"choices\": [{\"message\": {\"content\": \"hal"[..],
        )
    }

    /// `choices: []` and what is like it.
    pub fn no_choices() -> Self {
        Self::json(Body::NoChoices)
    }

    /// `message: null` and what is like it.
    pub fn null_message() -> Self {
        Self::json(Body::NullMessage)
    }

    /// A page for people.
    pub fn html(status: u16) -> Self {
        let page =
            format!("<!DOCTYPE html><html><head><title>{status}</title></head><body><h1>{status}</h1></body></html>");
        Self::verbatim(status, "text/html; charset=utf-8", page)
    }

    /// Nothing, with success.
    pub fn empty() -> Self {
        Self::verbatim(200, "application/json", Vec::new())
    }

    /// Server-sent events although nobody asked for them.
    pub fn events(text: impl Into<String>) -> Self {
        Self::new(200, "text/event-stream", Body::Events(Answer::text(text)))
    }

    /// JSON with a text of so many bytes, made while it is sent.
    pub fn huge(bytes: u64) -> Self {
        Self::json(Body::Huge(bytes))
    }

    /// The same, compressed two hundred to one.
    pub fn gzip_bomb(bytes: u64) -> Self {
        Self::json(Body::Bomb(bytes)).header("Content-Encoding", "gzip")
    }

    /// Sends the client elsewhere.
    pub fn redirect(status: u16, location: impl Into<String>) -> Self {
        Self::verbatim(status, "text/plain", Vec::new()).header("Location", location)
    }

    /// The connection is reset.
    pub fn reset() -> Self {
        let mut reply = Self::empty();
        reply.delivery = Delivery::Reset;
        reply
    }

    /// Nothing is ever answered.
    pub fn stall() -> Self {
        let mut reply = Self::empty();
        reply.delivery = Delivery::StallBeforeHeaders;
        reply
    }

    /// With another reason why it stopped. Only where the reply is an answer.
    #[must_use]
    pub fn finish(mut self, finish: Finish) -> Self {
        match &mut self.body {
            Body::Answer(answer) => answer.finish = finish,
            other => panic!("no answer whose end could be changed: {other:?}"),
        }
        self
    }

    /// With these tokens used, or with none told. Only where the reply is an answer.
    #[must_use]
    pub fn usage(mut self, usage: Option<(u64, u64)>) -> Self {
        match &mut self.body {
            Body::Answer(answer) => answer.usage = usage,
            other => panic!("no answer that could have used tokens: {other:?}"),
        }
        self
    }

    /// Answered by this model. Only where the reply is an answer.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        match &mut self.body {
            Body::Answer(answer) => answer.model = Some(model.into()),
            other => panic!("no answer that could come from a model: {other:?}"),
        }
        self
    }

    /// With one more header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Under another content type.
    #[must_use]
    pub fn content_type(mut self, content_type: impl Into<String>) -> Self {
        self.content_type = content_type.into();
        self
    }

    /// Under another status.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Only after so long.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    fn delivery(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self
    }

    /// The head and so many bytes of the body, and then nothing more on an open connection.
    #[must_use]
    pub fn stall_after(self, bytes: usize) -> Self {
        self.delivery(Delivery::StallAfter(bytes))
    }

    /// One byte of the body each time.
    #[must_use]
    pub fn drip(self, every: Duration) -> Self {
        self.delivery(Delivery::Drip(every))
    }

    /// The connection ends after so many bytes of the body, although more were announced.
    #[must_use]
    pub fn cut(self, bytes: usize) -> Self {
        self.delivery(Delivery::Cut(bytes))
    }

    /// Compressed.
    #[must_use]
    pub fn gzip(self) -> Self {
        self.delivery(Delivery::Gzip).header("Content-Encoding", "gzip")
    }

    /// All of it, without a length, on a connection that is never closed.
    #[must_use]
    pub fn never_closes(self) -> Self {
        self.delivery(Delivery::NeverCloses)
    }
}
