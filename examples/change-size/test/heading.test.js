import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeHeading } from "../build/js/heading.js";

const types = ["feat", "fix"];

test("headings", () => {
  for (const spec of ["fix: a", "feat(parser): take empty input", "feat!: new", "\nFIX(a b)!: x\n\nBody."]) {
    assert.equal(judgeHeading(spec, types).severity, "pass", spec);
  }
});

test("what is none, and why", () => {
  const why = {
    "": /no heading/,
    "make it faster": /no heading/,
    "perf: faster": /`perf`, which is none of feat, fix/,
    "fix(): a": /empty scope/,
    "fix:": /says nothing/,
    "fix:a": /one blank/,
    [`fix: ${"ä".repeat(68)}`]: /73 characters/,
  };
  for (const [spec, words] of Object.entries(why)) {
    const verdict = judgeHeading(spec, types);
    assert.equal(verdict.severity, "blocker", spec);
    assert.match(verdict.justification, words);
  }
});
