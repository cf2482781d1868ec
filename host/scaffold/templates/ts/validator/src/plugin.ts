// What the host calls. The work itself stands in entries.ts, which knows no host and is tested without one.
//
// There is no console, no file and no network here: what a plugin may touch is what it imports from `snodo:plugin`.
import { type ChangedFile, type ChangeError, summary } from "snodo:plugin/change";
import type { Evaluation, Fault, Judging, Verdict } from "snodo:plugin/judging";
import type { Context, SettingValue } from "snodo:plugin/types";
import { judge } from "./entries.js";

export const judging: Judging = {
  describe() {
    return {
      name: "{{name}}",
      version: "0.1.0",
      summary: "Wants an entry in the changelog with every change.",
      settings: [
        {
          name: "file",
          valueType: "text",
          default: { tag: "text", val: "CHANGELOG.md" },
          meaning: "The changelog's path.",
        },
        {
          name: "exempt",
          valueType: "text-list",
          default: { tag: "text-list", val: ["docs", "tests"] },
          meaning: "Folders whose changes need no entry.",
        },
        {
          name: "strict",
          valueType: "boolean",
          default: { tag: "boolean", val: true },
          meaning: "Stop the change; otherwise only warn.",
        },
      ],
      phases: ["post-execute"],
    };
  },

  evaluate(evaluation, context) {
    try {
      return evaluate(evaluation, context);
    } catch (thrown) {
      // The host takes a fault of the contract. Anything else would end the plugin without a word.
      throw thrown instanceof Failure ? thrown.fault : ({ tag: "internal", val: String(thrown) } satisfies Fault);
    }
  },
};

/** A fault of the contract on its way out. */
class Failure {
  constructor(readonly fault: Fault) {}
}

function evaluate(evaluation: Evaluation, context: Context): Verdict {
  if (evaluation.phase !== "post-execute") {
    throw new Failure({ tag: "internal", val: "it judges after execution only" });
  }
  const exempt = setting(context, "exempt", "text-list");
  const judged = judge(changed(), setting(context, "file", "text"), exempt, setting(context, "strict", "boolean"));
  return { citedCriteria: [], uncheckable: [], ...judged };
}

/** The change, file by file. Who cannot see it has not judged: that is a fault, never a pass. */
function changed(): ChangedFile[] {
  try {
    return summary().files;
  } catch (thrown) {
    const error = (thrown as { payload?: ChangeError }).payload;
    if (error === undefined) throw thrown;
    if (error.tag === "limit") throw new Failure(error);
    throw new Failure({ tag: "incomplete-view", val: `the change cannot be seen: ${JSON.stringify(error)}` });
  }
}

type Value<Tag extends SettingValue["tag"]> = Extract<SettingValue, { tag: Tag }>["val"];

/** The value in force of a setting that is declared with this type. */
function setting<Tag extends SettingValue["tag"]>(context: Context, name: string, tag: Tag): Value<Tag> {
  const value = context.settings.find((setting) => setting.name === name)?.value;
  if (value?.tag !== tag) throw new Error(`the host gave no ${tag} for \`${name}\``);
  return value.val as Value<Tag>;
}
