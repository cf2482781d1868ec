//! A coder in the harness: what it sees, what becomes of what it submits, and where the host would step in.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::items_after_statements,
    reason = "a test fails by panicking, and a plugin of one test stands in it"
)]

use snodo_plugin::prelude::*;
use snodo_plugin::submit::{Draft, SubmitError, SubmitRefusal};
use snodo_plugin::testing::{Script, Workspace, calls, failed, passed, says};
use snodo_plugin::types::{Limit, PathRule, SkipReason};
use snodo_plugin::{CoderReport, SettingType, runner::RunnerError};

/// Does what the task says, one word at a time.
struct Obedient;

impl Coder for Obedient {
    fn describe() -> Description {
        Description::new("obedient", "1.0.0", "Does what the task says.")
            .setting(Setting::text_list("also", "More to do.").default([""].as_slice()))
            .setting(Setting::integer("times", "How often.").default(1))
    }

    fn implement(task: Task, context: Context) -> Result<Implementation, CoderError> {
        for _ in 0..context.integer("times")? {
            for word in task.spec.split_whitespace() {
                submit::progress(word);
                match word.split_once(':') {
                    Some(("write", path)) => drop(submit::files(vec![submit::write(path, "new\n")])?),
                    Some(("delete", path)) => drop(submit::files(vec![submit::delete(path)])?),
                    Some(("read", path)) => drop(read::text(path)?),
                    Some(("test", path)) => match runner::run_tests(Some(path)) {
                        Ok(seen) if seen.exit.success() => {}
                        Ok(seen) => return Err(CoderError::Internal(seen.stdout.text())),
                        Err(error) => return Err(CoderError::Internal(error.explain())),
                    },
                    Some(("change", _)) => drop(change::summary()),
                    Some(("find", what)) => {
                        return Ok(Implementation::done().finding(Finding::new(what, "")));
                    }
                    _ => return Err(CoderError::UnusableTask(word.to_owned())),
                }
            }
        }
        Ok(Implementation::done().report(CoderReport::completed(Vec::new(), "done")))
    }
}

fn workspace() -> Workspace {
    Workspace::new()
        .file("src/a.rs", "fn a() {}\n")
        .file("tests/a.rs", "#[test]\nfn a() {}\n")
        .file("logo.png", vec![0, 1, 2])
        .file(".env", "TOKEN=x\n")
        .file("target/out", "…")
        .ignore("target/")
        .executable("run.sh", "#!/bin/sh\n")
        .protect("protocol")
}

#[test]
fn what_is_submitted_is_the_change_and_the_workspace_stays() {
    let workspace = workspace();
    let run = workspace.coder::<Obedient>().task("write:src/b.rs delete:run.sh").run();
    assert!(run.produced_work());
    assert_eq!(run.changed(), ["run.sh", "src/b.rs"]);
    assert_eq!((run.change().added, run.change().deleted), (1, 1));
    assert_eq!(run.text("src/b.rs"), "new\n");
    assert_eq!(run.file("run.sh"), None);
    assert_eq!(run.text("src/a.rs"), "fn a() {}\n");
    assert!(
        run.patch().contains("+++ b/src/b.rs\n@@ -0,0 +1 @@\n+new\n"),
        "{}",
        run.patch()
    );
    assert_eq!(
        run.diff()[1].to_string(),
        "--- /dev/null\n+++ b/src/b.rs\n@@ -0,0 +1 @@\n+new\n"
    );
    assert_eq!(run.implementation().report.as_ref().unwrap().notes, "done");
    assert_eq!(run.progress.len(), 2);
    assert_eq!(
        run.calls,
        ["submit-files write `src/b.rs`", "submit-files delete `run.sh`"]
    );
    // A second call starts from the same files.
    assert_eq!(workspace.coder::<Obedient>().task("write:a").run().changed(), ["a"]);
}

#[test]
fn nothing_is_no_work_whatever_the_coder_says() {
    let run = workspace().coder::<Obedient>().task("").run();
    assert!(run.implementation().report.is_some() && !run.produced_work());
    // Findings are work where they were asked for.
    assert!(!workspace().coder::<Obedient>().task("find:x").run().produced_work());
    assert!(
        workspace()
            .coder::<Obedient>()
            .task("find:x")
            .for_findings()
            .run()
            .produced_work()
    );
}

#[test]
fn what_was_submitted_before_an_error_counts() {
    let run = workspace().coder::<Obedient>().task("write:b read:nowhere").run();
    assert!(matches!(run.error(), CoderError::Unreadable(refused) if refused.path == "nowhere"));
    assert_eq!(run.changed(), ["b"]);
}

