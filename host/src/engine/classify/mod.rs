//! What kind of task it is, as a model sees it. It decides nothing and stops nothing: it is said in the report and in the log.

use std::time::Duration;

use serde_json::{Value, json};
use snodo_workspace::capability::{Message, Request, Tool, ToolChoice};
use tokio::time::timeout;

use super::models::{Asks, Seated};
use crate::record::ClassificationReport;

/// What is said to the model.
const PROMPT: &str = include_str!("prompt.txt");
/// The tool by which it answers.
const TOOL: &str = "classify_task";
/// As in snodo: the words, and how often it is asked.
const FLOW_TYPES: [&str; 4] = ["feature", "defect", "debt", "risk"];
const ATTEMPTS: u32 = 2;
/// As in snodo: so many characters of the task are looked at.
const CHARACTERS: usize = 2_000;
/// A word that nothing depends on is not waited for longer than a person would.
const PATIENCE: Duration = Duration::from_secs(30);

/// Asks for it.
pub(super) async fn classify(asks: Asks, spec: &str, seed: &[u8; 32]) -> ClassificationReport {
    let seated = match asks {
        Asks::Model(seated) => seated,
        Asks::Nobody(why) => return untold(None, &format!("no model client: {why}")),
        Asks::No => return untold(None, "nobody was asked"),
    };
    let asked = timeout(PATIENCE, ask(&seated, spec, seed)).await;
    let told = asked.unwrap_or_else(|_| Err(format!("no answer within {} s", PATIENCE.as_secs())));
    match told {
        Ok((flow_type, summary)) => ClassificationReport {
            flow_type: Some(flow_type),
            summary,
            mock: seated.mock,
            model: Some(seated.model),
            reason: None,
        },
        Err(why) => untold(Some(seated), &why),
    }
}

fn untold(seated: Option<Seated>, why: &str) -> ClassificationReport {
    ClassificationReport {
        flow_type: None,
        summary: None,
        reason: Some(crate::text::one_line(why, 300)),
        mock: seated.as_ref().is_some_and(|seated| seated.mock),
        model: seated.map(|seated| seated.model),
    }
}

async fn ask(seated: &Seated, spec: &str, seed: &[u8; 32]) -> Result<(&'static str, Option<String>), String> {
    let mut why = String::new();
    for _ in 0..ATTEMPTS {
        let answer = seated.complete.complete(request(spec, seed)).await;
        match answer {
            // What keeps one call from being answered has been tried again where that can help.
            Err(error) => return Err(error.to_string()),
            Ok(answer) => {
                let call = answer.tool_calls.iter().find(|call| call.name == TOOL);
                match call.map(|call| read(&call.arguments)) {
                    Some(Ok(told)) => return Ok(told),
                    Some(Err(bad)) => why = bad,
                    None => "the model did not call the tool".clone_into(&mut why),
                }
            }
        }
    }
    Err(why)
}

fn read(arguments: &str) -> Result<(&'static str, Option<String>), String> {
    let arguments: Value = serde_json::from_str(arguments).map_err(|_| "its answer is not JSON".to_owned())?;
    let word = arguments["flow_type"].as_str().unwrap_or_default();
    let flow_type = FLOW_TYPES.into_iter().find(|known| *known == word.trim());
    let flow_type = flow_type.ok_or_else(|| format!("`{word}` is none of {}", FLOW_TYPES.join(", ")))?;
    let summary = arguments["task_summary"].as_str().map(str::trim);
    let summary = summary.filter(|summary| !summary.is_empty());
    Ok((flow_type, summary.map(|summary| crate::text::one_line(summary, 200))))
}

fn request(spec: &str, seed: &[u8; 32]) -> Request {
    let spec: String = spec.chars().take(CHARACTERS).collect();
    // Nobody who writes a task knows the mark: it is made of all of it.
    let mark = blake3::keyed_hash(seed, spec.as_bytes()).to_hex();
    let mark = &mark[..16];
    Request {
        messages: vec![
            Message::System(PROMPT.to_owned()),
            Message::User(format!("<task {mark}>\n{spec}\n</task {mark}>")),
        ],
        tools: vec![Tool {
            name: TOOL.to_owned(),
            description: "Say what kind of task it is.".to_owned(),
            parameters: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["flow_type", "task_summary"],
                "properties": {
                    "flow_type": { "type": "string", "enum": FLOW_TYPES },
                    "task_summary": { "type": "string", "description": "The task in one line of at most 100 characters." },
                },
            })
            .to_string(),
        }],
        tool_choice: ToolChoice::Named(TOOL.to_owned()),
        max_tokens: None,
        temperature_milli: None,
    }
}

#[cfg(test)]
mod tests;
