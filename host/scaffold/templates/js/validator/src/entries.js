/** So many paths are listed as examined. */
const EXAMINED = 20;

/** Whether the changed files come with an entry in the changelog `file`, where they need one. */
export function judge(files, file, exempt, strict) {
  const paths = files.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [path, oldPath]));
  const needing = [...new Set(paths)].filter((path) => path !== file && !exempt.some(holds(path))).sort();
  const examined = needing.slice(0, EXAMINED);
  if (needing.length === 0) {
    const skipped = `nothing in the change needs an entry in ${file}`;
    return { severity: "pass", justification: skipped, examined, skipped };
  }
  if (files.some(({ path, kind, added }) => path === file && kind !== "deleted" && added > 0)) {
    const count = needing.length === 1 ? "1 changed path" : `${needing.length} changed paths`;
    return { severity: "pass", justification: `${file} has a new entry for ${count}.`, examined, skipped: null };
  }
  const more = needing.length === 1 ? "" : ` and ${needing.length - 1} more`;
  return {
    severity: strict ? "blocker" : "warn",
    justification: `${needing[0]}${more} changed, and ${file} has no new entry.`,
    examined,
    skipped: null,
  };
}

/** Whether a folder is the path, or holds it. */
function holds(path) {
  return (folder) => path === folder || path.startsWith(`${folder}/`);
}