#[test]
fn errors_are_the_hosts() {
    workspace().link("link", "src/a.rs").with_coder_imports(|| {
        let refused = |path: &str| match read::file(path).unwrap_err() {
            read::ReadError::Refused(refusal) => refusal.rule,
            other => other.explain(),
        };
        assert_eq!(
            refused(".git/config"),
            "`.git` is never opened to plugins, at any depth"
        );
        assert_eq!(refused(".env"), "`.env` is not read (the host's list of secrets)");
        assert_eq!(
            refused("target/out"),
            ".gitignore:1 `target/`: ignored files are read only when the user allows them (`--read-ignored PATTERN`)"
        );
        assert_eq!(refused("nowhere"), "`nowhere` is not there");
        assert_eq!(refused("src"), "`src` is a folder");
        assert!(matches!(read::file("link"), Err(read::ReadError::Symlink(_))));
        assert!(matches!(
            read::file("../x"),
            Err(read::ReadError::BadPath(bad)) if bad.rule == PathRule::EscapesRoot
        ));
        assert!(
            matches!(read::lines("src/a.rs", 0, 1), Err(read::ReadError::BadParameter(bad)) if bad.field == "first")
        );
        let Err(SubmitError::Rejected(rejected)) =
            submit::files(vec![submit::write("b", "…"), submit::write("protocol/x", "…")])
        else {
            panic!("taken")
        };
        assert_eq!(rejected.index, 1);
        assert_eq!(
            rejected.reason.explain(),
            "`protocol/x` is refused by `protocol` is protected by the protocol, with everything below it"
        );
        assert!(matches!(
            submit::files(vec![submit::write("SRC/b", "…")]),
            Err(SubmitError::Rejected(rejected)) if matches!(rejected.reason, SubmitRefusal::Conflict(_))
        ));
        assert!(matches!(
            search::text(&search::TextQuery::regex("(")),
            Err(search::SearchError::BadParameter(bad)) if bad.field == "pattern"
        ));
    });
}

#[test]
fn lists_and_searches_see_what_is_submitted_and_tell_what_they_passed_over() {
    workspace().with_coder_imports(|| {
        submit::files(vec![submit::write("src/b.rs", "fn b() { a(); }\n")]).unwrap();
        let listing = read::list(&read::ListQuery::under("src")).unwrap();
        assert_eq!(
            listing
                .entries
                .iter()
                .map(|entry| entry.path.as_str())
                .collect::<Vec<_>>(),
            ["src/a.rs", "src/b.rs"]
        );
        let all = read::walk(&["**"]).unwrap();
        assert_eq!(all.files, ["logo.png", "run.sh", "src/a.rs", "src/b.rs", "tests/a.rs"]);
        let skipped: Vec<_> = all.skipped.iter().map(|skip| (skip.reason, skip.files)).collect();
        assert_eq!(
            skipped,
            [
                (SkipReason::Hidden, 1),
                (SkipReason::Ignored, 1),
                (SkipReason::Refused, 1)
            ]
        );
        let found = search::text(&search::TextQuery::literal("a()").under("src")).unwrap();
        assert_eq!(found.matches.len(), 2);
        let defined = search::symbol(&search::SymbolQuery::named("b")).unwrap();
        assert_eq!(
            (defined.symbols[0].path.as_str(), defined.symbols[0].line),
            ("src/b.rs", 1)
        );
        let answers = read::files(&["src/b.rs".to_owned(), "nowhere".to_owned()]).unwrap();
        assert!(answers[0].outcome.is_ok() && answers[1].outcome.is_err());
        assert_eq!(submit::withdraw(&["src/b.rs".to_owned()]).unwrap(), ["src/b.rs"]);
        assert!(!read::is_file("src/b.rs").unwrap());
    });
}

#[test]
fn hidden_files_are_found_by_patterns_that_name_them() {
    let workspace = Workspace::new()
        .file(".github/ci.yml", "")
        .file("a/.x", "")
        .file("a/y", "");
    workspace.with_coder_imports(|| {
        let files = |pattern: &str| read::walk(&[pattern]).unwrap().files;
        assert_eq!(files(".github/*.yml"), [".github/ci.yml"]);
        assert_eq!(files("**/.x"), ["a/.x"]);
        assert_eq!(files("a/*"), ["a/y"]);
        assert!(files("nowhere/*").is_empty());
        assert!(matches!(
            read::walk(&["[", "a/*"]),
            Err(read::ReadError::BadParameter(_))
        ));
        assert_eq!(
            read::walk(&["a/*", "**", "!a/**"]).unwrap().missing().unwrap(),
            "passed over: 3 hidden"
        );
    });
}

