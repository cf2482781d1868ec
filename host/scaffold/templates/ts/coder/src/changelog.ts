/** The entry that a task becomes: its first line that says something, or null. */
export function entryOf(spec: string): string | null {
  const line = spec.split("\n").find((line) => line.trim() !== "");
  return line === undefined ? null : `- ${line.trim()}`;
}

/** The changelog with the entry below the heading, the newest first; null when the entry is there already. */
export function addEntry(changelog: string, heading: string, entry: string): string | null {
  const lines = changelog.split("\n");
  const ending = lines.length > 1 && lines[0]?.endsWith("\r") ? "\r" : "";
  const at = lines.findIndex((line) => line.trimEnd() === heading.trimEnd());
  if (changelog.trim() === "") return `# Changelog\n\n${heading}\n\n${entry}\n`;

  let above: string[];
  let added: string[];
  if (at === -1) {
    // After the title, or at the top of a changelog without one.
    above = lines.slice(0, lines.findIndex((line) => line.startsWith("# ")) + 1);
    added = [heading, "", entry];
    if (above.length > 0) added.unshift("");
  } else {
    const level = Math.max(depth(heading), 1);
    const length = lines.slice(at + 1).findIndex((line) => depth(line) > 0 && depth(line) <= level);
    const section = lines.slice(at + 1, length === -1 ? undefined : at + 1 + length);
    if (section.some((line) => line.trimEnd() === entry)) return null;
    above = lines.slice(0, at + 1);
    added = ["", entry];
  }
  const rest = lines.slice(above.length);
  const first = rest.findIndex((line) => line.trim() !== "");
  const below = first === -1 ? [""] : rest.slice(first);
  // An entry joins the list that it is put on top of; anything else is kept apart by a blank line.
  const joins = at !== -1 && below[0]?.startsWith("- ");
  if (first !== -1 && !joins) added.push("");
  return [...above.map(withEnding), ...added.map((line) => line + ending), ...below].join("\n");

  /** The last line of a file may have no ending of its own. */
  function withEnding(line: string, index: number): string {
    return index === lines.length - 1 ? line + ending : line;
  }
}

/** How many `#` a heading has; 0 for any other line. */
function depth(line: string): number {
  return /^(#+)\s/.exec(line)?.[1]?.length ?? 0;
}
