//! Random protocols, judges and coders through the engine, in this process: whatever they do, the invariants hold, and every end of
//! the table that this build can come to comes up.
//!
//! Three rows cannot: `internal_error` with `internal_error` is a bug of ours, which no input is known to reach; what is no run (exit code 64)
//! has no report; and `commit_failed` needs `--commit`: the one end beside `completed` with the change
//! applied.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use snodo_host::delivery::Delivery;
use snodo_host::engine::{
    Assignment, Attempt, Coder, CoderFault, Directories, ExternalFault, Host, RunRequest, Stop, run as run_engine,
};
use snodo_host::events::Unobserved;
use snodo_host::plugin::{Bound, BoundReached, Compiler, PluginFailure, PluginLog, Usage};
use snodo_workspace::capability::{Content, Operation, Refusal};
use snodo_workspace::role::{CoderError, Expectation, Finding, Implementation, PriorFailure, SettingDeclaration};

use crate::support::chain::{of, verified};
use crate::support::finished::{handed_over, said};
use crate::support::tree::{Entry, Tree};
use crate::support::{Sandbox, guest};

const SEED: u64 = 0x5eed_0005;
const RANDOM_CASES: usize = 110;

/// The table of `docs/outcomes.md`, written down a second time.
const TABLE: [(&str, Option<&str>, u64); 17] = [
    ("completed", None, 0),
    ("blocker", Some("blocked"), 1),
    ("blocker", Some("constraint"), 1),
    ("blocker", Some("recovery_exhausted"), 1),
    ("blocker", Some("recovery_stalled"), 1),
    ("blocker", Some("wf3"), 1),
    ("escalate", Some("escalated"), 2),
    ("validator_error", Some("validator_error"), 3),
    ("internal_error", Some("no_file_operations"), 4),
    ("environment_error", Some("execution_error"), 4),
    ("environment_error", Some("limit_reached"), 4),
    ("environment_error", Some("turn_budget_exhausted"), 4),
    ("environment_error", Some("timed_out"), 4),
    ("environment_error", Some("stale"), 4),
    ("environment_error", Some("environment_error"), 4),
    ("internal_error", Some("internal_error"), 4),
    ("environment_error", Some("interrupted"), 130),
];

/// `SplitMix64`.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap()
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
}

/// What the coder does in one attempt.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    /// Writes in `src`; another text for each attempt.
    Source,
    /// Writes in `docs`.
    Docs,
    Delete,
    Nothing,
    EqualBytes,
    Protected,
    TakesBack,
    Finding,
    /// Writes a file and changes it on the disk behind the host's back.
    Behind,
    /// Keeps what it submits through, and goes on submitting after it has returned.
    Late,
    Error,
    Trap,
    Limit,
    Turns,
    TooLong,
    Silent,
    Missing,
    TouchesWhatItMayNot,
    /// Writes, and then fails.
    Half,
    /// Never returns: somebody interrupts.
    Interrupted,
}

const ACTS: [Act; 20] = [
    Act::Source,
    Act::Docs,
    Act::Delete,
    Act::Nothing,
    Act::EqualBytes,
    Act::Protected,
    Act::TakesBack,
    Act::Finding,
    Act::Behind,
    Act::Late,
    Act::Error,
    Act::Trap,
    Act::Limit,
    Act::Turns,
    Act::TooLong,
    Act::Silent,
    Act::Missing,
    Act::TouchesWhatItMayNot,
    Act::Half,
    Act::Interrupted,
];

/// A coder that follows a list, the last of it for all further attempts.
struct Scripted {
    acts: Vec<Act>,
    workspace: PathBuf,
    stop: Stop,
    /// What it was told, call after call.
    told: Mutex<Vec<Vec<PriorFailure>>>,
    /// What should be pending, by path; none for a deletion.
    model: Mutex<BTreeMap<String, Option<String>>>,
}

fn written(path: &str, text: &str) -> Operation {
    Operation::Write {
        path: path.to_owned(),
        content: Content::Text(text.to_owned()),
        executable: None,
    }
}

impl Scripted {
    fn submits(&self, assignment: &Assignment, path: &str, text: Option<&str>) {
        let operation = match text {
            Some(text) => written(path, text),
            None => Operation::Delete { path: path.to_owned() },
        };
        if assignment.given.submit.submit_files(vec![operation]).is_ok() {
            let mut model = self.model.lock().unwrap();
            model.insert(path.to_owned(), text.map(ToOwned::to_owned));
        }
    }
}

