//! A coder that is broken in the way that its setting names: for each check of the conformance suite there is one that it fails by. `none` is
//! whole, so that what it fails by is what was broken.

use std::hint::black_box;

use snodo_plugin::prelude::*;
use snodo_plugin::{CoderReport, ReportedFile};

struct Broken;

const PATH: &str = "BROKEN.md";

impl Coder for Broken {
    fn describe() -> Description {
        Description::new("broken-coder", "0.1.0", "Is broken in the way that its setting names.")
            .setting(Setting::text("behaviour", "How it is broken; `none`: not at all.").default("none"))
            .setting(Setting::text("free", "Any text.").default(""))
    }

    fn implement(task: Task, context: Context) -> Result<Implementation, CoderError> {
        let behaviour = context.text("behaviour")?.to_owned();
        match behaviour.as_str() {
            "panics" => panic!("as told"),
            "loops" => loop {
                black_box(());
            },
            "needs-a-job" => assert!(!context.job_id.is_empty(), "no job"),
            "needs-few-attempts" => assert!(context.attempt < 1_000, "too many attempts"),
            "needs-room" => needs_room(&context),
            "needs-a-readme" => drop(read::file("README.md").expect("a README")),
            "fussy" => fussy(),
            "chatty" => println!("{}", task.spec),
            "wordy" => println!("{}", "word ".repeat(10_000)),
            "idle" => return Ok(Implementation::done()),
            _ => {}
        }
        let submitted = submit::files(vec![submit::write(PATH, "broken\n")]);
        if behaviour == "needs-to-submit" {
            submitted.expect("everything is taken");
        } else {
            submitted?;
        }
        if behaviour == "echoes" {
            return Ok(Implementation::done().finding(Finding::new("echo", texts(&task, &context).join("\n"))));
        }
        let named = if behaviour == "lies" { "OTHER.md" } else { PATH };
        let file = ReportedFile::new(named, ChangeKind::Added);
        Ok(Implementation::done().report(CoderReport::completed(vec![file], "")))
    }
}

snodo_plugin::export!(coder: Broken);

/// Cannot live with little, and does not say so.
fn needs_room(context: &Context) {
    let limits = context.limits;
    assert!(limits.memory_bytes > 64 << 20, "too little memory");
    assert!(limits.compute_ms > 500 && limits.total_ms > 500, "too little time");
    assert!(limits.host_calls > 1_000, "too few calls");
    assert!(limits.call_bytes > 1 << 20, "calls too small");
    assert!(limits.read_bytes > 1 << 20, "too little to read");
    assert!(limits.submit_bytes > 1 << 20, "too little to submit");
    // So that less memory than this took is more than there is at the start.
    drop(black_box(vec![1_u8; 4 << 20]));
}

/// Knows only tidy workspaces.
fn fussy() {
    let all = read::list(&read::ListQuery::under("").hidden().limit(10_000)).expect("a listing");
    assert!(!all.entries.is_empty(), "there is nothing");
    assert!(all.entries.len() < 1_000, "there is too much");
    for entry in &all.entries {
        assert!(!entry.path.contains('['), "what a name");
        assert!(entry.size < 1 << 30, "what a file");
        if entry.path.ends_with(".bin") {
            let file = read::file(&entry.path).expect("a file");
            drop(file.text().expect("a text").to_owned());
        }
    }
}

/// Not broken: gives back every text that it was told.
fn texts(task: &Task, context: &Context) -> Vec<String> {
    let mut all = vec![
        task.id.clone(),
        task.spec.clone(),
        task.memory_summary.clone(),
        task.project.language.clone(),
        task.project.structure.clone(),
        context.job_id.clone(),
        context.task_id.clone(),
        context.mode.clone(),
        context.protocol_guidance.clone(),
    ];
    all.extend(task.constraints.iter().cloned());
    for file in &task.project.configuration {
        all.extend([file.path.clone(), file.text.clone()]);
    }
    for failure in &task.prior_failures {
        all.extend([failure.validator_id.clone(), failure.justification.clone()]);
    }
    all.extend(context.model.clone());
    all.extend(context.runner.iter().flat_map(|runner| runner.argv.iter().cloned()));
    all.extend(context.protected_paths.iter().cloned());
    all.extend(context.tools.iter().cloned());
    all.extend(context.text("free").map(str::to_owned));
    all
}
