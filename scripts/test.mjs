// npm test: installs what is missing, then checks everything that `npm run check` checks.
import "./node-version.mjs";
import { root } from "./root.mjs";
import { runScript, setUp } from "./setup.mjs";
import { check, countOf } from "./steps.mjs";

await runScript(async () => {
  try {
    await setUp(root, { build: false });
  } catch (error) {
    process.stdout.write(`${countOf({ passed: 0, failed: 1, skipped: 0 })}\n`);
    throw error;
  }
  return check(root);
});