#[test]
fn declared_tests_are_what_the_test_says_under_the_hosts_rules() {
    let call = |task: &str| {
        workspace()
            .coder::<Obedient>()
            .task(task)
            .tests(|call| match call.text("src/b.rs") {
                Some(_) => Ok(passed("fine")),
                None => Ok(failed(format!("{} {:?}", call.number, call.path))),
            })
            .run()
    };
    assert!(call("write:src/b.rs test:tests/a.rs").outcome.is_ok());
    let said = |task: &str| match call(task).outcome {
        Err(CoderError::Internal(words)) => words,
        other => panic!("{other:?}"),
    };
    assert_eq!(said("test:./tests//a.rs::a"), "1 Some(\"tests/a.rs::a\")");
    assert!(said("test:-x").contains("would be read as an option"));
    assert_eq!(said("test:tests/b.rs"), "`tests/b.rs` is not there");
    assert!(matches!(
        workspace().coder::<Obedient>().task("test:a").run().error(),
        CoderError::Internal(words) if words == "no test command is declared"
    ));
}

#[test]
fn declared_tests_run_so_often() {
    struct Eager;
    impl Coder for Eager {
        fn describe() -> Description {
            Description::new("eager", "1.0.0", "Tests for ever.")
        }
        fn implement(_task: Task, context: Context) -> Result<Implementation, CoderError> {
            let calls = context.runner.unwrap().calls;
            for left in (0..calls).rev() {
                assert_eq!(runner::run_tests(None).unwrap().calls_left, left);
            }
            let limit = Limit {
                name: "runner-calls".to_owned(),
                allowed: u64::from(calls),
            };
            assert_eq!(runner::run_tests(None).unwrap_err(), RunnerError::Limit(limit));
            Ok(Implementation::done())
        }
    }
    let run = Workspace::new()
        .coder::<Eager>()
        .tests(|_| Ok(passed("")))
        .with_context(|context| context.runner.as_mut().unwrap().calls = 3)
        .run();
    assert_eq!(run.calls.len(), 4);
}

#[test]
fn settings_are_typed_by_what_is_declared() {
    let run = workspace()
        .coder::<Obedient>()
        .task("write:a")
        .set("times", " 2")
        .setting("also", ["x"])
        .set("also", "y, z")
        .run();
    assert_eq!(run.calls.len(), 2);
    let fails = |call: snodo_plugin::testing::CoderCall<Obedient>| {
        let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(call.run()))).unwrap_err();
        *payload.downcast::<String>().unwrap()
    };
    assert_eq!(
        fails(workspace().coder().set("times", "two")),
        "the host refuses this run: the setting `obedient.times` is a whole number; `two` is not"
    );
    assert_eq!(
        fails(workspace().coder().setting("time", 2)),
        "the host refuses this run: `obedient` has no setting `time`; it has `also`, `times`"
    );
    assert!(fails(workspace().coder().setting("times", 1).setting("times", 2)).contains("given twice"));
}

#[test]
fn a_model_is_what_the_test_says() {
    struct Asks;
    impl Coder for Asks {
        fn describe() -> Description {
            Description::new("asks", "1.0.0", "Asks a model.")
        }
        fn implement(task: Task, context: Context) -> Result<Implementation, CoderError> {
            let request = completion::Request::new().user(task.spec);
            let answer = completion::complete(&request)?;
            let note = format!("{} {:?}", answer.tool_calls.len(), context.model);
            Ok(Implementation::done().report(CoderReport::completed(Vec::new(), note)))
        }
    }
    let notes = |run: snodo_plugin::testing::CoderRun| run.implementation().report.clone().unwrap().notes;
    let script = Script::new().answers(calls(&[("a", "{}"), ("b", "{}")]));
    assert_eq!(
        notes(Workspace::new().coder::<Asks>().model(script).run()),
        "2 Some(\"scripted\")"
    );
    let model = |request: &completion::Request| Ok(says(format!("{}", request.messages.len())));
    let run = Workspace::new().coder::<Asks>().task("hello").model(model).run();
    assert_eq!(run.asked[0].messages, [completion::Message::User("hello".to_owned())]);
    assert!(matches!(
        Workspace::new().coder::<Asks>().run().error(),
        CoderError::Model(_)
    ));
    let error = completion::CompletionError::Timeout(7);
    let run = Workspace::new().coder::<Asks>().model(Script::new().fails(error)).run();
    assert_eq!(run.error(), &CoderError::Model("no answer within 7 ms".to_owned()));
}

