import { Failure } from "./judged.js";

/** A glob as a pattern over whole paths: `*` and `?` stop at `/`, `**` does not; without a `/` it is held against the name. */
export function pattern(glob: string): RegExp {
  if (glob === "" || /[[\]{}\\]/.test(glob)) {
    throw new Failure({ tag: "setting", val: `\`ignore\`: \`${glob}\` is no glob; only \`*\`, \`**\` and \`?\` are special` });
  }
  const body = glob
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map((part) => {
      switch (part) {
        case "**/":
          return "(?:.*/)?";
        case "**":
          return ".*";
        case "*":
          return "[^/]*";
        case "?":
          return "[^/]";
        default:
          return part.replace(/[.+^$()|]/g, "\\$&");
      }
    })
    .join("");
  return new RegExp(`${glob.includes("/") ? "^" : "(?:^|/)"}${body}$`, "su");
}
