//! F06: a bomb is refused by its size, by name, before anything is compiled.

use snodo_admission::{FileKind, Limits, inspect};

use crate::build::{answer, context, look, name, of_world, text};

/// The line about the bound; the missing role has a line of its own.
#[track_caller]
fn refused(bytes: &[u8], line: &str) {
    let answer = answer(bytes);
    assert!(
        answer
            .lines()
            .any(|l| l.trim().trim_start_matches("plugin `guest` is refused: ") == line),
        "{answer}\nshould hold\n{line}"
    );
}

#[track_caller]
fn taken(bytes: &[u8]) {
    let answer = answer(bytes);
    assert!(
        answer.starts_with("plugin `guest` is refused: it exports neither") && !answer.contains('\n'),
        "the control: {answer}"
    );
}

fn module(body: &str) -> Vec<u8> {
    text(&format!(
        "(component (core module $m {body}) (core instance (instantiate $m)))"
    ))
}

#[test]
fn f06_a_file_over_the_cap_is_not_even_hashed() {
    let limits = Limits {
        max_file_bytes: 1000,
        ..Limits::standard()
    };
    let bytes = of_world("coder");
    let inspection = inspect(&bytes, &context(&name()), &limits);
    assert!(inspection.digest.is_none() && inspection.census.is_none());
    let line = inspection.refusal().unwrap().to_string();
    assert!(
        line.starts_with("plugin `guest` is refused: the file has ") && line.contains("; the limit is 1000 bytes: "),
        "{line}"
    );
    let exactly = Limits {
        max_file_bytes: bytes.len() as u64,
        ..Limits::standard()
    };
    assert!(inspect(&bytes, &context(&name()), &exactly).refusal().is_none());
}

#[test]
fn f06_initial_memory_is_summed_over_all_memories_and_instances() {
    refused(
        &module("(memory 49152)"),
        "starting it takes 3 GiB of memory; the limit is 512 MiB",
    );
    refused(
        &module("(memory 4096) (memory 4097)"),
        "starting it takes 512.1 MiB of memory; the limit is 512 MiB",
    );
    taken(&module("(memory 4096) (memory 4096)"));
    let three = |pages: u32| {
        text(&format!(
            "(component (core module $m (memory {pages}))
               (core instance (instantiate $m)) (core instance (instantiate $m)) (core instance (instantiate $m)))"
        ))
    };
    refused(
        &three(3000),
        "starting it takes 562.5 MiB of memory; the limit is 512 MiB",
    );
    taken(&three(2000));
    refused(
        &module("(memory i64 0x1000000000000)"),
        "starting it takes 16,777,215.9 TiB of memory; the limit is 512 MiB",
    );
}

#[test]
fn f06_initial_tables() {
    refused(
        &module("(table 200001 funcref)"),
        "starting it makes tables of 200,001 elements; the limit is 200,000",
    );
    refused(
        &module("(table 100000 funcref) (table 100001 funcref)"),
        "starting it makes tables of 200,001 elements; the limit is 200,000",
    );
    // Over what the format allows at all: told by the bound, not as damage.
    refused(
        &module("(table 100000000 funcref)"),
        "starting it makes tables of 100,000,000 elements; the limit is 200,000",
    );
    assert_eq!(look(&module("(table 100000000 funcref)")).kind, FileKind::Component);
    taken(&module("(table 200000 funcref)"));
}

#[test]
fn f06_a_million_functions() {
    // 1,000,000 functions of one type, each without a body worth the name: a few bytes apiece.
    let bytes = many_functions(1_000_000);
    assert!(bytes.len() < 5_000_000);
    refused(&bytes, "it holds 1,000,000 functions; the limit is 100,000");
    taken(&many_functions(100_000));
}

#[test]
fn f06_one_function_of_five_megabytes() {
    let nops = |n: usize| {
        let mut body = vec![0x00];
        body.extend(std::iter::repeat_n(0x01, n));
        body.push(0x0b);
        with_code(1, &[body])
    };
    refused(
        &nops(5_000_000),
        "a function in it has 4.8 MiB of code; the limit is 1 MiB",
    );
    refused(
        &nops(8_000_000),
        "a function in it has 7.7 MiB of code; the limit is 1 MiB",
    );
    taken(&nops(1_000_000));
}

#[test]
fn f06_ten_thousand_instances() {
    let flat = |n: usize| {
        text(&format!(
            "(component (core module $m) {})",
            "(core instance (instantiate $m))".repeat(n)
        ))
    };
    refused(&flat(10_000), "starting it makes 10,000 instances; the limit is 400");
    taken(&flat(400));
}

