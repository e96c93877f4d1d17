// npm run check: everything that has to hold before a change is kept.
import "./node-version.mjs";
import { check } from "./steps.mjs";
import { root } from "./root.mjs";
import { runScript } from "./setup.mjs";

await runScript(() => check(root));
