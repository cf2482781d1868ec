//! How much there is in a component: counted while it is read, before anything is compiled or made.
//!
//! Some figures are of the file (functions, sizes), since each piece of code is compiled once. Others are of what a start
//! of the component would make (instances, memory, tables, adapters): a component may instantiate a part of itself many times,
//! and parts of that part again, so those are multiplied out along the instantiations.

use serde::Serialize;
use wasmparser::{
    ComponentAlias, ComponentExternalKind, ComponentInstance, ComponentOuterAliasKind, ComponentTypeRef, Encoding,
    Instance, Payload,
};

/// What was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Census {
    /// Core modules, at any depth.
    pub modules: u64,
    /// Nested components, at any depth.
    pub components: u64,
    /// Functions with a body, over all modules.
    pub functions: u64,
    /// Bytes of the largest body.
    pub largest_function_bytes: u64,
    /// Instances of core modules that a start makes.
    pub instances: u64,
    /// Functions between the modules and the outside (lifted, lowered, built in) that a start makes.
    pub adapters: u64,
    /// Bytes of linear memory that a start makes, over all memories.
    pub memory_bytes: u64,
    /// Elements of tables that a start makes, over all tables.
    pub table_elements: u64,
    /// Imports of the component.
    pub imports: u64,
    /// Exports of the component.
    pub exports: u64,
    /// It instantiates a module or component that it does not hold itself, so that the figures are no ceiling.
    pub uncountable: bool,
}

/// What one instantiation costs.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    instances: u64,
    adapters: u64,
    memory_bytes: u64,
    table_elements: u64,
    uncountable: bool,
}

impl Cost {
    const UNKNOWN: Self = Self {
        instances: 1,
        adapters: 0,
        memory_bytes: 0,
        table_elements: 0,
        uncountable: true,
    };

    fn add(&mut self, other: Self) {
        self.instances = self.instances.saturating_add(other.instances);
        self.adapters = self.adapters.saturating_add(other.adapters);
        self.memory_bytes = self.memory_bytes.saturating_add(other.memory_bytes);
        self.table_elements = self.table_elements.saturating_add(other.table_elements);
        self.uncountable |= other.uncountable;
    }
}

/// What stands at an index; an index that does not exist is not valid, and costs what cannot be told.
fn at(space: &[Cost], index: u32) -> Cost {
    space.get(index as usize).copied().unwrap_or(Cost::UNKNOWN)
}

/// A module or component whose end has not come yet.
#[derive(Debug)]
enum Open {
    Module(Cost),
    Component(Scope),
}

/// The two index spaces of a component that instantiations draw from, and what it makes itself.
#[derive(Debug, Default)]
struct Scope {
    modules: Vec<Cost>,
    components: Vec<Cost>,
    made: Cost,
}

/// Counts along with the reading: one call for each payload of the parser.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    open: Vec<Open>,
    census: Census,
}

impl Counter {
    pub(crate) fn census(&self) -> Census {
        self.census
    }

    /// Whether what is read now belongs to the outermost component itself.
    pub(crate) fn at_root(&self) -> bool {
        self.open.len() == 1
    }