#[async_trait::async_trait]
impl Coder for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn delivery(&self) -> Delivery {
        Delivery::Submits
    }

    fn observes_tests(&self) -> bool {
        false
    }

    fn availability_requirements(&self) -> Vec<String> {
        Vec::new()
    }

    fn honoured_settings(&self) -> &[SettingDeclaration] {
        &[]
    }

    async fn implement(&self, assignment: Assignment) -> Attempt {
        let call = {
            let mut told = self.told.lock().unwrap();
            told.push(assignment.task.prior_failures.clone());
            told.len()
        };
        assert_eq!(assignment.context.attempt as usize, call, "one call for each attempt");
        let act = self.acts[(call - 1).min(self.acts.len() - 1)];
        let reached = |bound| {
            let reached = BoundReached { bound, allowed: 2_000 };
            Err(PluginFailure::Limit { reached }.into())
        };
        let mut done = Implementation::default();
        let outcome: Result<Implementation, CoderFault> = match act {
            Act::Source | Act::Half => {
                self.submits(&assignment, &format!("src/new_{call}.py"), Some(&format!("{call}\n")));
                if act == Act::Half {
                    Err(CoderError::Internal("half way".to_owned()).into())
                } else {
                    Ok(done)
                }
            }
            Act::Docs => {
                self.submits(&assignment, "docs/guide.md", Some(&format!("{call}\n")));
                Ok(done)
            }
            Act::Delete => {
                self.submits(&assignment, "docs/guide.md", None);
                Ok(done)
            }
            Act::EqualBytes => {
                let text = fs::read_to_string(self.workspace.join("README.md")).unwrap();
                self.submits(&assignment, "README.md", Some(&text));
                Ok(done)
            }
            Act::Protected => {
                self.submits(&assignment, "keep/it.txt", Some("mine\n"));
                self.submits(&assignment, ".snodo/protocol.yml", Some("mine\n"));
                self.submits(&assignment, ".git/config", Some("mine\n"));
                Ok(done)
            }
            Act::TakesBack => {
                let mut model = self.model.lock().unwrap();
                let paths: Vec<String> = std::mem::take(&mut *model).into_keys().collect();
                assignment.given.submit.withdraw(&paths).unwrap();
                Ok(done)
            }
            Act::Nothing => Ok(done),
            Act::Finding => {
                done.findings.push(Finding {
                    title: "found".to_owned(),
                    detail: "it".to_owned(),
                    path: None,
                    line: None,
                });
                Ok(done)
            }
            Act::Behind => {
                self.submits(&assignment, "src/main.py", Some("changed\n"));
                fs::write(self.workspace.join("src/main.py"), "somebody else's\n").unwrap();
                Ok(done)
            }
            Act::Late => {
                self.submits(&assignment, "src/on_time.py", Some("on time\n"));
                let submit = Arc::clone(&assignment.given.submit);
                std::thread::spawn(move || {
                    for n in 0..200 {
                        let _ = submit.submit_files(vec![
                            written("src/on_time.py", &format!("{n}\n")),
                            written("src/late.py", "late\n"),
                        ]);
                        std::thread::sleep(Duration::from_millis(1));
                    }
                });
                Ok(done)
            }
            Act::Error => Err(CoderError::Model("it does not answer".to_owned()).into()),
            Act::Turns => Err(CoderError::TurnBudget(3).into()),
            Act::Trap => Err(PluginFailure::Trap {
                message: "unreachable".to_owned(),
                hint: None,
                frames: Vec::new(),
            }
            .into()),
            Act::Limit => reached(Bound::Memory),
            Act::TooLong => reached(Bound::Total),
            Act::Silent => Err(ExternalFault::Silent(5).into()),
            Act::Missing => Err(ExternalFault::NotRun("no such program".to_owned()).into()),
            Act::TouchesWhatItMayNot => Err(ExternalFault::Refused(vec![Refusal {
                path: ".snodo/x".to_owned(),
                rule: "the host's own".to_owned(),
            }])
            .into()),
            Act::Interrupted => {
                self.stop.ask();
                std::future::pending().await
            }
        };
        Attempt {
            outcome,
            usage: Usage::default(),
            log: PluginLog::default(),
            execution: None,
        }
    }
}

