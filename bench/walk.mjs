import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../scripts/root.mjs";
import { listen, runAgainst } from "./start.mjs";

/** What a question passes up to its first model call. @typedef {{ functions: number, files: number, changes: number }} Walk */

const clientOf = (/** @type {string} */ name) =>
  fileURLToPath(new URL(`clients/${name}.mjs`, import.meta.url));

/** From where a question is asked, with what starts it there. @type {Readonly<Record<string, readonly string[]>>} */
const STARTS = {
  "command line": [join(root, "src/cli/main.ts"), "ask", "What is 17 * 23?", "--models", "openai/gpt-5-mini"],
  library: [clientOf("walk-library")],
};

/** The functions and files of the sources that a question enters up to its first model call, and how often it changes file. @param {string} scratch */
export async function countWalks(scratch) {
  const server = await listen();
  /** @type {Record<string, Walk>} */
  const walks = {};
  try {
    for (const [name, args] of Object.entries(STARTS)) {
      const home = mkdtempSync(join(scratch, "walk-"));
      const counts = join(home, "counts.json");
      const { child, ended, requested } = runAgainst(server, ["--import", clientOf("walk"), ...args], {
        ...{ HOME: home, PARLEY_HOME: home, WALK_COUNTS: counts },
      });
      await requested();
      child.kill("SIGUSR2");
      await ended;
      walks[name] = JSON.parse(readFileSync(counts, "utf8"));
    }
  } finally {
    server.close();
  }
  return walks;
}

/** What a question walks through on its way to the first model call: the same on every machine. @type {import("./harness.mjs").Measurement} */
export async function walk({ scratch }) {
  const walks = await countWalks(scratch);
  return {
    rows: Object.entries(walks).flatMap(([from, { functions, files, changes }]) => [
      { name: `${from}: functions entered`, value: functions, unit: "calls" },
      { name: `${from}: files entered`, value: files, unit: "files" },
      { name: `${from}: changes of file`, value: changes, unit: "changes" },
    ]),
  };
}
