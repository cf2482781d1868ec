import assert from "node:assert/strict";
import { test } from "node:test";
import { addEntry, entryOf } from "../build/js/changelog.js";

const heading = "## Unreleased";

test("the first line that says something becomes the entry", () => {
  assert.equal(entryOf("\n  Faster start \nDetails."), "- Faster start");
  assert.equal(entryOf(" \n\n"), null);
});

test("a new entry stands above the older ones", () => {
  const before = "# Changelog\n\n## Unreleased\n\n- Older\n\n## 1.0.0\n\n- First\n";
  const after = "# Changelog\n\n## Unreleased\n\n- Newer\n- Older\n\n## 1.0.0\n\n- First\n";
  assert.equal(addEntry(before, heading, "- Newer"), after);
});

test("an empty section takes its first entry", () => {
  const before = "# Changelog\n\n## Unreleased\n\n## 1.0.0\n";
  assert.equal(addEntry(before, heading, "- New"), "# Changelog\n\n## Unreleased\n\n- New\n\n## 1.0.0\n");
  assert.equal(addEntry("## Unreleased", heading, "- New"), "## Unreleased\n\n- New\n");
});

test("a heading that is missing is written below the title, or at the top", () => {
  assert.equal(addEntry("# Log\n\n## 1.0.0\n", heading, "- New"), "# Log\n\n## Unreleased\n\n- New\n\n## 1.0.0\n");
  assert.equal(addEntry("## 1.0.0\n", heading, "- New"), "## Unreleased\n\n- New\n\n## 1.0.0\n");
  assert.equal(addEntry("", heading, "- New"), "# Changelog\n\n## Unreleased\n\n- New\n");
});

test("an entry is not written twice, but may stand in an older section", () => {
  assert.equal(addEntry("## Unreleased\n\n### Fixed\n\n- New\n", heading, "- New"), null);
  assert.notEqual(addEntry("## Unreleased\n\n## 1.0.0\n\n- New\n", heading, "- New"), null);
});

test("line endings stay as they are", () => {
  const before = "# Changelog\r\n\r\n## Unreleased\r\n\r\n- Older\r\n";
  const after = "# Changelog\r\n\r\n## Unreleased\r\n\r\n- Newer\r\n- Older\r\n";
  assert.equal(addEntry(before, heading, "- Newer"), after);
});