/// One run to be.
#[derive(Debug, Clone)]
struct Case {
    /// None: ad hoc.
    protocol: Option<String>,
    /// Whether the protocol is the workspace's own, which then has a log.
    own: bool,
    /// `depth` and `total` of the protocol.
    bounds: (usize, usize),
    /// Plans of `judge_a`, `judge_b`…
    plans: Vec<Value>,
    acts: Vec<Act>,
    test_command: Option<&'static str>,
    expect: Expectation,
    dry_run: bool,
}

fn plain() -> Case {
    Case {
        protocol: Some(protocol("unanimous", "", (3, 10))),
        own: true,
        bounds: (3, 10),
        plans: vec![json!({})],
        acts: vec![Act::Source],
        test_command: None,
        expect: Expectation::Change,
        dry_run: false,
    }
}

fn protocol(policy: &str, more: &str, (depth, total): (usize, usize)) -> String {
    protocol_with(
        policy,
        "look",
        "  - { validator_id: look, validator_type: secrets, evaluation_phase: post_execute }\n  - { validator_id: unlisted, validator_type: secrets, evaluation_phase: post_execute }\n",
        more,
        (depth, total),
    )
}

fn protocol_with(policy: &str, listed: &str, declared: &str, more: &str, (depth, total): (usize, usize)) -> String {
    super::protocol(
        policy,
        listed,
        declared,
        &format!(
            "protected_paths: [keep]\nexecution: {{ max_recovery_depth: {depth}, max_total_fix_attempts: {total} }}\n{more}"
        ),
    )
}

/// Each end once, on purpose.
fn directed() -> Vec<Case> {
    let acting = |act| Case {
        acts: vec![act],
        ..plain()
    };
    let judged = |plan: Value| Case {
        plans: vec![plan],
        ..plain()
    };
    let mut cases: Vec<Case> = ACTS.into_iter().map(acting).collect();
    for behaviour in ["warn", "blocker", "fault-internal", "panic", "uncheckable", "skip"] {
        cases.push(judged(json!({ "pre-execute": [behaviour] })));
        cases.push(judged(json!({ "post-execute": [behaviour] })));
        cases.push(Case {
            protocol: None,
            own: false,
            ..judged(json!({ "post-execute": [behaviour] }))
        });
    }
    cases.push(Case {
        plans: Vec::new(),
        ..plain()
    });
    cases.push(Case {
        bounds: (0, 1),
        protocol: Some(protocol("unanimous", "", (0, 1))),
        ..judged(json!({ "post-execute": ["warn"] }))
    });
    cases.push(Case {
        protocol: Some(protocol(
            "any",
            "global_constraints: [{ constraint_id: c, description: d, predicate: files_in_scope, params: { scope_paths: ['docs/*'] } }]\n",
            (3, 10),
        )),
        ..plain()
    });
    // Tests that fail under a cap, with a policy that does not mind.
    cases.push(Case {
        protocol: Some(protocol_with(
            "any",
            "tests",
            "  - { validator_id: tests, validator_type: quality, evaluation_phase: post_execute, severity_cap: pass, tooling: { test_command: 'false' } }\n",
            "",
            (3, 10),
        )),
        ..plain()
    });
    cases.push(Case {
        expect: Expectation::Findings,
        ..acting(Act::Finding)
    });
    cases.push(Case {
        acts: vec![Act::Late],
        ..judged(json!({ "post-execute": ["warn", "pass"] }))
    });
    cases
}

