// Writes TypeScript declarations of the contract, for plugins that `componentize-qjs` builds: `node wit-to-ts.mjs <folder of the WIT>`.
//
// What stands for what is that tool's convention: names in camel case, a variant as `{tag, val}`, an enum as its word, an option as
// `null` or the value, numbers of 64 bits as `number`, a list of bytes as `Uint8Array`, an error as what is thrown. It reads as much of the WIT
// language as the contract uses, and stops at anything else.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const NUMBERS = new Set(["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64"]);

/** The words and signs of a WIT file, each with the doc comment before it. */
function tokens(source, path) {
  const found = [];
  let doc = [];
  const pattern = /\s+|\/\/\/ ?([^\n]*)|\/\/[^\n]*|(->|%?[A-Za-z][A-Za-z0-9-]*|@?[0-9]+\.[0-9]+\.[0-9]+|[{}()<>:;,.=@/_*])/gy;
  while (pattern.lastIndex < source.length) {
    const at = pattern.lastIndex;
    const match = pattern.exec(source);
    if (match === null) throw new Error(`${path}: cannot read: ${source.slice(at, at + 40)}`);
    if (match[1] !== undefined) doc.push(match[1]);
    if (match[2] !== undefined) {
      found.push({ text: match[2].replace(/^%/, ""), doc, raw: match[2] });
      doc = [];
    }
  }
  return found;
}

class Reader {
  constructor(path) {
    this.path = path;
    this.list = tokens(readFileSync(path, "utf8"), path);
    this.next = 0;
  }
  peek() {
    return this.list[this.next]?.text;
  }
  take(expected) {
    const token = this.list[this.next++];
    if (token === undefined || (expected !== undefined && token.text !== expected)) {
      throw new Error(`${this.path}: \`${expected ?? "something"}\` is needed where \`${token?.text ?? "the end"}\` stands`);
    }
    return token;
  }
  /** Items between `open` and `close`, with commas between them and perhaps after the last. */
  items(open, close, read) {
    const all = [];
    this.take(open);
    while (this.peek() !== close) {
      all.push(read());
      if (this.peek() !== close) this.take(",");
    }
    this.take(close);
    return all;
  }
  type() {
    const { text } = this.take();
    if (NUMBERS.has(text)) return "number";
    switch (text) {
      case "string":
      case "char":
        return "string";
      case "bool":
        return "boolean";
      case "option": {
        const [inner] = this.items("<", ">", () => this.type());
        return `${inner} | null`;
      }
      case "list": {
        if (this.list[this.next + 1]?.text === "u8") {
          this.items("<", ">", () => this.type());
          return "Uint8Array";
        }
        const [inner] = this.items("<", ">", () => this.type());
        return /[ |]/.test(inner) ? `(${inner})[]` : `${inner}[]`;
      }
      case "result": {
        const [ok, err] = this.items("<", ">", () => this.type());
        return `{ tag: "ok"; val: ${ok} } | { tag: "err"; val: ${err} }`;
      }
      default:
        return pascal(text);
    }
  }
}

const camel = (name) => name.replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const pascal = (name) => camel(name).replace(/^[a-z]/, (letter) => letter.toUpperCase());

