import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASKED, assertActed, project } from "./acting.mjs";
import { calling, newFolder } from "./harness.mjs";

export const packages = ["@continuedev/cli@1.5.47"];

/** @param {import("./harness.mjs").Bench} bench */
export async function check({ serve, check, bin }) {
  const { url, key } = await serve(calling("Read", { filepath: "note.txt" }));
  await check("cn -p reads a file", async () => {
    const home = newFolder();
    const model = {
      ...{ name: "Parley", provider: "openai", model: "parley/council", apiBase: `${url}/v1`, apiKey: key },
      ...{ roles: ["chat"], capabilities: ["tool_use"] },
    };
    // What is JSON is YAML.
    const config = JSON.stringify({ name: "Local", version: "0.0.1", schema: "v1", models: [model] });
    writeFileSync(join(home, "config.yaml"), config);
    const words = ["-p", "--config", join(home, "config.yaml"), "--auto", ASKED];
    const env = { CONTINUE_GLOBAL_DIR: home, CONTINUE_TELEMETRY_ENABLED: "0" };
    assertActed(await bin("@continuedev/cli/dist/cn.js", words, { cwd: project(), env }));
  });
}