fn random(random: &mut Random) -> Case {
    let behaviours = [
        "pass",
        "pass",
        "pass",
        "pass",
        "pass",
        "warn",
        "warn",
        "blocker",
        "skip",
        "skipped-blocker",
        "fault-model",
        "panic",
        "uncheckable",
    ];
    let plan = |random: &mut Random| {
        let some = |random: &mut Random, most: usize| -> Vec<&str> {
            let n = random.below(most + 1);
            (0..n).map(|_| random.of(&behaviours)).collect()
        };
        // Mostly let through before the coder: the rest is more of a story.
        let before = if random.one_in(3) {
            some(random, 3)
        } else {
            vec!["pass"]
        };
        let mut plan = json!({ "pre-execute": before, "post-execute": some(random, 4) });
        for phase in ["pre-execute", "post-execute"] {
            if plan[phase].as_array().unwrap().is_empty() {
                plan[phase] = json!(["pass"]);
            }
        }
        plan
    };
    let bounds = (random.below(4), 1 + random.below(3));
    let policy = random.of(&["unanimous", "majority", "quorum", "any"]);
    let cap = |random: &mut Random| {
        random.of(&[
            "",
            "",
            ", severity_cap: pass",
            ", severity_cap: warn",
            ", severity_cap: blocker",
        ])
    };
    let paths = random.of(&["src", "docs", "'**'"]);
    let (bound, tests) = (cap(random), cap(random));
    let command = random.of(&[None, None, Some("true"), Some("false"), Some("no-such-program-here")]);
    let tooling = command.map(|c| format!("test_command: '{c}'")).unwrap_or_default();
    let declared = format!(
        "  - {{ validator_id: bound, validator_type: scope, evaluation_phase: post_execute, tooling: {{ paths: [{paths}] }}{bound} }}\n  \
         - {{ validator_id: look, validator_type: secrets, evaluation_phase: post_execute }}\n  \
         - {{ validator_id: tests, validator_type: quality, evaluation_phase: post_execute, tooling: {{ {tooling} }}{tests} }}\n"
    );
    let listed = random.of(&[
        "",
        "look",
        "bound",
        "bound, look",
        "bound, tests",
        "tests",
        "look, bound, tests",
    ]);
    let constraint = |random: &mut Random| {
        let scope = random.of(&["['src/*', 'docs/*']", "['src/*']", "[]", "{ a: b }"]);
        let severity = random.of(&["blocker", "warn", "pass"]);
        format!(
            "global_constraints: [{{ constraint_id: c, description: d, predicate: files_in_scope, params: {{ scope_paths: {scope} }}, severity: {severity} }}]\n"
        )
    };
    let more = if random.one_in(4) {
        constraint(random)
    } else {
        String::new()
    };
    let is_protocol = !random.one_in(5);
    let judges = if random.one_in(12) { 0 } else { 1 + random.below(3) };
    let acts = 1 + random.below(4);
    let likely = [Act::Source, Act::Docs, Act::Source, Act::Late];
    Case {
        protocol: is_protocol.then(|| protocol_with(policy, listed, &declared, &more, bounds)),
        own: is_protocol && !random.one_in(6),
        bounds: if is_protocol { bounds } else { (0, 0) },
        plans: (0..judges).map(|_| plan(random)).collect(),
        acts: (0..acts)
            .map(|_| {
                if random.one_in(3) {
                    random.of(&ACTS)
                } else {
                    random.of(&likely)
                }
            })
            .collect(),
        test_command: (!is_protocol && random.one_in(3)).then_some("true"),
        expect: if random.one_in(8) {
            Expectation::Findings
        } else {
            Expectation::Change
        },
        dry_run: random.one_in(6),
    }
}

/// A clock that goes on by odd steps, backwards too: what is recorded is one chain all the same.
fn wavering() -> SystemTime {
    static MICROS: AtomicI64 = AtomicI64::new(1_700_000_000_000_000);
    let now = MICROS.fetch_add(1_234_567, SeqCst);
    let back = if now % 3 == 0 { 86_400_000_000 } else { 0 };
    UNIX_EPOCH + Duration::from_micros(u64::try_from(now - back).unwrap())
}

/// What came of a case.
struct Ran {
    sandbox: Sandbox,
    report: Value,
    coder: Arc<Scripted>,
    before: Tree,
}

fn run_case(case: &Case, now: fn() -> SystemTime) -> Ran {
    run_with(case, now, &[])
}

