//! A validator in the harness: what it is asked, what it sees, and what it cannot.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use snodo_plugin::change::{BeforeError, ChangeError, DiffQuery};
use snodo_plugin::prelude::*;
use snodo_plugin::testing::{Script, Workspace, passed};

/// Tells what it was asked and what it sees, in the justification.
struct Witness;

impl Validator for Witness {
    fn describe() -> Description {
        Description::new("witness", "1.0.0", "Tells what it sees.")
            .phase(Phase::PreExecute)
            .phase(Phase::PostExecute)
            .setting(Setting::text("path", "What to look at.").default("a"))
    }

    fn evaluate(evaluation: Evaluation, context: Context) -> Result<Verdict, Fault> {
        let path = context.text("path")?;
        let now = read::optional_text(path)?;
        let before = match change::before(path) {
            Ok(file) => file.text().map(str::to_owned),
            Err(error) => Some(error.explain()),
        };
        let evidence: Vec<String> = evaluation.evidence.iter().map(|one| one.validator_id.clone()).collect();
        let governing: Vec<String> = evaluation.test_governing.iter().map(|one| one.path.clone()).collect();
        Ok(Verdict::pass(format!(
            "{:?} {} {now:?} {before:?} {:?} {evidence:?} {governing:?} {}",
            evaluation.phase,
            evaluation.validator_id,
            evaluation.criteria,
            context.tools.len(),
        )))
    }
}

fn workspace() -> Workspace {
    Workspace::new()
        .file("a", "old\n")
        .file("b", "b\n")
        .file("tests/test_x.py", "x\n")
}

#[test]
fn it_judges_a_change_over_its_base() {
    let run = workspace()
        .validator::<Witness>()
        .changed([submit::write("a", "new\n"), submit::write("tests/test_x.py", "y\n")])
        .changed([submit::delete("b")])
        .criterion("be good")
        .evidence("tests", Severity::Pass, "fine")
        .run();
    assert_eq!(
        run.verdict().justification,
        "Phase::PostExecute witness Some(\"new\\n\") Some(\"old\\n\") [\"be good\"] [\"tests\"] [\"tests/test_x.py\"] 9"
    );
    assert_eq!(run.calls, ["read-file a", "before a"]);
}

#[test]
fn before_execution_there_is_no_change() {
    let run = workspace().validator::<Witness>().phase(Phase::PreExecute).run();
    assert_eq!(
        run.verdict().justification,
        "Phase::PreExecute witness Some(\"old\\n\") Some(\"before execution there is no change\") [] [] [] 9"
    );
}

#[test]
fn a_coders_change_is_judged_as_it_is() {
    struct Rewrite;
    impl Coder for Rewrite {
        fn describe() -> Description {
            Description::new("rewrite", "1.0.0", "Rewrites a.")
        }
        fn implement(task: Task, _context: Context) -> Result<Implementation, CoderError> {
            submit::files(vec![submit::write("a", task.spec)])?;
            Ok(Implementation::done())
        }
    }
    let run = workspace().coder::<Rewrite>().task("rewritten").run();
    let verdict = run.judged_by::<Witness>().run().verdict().justification.clone();
    assert!(verdict.contains("Some(\"rewritten\") Some(\"old\\n\")"), "{verdict}");
}

#[test]
fn the_change_is_the_hosts_account() {
    let operations = [
        submit::rename("b", "c"),
        submit::write("a", "old\nmore\n"),
        submit::write("n", vec![0, 1]),
    ];
    workspace().with_validator_imports(operations, || {
        let summary = change::summary().unwrap();
        let kinds: Vec<_> = summary
            .files
            .iter()
            .map(|file| (file.path.as_str(), file.kind, file.binary))
            .collect();
        assert_eq!(
            kinds,
            [
                ("a", ChangeKind::Modified, false),
                ("c", ChangeKind::Renamed, false),
                ("n", ChangeKind::Added, true)
            ]
        );
        assert_eq!(summary.files[1].old_path.as_deref(), Some("b"));
        let whole = change::whole_diff(vec!["a".to_owned()], 3).unwrap();
        assert_eq!(whole[0].added_lines().collect::<Vec<_>>(), [(2, "more")]);
        assert_eq!(change::before("b").unwrap().text(), Some("b\n"));
        assert!(matches!(change::before("c"), Err(BeforeError::NotInChange(_))));
        assert!(matches!(
            change::diff(&DiffQuery::all().context_lines(101)),
            Err(ChangeError::BadParameter(bad)) if bad.field == "context-lines"
        ));
        let cut = change::diff(&DiffQuery::all().max_bytes(1)).unwrap();
        assert_eq!(cut.omitted, ["a", "c", "n"]);
    });
}

#[test]
fn a_shorter_list_of_tools_is_kept_to() {
    let run = workspace().validator::<Witness>().without_tool("read-file").run();
    assert!(matches!(run.fault(), Fault::IncompleteView(why) if why.contains("`read-file` is not among the tools")));
}

#[test]
fn runner_and_model_come_with_a_grant() {
    struct Granted;
    impl Validator for Granted {
        fn describe() -> Description {
            Description::new("granted", "1.0.0", "Tests and asks.").phase(Phase::PostExecute)
        }
        fn evaluate(_evaluation: Evaluation, context: Context) -> Result<Verdict, Fault> {
            let seen = runner::run_tests(None)?;
            let said = completion::complete(&completion::Request::new())?;
            let tools = context.tools.len();
            Ok(Verdict::pass(format!("{} {} {tools}", seen.stdout.text(), said.text)))
        }
    }
    let call = || workspace().validator::<Granted>();
    assert!(matches!(call().run().fault(), Fault::Runner(_)));
    assert!(matches!(
        call().tests(|_| Ok(passed(""))).run().fault(),
        Fault::Model(_)
    ));
    let run = call()
        .tests(|_| Ok(passed("ok")))
        .model(Script::new().says("yes"))
        .run();
    assert_eq!(run.verdict().justification, "ok yes 10");
    assert_eq!(run.asked.len(), 1);
}

#[test]
#[should_panic(expected = "no coder could have made this change: operation 0: `nowhere` is not there")]
fn a_change_that_no_coder_could_make_is_none() {
    workspace()
        .validator::<Witness>()
        .changed([submit::delete("nowhere")])
        .run();
}

#[test]
#[should_panic(expected = "`submit-files` is not among the imports of a validator")]
fn a_validator_cannot_submit() {
    workspace().with_validator_imports([], || drop(submit::files(Vec::new())));
}

#[test]
#[should_panic(expected = "`describe` answers no phase")]
fn a_validator_says_where_it_judges() {
    struct Nowhere;
    impl Validator for Nowhere {
        fn describe() -> Description {
            Description::new("nowhere", "1.0.0", "…")
        }
        fn evaluate(_evaluation: Evaluation, _context: Context) -> Result<Verdict, Fault> {
            Ok(Verdict::pass("…"))
        }
    }
    Workspace::new().validator::<Nowhere>().run();
}
