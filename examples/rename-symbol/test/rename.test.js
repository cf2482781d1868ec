import assert from "node:assert/strict";
import { test } from "node:test";
import { rename } from "../src/rename.js";
import { workspace } from "./workspace.js";

const request = (from, to, under = "") => ({ from, to, under });
const tagged = (tag, words) => (error) => {
  assert.equal(error.tag, tag);
  assert.match(JSON.stringify(error.val), words);
  return true;
};

test("the definition and every use, in all files of the language", () => {
  const host = workspace({
    "src/list.js": "export function sum(list) {\n  return list.length ? list[0] + sum(list.slice(1)) : 0;\n}\n",
    "src/main.ts": 'import { sum } from "./list.js";\n// sum it up\nconst summary = sum([1]);\n',
    "README.md": "Use sum.\n",
    "tool.py": "sum = 1\n",
  });
  const done = rename(request("sum", "total"), host);
  assert.deepEqual([...host.submitted.keys()].sort(), ["src/list.js", "src/main.ts"]);
  assert.equal(
    host.submitted.get("src/main.ts"),
    'import { total } from "./list.js";\n// total it up\nconst summary = total([1]);\n',
    "a longer name that holds the old one stays",
  );
  assert.match(done.report.notes, /`sum` became `total` in 5 places of 2 files/);
  assert.deepEqual(done.report.files.map(({ path }) => path).sort(), ["src/list.js", "src/main.ts"]);
  assert.deepEqual(done.findings.map(({ path, line }) => [path, line]), [["README.md", 1], ["tool.py", 1]]);
});

test("a name that stands there already would be confused with the new one", () => {
  const host = workspace({ "a.js": "function sum() {}\n", "b.js": "sum();\nlet total;\n" });
  assert.throws(() => rename(request("sum", "total"), host), tagged("does-not-apply", /"path":"b.js".*"nearestLine":2/));
  assert.equal(host.submitted.size, 0);
  rename(request("sum", "total"), host, true);
  assert.equal(host.submitted.get("b.js"), "total();\nlet total;\n");
});

test("a name that nothing defines, and one that two languages define", () => {
  assert.throws(() => rename(request("nope", "x"), workspace({ "a.js": "nope();\n" })), tagged("unusable-task", /defines `nope`/));
  const two = { "a.js": "function sum() {}\n", "b.py": "def sum():\n" };
  assert.throws(() => rename(request("sum", "x"), workspace(two)), tagged("unusable-task", /a.js:1 and b.py:1/));
});

test("only in the folder that is named", () => {
  const files = { "a/x.js": "function sum() {}\n", "b/x.js": "function sum() {}\n" };
  const host = workspace(files);
  rename(request("sum", "total", "a"), host);
  assert.deepEqual([...host.submitted.keys()], ["a/x.js"]);
  assert.throws(() => rename(request("sum", "total", "c"), workspace(files)), tagged("unusable-task", /no `c`/));
});

test("`$` is part of a name in JavaScript", () => {
  const host = workspace({ "a.js": "const el = 1;\nconst $el = el;\n" });
  rename(request("el", "node"), host);
  assert.equal(host.submitted.get("a.js"), "const node = 1;\nconst $el = node;\n");
});

test("what was submitted is taken back when the rest is refused", () => {
  const long = "x".repeat(2 ** 21);
  const host = workspace({ "a.js": `function sum() {}\n//${long}\n`, "b.js": "sum();\n" }, { refuse: "b.js" });
  assert.throws(() => rename(request("sum", "total"), host), tagged("refused", /"path":"b.js".*protected/));
  assert.equal(host.submitted.size, 0);
});
