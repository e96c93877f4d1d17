import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASKED, assertActed, project } from "./acting.mjs";
import { calling, newFolder } from "./harness.mjs";

export const packages = ["@earendil-works/pi-coding-agent@1.6.0"];

/** @param {import("./harness.mjs").Bench} bench */
export async function check({ serve, check, bin }) {
  const { url, key } = await serve(calling("read", { path: "note.txt" }));
  const models = [{ id: "parley/council" }];
  for (const [api, baseUrl] of [
    ["openai-completions", `${url}/v1`],
    ["openai-responses", `${url}/v1`],
    ["anthropic-messages", url],
  ])
    await check(`pi -p reads a file over ${api}`, async () => {
      const home = newFolder();
      const providers = { parley: { baseUrl, api, apiKey: key, models } };
      writeFileSync(join(home, "models.json"), JSON.stringify({ providers }));
      const words = ["-p", "--no-session", "--provider", "parley", "--model", "parley/council", ASKED];
      const env = { PI_OFFLINE: "1", PI_CODING_AGENT_DIR: home };
      assertActed(
        await bin("@earendil-works/pi-coding-agent/dist/bundle/cli.js", words, { cwd: project(), env }),
      );
    });
}
