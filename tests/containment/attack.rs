//! Components that attack while they are started: a real coder's shape, with a core module added whose start function does it.

use std::path::PathBuf;
use std::sync::LazyLock;

use crate::support::Sandbox;
use crate::support::components::{context, name, of_world};

/// The component as a file in the test's folder.
pub(crate) fn file(sandbox: &Sandbox, name: &str, bytes: &[u8]) -> String {
    let path: PathBuf = sandbox.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

/// An admissible coder that, when it is started, instantiates this core module (text) too.
pub(crate) fn starting(module: &str) -> Vec<u8> {
    starting_bytes(&wat::parse_str(module).unwrap())
}

/// The same, from bytes.
pub(crate) fn starting_bytes(module: &[u8]) -> Vec<u8> {
    with_component(&nested(module), *INDEX)
}

/// An admissible coder that, when it is started, makes an instance of this component (text).
pub(crate) fn starting_component(component: &str) -> Vec<u8> {
    with_component(&wat::parse_str(component).unwrap(), *INDEX)
}

/// Which index the nested component gets depends on how many the encoder made before: the one that is admitted.
static INDEX: LazyLock<u8> = LazyLock::new(|| {
    let nested = nested(&wat::parse_str("(module)").unwrap());
    let name = name();
    let admitted = |index: &u8| {
        let bytes = with_component(&nested, *index);
        snodo_admission::admit(&bytes, &context(&name), &snodo_admission::Limits::standard()).is_ok()
    };
    (0..16).find(admitted).expect("a coder can be made of it")
});

/// An admissible coder, but for the number of instances that a start of it makes.
pub(crate) fn many_instances(instances: usize) -> Vec<u8> {
    let mut bytes = wat::parse_str("(component)").unwrap();
    section(&mut bytes, 1, &wat::parse_str("(module)").unwrap());
    let mut all = Vec::new();
    number(&mut all, instances);
    all.extend(std::iter::repeat_n([0, 0, 0], instances).flatten());
    section(&mut bytes, 2, &all);
    with_component(&bytes, *INDEX)
}

/// A component that makes one instance of a core module.
fn nested(module: &[u8]) -> Vec<u8> {
    let mut bytes = wat::parse_str("(component)").unwrap();
    section(&mut bytes, 1, module);
    section(&mut bytes, 2, &[1, 0, 0, 0]);
    bytes
}

/// A coder that makes an instance of this component.
fn with_component(nested: &[u8], index: u8) -> Vec<u8> {
    let mut bytes = of_world("coder");
    section(&mut bytes, 4, nested);
    section(&mut bytes, 5, &[1, 0, index, 0]);
    bytes
}

fn section(bytes: &mut Vec<u8>, id: u8, content: &[u8]) {
    bytes.push(id);
    number(bytes, content.len());
    bytes.extend_from_slice(content);
}

/// Unsigned, in LEB128.
pub(crate) fn number(bytes: &mut Vec<u8>, mut n: usize) {
    while n >= 0x80 {
        bytes.push(u8::try_from(n & 0x7f).unwrap() | 0x80);
        n >>= 7;
    }
    bytes.push(u8::try_from(n).unwrap());
}

/// A core module of many functions, each with so much code.
pub(crate) fn many_functions(functions: usize, additions: usize) -> Vec<u8> {
    let mut body = vec![0];
    for n in 0..additions {
        // local.get 0, i64.const n, i64.mul, local.set 0
        body.extend([0x20, 0, 0x42]);
        body.push(u8::try_from(n % 63).unwrap());
        body.extend([0x7e, 0x21, 0]);
    }
    body.push(0x0b);
    module_of(&[1, 0x60, 1, 0x7e, 0], functions, false, &body)
}

/// A core module of one function type and so many functions, all with this body; with or without a memory of one page.
fn module_of(types: &[u8], functions: usize, memory: bool, body: &[u8]) -> Vec<u8> {
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    section(&mut module, 1, types);
    let mut all = Vec::new();
    number(&mut all, functions);
    all.extend(std::iter::repeat_n(0, functions));
    section(&mut module, 3, &all);
    if memory {
        section(&mut module, 5, &[1, 0, 1]);
    }
    let mut code = Vec::new();
    number(&mut code, functions);
    for _ in 0..functions {
        number(&mut code, body.len());
        code.extend_from_slice(body);
    }
    section(&mut module, 10, &code);
    module
}

/// A core module of so many functions, each of which reads all its values before it adds the first two of them: what the compiler has to
/// keep of each grows with the values.
pub(crate) fn many_values(functions: usize, values: usize) -> Vec<u8> {
    let mut body = vec![0];
    for _ in 0..values {
        // local.get 0, i64.load
        body.extend([0x20, 0, 0x29, 3, 0]);
    }
    // i64.add
    body.extend(std::iter::repeat_n(0x7c, values - 1));
    body.push(0x0b);
    module_of(&[1, 0x60, 1, 0x7f, 1, 0x7e], functions, true, &body)
}
