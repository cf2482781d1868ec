//! What a client sent.

use std::time::Instant;

use serde_json::Value;

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// `POST …/chat/completions`
    OpenAi,
    /// `POST …/messages`
    Anthropic,
    /// `POST …/models/{model}:generateContent`
    Gemini,
}

impl Wire {
    /// All three.
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Gemini];

    /// The one that a path belongs to. A real provider knows one path and no other: what is in front of it is a proxy's.
    pub fn of_path(path: &str) -> Option<Self> {
        if path.ends_with("/chat/completions") {
            Some(Self::OpenAi)
        } else if path.ends_with("/messages") {
            Some(Self::Anthropic)
        } else if path.ends_with(":generateContent") {
            Some(Self::Gemini)
        } else {
            None
        }
    }
}

/// Which tool the model was told to call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// Nothing was said.
    Unsaid,
    /// As it likes.
    Auto,
    /// None.
    None,
    /// Any of them.
    Required,
    /// This one.
    Named(String),
    /// Something that this server does not know.
    Unknown(String),
}

/// One request.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Counted from 0, over all connections.
    pub number: usize,
    /// When its last byte was read.
    pub at: Instant,
    /// `POST`.
    pub method: String,
    /// Without the query.
    pub path: String,
    /// Behind the question mark; empty if there is none.
    pub query: String,
    /// In their order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// As JSON; null when it is none.
    pub body: Value,
    /// As it came.
    pub raw: Vec<u8>,
    /// By the path.
    pub wire: Option<Wire>,
    /// The model asked for; empty when none was named.
    pub model: String,
    /// The names of the tools on offer.
    pub tools: Vec<String>,
    /// Which of them to call.
    pub tool_choice: Choice,
}

impl Seen {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether a tool of that name is on offer.
    pub fn offers(&self, tool: &str) -> bool {
        self.tools.iter().any(|known| known == tool)
    }

    /// Whether a text is anywhere in the body's strings.
    pub fn mentions(&self, text: &str) -> bool {
        fn walk(value: &Value, text: &str) -> bool {
            match value {
                Value::String(found) => found.contains(text),
                Value::Array(all) => all.iter().any(|value| walk(value, text)),
                Value::Object(all) => all.values().any(|value| walk(value, text)),
                _ => false,
            }
        }
        walk(&self.body, text)
    }

    /// The results of tools that were sent along, in order: those of earlier turns too.
    pub fn tool_results(&self) -> Vec<String> {
        let mut found = Vec::new();
        for message in array(&self.body, "messages") {
            if message["role"] == "tool" {
                found.push(text_of(&message["content"]));
            }
            for block in message["content"].as_array().map(Vec::as_slice).unwrap_or_default() {
                if block["type"] == "tool_result" {
                    found.push(text_of(&block["content"]));
                }
            }
        }
        for content in array(&self.body, "contents") {
            for part in array(content, "parts") {
                if let Some(response) = part["functionResponse"]["response"].as_object() {
                    found.extend(response.values().map(text_of));
                }
            }
        }
        found
    }

    /// How many answers of the model the conversation already holds.
    pub fn turn(&self) -> usize {
        let of = |list: &str, role: &str| {
            array(&self.body, list)
                .iter()
                .filter(|message| message["role"] == role)
                .count()
        };
        of("messages", "assistant") + of("contents", "model")
    }

    pub(crate) fn new(
        number: usize,
        method: String,
        target: &str,
        headers: Vec<(String, String)>,
        raw: Vec<u8>,
    ) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let body: Value = serde_json::from_slice(&raw).unwrap_or_default();
        let wire = Wire::of_path(path);
        let (model, tools, tool_choice) = match wire {
            Some(Wire::OpenAi) => openai(&body),
            Some(Wire::Anthropic) => anthropic(&body),
            Some(Wire::Gemini) => gemini(path, &body),
            None => (String::new(), Vec::new(), Choice::Unsaid),
        };
        Self {
            number,
            at: Instant::now(),
            method,
            path: path.to_owned(),
            query: query.to_owned(),
            headers,
            body,
            raw,
            wire,
            model,
            tools,
            tool_choice,
        }
    }
}

fn array<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
        other => other.to_string(),
    }
}

fn openai(body: &Value) -> (String, Vec<String>, Choice) {
    let tools = array(body, "tools")
        .iter()
        .map(|tool| string(&tool["function"]["name"]))
        .collect();
    let choice = match &body["tool_choice"] {
        Value::Null => Choice::Unsaid,
        Value::String(word) => word_choice(word),
        named => named["function"]["name"].as_str().map_or_else(
            || Choice::Unknown(named.to_string()),
            |name| Choice::Named(name.to_owned()),
        ),
    };
    (string(&body["model"]), tools, choice)
}

fn anthropic(body: &Value) -> (String, Vec<String>, Choice) {
    let tools = array(body, "tools").iter().map(|tool| string(&tool["name"])).collect();
    let choice = match (&body["tool_choice"]["type"], &body["tool_choice"]["name"]) {
        (Value::Null, _) => Choice::Unsaid,
        (Value::String(kind), Value::String(name)) if kind == "tool" => Choice::Named(name.clone()),
        (Value::String(kind), _) if kind == "any" => Choice::Required,
        (Value::String(kind), _) => word_choice(kind),
        (other, _) => Choice::Unknown(other.to_string()),
    };
    (string(&body["model"]), tools, choice)
}

fn gemini(path: &str, body: &Value) -> (String, Vec<String>, Choice) {
    let name = path.rsplit('/').next().unwrap_or_default();
    let model = name.strip_suffix(":generateContent").unwrap_or_default().to_owned();
    let tools = array(body, "tools")
        .iter()
        .flat_map(|tools| array(tools, "functionDeclarations"))
        .map(|tool| string(&tool["name"]))
        .collect();
    let calling = &body["toolConfig"]["functionCallingConfig"];
    let choice = match calling["mode"].as_str() {
        None => Choice::Unsaid,
        Some("AUTO") => Choice::Auto,
        Some("NONE") => Choice::None,
        Some("ANY") => match array(calling, "allowedFunctionNames") {
            [] => Choice::Required,
            [one] => Choice::Named(string(one)),
            more => Choice::Unknown(format!("{more:?}")),
        },
        Some(other) => Choice::Unknown(other.to_owned()),
    };
    (model, tools, choice)
}

fn word_choice(word: &str) -> Choice {
    match word {
        "auto" => Choice::Auto,
        "none" => Choice::None,
        "required" => Choice::Required,
        other => Choice::Unknown(other.to_owned()),
    }
}
