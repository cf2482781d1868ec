//! `search-symbol`: definitions by the table of rules.

use std::collections::BTreeSet;

use snodo_workspace::capability::{Cancel, Search as _, SearchError, SkipReason, SymbolKind, SymbolQuery};

use super::world::{World, exact, skipped, symbols};

/// A line of source with what it defines, or nothing, under the name `thing`.
struct Case {
    file: &'static str,
    language: &'static str,
    lines: &'static [(&'static str, Option<SymbolKind>)],
}

use SymbolKind::{Constant, Function, Interface, Macro, Module, Type, Variable};

const CASES: [Case; 13] = [
    Case {
        file: "a.rs",
        language: "Rust",
        lines: &[
            ("fn thing() {", Some(Function)),
            ("    pub(crate) const unsafe fn thing<T>(x: T) {", Some(Function)),
            ("#[inline] pub async fn thing() {", Some(Function)),
            ("pub unsafe extern \"C\" fn thing() {", Some(Function)),
            ("impl X { fn thing(&self) {} }", Some(Function)),
            ("pub struct thing;", Some(Type)),
            ("enum thing<T> {", Some(Type)),
            ("pub type thing = u32;", Some(Type)),
            ("    type thing = u32;", Some(Type)),
            ("pub unsafe trait thing {", Some(Interface)),
            ("mod thing;", Some(Module)),
            ("pub(super) mod thing {", Some(Module)),
            ("macro_rules! thing {", Some(Macro)),
            ("const thing: u32 = 1;", Some(Constant)),
            ("static mut thing: u32 = 1;", Some(Variable)),
            ("    let mut thing = 1;", Some(Variable)),
            ("    let thing: u32;", Some(Variable)),
            ("    let (a, mut thing) = f();", Some(Variable)),
            ("    pub fn r#thing() {", Some(Function)),
            ("    thing();", None),
            ("    self.thing = 1;", None),
            ("// fn thing() {", None),
            ("/// let thing = 1;", None),
            ("fn things() {", None),
            ("fn my_thing() {", None),
            ("use crate::thing;", None),
            ("fn other(thing: u32) {", None),
        ],
    },
    Case {
        file: "a.py",
        language: "Python",
        lines: &[
            ("def thing(a):", Some(Function)),
            ("    async def thing(self):", Some(Function)),
            ("def thing[T](a: T):", Some(Function)),
            ("thing = lambda x: x", Some(Function)),
            ("class thing:", Some(Type)),
            ("class thing(Base):", Some(Type)),
            ("type thing = int", Some(Type)),
            ("thing = 1", Some(Variable)),
            ("thing: int = 1", Some(Variable)),
            ("    self.thing = 1", Some(Variable)),
            ("    a, thing = f()", Some(Variable)),
            ("    for thing in things:", Some(Variable)),
            ("    with open(p) as thing:", Some(Variable)),
            ("    thing: str", Some(Variable)),
            ("    return thing", None),
            ("    thing(1)", None),
            ("    if thing == 1:", None),
            ("    call(thing=1)", None),
            ("        thing=1,", None),
            ("# def thing():", None),
            ("def thing_two():", None),
            ("import thing", None),
        ],
    },
    Case {
        file: "a.js",
        language: "JavaScript",
        lines: &[
            ("function thing() {", Some(Function)),
            ("export default async function* thing(a) {", Some(Function)),
            ("const thing = (a, b) => a + b;", Some(Function)),
            ("const thing = async x => x;", Some(Function)),
            ("let thing = function () {};", Some(Function)),
            ("exports.thing = function (a) {", Some(Function)),
            ("  thing(a, b) {", Some(Function)),
            ("  static async #thing() {", Some(Function)),
            ("  get thing() {", Some(Function)),
            ("  thing: function () {", Some(Function)),
            ("var a=1;function thing(){return 1}", Some(Function)),
            ("export class thing extends Base {", Some(Type)),
            ("const thing = class {", Some(Type)),
            ("export const thing = 1;", Some(Constant)),
            ("let thing;", Some(Variable)),
            ("var a = 1, thing = 2;", Some(Variable)),
            ("const { a, thing } = require('x');", Some(Variable)),
            ("  for (const thing of things) {", Some(Variable)),
            ("  this.thing = 1;", Some(Variable)),
            ("  thing();", None),
            ("  if (thing) {", None),
            ("  thing(function () {", None),
            ("  return thing(a) {", None),
            ("// function thing() {", None),
            (" * function thing() {", None),
            ("function thing$() {", None),
            ("let $thing = 1;", None),
            ("function something() {", None),
        ],
    },
    Case {
        file: "a.tsx",
        language: "TypeScript",
        lines: &[
            ("export async function thing<T>(a: T): Promise<T> {", Some(Function)),
            (
                "export const thing = async (a: string): Promise<void> => {",
                Some(Function),
            ),
            ("const thing: Handler = (a) => a;", Some(Function)),
            (
                "  private static async thing(a: string): Promise<void> {",
                Some(Function),
            ),
            ("  abstract thing(a: string): void;", Some(Function)),
            ("  thing(a: string): void;", Some(Function)),
            ("export abstract class thing<T> implements X {", Some(Type)),
            ("export const enum thing {", Some(Type)),
            ("type thing<T> = T | null;", Some(Type)),
            ("export interface thing extends X {", Some(Interface)),
            ("declare namespace thing {", Some(Module)),
            ("declare module \"thing\" {", Some(Module)),
            ("export const thing: string = 'x';", Some(Constant)),
            ("let thing: string | undefined;", Some(Variable)),
            ("  private readonly thing: string;", Some(Variable)),
            ("  thing?: string;", Some(Variable)),
            ("  thing(a);", None),
            ("  await thing(a);", None),
            ("import { thing } from './thing';", None),
            ("interface thingy {", None),
        ],
    },
    Case {
        file: "a.go",
        language: "Go",
        lines: &[
            ("func thing(a int) error {", Some(Function)),
            ("func (r *Receiver) thing() {", Some(Function)),
            ("func thing[T any](a T) {", Some(Function)),
            ("type thing struct {", Some(Type)),
            ("type thing = other", Some(Type)),
            ("type thing[T any] struct {", Some(Type)),
            ("\tthing struct {", Some(Type)),
            ("type thing interface {", Some(Interface)),
            ("const thing = 1", Some(Constant)),
            ("var thing int", Some(Variable)),
            ("\tthing := f()", Some(Variable)),
            ("\ta, thing := f()", Some(Variable)),
            ("\tif thing, err := f(); err != nil {", Some(Variable)),
            ("package thing", Some(Module)),
            ("\tthing()", None),
            ("\treturn thing", None),
            ("\tthing = 1", None),
            ("// func thing() {", None),
            ("func thingTwo() {", None),
        ],
    },
    Case {
        file: "A.java",
        language: "Java",
        lines: &[
            ("public class thing extends Base {", Some(Type)),
            ("public sealed abstract class thing<T> permits A {", Some(Type)),
            ("enum thing {", Some(Type)),
            ("record thing(int a) {", Some(Type)),
            ("public interface thing {", Some(Interface)),
            ("public @interface thing {", Some(Interface)),
            ("    public static <T> List<T> thing(T a) throws X {", Some(Function)),
            ("    int thing(int a);", Some(Function)),
            ("    @Override public String thing() {", Some(Function)),
            ("    Map<String, List<Integer>> thing(int[] a) {", Some(Function)),
            ("    public static final String thing = \"x\";", Some(Constant)),
            ("    private int thing;", Some(Variable)),
            ("        final var thing = f();", Some(Variable)),
            ("        int a = 1, thing = 2;", Some(Variable)),
            ("        for (String thing : things) {", Some(Variable)),
            ("package com.example.thing;", Some(Module)),
            ("        return thing(a);", None),
            ("        thing(a);", None),
            ("        new thing(a);", None),
            ("        int b = thing(a);", None),
            ("        return thing;", None),
            ("import com.example.thing;", None),
            ("    // int thing(int a) {", None),
            ("    void otherthing() {", None),
        ],
    },
    Case {
        file: "a.c",
        language: "C",
        lines: &[
            ("int thing(int a)", Some(Function)),
            ("static inline const char *thing(void) {", Some(Function)),
            ("thing(int a)", Some(Function)),
            ("struct thing {", Some(Type)),
            ("typedef struct thing {", Some(Type)),
            ("typedef unsigned int thing;", Some(Type)),
            ("typedef int (*thing)(int);", Some(Type)),
            ("} thing;", Some(Type)),
            ("enum thing {", Some(Type)),
            ("#define thing 1", Some(Macro)),
            ("#  define thing(x) (x)", Some(Macro)),
            ("static const int thing = 1;", Some(Constant)),
            ("static int thing;", Some(Variable)),
            ("    char *a, *thing = NULL;", Some(Variable)),
            ("    int thing[3] = {1, 2, 3};", Some(Variable)),
            ("int thing(int a);", None),
            ("    thing(1);", None),
            ("    return thing(1);", None),
            ("    a = thing(1);", None),
            ("    if (thing(1)) {", None),
            ("extern int thing;", None),
            ("struct thing;", None),
            ("/* int thing(int a) { */", None),
            (" * int thing;", None),
            ("#include \"thing\"", None),
            ("int thing_two(int a)", None),
        ],
    },
    Case {
        file: "a.cpp",
        language: "C++",
        lines: &[
            ("class thing : public Base {", Some(Type)),
            ("template <typename T> struct thing<T*> {", Some(Type)),
            ("class EXPORT thing final {", Some(Type)),
            ("enum class thing : int {", Some(Type)),
            ("using thing = std::vector<int>;", Some(Type)),
            ("template <class T> concept thing = true;", Some(Interface)),
            ("namespace a::thing {", Some(Module)),
            ("std::vector<int> ns::Foo::thing(int a) const {", Some(Function)),
            ("    virtual void thing() = 0;", Some(Function)),
            ("    [[nodiscard]] auto thing() const noexcept -> int {", Some(Function)),
            ("thing::thing(int a) : a_(a) {", Some(Function)),
            ("    explicit thing(int a) {", Some(Function)),
            ("Foo::~thing() {", Some(Function)),
            ("constexpr int thing = 1;", Some(Constant)),
            ("    std::string thing;", Some(Variable)),
            ("    auto thing = f();", Some(Variable)),
            ("    for (const auto& thing : things) {", Some(Variable)),
            ("#define thing 1", Some(Macro)),
            ("    thing(1);", None),
            ("    return thing(1);", None),
            ("    x->thing(1);", None),
            ("    auto b = thing(1);", None),
            ("    delete thing;", None),
            ("    int thing(int a);", None),
            ("// class thing {", None),
            ("class thingy {", None),
        ],
    },
    Case {
        file: "a.rb",
        language: "Ruby",
        lines: &[
            ("def thing(a)", Some(Function)),
            ("  def self.thing", Some(Function)),
            ("  private def thing", Some(Function)),
            ("  attr_reader :a, :thing", Some(Function)),
            ("  define_method(:thing) do", Some(Function)),
            ("  alias_method :thing, :other", Some(Function)),
            ("thing = 1", Some(Variable)),
            ("  @thing ||= 1", Some(Variable)),
            ("  a, thing = f", Some(Variable)),
            ("  thing", None),
            ("  thing.call", None),
            ("  thing == 1", None),
            ("  def thing?", None),
            ("  def thing=(value)", None),
            ("# def thing", None),
            ("def thing_two", None),
        ],
    },
    Case {
        file: "A.cs",
        language: "C#",
        lines: &[
            ("public sealed class thing : Base {", Some(Type)),
            ("public readonly record struct thing(int A);", Some(Type)),
            ("internal enum thing", Some(Type)),
            ("public delegate void thing(int a);", Some(Type)),
            ("public interface thing<T> where T : class", Some(Interface)),
            ("namespace A.thing;", Some(Module)),
            ("    public static async Task<List<int>> thing<T>(T a)", Some(Function)),
            ("    [Test] public void thing() => Other();", Some(Function)),
            ("    public thing(int a) : base(a)", Some(Function)),
            ("    private const string thing = \"x\";", Some(Constant)),
            ("    public static readonly int thing = 1;", Some(Constant)),
            ("    private int? thing;", Some(Variable)),
            ("    public string thing { get; set; }", Some(Variable)),
            ("        var thing = F();", Some(Variable)),
            ("        foreach (var thing in things)", Some(Variable)),
            ("        return thing(a);", None),
            ("        thing(a);", None),
            ("        var b = thing(a);", None),
            ("        new thing(a);", None),
            ("using thing;", None),
            ("    // void thing()", None),
        ],
    },
    Case {
        file: "a.php",
        language: "PHP",
        lines: &[
            ("function thing($a) {", Some(Function)),
            ("    public static function thing(): int {", Some(Function)),
            ("    $thing = function () {", Some(Function)),
            ("    $thing = fn($x) => $x;", Some(Function)),
            ("abstract class thing extends Base", Some(Type)),
            ("final readonly class thing", Some(Type)),
            ("enum thing: string", Some(Type)),
            ("interface thing", Some(Interface)),
            ("trait thing", Some(Interface)),
            ("namespace App\\thing;", Some(Module)),
            ("    private const thing = 1;", Some(Constant)),
            ("define('thing', 1);", Some(Constant)),
            ("    private ?int $thing = null;", Some(Variable)),
            ("    protected $thing;", Some(Variable)),
            ("    $thing = 1;", Some(Variable)),
            ("    foreach ($a as $k => $thing) {", Some(Variable)),
            ("    thing($a);", None),
            ("    return $thing;", None),
            ("    if ($thing == 1) {", None),
            ("// function thing() {", None),
            ("# function thing() {", None),
            ("function thing_two() {", None),
        ],
    },
    Case {
        file: "a.kt",
        language: "Kotlin",
        lines: &[
            ("fun thing(a: Int): Int = a", Some(Function)),
            ("    override suspend fun <T> List<T>.thing(a: T) {", Some(Function)),
            ("fun `thing`() {", Some(Function)),
            ("data class thing(val a: Int)", Some(Type)),
            ("sealed class thing {", Some(Type)),
            ("companion object thing {", Some(Type)),
            ("typealias thing = Int", Some(Type)),
            ("fun interface thing {", Some(Interface)),
            ("const val thing = 1", Some(Constant)),
            ("    private lateinit var thing: String", Some(Variable)),
            ("    val thing by lazy { 1 }", Some(Variable)),
            ("class A(private val thing: Int)", Some(Variable)),
            ("package a.thing", Some(Module)),
            ("    thing(1)", None),
            ("    val b = thing(1)", None),
            ("import a.thing", None),
            ("// fun thing() {", None),
            ("fun thingTwo() {", None),
        ],
    },
    Case {
        file: "a.swift",
        language: "Swift",
        lines: &[
            ("func thing(a: Int) -> Int {", Some(Function)),
            (
                "    @discardableResult public static func thing<T>(a: T) {",
                Some(Function),
            ),
            ("public final class thing: Base {", Some(Type)),
            ("struct thing {", Some(Type)),
            ("indirect enum thing {", Some(Type)),
            ("actor thing {", Some(Type)),
            ("    associatedtype thing", Some(Type)),
            ("public protocol thing: AnyObject {", Some(Interface)),
            ("    static let thing = 1", Some(Constant)),
            ("    private(set) var thing: Int", Some(Variable)),
            ("    let (a, thing) = f()", Some(Variable)),
            ("    thing(a: 1)", None),
            ("    return thing", None),
            ("// func thing() {", None),
            ("func thingTwo() {", None),
        ],
    },
];

