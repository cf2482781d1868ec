// Renames by whole words, in the files of the language that defines the name. It does not know scopes: of two things with one
// name both are renamed, and where it can see that this would go wrong, it does nothing.
import { familyOf } from "./families.js";
import { unusable } from "./task.js";

/** Definitions, lines and findings that are asked for. */
const DEFINITIONS = 1000;
const LINES = 10000;
const MENTIONS = 20;
/** Files that are read in one call, and characters that are submitted in one. */
const BATCH = 100;
const CALL = 2 ** 21;

/** Does it. `host` has the contract's functions; what is thrown is an error of the contract. `force` takes files that hold the new name, too. */
export function rename({ from, to, under }, host, force = false) {
  const place = under === "" ? "the workspace" : `\`${under}\``;
  const definitions = search(under, () =>
    host.searchSymbol({ name: from, kind: null, under, hidden: false, ignored: false, limit: DEFINITIONS }),
  );
  if (definitions.symbols.length === 0) throw unusable(`nothing in ${place} defines \`${from}\``);
  const family = oneFamily(definitions.symbols, from);

  const include = family.extensions.map((extension) => `*.${extension}`);
  const used = search(under, () => host.searchText(query(from, under, { include, limit: LINES })));
  if (used.truncated) throw unusable(`\`${from}\` stands in over ${LINES} lines: name a folder`);
  const paths = [...new Set([...definitions.symbols, ...used.matches].map(({ path }) => path))];
  host.progress({ message: `\`${from}\` is used in ${count(paths.length, "file")}`, done: null, total: null });

  let places = 0;
  const writes = [];
  for (const { path, text } of texts(paths, host)) {
    const taken = line(text, family.words(to));
    if (taken !== null && !force) {
      const reason = `\`${to}\` stands here already: after the renaming nobody could tell the two apart; the setting \`force\` renames all the same`;
      throw { tag: "does-not-apply", val: { path, hunk: 1, nearestLine: taken, reason } };
    }
    const changed = text.replace(family.words(from), () => {
      places += 1;
      return to;
    });
    if (changed !== text) {
      writes.push({ tag: "write", val: { path, content: { tag: "text", val: changed }, executable: null } });
    }
  }
  submit(writes, host);

  const elsewhere = search(under, () => host.searchText(query(from, under, { exclude: include, limit: MENTIONS })));
  return {
    report: {
      files: writes.map(({ val }) => ({ path: val.path, kind: "modified" })),
      turnsUsed: null,
      turnsAvailable: null,
      tokensUsed: null,
      stopReason: "completed",
      notes: `\`${from}\` became \`${to}\` in ${count(places, "place")} of ${count(writes.length, "file")}.`,
    },
    findings: [...mentions(elsewhere, from), ...unseen(used)],
  };
}

function query(pattern, under, more) {
  return {
    pattern,
    syntax: "literal",
    letterCase: "sensitive",
    wholeWord: true,
    under,
    include: [],
    exclude: [],
    hidden: false,
    ignored: false,
    contextBefore: 0,
    contextAfter: 0,
    ...more,
  };
}

/** The language of all definitions. The same name in two languages names two things. */
function oneFamily(symbols, name) {
  const families = new Map(symbols.map((symbol) => [familyOf(symbol.path).name, symbol]));
  if (families.size > 1) {
    const where = [...families.values()].map(({ path, line }) => `${path}:${line}`).join(" and ");
    throw unusable(`\`${name}\` is defined in more than one language, at ${where}: name a folder, as in \`… in src\``);
  }
  return familyOf(symbols[0].path);
}

/** What a search answers. */
function search(under, call) {
  try {
    return call();
  } catch (thrown) {
    const error = contractError(thrown);
    if (error.tag === "limit") throw error;
    if (error.tag === "not-found") throw unusable(`there is no \`${under}\` in the workspace`);
    throw { tag: "unreadable", val: { path: under, reason: words(error) } };
  }
}

/** The files, whole. One that cannot be seen stops everything: half a renaming is none. */
function* texts(paths, host) {
  for (let at = 0; at < paths.length; at += BATCH) {
    const asked = paths.slice(at, at + BATCH);
    let answers;
    try {
      answers = host.readFiles(asked);
    } catch (thrown) {
      const error = contractError(thrown);
      throw error.tag === "limit" ? error : { tag: "unreadable", val: { path: asked[0], reason: words(error) } };
    }
    for (const { path, outcome } of answers) {
      if (outcome.tag === "err") throw { tag: "unreadable", val: { path, reason: words(outcome.val) } };
      if (outcome.val.content.tag !== "text") throw { tag: "unreadable", val: { path, reason: "it is not text" } };
      yield { path, text: outcome.val.content.val };
    }
  }
}

/** Submits in calls that the host can carry. What was taken counts whatever comes after it, so it is taken back if the rest is refused. */
function submit(writes, host) {
  const taken = [];
  let call = [];
  let size = 0;
  const send = () => {
    try {
      host.submitFiles(call);
    } catch (thrown) {
      if (taken.length > 0) host.withdraw(taken);
      const error = contractError(thrown);
      if (error.tag === "limit") throw error;
      throw { tag: "refused", val: { path: call[error.val.index].val.path, reason: words(error.val.reason) } };
    }
    taken.push(...call.map(({ val }) => val.path));
    call = [];
    size = 0;
  };
  for (const write of writes) {
    const length = write.val.content.val.length;
    if (call.length > 0 && size + length > CALL) send();
    call.push(write);
    size += length;
  }
  if (call.length > 0) send();
}

/** Where else the name stands: in prose, in other languages, in configuration. That is for people to decide. */
function mentions({ matches, truncated }, name) {
  const title = `\`${name}\` is named here too, and was left as it is`;
  const found = matches.map(({ path, line, text }) => ({ title, detail: text.trim(), path, line }));
  if (truncated) found.push({ title: "and in more lines", detail: `Only the first ${MENTIONS} are listed.`, path: null, line: null });
  return found;
}

/** Files that the search could not look into. */
function unseen({ skipped }) {
  return skipped
    .filter(({ reason }) => reason === "too-large" || reason === "unreadable")
    .map(({ reason, files }) => ({
      title: `${count(files, "file")} could not be searched`,
      detail: `They are ${reason}; a use in them was not renamed.`,
      path: null,
      line: null,
    }));
}

/** The line of the first match, from 1, or null. */
function line(text, pattern) {
  const at = text.search(pattern);
  return at === -1 ? null : text.slice(0, at).split("\n").length;
}

/** What a function of the host threw has the contract's error in `payload`. */
function contractError(thrown) {
  if (thrown?.payload === undefined) throw thrown;
  return thrown.payload;
}

function words(error) {
  return `${error.tag} ${JSON.stringify(error.val ?? "")}`;
}

function count(number, noun) {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}
