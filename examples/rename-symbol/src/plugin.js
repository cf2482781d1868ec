// What the host calls. The work stands in rename.js, which takes the host's functions as a value and is tested with others.
import { readFiles } from "snodo:plugin/read";
import { searchSymbol, searchText } from "snodo:plugin/search";
import { progress, submitFiles, withdraw } from "snodo:plugin/submit";
import { rename } from "./rename.js";
import { requestOf } from "./task.js";

export const coding = {
  describe() {
    return {
      name: "rename-symbol",
      version: "0.1.0",
      summary: "Renames what a task such as \"rename oldName to newName in src\" names, in its definition and wherever it is used.",
      settings: [
        {
          name: "force",
          valueType: "boolean",
          default: { tag: "boolean", val: false },
          meaning: "Rename also in files where the new name stands already.",
        },
      ],
      phases: [],
    };
  },

  implement(task, context) {
    try {
      const force = context.settings.find(({ name }) => name === "force").value.val;
      return rename(requestOf(task.spec), { readFiles, searchSymbol, searchText, submitFiles, withdraw, progress }, force);
    } catch (thrown) {
      // The host takes an error of the contract, `{tag, val}`. Anything else would end the plugin without a word.
      throw typeof thrown?.tag === "string" ? thrown : { tag: "internal", val: String(thrown) };
    }
  },
};
