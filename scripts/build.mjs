// npm run build: dist from src, unless it is that already.
import "./node-version.mjs";
import { root } from "./root.mjs";
import { runScript, setUp } from "./setup.mjs";

await runScript(async () => {
  await setUp(root, { build: true });
  return 0;
});
