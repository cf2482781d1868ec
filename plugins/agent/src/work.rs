//! The loop: the model is asked, its calls are carried out, until it answers in words or its turns are used up.

use snodo_plugin::completion::{Answer, CompletionError, Tool, ToolCall, ToolChoice};
use snodo_plugin::prelude::*;
use snodo_plugin::tools::{Conversation, Outcome, Toolbox, one_line, unknown_tool};
use snodo_plugin::{RunnerInfo, StopReason};

use crate::account::Account;
use crate::desk::Desk;
use crate::{brief, findings, prompts, submission, testing};

/// Characters of a model's words in an error.
const QUOTE: usize = 300;

/// Calls of one turn that are carried out. A batch reads ten files, so that this is more than anybody can look at.
const CALLS: usize = 64;

/// Bytes of a turn's answers, after which nothing more is read or run in it. Two of the longest: what a model is sent again with every
/// turn has to leave it room.
const TURN_BYTES: usize = 262_144;

/// Works on a task in at most `turns` turns.
pub(crate) fn work<D: Desk>(
    desk: &D,
    task: &Task,
    context: &Context,
    turns: u32,
) -> Result<Implementation, CoderError> {
    let mut agent = Agent::new(desk, task, context, turns);
    for turn in 1..=turns {
        if turn == turns {
            agent.conversation.user(agent.last_turn());
        }
        let answer = agent.ask(turn)?;
        if answer.tool_calls.is_empty() {
            desk.tell(format!("turn {turn} of {turns}: answered"), turn, turns);
            agent.conversation.answered(&answer);
            if let Some(end) = agent.answered(turn, &answer.text) {
                return end;
            }
        } else {
            agent.carry_out(turn, &answer);
        }
    }
    agent.out_of_turns()
}

struct Agent<'a, D> {
    desk: &'a D,
    toolbox: Toolbox<&'a D>,
    tools: Vec<Tool>,
    runner: Option<&'a RunnerInfo>,
    expects: Expectation,
    conversation: Conversation,
    account: Account,
    findings: Vec<Finding>,
    /// The model was told once that words alone are nothing.
    nudged: bool,
    turns: u32,
}

impl<'a, D: Desk> Agent<'a, D> {
    fn new(desk: &'a D, task: &Task, context: &'a Context, turns: u32) -> Self {
        let mut toolbox = Toolbox::new(desk, &context.tools);
        let runner = context.runner.as_ref();
        let mut tools = toolbox.definitions();
        tools.extend(runner.map(testing::definition));
        tools.push(match task.expects {
            Expectation::Change => submission::definition(),
            Expectation::Findings => findings::definition(),
        });
        let mut conversation = Conversation::new(brief::system(task, context, turns));
        conversation.user(brief::task(task, context));
        for path in brief::shown(task, context) {
            toolbox.shown(path, 1, u64::MAX);
        }
        Self {
            desk,
            toolbox,
            tools,
            runner,
            expects: task.expects,
            conversation,
            account: Account::default(),
            findings: Vec::new(),
            nudged: false,
            turns,
        }
    }

    fn ask(&mut self, turn: u32) -> Result<Answer, CoderError> {
        self.toolbox.begin_turn(turn);
        let request = self.conversation.request(&self.tools, ToolChoice::Auto);
        let answer = self.desk.ask(&request).map_err(|error| self.failed(turn, error))?;
        self.account.spend(&answer.usage);
        Ok(answer)
    }

    /// What was submitted before stays submitted: the host judges it, and says by what the work was ended.
    fn failed(&self, turn: u32, error: CompletionError) -> CoderError {
        match error {
            CompletionError::Limit(limit) => CoderError::Limit(limit),
            other => CoderError::Model(format!(
                "in turn {turn} of {}, with {} operations submitted before: {}",
                self.turns,
                self.account.accepted(),
                other.explain()
            )),
        }
    }

    /// Every call of the turn is carried out and answered, in order.
    fn carry_out(&mut self, turn: u32, answer: &Answer) {
        let mut done: Vec<String> = Vec::new();
        let mut results = Vec::new();
        let mut bytes = 0;
        for (index, call) in answer.tool_calls.iter().enumerate() {
            let outcome = if index < CALLS {
                self.call(call, bytes < TURN_BYTES)
            } else {
                Outcome::refused(format!("Not carried out: a turn has {CALLS} calls at most. Ask again."))
            };
            bytes += outcome.text.len();
            done.push(told(call, &outcome));
            results.push(outcome.text);
        }
        let mut results = results.into_iter();
        self.conversation
            .answer_calls(answer, |_| results.next().unwrap_or_default());
        let message = format!("turn {turn} of {}: {}", self.turns, done.join("; "));
        self.desk.tell(message, turn, self.turns);
    }

