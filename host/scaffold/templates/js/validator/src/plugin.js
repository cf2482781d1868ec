// What the host calls. The work itself stands in entries.js, which knows no host and is tested without one.
//
// There is no console, no file and no network here: what a plugin may touch is what it imports from `snodo:plugin`.
import { summary } from "snodo:plugin/change";
import { judge } from "./entries.js";

export const judging = {
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
      // The host takes a fault of the contract, `{tag, val}`. Anything else would end the plugin without a word.
      throw typeof thrown?.tag === "string" ? thrown : { tag: "internal", val: words(thrown) };
    }
  },
};

function evaluate(evaluation, context) {
  if (evaluation.phase !== "post-execute") throw { tag: "internal", val: "it judges after execution only" };
  return {
    citedCriteria: [],
    uncheckable: [],
    ...judge(changed(), setting(context, "file"), setting(context, "exempt"), setting(context, "strict")),
  };
}

/** The change, file by file. Who cannot see it has not judged: that is a fault, never a pass. */
function changed() {
  try {
    return summary().files;
  } catch (error) {
    if (error.payload?.tag === "limit") throw error.payload;
    throw { tag: "incomplete-view", val: words(error) };
  }
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
