import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeSize } from "../build/js/size.js";

const file = (path, added = 1, deleted = 0, binary = false) => ({ path, added, deleted, binary });
const judged = (files, { ignored = () => false, strict = true } = {}) =>
  judgeSize(files, { files: 2, lines: 10 }, ignored, strict);

test("a change within the limits", () => {
  const verdict = judged([file("a", 5, 4), file("b.png", 0, 0, true)]);
  assert.equal(verdict.severity, "pass");
  assert.equal(verdict.justification, "2 files and 9 lines (1 binary, without lines) changed.");
  assert.deepEqual(verdict.examined, ["a", "b.png"]);
});

test("one over them is stopped, or warned about, and says where it is large", () => {
  const files = [file("a"), file("b", 7, 7), file("c")];
  const verdict = judged(files);
  assert.equal(verdict.severity, "blocker");
  assert.match(verdict.justification, /^3 files and 16 lines changed, over 2 files and 10 lines\. The largest: b \(14\)/);
  assert.equal(judged(files, { strict: false }).severity, "warn");
});

test("deleted lines count, ignored files do not", () => {
  assert.equal(judged([file("a", 0, 11)]).severity, "blocker");
  assert.equal(judged([file("a.lock", 999), file("a")], { ignored: (path) => path.endsWith(".lock") }).severity, "pass");
  assert.match(judged([file("a.lock")], { ignored: () => true }).skipped, /does not count/);
  assert.equal(judged([]).skipped, "nothing was changed");
});
