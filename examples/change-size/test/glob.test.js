import assert from "node:assert/strict";
import { test } from "node:test";
import { pattern } from "../build/js/glob.js";

test("without a slash a glob is held against the name", () => {
  assert.ok(pattern("*.lock").test("Cargo.lock"));
  assert.ok(pattern("*.lock").test("a/b/Cargo.lock"));
  assert.ok(!pattern("*.lock").test("Cargo.lock.md"));
  assert.ok(!pattern("a.b").test("axb"));
});

test("with one, against the path", () => {
  assert.ok(pattern("gen/**").test("gen/a/b.ts"));
  assert.ok(!pattern("gen/*").test("gen/a/b.ts"));
  assert.ok(pattern("**/gen/?.ts").test("gen/a.ts"));
  assert.ok(!pattern("gen/**").test("src/gen/a.ts"));
});

test("what it does not serve is a fault that names it", () => {
  assert.throws(() => pattern("*.{a,b}"), (error) => error.fault.tag === "setting");
  assert.throws(() => pattern(""), (error) => error.fault.tag === "setting");
});