fn run_with(case: &Case, now: fn() -> SystemTime, settings: &[&str]) -> Ran {
    let sandbox = Sandbox::new().with("keep/it.txt", "kept\n");
    let mut request = RunRequest {
        task: "anything".to_owned(),
        workspace: sandbox.workspace(),
        coder: Some("scripted".to_owned()),
        external: Vec::new(),
        sandbox: None,
        validators: Vec::new(),
        protocol: None,
        mode: None,
        module: None,
        model: None,
        test_command: case.test_command.map(ToOwned::to_owned),
        settings: settings.iter().map(|s| (*s).to_owned()).collect(),
        grants: Vec::new(),
        read_ignored: Vec::new(),
        expect: case.expect,
        dry_run: case.dry_run,
        commit: false,
    };
    if let Some(text) = &case.protocol {
        if case.own {
            sandbox.put(".snodo/protocol.yml", text);
        } else {
            let file = sandbox.path().join("team.yml");
            fs::write(&file, text).unwrap();
            request.protocol = Some(file);
        }
    }
    for (name, plan) in ["judge_a", "judge_b", "judge_c"].iter().zip(&case.plans) {
        let file = sandbox.path().join(format!("{name}.wasm"));
        fs::copy(guest("guest_judge"), &file).unwrap();
        request.validators.push(file.to_str().unwrap().to_owned());
        request.settings.push(format!("{name}.plan={plan}"));
        request
            .settings
            .push(format!("{name}.words={name} has words {{attempt}}"));
        if case.bounds.0 == 3 {
            // Always the same words, so that there is a stall to be found.
            request.settings.pop();
        }
    }
    let mut environment = snodo_host::cli::ambient::environment().unwrap();
    let program = PathBuf::from(env!("CARGO_BIN_EXE_snodo-host"));
    environment.directories = Directories {
        config: sandbox.path().join("config/snodo-host"),
        state: sandbox.state(),
        cache: sandbox.compiled().parent().unwrap().to_owned(),
        snodo: sandbox.path().join("home/.snodo"),
    };
    environment.compiler = Compiler::Child(program.clone());
    environment.helper.program = program;
    environment.now = now;
    let stop = Stop::default();
    let coder = Arc::new(Scripted {
        acts: case.acts.clone(),
        workspace: sandbox.workspace(),
        stop: stop.clone(),
        told: Mutex::default(),
        model: Mutex::default(),
    });
    let before = Tree::of(&sandbox.workspace());
    let mut host = Host::open(environment).unwrap();
    host.register(Arc::clone(&coder) as Arc<dyn Coder>).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let report = runtime
        .block_on(run_engine(&host, request, &Unobserved, &stop))
        .unwrap_or_else(|error| panic!("{error}: {case:#?}"));
    let report = serde_json::to_value(&report).unwrap();
    Ran {
        sandbox,
        report,
        coder,
        before,
    }
}

/// Contents by path, without the host's own and without times.
fn contents(tree: &Tree) -> BTreeMap<String, Vec<u8>> {
    let files = tree.0.iter().filter_map(|(path, entry)| match entry {
        Entry::File { bytes, .. } => Some((path.clone(), bytes.clone())),
        _ => None,
    });
    files.collect()
}

fn array<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap()
}

/// What may be applied: both gates of the last attempt let it pass, by arithmetic of its own.
fn passed(report: &Value, protocol: bool, policy: &str) -> bool {
    let gates = array(report, "gates");
    let last = gates.last().map(|gate| gate["attempt"].clone());
    let of_last: Vec<&Value> = gates.iter().filter(|g| Some(&g["attempt"]) == last.as_ref()).collect();
    let [before, after] = of_last[..] else { return false };
    let fine = |gate: &Value, may_be_empty: bool| {
        let results = array(gate, "results");
        if results.is_empty() {
            return may_be_empty;
        }
        let said = |word: &str| results.iter().filter(|r| r["severity"] == word).count();
        let errors = results
            .iter()
            .any(|r| r["error"] == true || r["access_refused"] == true);
        let (passes, all) = (said("pass"), results.len());
        #[expect(clippy::cast_precision_loss, reason = "three judges")]
        let enough = match policy {
            "unanimous" => passes == all,
            "majority" => 2 * passes > all,
            "quorum" => passes as f64 >= all as f64 * 0.67,
            _ => passes >= 1,
        };
        !errors && said("blocker") == 0 && enough
    };
    before["phase"] == "pre_execute"
        && after["phase"] == "post_execute"
        && fine(before, !protocol)
        && fine(after, true)
        && array(after, "results")
            .iter()
            .all(|r| r["plugin"] != "quality" || (r["severity"] == "pass" && r["severity_original"].is_null()))
}