#[test]
fn each_language_by_its_rules() {
    let mut wrong = Vec::new();
    for case in &CASES {
        let lines: Vec<&str> = case.lines.iter().map(|(line, _)| *line).collect();
        let source = lines.join("\n");
        let world = World::with(&[(case.file, &source)]);
        let found = symbols(&world.view(), "thing");
        for ((line, expected), number) in case.lines.iter().zip(1_u64..) {
            let symbol = found.symbols.iter().find(|s| s.line == number);
            if symbol.map(|s| s.kind) != *expected {
                wrong.push(format!(
                    "{}: `{line}`: {:?}, expected {expected:?}",
                    case.language,
                    symbol.map(|s| s.kind)
                ));
            }
            if let Some(symbol) = symbol {
                assert_eq!(symbol.language, case.language);
                assert_eq!(symbol.text, *line);
                let at = usize::try_from(symbol.column).unwrap() - 1;
                assert_eq!(&line[at..at + 5], "thing", "{line}");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_has_a_row_for_each_language() {
    let languages: BTreeSet<_> = CASES.iter().map(|case| case.language).collect();
    assert_eq!(languages.len(), 13);
}

#[test]
fn names_with_a_meaning_of_their_own() {
    let world = World::with(&[
        ("const.py", "MAX_SIZE = 10\n"),
        ("const.rb", "MAX_SIZE = 10\nclass Foo::Bar\nend\n"),
        ("group.go", "const (\n\tStatusOK = 200\n)\n"),
        ("a.swift", "    public init(a: Int) {\n    deinit {\n"),
        ("A.java", "    Foo(int a) {\n"),
        ("a.rb", "def empty?\ndef save!(a)\ndef name=(v)\n"),
        ("a.h", "class InHeader {\nint in_c(int a)\n"),
        ("Rakefile", "def in_rakefile\n"),
        ("UPPER.PY", "def in_upper():\n"),
        ("a.php", "    $price = 1;\n"),
        ("bom.rs", "\u{feff}fn marked() {}\n"),
    ]);
    let view = world.view();
    let one = |name: &str| {
        let found = symbols(&view, name);
        found
            .symbols
            .iter()
            .map(|s| format!("{}:{}:{} {:?} {}", s.path, s.line, s.column, s.kind, s.language))
            .collect::<Vec<_>>()
            .join(", ")
    };
    assert_eq!(
        one("MAX_SIZE"),
        "const.py:1:1 Constant Python, const.rb:1:1 Constant Ruby"
    );
    assert_eq!(one("Foo::Bar"), "const.rb:2:7 Type Ruby");
    assert_eq!(one("Bar"), "const.rb:2:12 Type Ruby");
    assert_eq!(one("StatusOK"), "group.go:2:2 Constant Go");
    assert_eq!(one("init"), "a.swift:1:12 Function Swift");
    assert_eq!(one("deinit"), "a.swift:2:5 Function Swift");
    assert_eq!(one("Foo"), "A.java:1:5 Function Java");
    assert_eq!(one("empty?"), "a.rb:1:5 Function Ruby");
    assert_eq!(one("empty"), "");
    assert_eq!(one("save!"), "a.rb:2:5 Function Ruby");
    assert_eq!(one("name="), "a.rb:3:5 Function Ruby");
    assert_eq!(one("InHeader"), "a.h:1:7 Type C++");
    assert_eq!(one("in_c"), "a.h:2:5 Function C");
    assert_eq!(one("in_rakefile"), "Rakefile:1:5 Function Ruby");
    assert_eq!(one("in_upper"), "UPPER.PY:1:5 Function Python");
    assert_eq!(one("$price"), "a.php:1:5 Variable PHP");
    assert_eq!(one("price"), "a.php:1:6 Variable PHP");
    assert_eq!(one("marked"), "bom.rs:1:7 Function Rust");
}

/// Case C08: a name is no pattern.
#[test]
fn c08_names_are_escaped_and_whole() {
    let world = World::with(&[
        (
            "a.cpp",
            "T& operator[](size_t i) {\nbool operator+(const T& a) {\nbool operator+=(const T& a) {\nint axb(int a) {\n",
        ),
        ("a.js", "let $x = 1;\nlet x = 1;\nfunction axb() {}\nvar aab = 1;\n"),
    ]);
    let view = world.view();
    let lines = |name: &str| {
        symbols(&view, name)
            .symbols
            .iter()
            .map(|s| format!("{}:{}", s.path, s.line))
            .collect::<Vec<_>>()
    };
    assert_eq!(lines("operator[]"), ["a.cpp:1"]);
    assert_eq!(lines("operator+"), ["a.cpp:2"]);
    assert_eq!(lines("$x"), ["a.js:1"]);
    assert_eq!(lines("x"), ["a.js:2"]);
    assert_eq!(lines("axb"), ["a.cpp:4", "a.js:3"]);
    // As patterns these would match `axb` or `aab`, or not compile.
    for name in [
        "a.b",
        "a+b",
        "C++",
        "(",
        "[",
        "a{2}b",
        "\\",
        "*",
        "^",
        "a|x",
        "{name}",
        "{start}",
        "(?<name>x)",
        "$&",
    ] {
        assert_eq!(lines(name), [""; 0], "{name}");
    }
    // Control: as a pattern, the first one does.
    assert!(
        regex::Regex::new("fn a.b|int a.b")
            .unwrap()
            .is_match("int axb(int a) {")
    );
}

#[test]
fn what_cannot_be_a_name() {
    let world = World::with(&[("a.rs", "fn x() {}\n")]);
    for name in ["", "  ", "a\nb", "a\0b", &"x".repeat(1024 * 1024)] {
        let query = SymbolQuery {
            name: name.to_owned(),
            limit: 1,
            ..SymbolQuery::default()
        };
        let error = world.view().search_symbol(&query, &Cancel::default()).unwrap_err();
        assert!(matches!(error, SearchError::BadParameter(p) if p.field == "name"));
    }
    let longest = format!("fn {}() {{}}\n", "é".repeat(256));
    let world = World::with(&[("a.rs", &longest), ("a.cpp", "x"), ("a.ts", "x")]);
    assert_eq!(symbols(&world.view(), &"é".repeat(256)).symbols.len(), 1);
}

#[test]
fn a_file_in_another_language_is_said_to_be_not_covered() {
    let world = World::with(&[
        ("a.rs", "fn x() {}\n"),
        ("README.md", "fn x() {}\n"),
        ("a.hs", "x = 1\n"),
        ("Makefile", "x:\n"),
        (".rs", "fn x() {}\n"),
    ]);
    let found = symbols(&world.view(), "x");
    assert_eq!((found.symbols.len(), found.files_searched), (1, 1));
    assert_eq!(
        (
            skipped(&found.skipped, SkipReason::NotCovered),
            skipped(&found.skipped, SkipReason::Hidden)
        ),
        (3, 1)
    );
}

#[test]
fn by_kind_and_with_a_limit() {
    let world = World::with(&[
        ("a.rs", "struct X;\nfn X() {}\n"),
        ("b.rs", "const X: u8 = 1;\nlet X = 1;\n"),
    ]);
    let view = world.view();
    let find = |kind, limit| {
        let query = SymbolQuery {
            name: "X".to_owned(),
            kind,
            limit,
            ..SymbolQuery::default()
        };
        view.search_symbol(&query, &Cancel::default()).unwrap()
    };
    assert_eq!(find(None, 10).symbols.len(), 4);
    let found = find(Some(Constant), 10);
    assert_eq!(
        (found.symbols.len(), found.symbols[0].line, exact(found.total)),
        (1, 1, 1)
    );
    let found = find(None, 3);
    assert_eq!((found.symbols.len(), exact(found.total), found.truncated), (3, 4, true));
    let under = SymbolQuery {
        name: "X".to_owned(),
        under: "b.rs".to_owned(),
        limit: 10,
        ..SymbolQuery::default()
    };
    assert_eq!(view.search_symbol(&under, &Cancel::default()).unwrap().symbols.len(), 2);
}

#[test]
fn in_very_long_lines_and_in_little_time() {
    let world = World::new();
    let filler = "x=1;".repeat(100_000);
    world.write("min.js", format!("{filler}function thing(a){{return a}};{filler}"));
    world.write("call.js", format!("{filler}return thing(a);{filler}"));
    // The worst that is looked at: the name again and again, and never a definition.
    world.write("many.js", "thing ".repeat(1_000_000));
    world.write("many.cpp", "thing::thing<thing, ".repeat(200_000));
    let start = std::time::Instant::now();
    let found = symbols(&world.view(), "thing");
    assert!(
        start.elapsed() < std::time::Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(found.symbols.len(), 1, "{:?}", found.symbols);
    let symbol = &found.symbols[0];
    assert_eq!(
        (symbol.path.as_str(), symbol.kind, symbol.column),
        ("min.js", Function, 400_010)
    );
    assert!(symbol.clipped && symbol.text.len() <= 400 && symbol.text.contains("function thing(a)"));
}
