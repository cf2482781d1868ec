//! How large a plugin may be before it is compiled: every number, with its reason.

use serde::Serialize;

use crate::census::Census;
use crate::finding::{Finding, Rule};
use crate::text::{count, size};

/// Bounds on a component as a file and on what a start of it would make. They have no default: whoever admits a plugin says
/// which ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// Bytes of the file.
    pub max_file_bytes: u64,
    /// Core modules in it.
    pub max_modules: u64,
    /// Components nested in it.
    pub max_components: u64,
    /// Functions with a body, over all modules.
    pub max_functions: u64,
    /// Bytes of one function's body.
    pub max_function_bytes: u64,
    /// Instances of core modules that a start makes.
    pub max_instances: u64,
    /// Functions between modules and the outside that a start makes.
    pub max_adapters: u64,
    /// Bytes of linear memory that a start makes, summed over all memories.
    pub max_memory_bytes: u64,
    /// Elements of tables that a start makes, summed over all tables.
    pub max_table_elements: u64,
    /// Imports of the component.
    pub max_imports: u64,
    /// Exports of the component.
    pub max_exports: u64,
}

impl Limits {
    /// What fits every known toolchain several times over, and no bomb.
    pub const fn standard() -> Self {
        Self {
            // The largest known (Python with its interpreter and library) has 18 MiB.
            max_file_bytes: 64 << 20,
            // Python's, linked from shared libraries, has 38; the format itself allows 1,000 a component.
            max_modules: 200,
            // One for each exported interface is usual; QuickJS with stubs in place of WASI has 24.
            max_components: 200,
            // A script engine has 13,000. Each costs its time to compile, however small.
            max_functions: 100_000,
            // The largest known, the loop of Python's interpreter, has 417 KiB. The time and memory to compile one grow faster than it does.
            max_function_bytes: 1 << 20,
            // As the modules, each started once, with room for some that are started twice.
            max_instances: 400,
            // One for each function that crosses the border, or that parts call in each other: Python has 134.
            max_adapters: 10_000,
            // A start may not take more than a run may have: the default memory limit of an instance. Python starts with 12 MiB.
            max_memory_bytes: 512 << 20,
            // An entry for each function whose address is taken; a script engine has 8,000. An entry is 8 bytes of the host's memory.
            max_table_elements: 200_000,
            // The contract has 7 interfaces to import, inert WASI 20, all of WASI some 40.
            max_imports: 256,
            // A role, and what a toolchain adds.
            max_exports: 256,
        }
    }

    /// The bounds that a component breaks, in the order of the fields.
    pub(crate) fn broken_by(&self, census: &Census) -> Vec<Finding> {
        let counted = |what, found, most| (what, count(found), count(most), found > most);
        let sized = |what, found, most| (what, size(found), size(most), found > most);
        let mut findings: Vec<Finding> = [
            counted("it holds {} core modules", census.modules, self.max_modules),
            counted("it holds {} nested components", census.components, self.max_components),
            counted("it holds {} functions", census.functions, self.max_functions),
            sized(
                "a function in it has {} of code",
                census.largest_function_bytes,
                self.max_function_bytes,
            ),
            counted("starting it makes {} instances", census.instances, self.max_instances),
            counted(
                "starting it makes {} adapters between its parts",
                census.adapters,
                self.max_adapters,
            ),
            sized(
                "starting it takes {} of memory",
                census.memory_bytes,
                self.max_memory_bytes,
            ),
            counted(
                "starting it makes tables of {} elements",
                census.table_elements,
                self.max_table_elements,
            ),
            counted("it has {} imports", census.imports, self.max_imports),
            counted("it has {} exports", census.exports, self.max_exports),
        ]
        .into_iter()
        .filter(|(_, _, _, broken)| *broken)
        .map(|(what, found, most, _)| {
            Finding::whole(Rule::Limit, what.replace("{}", &found), format!("the limit is {most}"))
        })
        .collect();
        if census.uncountable {
            findings.push(Finding::whole(
                Rule::Limit,
                "it starts a part that it does not hold itself, so that nothing tells how large it gets",
                "build it as one component that holds all of its parts",
            ));
        }
        findings
    }

    /// The file itself is too large.
    pub(crate) fn file_too_large(&self, bytes: u64) -> Option<Finding> {
        (bytes > self.max_file_bytes).then(|| {
            Finding::whole(
                Rule::Limit,
                format!("the file has {}", size(bytes)),
                format!(
                    "the limit is {}: leave out debug information, or split the plugin",
                    size(self.max_file_bytes)
                ),
            )
        })
    }
}
