// What the host calls. The judging stands in heading.ts and size.ts, which know no host and are tested without one.
import { type ChangedFile, type ChangeError, summary } from "snodo:plugin/change";
import type { Evaluation, Fault, Judging, Verdict } from "snodo:plugin/judging";
import type { Context } from "snodo:plugin/types";
import { pattern } from "./glob.js";
import { judgeHeading } from "./heading.js";
import { Failure, type Judged } from "./judged.js";
import { declarations, Settings } from "./settings.js";
import { judgeSize } from "./size.js";

export const judging: Judging = {
  describe() {
    return {
      name: "change-size",
      version: "0.1.0",
      summary: "Keeps changes small enough to be read, and wants a task's first line to be a Conventional Commits heading.",
      settings: declarations,
      phases: ["pre-execute", "post-execute"],
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

function evaluate(evaluation: Evaluation, context: Context): Verdict {
  const settings = new Settings(context.settings);
  const judged = evaluation.phase === "pre-execute" ? heading(evaluation, settings) : size(settings);
  return { citedCriteria: [], uncheckable: [], ...judged };
}

/** Before anybody works: the task's first line, which becomes the subject of the commit. */
function heading(evaluation: Evaluation, settings: Settings): Judged {
  if (!settings.flag("heading")) {
    const skipped = "the setting `heading` is off";
    return { severity: "pass", justification: skipped, examined: [], skipped };
  }
  return judgeHeading(evaluation.task.spec, settings.texts("types"));
}

function size(settings: Settings): Judged {
  const ignored = settings.texts("ignore").map(pattern);
  const limits = { files: settings.positive("max-files"), lines: settings.positive("max-lines") };
  return judgeSize(changed(), limits, (path) => ignored.some((glob) => glob.test(path)), settings.flag("strict"));
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
