import assert from "node:assert/strict";
import { test } from "node:test";
import { requestOf } from "../src/task.js";

test("what a task asks for", () => {
  assert.deepEqual(requestOf("rename oldName to newName"), { from: "oldName", to: "newName", under: "" });
  assert.deepEqual(requestOf("\nRename `a_b` to `c$d` in `src/lib/`.\n\nBecause."), { from: "a_b", to: "c$d", under: "src/lib" });
  assert.deepEqual(requestOf("rename ä to ö in ."), { from: "ä", to: "ö", under: "" });
  assert.deepEqual(requestOf("refactor(api)!: rename a to b"), { from: "a", to: "b", under: "" });
});

test("a task that asks for something else", () => {
  for (const spec of ["", "make it faster", "rename a-b to c", "rename a to 1b", "rename a to a"]) {
    assert.throws(() => requestOf(spec), { tag: "unusable-task" });
  }
});