#[test]
#[should_panic(expected = "the script's 1 answers are used up, and the model is asked again")]
fn a_script_that_ends_fails_the_test() {
    struct Twice;
    impl Coder for Twice {
        fn describe() -> Description {
            Description::new("twice", "1.0.0", "Asks twice.")
        }
        fn implement(_task: Task, _context: Context) -> Result<Implementation, CoderError> {
            completion::complete(&completion::Request::new())?;
            completion::complete(&completion::Request::new())?;
            Ok(Implementation::done())
        }
    }
    Workspace::new()
        .coder::<Twice>()
        .model(Script::new().says("once"))
        .run();
}

#[test]
#[should_panic(expected = "the limit `host-calls` of 1 is reached")]
fn the_limits_in_force_hold() {
    let limit = |context: &mut Context| context.limits.host_calls = 1;
    workspace()
        .coder::<Obedient>()
        .task("write:a")
        .with_context(limit)
        .run();
}

#[test]
#[should_panic(expected = "`summary` is not among the imports of a coder")]
fn a_coder_has_no_change() {
    workspace().coder::<Obedient>().task("change:x").run();
}

#[test]
#[should_panic(expected = "`read-lines` was called while `describe` was answered, when every import is closed")]
fn imports_are_closed_while_it_describes_itself() {
    struct Nosy;
    impl Coder for Nosy {
        fn describe() -> Description {
            Description::new("nosy", read::is_file("a").unwrap().to_string(), "Looks.")
        }
        fn implement(_task: Task, _context: Context) -> Result<Implementation, CoderError> {
            Ok(Implementation::done())
        }
    }
    Workspace::new().coder::<Nosy>().run();
}

#[test]
#[should_panic(expected = "a setting's name is lower-case letters, digits and `-`, and starts with a letter")]
fn a_description_is_checked_as_by_the_host() {
    struct Loud;
    impl Coder for Loud {
        fn describe() -> Description {
            Description::new("loud", "1.0.0", "…").setting(Setting::text("Name", "…"))
        }
        fn implement(_task: Task, _context: Context) -> Result<Implementation, CoderError> {
            Ok(Implementation::done())
        }
    }
    snodo_plugin::testing::describe_coder::<Loud>();
}

#[test]
#[should_panic(expected = "`read-file` was called outside of a test's call")]
fn outside_of_a_call_nobody_answers() {
    drop(read::file("a"));
}

#[test]
fn a_call_may_be_made_within_another() {
    let run = workspace()
        .coder::<Obedient>()
        .task("write:a test:tests write:b")
        .tests(|_| {
            let inner = Workspace::new().coder::<Obedient>().task("write:inner").run();
            Ok(passed(inner.changed().join(" ")))
        })
        .run();
    assert_eq!(run.changed(), ["a", "b"]);
}

#[test]
fn a_draft_is_taken_whole_or_not_at_all() {
    workspace().with_coder_imports(|| {
        let draft = Draft::new().rename("src/a.rs", "src/z.rs").write("src/z.rs", "z\n").set_executable("src/z.rs", true);
        assert_eq!(draft.operations().len(), 3);
        // One call names a path once, the second call as well.
        let refused = draft.submit().unwrap_err();
        assert!(refused.explain().starts_with("could not make `src/z.rs` executable: operations 0 and 1"), "{}", refused.explain());
        assert!(read::is_file("src/a.rs").unwrap() && !read::is_file("src/z.rs").unwrap());

        let taken = Draft::new().rename("src/a.rs", "src/z.rs").write("src/z.rs", "z\n").submit().unwrap();
        assert_eq!((taken.accepted, taken.pending), (2, 2));
        assert_eq!(read::text("src/z.rs").unwrap(), "z\n");
        assert!(Draft::new().is_empty());
        assert_eq!(Draft::new().submit().unwrap().accepted, 0);
        let refused: CoderError = Draft::new().write("ok", "").delete(".git/config").submit().unwrap_err().into();
        assert!(matches!(refused, CoderError::Refused(refused) if refused.path == ".git/config" && refused.reason.starts_with("could not delete")));
        assert!(!read::is_file("ok").unwrap());
    });
}

#[test]
fn declared_types_have_their_names() {
    let description = snodo_plugin::testing::describe_coder::<Obedient>();
    assert_eq!(description.settings[1].value_type, SettingType::Integer);
}