fn check(case: &Case, ran: &Ran) -> (String, Option<String>) {
    let Ran {
        sandbox,
        report,
        coder,
        before,
    } = ran;
    let outcome = report["outcome"].as_str().unwrap();
    let halt_type = report["halt_type"].as_str();
    let code = report["exit_code"].as_u64().unwrap();
    assert!(TABLE.contains(&(outcome, halt_type, code)), "not in the table");
    assert_eq!(report["ok"], outcome == "completed");
    assert!(!report["reason"].as_str().unwrap().is_empty());

    // The workspace.
    let applied = report["applied"] == true;
    let mut expected = contents(before);
    if outcome == "completed" {
        let protocol = case.protocol.is_some();
        assert!(
            passed(report, protocol, report["protocol"]["policy"].as_str().unwrap()),
            "no pass of both gates"
        );
        assert_eq!(applied, !case.dry_run && !array(report, "changes").is_empty());
        assert!(!array(report, "changes").is_empty() || case.expect == Expectation::Findings);
    } else {
        assert!(!applied, "applied without completing");
    }
    if applied {
        for (path, text) in &*coder.model.lock().unwrap() {
            match text {
                Some(text) => expected.insert(path.clone(), text.clone().into_bytes()),
                None => expected.remove(path),
            };
        }
    }
    let calls = coder.told.lock().unwrap().len();
    let acts = |n: usize| case.acts[n.min(case.acts.len() - 1)];
    if (0..calls).any(|n| acts(n) == Act::Behind) {
        assert!(!applied, "applied over somebody else's work");
        expected.insert("src/main.py".to_owned(), b"somebody else's\n".to_vec());
    } else if !applied {
        assert_eq!(before.differences(&sandbox.tree()), [] as [&str; 0]);
    }
    let mut found = contents(&sandbox.tree());
    if (0..calls).any(|n| acts(n) == Act::Late) {
        // Which of its texts was in time is nobody's to say; `what_is_applied_is_what_was_judged` looks at that.
        for files in [&mut found, &mut expected] {
            files.retain(|path, _| !["src/on_time.py", "src/late.py"].contains(&path.as_str()));
        }
    }
    assert_eq!(found, expected);

    // Attempts, and who was called.
    let gates = array(report, "gates");
    let let_through = gates.iter().filter(|gate| {
        gate["phase"] == "pre_execute"
            && match gate["decision"].as_str().unwrap() {
                "proceed" | "log" => true,
                decision => decision == "none" && case.protocol.is_none(),
            }
    });
    assert_eq!(
        let_through.count(),
        calls,
        "a permission for each call, and a call for each permission"
    );
    let most = 1 + case.bounds.0.min(case.bounds.1);
    assert!(calls <= most, "{calls} calls of at most {most}");
    for (n, told) in coder.told.lock().unwrap().iter().enumerate() {
        let found: Vec<(u64, &str, &str)> = gates
            .iter()
            .filter(|gate| gate["phase"] == "post_execute" && gate["attempt"].as_u64().unwrap() <= n as u64)
            .flat_map(|gate| {
                array(gate, "results")
                    .iter()
                    .map(|r| (gate["attempt"].as_u64().unwrap(), r))
            })
            .filter(|(_, r)| r["severity"] != "pass")
            .map(|(attempt, r)| {
                (
                    attempt,
                    r["validator_id"].as_str().unwrap(),
                    r["justification"].as_str().unwrap(),
                )
            })
            .collect();
        let told: Vec<(u64, &str, &str)> = told
            .iter()
            .map(|f| (u64::from(f.attempt), f.validator_id.as_str(), f.justification.as_str()))
            .collect();
        assert_eq!(told, found, "what the coder is told is what judges of its work found");
    }

    // The log.
    if case.own {
        let (log, head) = verified(&sandbox.read(".snodo/audit.log"));
        assert_eq!(report["audit"], head);
        let called = |role: &str| of(&log, "plugin_called").iter().filter(|e| e["role"] == role).count();
        let results: usize = gates.iter().map(|gate| array(gate, "results").len()).sum();
        assert_eq!(
            (called("coder"), called("validator")),
            (calls, results),
            "every call is in the log"
        );
        assert_eq!(of(&log, "token_consumed").len(), calls);
        assert_eq!(of(&log, "change_applied").len(), usize::from(applied));
        let last = log.last().unwrap();
        if outcome == "completed" {
            assert_eq!(last.kind, "recovery_resolved");
        } else {
            assert_eq!(last.kind, "halt");
            assert_eq!(
                (&last.data["halt_type"], &last.data["raw_halt_type"]),
                (&json!(outcome), &json!(halt_type))
            );
        }
    } else {
        assert_eq!(report["audit"], Value::Null);
        assert!(!sandbox.exists(".snodo"));
    }
    (outcome.to_owned(), halt_type.map(ToOwned::to_owned))
}

