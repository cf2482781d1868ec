import type { ChangedFile } from "snodo:plugin/change";
import type { Judged } from "./judged.js";

/** So many paths are listed as examined, and so many are named. */
const EXAMINED = 20;
const NAMED = 3;

/** What is looked at of a changed file. */
export type Sized = Pick<ChangedFile, "path" | "added" | "deleted" | "binary">;

/** Whether the files that count are few, and their lines. */
export function judgeSize(
  files: Sized[],
  limits: { files: number; lines: number },
  ignored: (path: string) => boolean,
  strict: boolean,
): Judged {
  const counted = files.filter(({ path }) => !ignored(path));
  const examined = counted.slice(0, EXAMINED).map(({ path }) => path);
  if (counted.length === 0) {
    const skipped = files.length === 0 ? "nothing was changed" : "every changed file is one that does not count";
    return { severity: "pass", justification: skipped, examined, skipped };
  }
  const lines = counted.reduce((sum, { added, deleted }) => sum + added + deleted, 0);
  const binary = counted.filter((file) => file.binary).length;
  const found = `${count(counted.length, "file")} and ${count(lines, "line")}${binary > 0 ? ` (${binary} binary, without lines)` : ""}`;
  const over = [
    ...(counted.length > limits.files ? [`${limits.files} files`] : []),
    ...(lines > limits.lines ? [`${limits.lines} lines`] : []),
  ];
  if (over.length === 0) return { severity: "pass", justification: `${found} changed.`, examined, skipped: null };
  const largest = [...counted].sort((a, b) => b.added + b.deleted - (a.added + a.deleted)).slice(0, NAMED);
  const named = largest.map(({ path, added, deleted }) => `${path} (${added + deleted})`).join(", ");
  return {
    severity: strict ? "blocker" : "warn",
    justification: `${found} changed, over ${over.join(" and ")}. The largest: ${named}. Make it in several steps.`,
    examined,
    skipped: null,
  };
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}
