import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "../build/js/entries.js";

const exempt = ["docs", "tests"];
const file = (path, more = {}) => ({ path, oldPath: null, kind: "modified", added: 1, ...more });
const judged = (files, strict = true) => judge(files, "CHANGELOG.md", exempt, strict);

test("a change with an entry passes", () => {
  const verdict = judged([file("CHANGELOG.md"), file("src/a.js")]);
  assert.equal(verdict.severity, "pass");
  assert.equal(verdict.justification, "CHANGELOG.md has a new entry for 1 changed path.");
  assert.deepEqual(verdict.examined, ["src/a.js"]);
});

test("a change without one is stopped, or warned about", () => {
  const verdict = judged([file("src/b.js"), file("src/a.js")]);
  assert.equal(verdict.severity, "blocker");
  assert.equal(verdict.justification, "src/a.js and 1 more changed, and CHANGELOG.md has no new entry.");
  assert.equal(judged([file("src/a.js")], false).severity, "warn");
});

test("lines that are taken from the changelog are no entry", () => {
  assert.equal(judged([file("CHANGELOG.md", { added: 0 }), file("a.js")]).severity, "blocker");
  assert.equal(judged([file("CHANGELOG.md", { kind: "deleted" }), file("a.js")]).severity, "blocker");
});

test("exempt folders need none, their namesakes do", () => {
  const verdict = judged([file("docs/a.md"), file("tests/b.js"), file("CHANGELOG.md", { added: 0 })]);
  assert.equal(verdict.severity, "pass");
  assert.equal(verdict.skipped, "nothing in the change needs an entry in CHANGELOG.md");
  assert.equal(judged([file("docs2/a.md")]).severity, "blocker");
});

test("both sides of a rename count", () => {
  assert.equal(judged([file("docs/a.js", { oldPath: "src/a.js", kind: "renamed" })]).severity, "blocker");
});