function comment(doc, indent, more = []) {
  const lines = [...doc, ...more];
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd() + "\n").join("")}${indent} */\n`;
}

/** A function's parameters and result, where `result` is taken apart: what is thrown is not returned. */
function signature(reader) {
  reader.take("func");
  const parameters = reader.items("(", ")", () => {
    const name = camel(reader.take().text);
    reader.take(":");
    return `${name}: ${reader.type()}`;
  });
  let returned = "void";
  let thrown = null;
  if (reader.peek() === "->") {
    reader.take("->");
    if (reader.peek() === "result") {
      reader.take();
      [returned, thrown] = reader.items("<", ">", () => reader.type());
    } else {
      returned = reader.type();
    }
  }
  reader.take(";");
  return { parameters: parameters.join(", "), returned, thrown };
}

function declareInterface(reader, exported) {
  const start = reader.take("interface");
  const name = reader.take().text;
  const imports = [];
  let body = "";
  const functions = [];
  reader.take("{");
  while (reader.peek() !== "}") {
    const { text: word, doc } = reader.take();
    switch (word) {
      case "use": {
        const from = reader.take().text;
        reader.take(".");
        const names = reader.items("{", "}", () => pascal(reader.take().text));
        reader.take(";");
        imports.push(`  import type { ${names.join(", ")} } from "snodo:plugin/${from}";\n`);
        break;
      }
      case "record": {
        const title = pascal(reader.take().text);
        const fields = reader.items("{", "}", () => {
          const field = reader.take();
          reader.take(":");
          return `${comment(field.doc, "    ")}    ${camel(field.text)}: ${reader.type()};\n`;
        });
        body += `\n${comment(doc, "  ")}  export interface ${title} {\n${fields.join("")}  }\n`;
        break;
      }
      case "variant": {
        const title = pascal(reader.take().text);
        const cases = reader.items("{", "}", () => {
          const item = reader.take();
          let payload = "";
          if (reader.peek() === "(") [payload] = reader.items("(", ")", () => `; val: ${reader.type()}`);
          return `${comment(item.doc, "    ")}    | { tag: "${item.text}"${payload} }\n`;
        });
        body += `\n${comment(doc, "  ")}  export type ${title} =\n${cases.join("").trimEnd()};\n`;
        break;
      }
      case "enum": {
        const title = pascal(reader.take().text);
        const cases = reader.items("{", "}", () => {
          const item = reader.take();
          return `${comment(item.doc, "    ")}    | "${item.text}"\n`;
        });
        body += `\n${comment(doc, "  ")}  export type ${title} =\n${cases.join("").trimEnd()};\n`;
        break;
      }
      case "type": {
        const title = pascal(reader.take().text);
        reader.take("=");
        body += `\n${comment(doc, "  ")}  export type ${title} = ${reader.type()};\n`;
        reader.take(";");
        break;
      }
      default: {
        reader.take(":");
        functions.push({ name: camel(word), doc, ...signature(reader) });
      }
    }
  }
  reader.take("}");
  // Without a statement of its own kind, everything in a module declaration counts as exported, the imported names too.
  const seal = "  export {};\n";
  if (exported.has(name)) {
    const methods = functions.map(
      (item) =>
        `${comment(item.doc, "    ", item.thrown ? [`Throw a \`${item.thrown}\` as it is: any other thing that is thrown, an \`Error\` too, is a crash.`] : [])}` +
        `    ${item.name}(${item.parameters}): ${item.returned};\n`,
    );
    body += `\n  /** What the plugin's module exports, under the name \`${camel(name)}\`. */\n  export interface ${pascal(name)} {\n${methods.join("")}  }\n`;
  } else {
    for (const item of functions) {
      body +=
        `\n${comment(item.doc, "  ", item.thrown ? [`Throws an \`Error\` whose \`payload\` is a \`${item.thrown}\`.`] : [])}` +
        `  export function ${item.name}(${item.parameters}): ${item.returned};\n`;
    }
  }
  return `${comment(start.doc, "")}declare module "snodo:plugin/${name}" {\n${seal}${imports.join("")}${body}}\n`;
}

const folder = process.argv[2];
if (folder === undefined) {
  console.error("usage: node wit-to-ts.mjs <folder of the WIT>");
  process.exit(64);
}
let version;
const interfaces = [];
const exported = new Set();
for (const file of readdirSync(folder).filter((name) => name.endsWith(".wit")).sort()) {
  const reader = new Reader(join(folder, file));
  reader.take("package");
  for (const word of ["snodo", ":", "plugin", "@"]) if (reader.peek() === word) reader.take();
  version = reader.take().text.replace("@", "");
  reader.take(";");
  while (reader.peek() !== undefined) {
    if (reader.peek() === "interface") {
      interfaces.push({ reader, at: reader.next });
      while (reader.peek() !== undefined && !(reader.peek() === "}" && closes(reader, interfaces.at(-1).at))) reader.next++;
      reader.take("}");
    } else {
      // A world: only what it exports is of interest.
      reader.take("world");
      reader.take();
      reader.take("{");
      while (reader.peek() !== "}") {
        const word = reader.take().text;
        const name = reader.take().text;
        if (word === "export") exported.add(name);
        reader.take(";");
      }
      reader.take("}");
    }
  }
}

/** Whether the brace at the reader's place is the one that closes what began at `from`. */
function closes(reader, from) {
  const before = reader.list.slice(from, reader.next);
  return before.filter((token) => token.text === "{").length - before.filter((token) => token.text === "}").length === 1;
}

let text = `// The contract snodo:plugin@${version}, for TypeScript. Made from its WIT: not edited by hand.\n`;
for (const { reader, at } of interfaces) {
  reader.next = at;
  text += `\n${declareInterface(reader, exported)}`;
}
process.stdout.write(text);
