//! The conversation, from the first message to a verdict or a fault.

use snodo_plugin::completion::{Answer, CompletionError, ToolChoice};
use snodo_plugin::prelude::*;
use snodo_plugin::tools::{Conversation, Outcome, Sight, one_line};

use crate::desk::{Desk, listed};
use crate::seam::{Changes, Model};
use crate::settings::ALLOW_BINARY;
use crate::text::{data, excerpt};
use crate::turns::{Turn, Turns, Why};
use crate::verdict::{self, SUBMIT_VERDICT};

const VERDICT_ONLY: &str = include_str!("../prompts/verdict_only.txt");
const UNSEEN: &str = include_str!("../prompts/unseen.txt");

/// So many names stand in a fault or a justification.
const SHOWN: usize = 20;

pub(crate) struct Talk<'a, M, C, S> {
    model: &'a M,
    desk: Desk<'a, C, S>,
    turns: Turns,
    conversation: Conversation,
    /// What the user's side says next, when something is waiting to be said.
    waiting: Option<String>,
    /// A pass was sent back since not all of the change had been looked at.
    sent_back: bool,
}

impl<'a, M: Model, C: Changes, S: Sight> Talk<'a, M, C, S> {
    pub(crate) fn new(model: &'a M, desk: Desk<'a, C, S>, turns: Turns, system: String, first: String) -> Self {
        Self {
            model,
            desk,
            turns,
            conversation: Conversation::new(system),
            waiting: Some(first),
            sent_back: false,
        }
    }

    /// Talks until there is a verdict. It ends: each turn costs, or is one of at most three in a row that do not.
    pub(crate) fn verdict(mut self) -> Result<Verdict, Fault> {
        let mut number = 0;
        loop {
            number += 1;
            self.desk.begin_turn(number);
            let turn = self.turns.next();
            let answer = self.ask(turn)?;
            match verdict::of_turn(&answer.tool_calls, self.desk.criteria) {
                Some(Ok(verdict)) => {
                    let unseen = self.desk.unseen();
                    if verdict.severity != Severity::Pass || unseen.is_empty() {
                        return Ok(self.final_verdict(verdict, &unseen));
                    }
                    if self.sent_back {
                        return Err(self.incomplete(&unseen));
                    }
                    self.sent_back = true;
                    self.send_back(&answer, &unseen);
                }
                no_verdict => {
                    let why = no_verdict.and_then(Result::err);
                    if let Turn::VerdictOnly(after) = turn {
                        return Err(self.no_verdict(after, &answer, why));
                    }
                    self.look(&answer, why.as_deref());
                }
            }
        }
    }

    fn ask(&mut self, turn: Turn) -> Result<Answer, Fault> {
        let only = matches!(turn, Turn::VerdictOnly(_));
        let mut words = self.waiting.take().unwrap_or_default();
        if only {
            if !words.is_empty() {
                words.push('\n');
            }
            words.push_str(VERDICT_ONLY);
        }
        if !words.is_empty() {
            self.conversation.user(words);
        }
        let request = if only {
            let choice = ToolChoice::Named(SUBMIT_VERDICT.to_owned());
            self.conversation.request(self.desk.verdict_only(), choice)
        } else {
            self.conversation.request(self.desk.tools(), ToolChoice::Auto)
        };
        self.model.complete(&request).map_err(|error| self.unanswered(error))
    }

    /// Answers each call of a turn without a verdict; `why`: what was wrong with the one that was to be it.
    fn look(&mut self, answer: &Answer, why: Option<&str>) {
        if answer.tool_calls.is_empty() {
            // A message without content is refused by providers.
            if !answer.text.trim().is_empty() {
                self.conversation.answered(answer);
            }
            self.turns.prose();
            return;
        }
        let refused = format!("This is no verdict: {}.", why.unwrap_or("it is not complete"));
        let progress = self.answer_calls(answer, &refused);
        self.turns.looked(progress);
    }

    fn send_back(&mut self, answer: &Answer, unseen: &[String]) {
        let notice = format!("{UNSEEN}{}", data("never looked at", &listed(unseen)));
        self.answer_calls(answer, &notice);
        self.turns.sent_back();
    }

    /// Whether any of the calls was more than a repetition.
    fn answer_calls(&mut self, answer: &Answer, to_verdict: &str) -> bool {
        let mut progress = false;
        let desk = &mut self.desk;
        self.conversation.answer_calls(answer, |call| {
            let outcome = if call.name == SUBMIT_VERDICT {
                Outcome::refused(to_verdict)
            } else {
                desk.call(call)
            };
            progress |= outcome.progress;
            outcome.text
        });
        progress
    }

    /// The verdict with what was looked at and, where that is not all, with what was not.
    fn final_verdict(&self, mut verdict: Verdict, unseen: &[String]) -> Verdict {
        if !unseen.is_empty() {
            let names = some(unseen);
            verdict.justification = format!("{}\n\nOf the change, not looked at: {names}.", verdict.justification);
        }
        let mut examined = self.desk.examined();
        examined.extend(unseen.iter().take(SHOWN).map(|what| format!("not looked at: {what}")));
        verdict.examined(examined)
    }

    fn incomplete(&self, unseen: &[String]) -> Fault {
        let mend = if self.desk.is_opaque() {
            format!(
                "; where files that are not text are meant to be changed, the setting `{ALLOW_BINARY}` takes patterns of them"
            )
        } else {
            String::new()
        };
        Fault::IncompleteView(format!(
            "the model passed a change of which it had not looked at everything: {}{mend}; {}",
            some(unseen),
            self.looked_at()
        ))
    }

    fn no_verdict(&self, after: Why, answer: &Answer, why: Option<String>) -> Fault {
        let when = match after {
            Why::Budget => "in the last turn of its budget (`max-tool-turns`)",
            Why::Prose => "in the turn after an answer without a verdict",
            Why::Stalled => "after three turns that asked only for what it had been shown",
            Why::NoTools => "when nothing else was offered",
        };
        let did = match (why, answer.tool_calls.first()) {
            (Some(why), _) => format!("called `{SUBMIT_VERDICT}` wrongly: {why}"),
            (None, Some(call)) => format!("called `{}` instead", one_line(&call.name, 60)),
            (None, None) if answer.text.trim().is_empty() => "answered with neither a call nor a word".to_owned(),
            (None, None) => format!("answered in words, which are no verdict: \"{}\"", excerpt(&answer.text)),
        };
        Fault::Model(format!("no verdict: {when} the model {did}; {}", self.looked_at()))
    }

    fn unanswered(&self, error: CompletionError) -> Fault {
        match Fault::from(error) {
            Fault::Model(why) => {
                let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
                Fault::Model(format!("no verdict: {why}; {}", self.looked_at()))
            }
            other => other,
        }
    }

    fn looked_at(&self) -> String {
        match self.desk.examined().as_slice() {
            [] => "nothing had been looked at".to_owned(),
            examined => format!("looked at: {}", some(examined)),
        }
    }
}

/// Some of many, in one line.
fn some(what: &[String]) -> String {
    let line = what
        .iter()
        .take(SHOWN)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    if what.len() > SHOWN {
        format!("{line} and {} more", what.len() - SHOWN)
    } else {
        line
    }
}
