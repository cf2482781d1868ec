// A task in words, and what is asked for.

const NAME = "[\\p{L}_$][\\p{L}\\p{N}_$]*";
// A task may begin as the heading of its commit does: `refactor(parser): rename a to b`.
const HEADING = "(?:[a-z]+(?:\\([^()]*\\))?!?:\\s*)?";
const REQUEST = new RegExp(
  `^${HEADING}rename\\s+(["'\`]?)(${NAME})\\1\\s+to\\s+(["'\`]?)(${NAME})\\3(?:\\s+in\\s+(["'\`]?)(\\S+?)\\5)?\\s*\\.?$`,
  "iu",
);

/** `{from, to, under}` of a task's first line; throws the contract's `unusable-task`. */
export function requestOf(spec) {
  const line = spec.split("\n").find((line) => line.trim() !== "")?.trim() ?? "";
  const match = REQUEST.exec(line);
  if (match === null) {
    throw unusable("its first line has to say `rename oldName to newName`, or `rename oldName to newName in some/folder`");
  }
  const [, , from, , to, , under] = match;
  if (from === to) throw unusable("the old and the new name are the same");
  return { from, to, under: under === undefined || under === "." ? "" : under.replace(/\/+$/, "") };
}

export function unusable(reason) {
  return { tag: "unusable-task", val: reason };
}
