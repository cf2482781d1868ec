//! Admission: of any bytes it gives an answer, and what it admits keeps every rule, also in the eyes of others.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use snodo_admission::{
    Bodies, Context, Digest, FEATURES, FileKind, Grants, ImportClass, Inspection, Limits, PluginName, Role, Served,
    Verdict, admit, differences, inspect,
};

#[path = "../support/components.rs"]
mod components;
#[path = "../support/printed.rs"]
mod printed;
#[path = "../support/sections.rs"]
mod sections;

/// So small that a component of a few hundred bytes breaks each of them.
const TIGHT: Limits = Limits {
    max_file_bytes: 3000,
    max_modules: 2,
    max_components: 1,
    max_functions: 6,
    max_function_bytes: 12,
    max_instances: 3,
    max_adapters: 8,
    max_memory_bytes: 2 << 16,
    max_table_elements: 8,
    max_imports: 4,
    max_exports: 1,
};

fuzz_target!(|data: &[u8]| {
    let bytes = &*components::assembled(data);
    let name = name();
    let least = Context {
        name,
        role_expected: None,
        grants: Grants::NONE,
        served: Served { completion: false },
        bodies: Bodies::Validate,
    };
    let most = Context {
        grants: Grants {
            model: true,
            runner: true,
        },
        served: Served { completion: true },
        ..least
    };
    let standard = Limits::standard();
    let plain = check(bytes, &least, &standard);
    let granted = check(bytes, &most, &standard);
    let tight = check(bytes, &most, &TIGHT);
    // A grant, or a wider limit, takes nothing away.
    assert!(!plain || granted, "a grant led to a refusal");
    assert!(!tight || granted, "a wider limit led to a refusal");
    let told = differences(bytes, name, &standard);
    if let Ok(report) = &told {
        report
            .differences
            .iter()
            .for_each(|d| printed::check(&d.to_string(), 4000));
        report.advice.iter().for_each(|line| printed::check(line, 1000));
        serde_json::to_string(report).expect("every report can be given out as JSON");
    }
    if !granted {
        return;
    }
    // Whoever stops at the first difference and whoever tells all of them agree that there is none.
    assert!(told.is_ok_and(|report| report.fits()));
    // Not validating bodies again refuses nothing.
    let before = Context {
        bodies: Bodies::CompiledBefore,
        ..most
    };
    assert!(admits(&inspect(bytes, &before, &standard)));
    // It has one role, whichever is asked for.
    let as_role = Role::ALL.map(|role| {
        let context = Context {
            role_expected: Some(role),
            ..before
        };
        admits(&inspect(bytes, &context, &standard))
    });
    assert!(as_role[0] != as_role[1], "{as_role:?}");
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mutated = sections::mutated(
        &components::assembled(&data[..size]),
        components::all(),
        seed,
        |part, most| {
            let len = part.len();
            part.resize(most.max(len), 0);
            let now = fuzzer_mutate(part, len, most.max(len));
            part.truncate(now);
        },
    );
    let kept = mutated.len().min(max_size);
    data[..kept].copy_from_slice(&mutated[..kept]);
    kept
});

fn name() -> &'static PluginName {
    static NAME: OnceLock<PluginName> = OnceLock::new();
    NAME.get_or_init(|| PluginName::parse("guest").expect("a name"))
}

fn admits(inspection: &Inspection) -> bool {
    inspection.verdict == Verdict::Admitted
}

/// Whether it is admitted, once the answer was held against what it promises.
fn check(bytes: &[u8], context: &Context<'_>, limits: &Limits) -> bool {
    let found = inspect(bytes, context, limits);
    assert_eq!(found.size, Some(bytes.len() as u64));
    assert!(found.imports.len() as u64 <= limits.max_imports && found.exports.len() as u64 <= limits.max_exports);
    serde_json::to_string(&found).expect("every answer can be given out as JSON");
    for import in &found.imports {
        printed::check(
            &format!("{} {} {}", import.name, import.sentence, import.class.label()),
            10_000,
        );
        assert!(import.functions.len() <= 100);
    }
    if !admits(&found) {
        assert!(!found.verdict.findings().is_empty());
        let refusal = found.refusal().expect("refused");
        printed::check_lines(&refusal.to_string(), 1 << 20);
        return false;
    }
    let admitted = admit(bytes, context, limits).expect("inspected to be admitted");
    assert_eq!((admitted.bytes(), admitted.digest()), (bytes, Digest::of(bytes)));
    assert_eq!(
        (found.kind, found.digest),
        (FileKind::Component, Some(Digest::of(bytes)))
    );
    assert_eq!((Some(admitted.role()), found.world.is_some()), (found.role, true));
    for import in &found.imports {
        assert!(import.class.passes(), "{import:?}");
        assert!(
            !matches!(import.class, ImportClass::Granted { grant } if !context.grants.has(grant)),
            "{import:?}"
        );
    }
    let census = found.census.expect("what is admitted is counted");
    assert!(bytes.len() as u64 <= limits.max_file_bytes);
    assert!(census.modules <= limits.max_modules && census.components <= limits.max_components);
    assert!(census.functions <= limits.max_functions && census.largest_function_bytes <= limits.max_function_bytes);
    assert!(census.instances <= limits.max_instances && census.adapters <= limits.max_adapters);
    assert!(census.memory_bytes <= limits.max_memory_bytes && census.table_elements <= limits.max_table_elements);
    assert!(census.imports <= limits.max_imports && census.exports <= limits.max_exports);
    assert!(!census.uncountable);
    assert_eq!(
        found.imports.len() as u64,
        census.imports,
        "an import was not looked at"
    );
    assert_eq!(
        found.exports.len() as u64,
        census.exports,
        "an export was not looked at"
    );
    // The runtime, which validates by itself, would take it.
    wasmparser::Validator::new_with_features(FEATURES)
        .validate_all(bytes)
        .expect("what is admitted is valid");
    true
}