    /// Takes a payload into account. An error is one of reading; figures so far stand.
    pub(crate) fn payload(&mut self, payload: &Payload<'_>) -> wasmparser::Result<()> {
        match payload {
            Payload::Version { encoding, .. } => {
                if !self.open.is_empty() {
                    match encoding {
                        Encoding::Module => self.census.modules += 1,
                        Encoding::Component => self.census.components += 1,
                    }
                }
                self.open.push(match encoding {
                    Encoding::Module => Open::Module(Cost {
                        instances: 1,
                        ..Cost::default()
                    }),
                    Encoding::Component => Open::Component(Scope::default()),
                });
            }
            Payload::End(_) => self.end(),
            Payload::MemorySection(section) => {
                for memory in section.clone() {
                    let memory = memory?;
                    let page = 1_u64
                        .checked_shl(memory.page_size_log2.unwrap_or(16))
                        .unwrap_or(u64::MAX);
                    let bytes = memory.initial.saturating_mul(page);
                    self.module(|m| m.memory_bytes = m.memory_bytes.saturating_add(bytes));
                }
            }
            Payload::TableSection(section) => {
                for table in section.clone() {
                    let initial = table?.ty.initial;
                    self.module(|m| m.table_elements = m.table_elements.saturating_add(initial));
                }
            }
            Payload::FunctionSection(section) => self.census.functions += u64::from(section.count()),
            Payload::CodeSectionEntry(body) => {
                let bytes = body.range().len() as u64;
                self.census.largest_function_bytes = self.census.largest_function_bytes.max(bytes);
            }
            Payload::InstanceSection(section) => {
                for instance in section.clone() {
                    if let Instance::Instantiate { module_index, .. } = instance? {
                        self.component(|c| {
                            let cost = at(&c.modules, module_index);
                            c.made.add(cost);
                        });
                    }
                }
            }
            Payload::ComponentInstanceSection(section) => {
                for instance in section.clone() {
                    if let ComponentInstance::Instantiate { component_index, .. } = instance? {
                        self.component(|c| {
                            let cost = at(&c.components, component_index);
                            c.made.add(cost);
                        });
                    }
                }
            }
            Payload::ComponentCanonicalSection(section) => {
                let n = u64::from(section.count());
                self.component(|c| c.made.adapters = c.made.adapters.saturating_add(n));
            }
            Payload::ComponentAliasSection(section) => {
                for alias in section.clone() {
                    self.alias(&alias?);
                }
            }
            Payload::ComponentImportSection(section) => {
                if self.at_root() {
                    self.census.imports += u64::from(section.count());
                }
                for import in section.clone() {
                    let ty = import?.ty;
                    self.component(|c| match ty {
                        ComponentTypeRef::Module(_) => c.modules.push(Cost::UNKNOWN),
                        ComponentTypeRef::Component(_) => c.components.push(Cost::UNKNOWN),
                        _ => {}
                    });
                }
            }
            Payload::ComponentExportSection(section) => {
                if self.at_root() {
                    self.census.exports += u64::from(section.count());
                }
                for export in section.clone() {
                    let export = export?;
                    let index = export.index;
                    // An export takes a further index, of the same thing.
                    self.component(|c| match export.kind {
                        ComponentExternalKind::Module => c.modules.push(at(&c.modules, index)),
                        ComponentExternalKind::Component => {
                            c.components.push(at(&c.components, index));
                        }
                        _ => {}
                    });
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn module(&mut self, change: impl FnOnce(&mut Cost)) {
        if let Some(Open::Module(module)) = self.open.last_mut() {
            change(module);
        }
    }

    fn component(&mut self, change: impl FnOnce(&mut Scope)) {
        if let Some(Open::Component(component)) = self.open.last_mut() {
            change(component);
        }
    }

    fn alias(&mut self, alias: &ComponentAlias<'_>) {
        match *alias {
            ComponentAlias::InstanceExport {
                kind: ComponentExternalKind::Module,
                ..
            } => {
                self.component(|c| c.modules.push(Cost::UNKNOWN));
            }
            ComponentAlias::InstanceExport {
                kind: ComponentExternalKind::Component,
                ..
            } => {
                self.component(|c| c.components.push(Cost::UNKNOWN));
            }
            ComponentAlias::Outer {
                kind: ComponentOuterAliasKind::CoreModule,
                count,
                index,
            } => {
                let cost = self.outer(count).map_or(Cost::UNKNOWN, |c| at(&c.modules, index));
                self.component(|c| c.modules.push(cost));
            }
            ComponentAlias::Outer {
                kind: ComponentOuterAliasKind::Component,
                count,
                index,
            } => {
                let cost = self.outer(count).map_or(Cost::UNKNOWN, |c| at(&c.components, index));
                self.component(|c| c.components.push(cost));
            }
            _ => {}
        }
    }

    /// The component so many levels outwards.
    fn outer(&self, count: u32) -> Option<&Scope> {
        let at = self.open.len().checked_sub(1)?.checked_sub(count as usize)?;
        match self.open.get(at)? {
            Open::Component(scope) => Some(scope),
            Open::Module(_) => None,
        }
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some(Open::Module(cost)) => self.component(|c| c.modules.push(cost)),
            Some(Open::Component(scope)) if self.open.is_empty() => {
                self.census.instances = scope.made.instances;
                self.census.adapters = scope.made.adapters;
                self.census.memory_bytes = scope.made.memory_bytes;
                self.census.table_elements = scope.made.table_elements;
                self.census.uncountable = scope.made.uncountable;
            }
            Some(Open::Component(scope)) => self.component(|c| c.components.push(scope.made)),
            None => {}
        }
    }
}
