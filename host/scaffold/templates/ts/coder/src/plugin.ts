// What the host calls. The work itself stands in changelog.ts, which knows no host and is tested without one.
//
// There is no console, no file and no network here: what a plugin may touch is what it imports from `snodo:plugin`.
import type { Coding, CoderError, Implementation } from "snodo:plugin/coding";
import { type ReadError, readFile } from "snodo:plugin/read";
import { type SubmitError, submitFiles } from "snodo:plugin/submit";
import type { Content, Context, Task } from "snodo:plugin/types";
import { addEntry, entryOf } from "./changelog.js";

export const coding: Coding = {
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
      // The host takes an error of the contract. Anything else would end the plugin without a word.
      throw thrown instanceof Failure ? thrown.error : ({ tag: "internal", val: String(thrown) } satisfies CoderError);
    }
  },
};

/** An error of the contract on its way out. */
class Failure {
  constructor(readonly error: CoderError) {}
}

function implement(task: Task, context: Context): Implementation {
  const path = text(context, "file");
  const entry = entryOf(task.spec);
  if (entry === null) {
    throw new Failure({ tag: "unusable-task", val: "the task is empty: its first line becomes the changelog's entry" });
  }
  const changed = addEntry(read(path), text(context, "heading"), entry);
  if (changed === null) throw new Failure({ tag: "unusable-task", val: "the changelog has this entry already" });
  try {
    submitFiles([{ tag: "write", val: { path, content: { tag: "text", val: changed }, executable: null } }]);
  } catch (thrown) {
    const error = payload<SubmitError>(thrown);
    if (error.tag === "limit") throw new Failure(error);
    throw new Failure({ tag: "refused", val: { path, reason: words(error) } });
  }
  return { report: null, findings: [] };
}

/** The text of a file; empty when there is none. */
function read(path: string): string {
  let content: Content;
  try {
    content = readFile(path).content;
  } catch (thrown) {
    const error = payload<ReadError>(thrown);
    if (error.tag === "not-found") return "";
    throw new Failure({ tag: "unreadable", val: { path, reason: words(error) } });
  }
  if (content.tag !== "text") throw new Failure({ tag: "unreadable", val: { path, reason: "it is not text" } });
  return content.val;
}

/** The value in force of a setting that is declared as text. */
function text(context: Context, name: string): string {
  const value = context.settings.find((setting) => setting.name === name)?.value;
  if (value?.tag !== "text") throw new Error(`the host gave no text for \`${name}\``);
  return value.val;
}

/** What a function of the host threw: the contract's error. */
function payload<E extends { tag: string }>(thrown: unknown): E {
  const error = (thrown as { payload?: E } | null)?.payload;
  if (error === undefined) throw thrown;
  return error;
}

function words(error: { tag: string; val?: unknown }): string {
  return `${error.tag} ${JSON.stringify(error.val ?? "")}`;
}
