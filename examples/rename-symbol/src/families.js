// Languages whose files share names.

const SHARED = {
  "JavaScript and TypeScript": ["js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "cts"],
  "C and C++": ["c", "h", "cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "inl"],
  "Java and Kotlin": ["java", "kt", "kts"],
  Python: ["py", "pyi", "pyw"],
};

/** The languages that a path's file shares names with: their extensions, and how a name stands in their text. */
export function familyOf(path) {
  const extension = path.slice(path.lastIndexOf(".") + 1);
  for (const [name, extensions] of Object.entries(SHARED)) {
    if (extensions.includes(extension.toLowerCase())) {
      return { name, extensions, words: wordsWith(name.startsWith("JavaScript") ? "$" : "") };
    }
  }
  return { name: extension, extensions: [extension], words: wordsWith("") };
}

/** Makes patterns of a whole name, where letters, digits, `_` and these characters can be part of one. */
function wordsWith(more) {
  const part = `[\\p{ID_Continue}${more}]`;
  return (name) => new RegExp(`(?<!${part})${name.replaceAll("$", "\\$")}(?!${part})`, "gu");
}
