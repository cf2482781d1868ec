// What the host calls. The work itself stands in changelog.js, which knows no host and is tested without one.
//
// There is no console, no file and no network here: what a plugin may touch is what it imports from `snodo:plugin`.
import { readFile } from "snodo:plugin/read";
import { submitFiles } from "snodo:plugin/submit";
import { addEntry, entryOf } from "./changelog.js";

export const coding = {
  describe() {
    return {
      name: "{{name}}",
      version: "0.1.0",
      summary: "Adds the task's first line to the changelog.",
      settings: [
        {
          name: "file",
          valueType: "text",
          default: { tag: "text", val: "CHANGELOG.md" },
          meaning: "The changelog's path.",
        },
        {
          name: "heading",
          valueType: "text",
          default: { tag: "text", val: "## Unreleased" },
          meaning: "The line below which entries are added.",
        },
      ],
      phases: [],
    };
  },

  implement(task, context) {
    try {
      return implement(task, context);
    } catch (thrown) {
      // The host takes an error of the contract, `{tag, val}`. Anything else would end the plugin without a word.
      throw typeof thrown?.tag === "string" ? thrown : { tag: "internal", val: words(thrown) };
    }
  },
};

function implement(task, context) {
  const path = setting(context, "file");
  const entry = entryOf(task.spec);
  if (entry === null) {
    throw { tag: "unusable-task", val: "the task is empty: its first line becomes the changelog's entry" };
  }
  const changed = addEntry(read(path), setting(context, "heading"), entry);
  if (changed === null) throw { tag: "unusable-task", val: "the changelog has this entry already" };
  try {
    submitFiles([{ tag: "write", val: { path, content: { tag: "text", val: changed }, executable: null } }]);
  } catch (error) {
    if (error.payload?.tag === "limit") throw error.payload;
    throw { tag: "refused", val: { path, reason: words(error) } };
  }
  return { report: null, findings: [] };
}

/** The text of a file; empty when there is none. */
function read(path) {
  let content;
  try {
    content = readFile(path).content;
  } catch (error) {
    if (error.payload?.tag === "not-found") return "";
    throw { tag: "unreadable", val: { path, reason: words(error) } };
  }
  if (content.tag !== "text") throw { tag: "unreadable", val: { path, reason: "it is not text" } };
  return content.val;
}

/** The value in force; the host has checked its type. */
function setting(context, name) {
  return context.settings.find((item) => item.name === name).value.val;
}

/** What was thrown, in words. What the host throws has the contract's error in `payload`. */
function words(thrown) {
  const error = thrown?.payload;
  return error?.tag === undefined ? String(thrown) : `${error.tag} ${JSON.stringify(error.val ?? "")}`;
}
