import type { Judged } from "./judged.js";

/** As git's own tools expect it to be. */
const LONGEST = 72;

/** `type(scope)!: what was done`, by Conventional Commits 1.0.0. */
const HEADING = /^(?<type>[A-Za-z]+)(?:\((?<scope>[^()]*)\))?!?:(?<gap> *)(?<words>.*)$/u;

/** Whether the task's first line can be the heading of a commit. */
export function judgeHeading(spec: string, types: string[]): Judged {
  const line = spec.split("\n").find((line) => line.trim() !== "")?.trim() ?? "";
  const wrong = fault(line, types);
  return {
    severity: wrong === null ? "pass" : "blocker",
    justification: wrong === null ? "The task's first line is a Conventional Commits heading." : `The task's first line ${wrong}.`,
    examined: ["the task"],
    skipped: null,
  };
}

/** What is wrong with it, or null. */
function fault(line: string, types: string[]): string | null {
  const { type, scope, gap, words } = HEADING.exec(line)?.groups ?? {};
  if (type === undefined) return "is no heading as in `fix(parser): take empty input`";
  if (!types.includes(type.toLowerCase())) return `begins with \`${type}\`, which is none of ${types.join(", ")}`;
  if (scope?.trim() === "") return "has an empty scope";
  if (words === "") return "says nothing behind the colon";
  if (gap !== " ") return "needs one blank behind the colon";
  const length = [...line].length;
  return length > LONGEST ? `has ${length} characters, over the ${LONGEST} of a commit's subject` : null;
}
