// A workspace in memory that answers as the host does, as far as this plugin asks.

/** What the host throws. */
export function hostError(payload) {
  return Object.assign(new Error("(see error.payload)"), { payload });
}

export function workspace(files, { defines = /\b(?:function|class|const|def)\s+(\w+)/, refuse = null } = {}) {
  const submitted = new Map();
  const messages = [];
  const below = (under) => Object.keys(files).filter((path) => under === "" || path.startsWith(`${under}/`)).sort();
  const found = (under, wanted) =>
    below(under).flatMap((path) =>
      files[path].split("\n").flatMap((text, at) => (wanted(path, text) ? [{ path, line: at + 1, column: 1, text, clipped: false }] : [])),
    );
  const answer = (all, limit) => ({ total: { tag: "exact", val: all.length }, truncated: all.length > limit, filesSearched: 1, skipped: [] });
  const folder = (under) => {
    if (under !== "" && below(under).length === 0) throw hostError({ tag: "not-found", val: under });
  };
  return {
    submitted,
    messages,
    progress: ({ message }) => messages.push(message),
    searchSymbol({ name, under, limit }) {
      folder(under);
      const symbols = found(under, (_, text) => defines.exec(text)?.[1] === name);
      return { symbols: symbols.slice(0, limit), ...answer(symbols, limit) };
    },
    searchText({ pattern, under, include, exclude, limit }) {
      const named = (globs) => (path) => globs.some((glob) => path.endsWith(glob.slice(1)));
      const wanted = (path, text) =>
        (include.length === 0 || named(include)(path)) && !named(exclude)(path) && new RegExp(`(?<!\\w)${pattern.replaceAll("$", "\\$")}(?!\\w)`).test(text);
      const matches = found(under, wanted);
      return { matches: matches.slice(0, limit), ...answer(matches, limit) };
    },
    readFiles: (paths) =>
      paths.map((path) => ({ path, outcome: { tag: "ok", val: { path, content: { tag: "text", val: files[path] } } } })),
    submitFiles(operations) {
      const index = operations.findIndex(({ val }) => val.path === refuse);
      if (index !== -1) {
        const reason = { tag: "refused", val: { path: refuse, rule: "protected" } };
        throw hostError({ tag: "rejected", val: { index, reason } });
      }
      for (const { val } of operations) submitted.set(val.path, val.content.val);
    },
    withdraw: (paths) => paths.filter((path) => submitted.delete(path)),
  };
}
