import type { Setting, SettingDeclaration, SettingValue } from "snodo:plugin/types";
import { Failure } from "./judged.js";

/** What can be set. */
export const declarations: SettingDeclaration[] = [
  {
    name: "max-files",
    valueType: "integer",
    default: { tag: "integer", val: 20 },
    meaning: "A change of more files is too large.",
  },
  {
    name: "max-lines",
    valueType: "integer",
    default: { tag: "integer", val: 400 },
    meaning: "A change of more lines, added and deleted, is too large.",
  },
  {
    name: "ignore",
    valueType: "text-list",
    default: { tag: "text-list", val: ["*.lock", "package-lock.json", "go.sum", "*.snap"] },
    meaning: "Globs of files that nobody reads and that do not count; without a `/` one is held against the name.",
  },
  {
    name: "strict",
    valueType: "boolean",
    default: { tag: "boolean", val: true },
    meaning: "Stop a change that is too large; otherwise only warn.",
  },
  {
    name: "heading",
    valueType: "boolean",
    default: { tag: "boolean", val: true },
    meaning: "Want the task's first line to be a Conventional Commits heading, such as `fix(parser): take empty input`.",
  },
  {
    name: "types",
    valueType: "text-list",
    default: {
      tag: "text-list",
      val: ["feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert"],
    },
    meaning: "The types that a heading may begin with.",
  },
];

type Value<Tag extends SettingValue["tag"]> = Extract<SettingValue, { tag: Tag }>["val"];

/** The values in force. The host has checked names and types; what a number may be is this plugin's to say. */
export class Settings {
  constructor(private readonly given: Setting[]) {}

  flag(name: string): boolean {
    return this.value(name, "boolean");
  }

  texts(name: string): string[] {
    return this.value(name, "text-list");
  }

  positive(name: string): number {
    const number = this.value(name, "integer");
    if (number > 0) return number;
    throw new Failure({ tag: "setting", val: `\`${name}\` is ${number}, and has to be 1 or more` });
  }

  private value<Tag extends SettingValue["tag"]>(name: string, tag: Tag): Value<Tag> {
    const value = this.given.find((setting) => setting.name === name)?.value;
    if (value?.tag !== tag) throw new Error(`the host gave no ${tag} for \`${name}\``);
    return value.val as Value<Tag>;
  }
}