#[test]
fn whatever_they_do_the_invariants_hold_and_every_end_comes_up() {
    let mut seen: BTreeMap<(String, Option<String>), usize> = BTreeMap::new();
    let mut source = Random(SEED);
    let cases = directed()
        .into_iter()
        .chain((0..RANDOM_CASES).map(|_| random(&mut source)));
    for (number, case) in cases.enumerate() {
        let shown = format!("case {number} of the seed {SEED:#x}: {case:#?}");
        let ran = run_case(&case, wavering);
        let report = format!("{:#}", ran.report);
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&case, &ran)));
        let end = checked.unwrap_or_else(|_| panic!("{shown}\n{report}"));
        *seen.entry(end).or_default() += 1;
    }
    println!("{seen:#?}");
    let all: BTreeSet<(String, Option<String>)> = TABLE
        .iter()
        .filter(|row| row.1 != Some("internal_error"))
        .map(|(outcome, halt_type, _)| ((*outcome).to_owned(), halt_type.map(ToOwned::to_owned)))
        .collect();
    assert_eq!(seen.into_keys().collect::<BTreeSet<_>>(), all);
}

#[test]
fn what_is_applied_is_what_was_judged_whatever_is_submitted_later() {
    for _ in 0..5 {
        let ran = run_with(
            &Case {
                plans: vec![json!({ "post-execute": ["script"] })],
                acts: vec![Act::Late],
                ..plain()
            },
            wavering,
            &["judge_a.script=[{\"do\": \"read-file\", \"path\": \"src/on_time.py\"}, {\"do\": \"summary\"}]"],
        );
        assert_eq!(ran.report["outcome"], "completed", "{:#}", ran.report);
        let seen = handed_over(said(&ran.report, "post_execute", "judge_a"));
        assert_eq!(seen[0]["ok"]["content"]["text"], ran.sandbox.read("src/on_time.py"));
        let judged: Vec<&Value> = array(&seen[1]["ok"], "files").iter().map(|f| &f["path"]).collect();
        let reported: Vec<&Value> = array(&ran.report, "changes").iter().map(|c| &c["path"]).collect();
        assert_eq!(judged, reported);
        assert_eq!(ran.sandbox.exists("src/late.py"), judged.len() == 2);
    }
}

/// How often the clock still tells a time that an event can have.
static TICKS: AtomicI64 = AtomicI64::new(0);

fn failing() -> SystemTime {
    let left = TICKS.fetch_sub(1, SeqCst);
    // The year 12000.
    UNIX_EPOCH + Duration::from_secs(if left > 0 { 1_700_000_000 } else { 316_000_000_000 })
}

/// Nothing is taken as done that could not be recorded, until it is done; and then it is said.
#[test]
fn a_log_that_fails_at_any_event_stops_the_run_or_is_said() {
    let mut ends = BTreeSet::new();
    for ticks in 1..40 {
        TICKS.store(ticks, SeqCst);
        let case = Case {
            plans: vec![json!({ "post-execute": ["warn", "pass"] })],
            ..plain()
        };
        let ran = run_case(&case, failing);
        let (report, applied) = (&ran.report, ran.report["applied"] == true);
        let warned = report["warnings"]
            .to_string()
            .contains("the audit log could not be written");
        let completed = report["outcome"] == "completed";
        assert_eq!(applied, completed, "{ticks}: {report:#}");
        if !completed {
            let reason = report["reason"].as_str().unwrap();
            assert!(
                reason.contains("the audit log could not be written"),
                "{ticks}: {report:#}"
            );
            assert_eq!(report["exit_code"], 4);
            assert_eq!(ran.before.differences(&ran.sandbox.tree()), [] as [&str; 0], "{ticks}");
        }
        if ran.sandbox.exists(".snodo/audit.log") && !ran.sandbox.read(".snodo/audit.log").is_empty() {
            let (_, head) = verified(&ran.sandbox.read(".snodo/audit.log"));
            assert_eq!(report["audit"], head, "{ticks}");
        }
        ends.insert((completed, warned));
    }
    assert_eq!(ends, [(false, true), (true, true), (true, false)].into());
}
