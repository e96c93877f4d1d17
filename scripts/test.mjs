// npm test: installs what is missing, then checks what stands between a change and its landing, in five minutes.
// npm run test:all: everything, in shards that run alone; with --only NAMES those of these names.
import "./node-version.mjs";
import { parseArgs } from "node:util";
import { root } from "./root.mjs";
import { runScript, setUp } from "./setup.mjs";
import { countOf, runGate, runShards, SHARDS } from "./steps.mjs";

await runScript(async () => {
  const { values } = parseArgs({
    options: { all: { type: "boolean", default: false }, only: { type: "string" } },
  });
  const only = values.only?.split(",");
  const unknown = only?.find((name) => !Object.hasOwn(SHARDS, name));
  if (unknown !== undefined) {
    process.stderr.write(`there is no shard "${unknown}"; there are ${Object.keys(SHARDS).join(", ")}\n`);
    return 2;
  }
  try {
    await setUp(root, { build: false });
  } catch (error) {
    process.stdout.write(`${countOf({ passed: 0, failed: 1, skipped: 0 })}\n`);
    throw error;
  }
  return values.all ? runShards(root, only) : runGate(root);
});