    /// One call. Where there is no room left for what is read, what is delivered is taken all the same.
    fn call(&mut self, call: &ToolCall, room: bool) -> Outcome {
        let (name, arguments) = (call.name.as_str(), call.arguments.as_str());
        if !room && (name == testing::NAME || self.toolbox.offers(name)) {
            return Outcome::refused(
                "Not carried out: the answers of this turn are long enough. Ask again in the next.",
            );
        }
        let outcome = match (name, self.runner, self.expects) {
            (testing::NAME, Some(runner), _) => testing::run(self.desk, runner, arguments),
            (submission::NAME, _, Expectation::Change) => {
                submission::submit(self.desk, &mut self.toolbox, &mut self.account, arguments)
            }
            (findings::NAME, _, Expectation::Findings) => findings::report(&mut self.findings, arguments),
            _ => {
                return self
                    .toolbox
                    .call(name, arguments)
                    .unwrap_or_else(|| Outcome::refused(unknown_tool(name, &self.tools)));
            }
        };
        outcome.unwrap_or_else(|error| Outcome::refused(format!("{name} was not carried out: {error}.")))
    }

    /// The model answered in words: the end of the work, or (once) the reason to tell it that nothing is there.
    fn answered(&mut self, turn: u32, text: &str) -> Option<Result<Implementation, CoderError>> {
        if self.has_work() {
            return Some(Ok(self.implementation(StopReason::Completed, turn, text)));
        }
        if !self.nudged {
            self.nudged = true;
            self.conversation.user(match self.expects {
                Expectation::Change => prompts::NUDGE_CHANGE,
                Expectation::Findings => prompts::NUDGE_FINDINGS,
            });
            return None;
        }
        if self.expects == Expectation::Findings && !text.trim().is_empty() {
            self.findings.push(findings::from_prose(text));
            return Some(Ok(self.implementation(StopReason::Completed, turn, "")));
        }
        if self.account.accepted() > 0 {
            // It did submit, and all of it comes to the project as it was: that nothing was produced is the host's to say.
            return Some(Ok(self.implementation(StopReason::Abandoned, turn, text)));
        }
        Some(Err(CoderError::Model(format!(
            "it submitted nothing and answered in words, also after it was told that words change nothing; it said: {}",
            quote(text)
        ))))
    }

    fn out_of_turns(mut self) -> Result<Implementation, CoderError> {
        if self.has_work() {
            Ok(self.implementation(StopReason::TurnBudget, self.turns, ""))
        } else {
            Err(CoderError::TurnBudget(self.turns))
        }
    }

    fn has_work(&self) -> bool {
        match self.expects {
            Expectation::Change => self.account.pending() > 0,
            Expectation::Findings => !self.findings.is_empty(),
        }
    }

    fn last_turn(&self) -> &'static str {
        match self.expects {
            Expectation::Change => prompts::LAST_TURN_CHANGE,
            Expectation::Findings => prompts::LAST_TURN_FINDINGS,
        }
    }

    fn implementation(&mut self, stop: StopReason, used: u32, notes: &str) -> Implementation {
        let report = std::mem::take(&mut self.account).report(stop, used, self.turns, notes);
        std::mem::take(&mut self.findings)
            .into_iter()
            .fold(Implementation::done().report(report), Implementation::finding)
    }
}

/// A call in a few words, for whoever watches.
fn told(call: &ToolCall, outcome: &Outcome) -> String {
    let name = one_line(&call.name, 40);
    match outcome.examined.as_slice() {
        [] if outcome.complete => name,
        [] => format!("{name} (refused)"),
        [first] => format!("{name} {first}"),
        [first, rest @ ..] => format!("{name} {first} and {} more", rest.len()),
    }
}

fn quote(text: &str) -> String {
    match text.trim() {
        "" => "nothing".to_owned(),
        text => format!("\"{}\"", one_line(text, QUOTE)),
    }
}
