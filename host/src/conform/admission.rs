//! What is seen on the file, before anything of it is compiled.

use snodo_admission::{Inspection, Rule, Verdict};

use super::check::{Outcome, Sheet};

/// Puts down every check of the group but `admission.loads`; answers whether it is admitted.
pub(super) fn look(inspection: &Inspection, sheet: &mut Sheet) -> bool {
    let role = inspection.role.map_or("no role", snodo_admission::Role::name);
    let built_against = inspection.built_against.as_deref().unwrap_or("no version");
    let size = inspection.size.map_or_else(String::new, |size| format!("{size} bytes"));
    let imports: Vec<&str> = inspection.imports.iter().map(|import| import.name.as_str()).collect();
    let passes: [(&'static str, String); 5] = [
        ("admission.component", inspection.kind.describe().to_string()),
        ("admission.role", format!("a {role}")),
        ("admission.imports", seen_imports(&imports)),
        ("admission.version", format!("snodo:plugin {built_against}")),
        ("admission.size", size),
    ];
    let found = inspection.verdict.findings();
    let is_component = !found
        .iter()
        .any(|finding| check_of(finding.rule) == "admission.component");
    let is_read = inspection.census.is_some();
    for (id, seen) in passes {
        let against: Vec<String> = found
            .iter()
            .filter(|finding| check_of(finding.rule) == id)
            .map(ToString::to_string)
            .collect();
        sheet.put(
            id,
            if !against.is_empty() {
                Outcome::fail(against.join(" | "))
            } else if id == "admission.component" || id == "admission.size" || (is_component && is_read) {
                Outcome::pass(seen)
            } else {
                Outcome::skip("the file could not be read so far")
            },
        );
    }
    inspection.verdict == Verdict::Admitted
}

fn seen_imports(imports: &[&str]) -> String {
    match imports {
        [] => "none".to_owned(),
        imports => imports.join(", "),
    }
}

/// The check that a rule of admission belongs to.
fn check_of(rule: Rule) -> &'static str {
    match rule {
        Rule::NotAComponent | Rule::Damaged | Rule::Feature => "admission.component",
        Rule::Role | Rule::OtherRole => "admission.role",
        Rule::Version | Rule::Interface => "admission.version",
        Rule::Limit => "admission.size",
        // NotForRole, Grant, NotServed, Network, Outside, and what is added to them.
        _ => "admission.imports",
    }
}