#[test]
fn f06_instances_are_multiplied_out_along_nested_components() {
    // Each level starts the one below twice: 30 levels of a few bytes make a billion instances.
    let doubling = |levels: usize| {
        let mut inner = "(core module $m (memory 1)) (core instance (instantiate $m))".to_owned();
        for _ in 0..levels {
            inner = format!("(component $c {inner}) (instance (instantiate $c)) (instance (instantiate $c))");
        }
        text(&format!("(component {inner})"))
    };
    let bomb = doubling(30);
    assert!(bomb.len() < 2000);
    refused(&bomb, "starting it makes 1,073,741,824 instances; the limit is 400");
    refused(&bomb, "starting it takes 64 TiB of memory; the limit is 512 MiB");
    refused(
        &doubling(90),
        "starting it makes 18,446,744,073,709,551,615 instances; the limit is 400",
    );
    taken(&doubling(8));
    assert_eq!(look(&doubling(8)).census.unwrap().instances, 256);
}

#[test]
fn f06_what_is_reached_through_an_alias_counts_too() {
    let outer = text(
        r"(component $top
             (core module $m (memory 100))
             (component $inner
               (alias outer $top $m (core module $same))
               (core instance (instantiate $same)) (core instance (instantiate $same)))
             (component $twice
               (alias outer $top $inner (component $i))
               (instance (instantiate $i)) (instance (instantiate $i)))
             (instance (instantiate $twice)))",
    );
    let census = look(&outer).census.unwrap();
    assert_eq!(
        (census.instances, census.memory_bytes, census.uncountable),
        (4, 400 << 16, false)
    );
}

#[test]
fn f06_a_part_that_comes_from_elsewhere_cannot_be_counted_and_is_refused() {
    let line = "it starts a part that it does not hold itself, so that nothing tells how large it gets; \
                build it as one component that holds all of its parts";
    refused(
        &text(
            r#"(component
                 (core module $big (memory 60000))
                 (component $c (import "m" (core module $m)) (core instance (instantiate $m)))
                 (instance (instantiate $c (with "m" (core module $big)))))"#,
        ),
        line,
    );
    refused(
        &text(
            r#"(component
                 (component $box (core module $m (memory 60000)) (export "m" (core module $m)))
                 (instance $b (instantiate $box))
                 (alias export $b "m" (core module $m))
                 (core instance (instantiate $m)))"#,
        ),
        line,
    );
}

#[test]
fn f06_imports_and_exports_are_bounded() {
    let imports: String = (0..300).fold(String::new(), |all, n| format!("{all}(import \"i{n}\" (instance))"));
    let bytes = text(&format!("(component {imports})"));
    refused(&bytes, "it has 300 imports; the limit is 256");
    assert_eq!(look(&bytes).imports.len(), 256, "no more lines than the limit");
    let exports: String = (0..300).fold(String::new(), |all, n| format!("{all}(export \"e{n}\" (instance $i))"));
    refused(
        &text(&format!("(component (instance $i) {exports})")),
        "it has 300 exports; the limit is 256",
    );
}

#[test]
fn f06_modules_components_and_adapters_are_bounded() {
    let many = |what: &str, n: usize| text(&format!("(component {})", what.repeat(n)));
    refused(
        &many("(core module)", 201),
        "it holds 201 core modules; the limit is 200",
    );
    refused(
        &many("(component)", 201),
        "it holds 201 nested components; the limit is 200",
    );
    let lifts = |n: usize| {
        text(&format!(
            "(component (core module $m (func (export \"f\"))) (core instance $i (instantiate $m)) {})",
            "(func (canon lift (core func $i \"f\")))".repeat(n)
        ))
    };
    refused(
        &lifts(10_001),
        "starting it makes 10,001 adapters between its parts; the limit is 10,000",
    );
    taken(&lifts(100));
}

fn many_functions(n: usize) -> Vec<u8> {
    with_code(n, &vec![vec![0x00, 0x0b]; n])
}

/// A component that starts one module with `n` functions without parameters and results, each with its body.
fn with_code(n: usize, bodies: &[Vec<u8>]) -> Vec<u8> {
    let mut functions = leb(n);
    functions.extend(std::iter::repeat_n(0, n));
    let mut code = leb(bodies.len());
    for body in bodies {
        code.extend(leb(body.len()));
        code.extend_from_slice(body);
    }
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    module.extend(section(1, &[1, 0x60, 0, 0]));
    module.extend(section(3, &functions));
    module.extend(section(10, &code));
    let mut component = b"\0asm\x0d\0\x01\0".to_vec();
    component.extend(section(1, &module));
    // One core instance: module 0, no arguments.
    component.extend(section(2, &[1, 0, 0, 0]));
    component
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![id];
    out.extend(leb(content.len()));
    out.extend_from_slice(content);
    out
}

fn leb(mut n: usize) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let byte = u8::try_from(n & 0x7f).unwrap();
        n >>= 7;
        if n == 0 {
            out.push(byte);
            return out;
        }
        out.push(byte | 0x80);
    }
}
