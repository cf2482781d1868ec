//! The one pass over a component: validated, counted, its imports and exports collected. Nothing is compiled.

use wasmparser::types::Types;
use wasmparser::{
    ComponentExternalKind, FuncValidatorAllocations, Parser, Payload, ValidPayload, Validator, WasmFeatures,
};

use crate::census::{Census, Counter};
use crate::limits::Limits;

/// What of WebAssembly a plugin may use: what the runtime takes by default in the way it is built here. Without threads,
/// exceptions and garbage-collected types, since the parts of the runtime that they need are left out; without asynchronous functions
/// of the component model, since the contract has none; without relaxed SIMD, whose results differ between machines, so that a
/// run could not be replayed. The host sets its engine to the same.
pub const FEATURES: WasmFeatures = WasmFeatures::WASM3
    .difference(WasmFeatures::THREADS)
    .difference(WasmFeatures::EXCEPTIONS)
    .difference(WasmFeatures::GC_TYPES)
    .difference(WasmFeatures::RELAXED_SIMD)
    .union(WasmFeatures::COMPONENT_MODEL);

/// Whether the bodies of functions are validated too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bodies {
    /// Yes.
    Validate,
    /// No, which is faster for a large plugin and hides nothing: only for bytes whose digest the host has compiled before, since
    /// compiling validates them. Types, imports and every limit are checked as ever.
    CompiledBefore,
}

/// An item at the border of the component.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: ComponentExternalKind,
}

/// Why the bytes are not a valid component.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Failure {
    pub(crate) offset: usize,
    /// A proposal without which they are not.
    pub(crate) feature: Option<WasmFeatures>,
}

impl Failure {
    fn of(error: &wasmparser::Error) -> Self {
        Self {
            offset: error.offset(),
            feature: error.missing_wasm_feature(),
        }
    }
}

/// What was found.
pub(crate) struct Scan<'a> {
    /// In the order of the file; no more than the limit of imports.
    pub(crate) imports: Vec<Item<'a>>,
    /// In the order of the file; no more than the limit of exports.
    pub(crate) exports: Vec<Item<'a>>,
    pub(crate) census: Census,
    /// The types, or why there are none.
    pub(crate) types: Result<Types, Failure>,
}

/// Reads a component to its end, whatever it holds.
pub(crate) fn scan<'a>(component: &'a [u8], bodies: Bodies, limits: &Limits) -> Scan<'a> {
    let first = pass(component, FEATURES, bodies, limits);
    match first.types {
        Err(Failure { offset, feature: None }) => {
            // Not every use of a proposal is told by its name. If all of them together make it valid, it is one all the same.
            let every = pass(component, WasmFeatures::all(), bodies, limits);
            let feature = every.types.is_ok().then(|| WasmFeatures::all().difference(FEATURES));
            Scan {
                types: Err(Failure { offset, feature }),
                ..first
            }
        }
        _ => first,
    }
}

fn pass<'a>(component: &'a [u8], features: WasmFeatures, bodies: Bodies, limits: &Limits) -> Scan<'a> {
    let mut counter = Counter::default();
    let mut validator = Validator::new_with_features(features);
    let mut allocations = FuncValidatorAllocations::default();
    let mut imports = Vec::new();
    let mut exports = Vec::new();
    let mut failure = None;
    let mut types = None;
    let mut parser = Parser::new(0);
    parser.set_features(features);
    for payload in parser.parse_all(component) {
        // Counted first and to the end, also of what is not valid: a limit that is broken is the better answer.
        let counted = payload.and_then(|payload| {
            counter.payload(&payload)?;
            if counter.at_root() {
                collect(&payload, &mut imports, &mut exports, limits)?;
            }
            Ok(payload)
        });
        let payload = match counted {
            Ok(payload) => payload,
            Err(error) => {
                failure = failure.or(Some(Failure::of(&error)));
                break;
            }
        };
        if failure.is_some() {
            continue;
        }
        let valid = validator.payload(&payload).and_then(|valid| match valid {
            ValidPayload::Func(function, body)
                // What is refused for its size anyway is not worth the time.
                if bodies == Bodies::Validate
                    && body.range().len() as u64 <= limits.max_function_bytes
                    && counter.census().functions <= limits.max_functions =>
            {
                let mut function = function.into_validator(std::mem::take(&mut allocations));
                function.validate(&body)?;
                allocations = function.into_allocations();
                Ok(())
            }
            ValidPayload::End(found) => {
                types = Some(found);
                Ok(())
            }
            _ => Ok(()),
        });
        failure = valid.err().as_ref().map(Failure::of);
    }
    let types = match (failure, types) {
        (None, Some(types)) => Ok(types),
        (Some(failure), _) => Err(failure),
        (None, None) => Err(Failure {
            offset: component.len(),
            feature: None,
        }),
    };
    Scan {
        imports,
        exports,
        census: counter.census(),
        types,
    }
}

/// Keeps what stands at the border, up to the limits: what is over them is refused by the count.
fn collect<'a>(
    payload: &Payload<'a>,
    imports: &mut Vec<Item<'a>>,
    exports: &mut Vec<Item<'a>>,
    limits: &Limits,
) -> wasmparser::Result<()> {
    match payload {
        Payload::ComponentImportSection(section) => {
            for import in section.clone() {
                let import = import?;
                if (imports.len() as u64) < limits.max_imports {
                    imports.push(Item {
                        name: import.name.name,
                        kind: import.ty.kind(),
                    });
                }
            }
        }
        Payload::ComponentExportSection(section) => {
            for export in section.clone() {
                let export = export?;
                if (exports.len() as u64) < limits.max_exports {
                    exports.push(Item {
                        name: export.name.name,
                        kind: export.kind,
                    });
                }
            }
        }
        _ => {}
    }
    Ok(())
}
