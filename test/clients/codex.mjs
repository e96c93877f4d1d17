import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASKED, assertActed, project } from "./acting.mjs";
import { calling, newFolder } from "./harness.mjs";

export const packages = ["@openai/codex@0.171.0"];

/** @param {import("./harness.mjs").Bench} bench */
export async function check({ serve, check, bin }) {
  const { url, key } = await serve(calling("exec_command", { cmd: "cat note.txt" }));
  for (const model of ["parley/council", "parley/respond"])
    await check(`codex exec runs a command with ${model}`, async () => {
      const home = newFolder();
      const provider = {
        name: "Parley",
        base_url: `${url}/v1`,
        wire_api: "responses",
        env_key: "PARLEY_KEY",
      };
      const lines = Object.entries(provider).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
      const config = [
        `model = "${model}"`,
        'model_provider = "parley"',
        "[model_providers.parley]",
        ...lines,
      ];
      writeFileSync(join(home, "config.toml"), `${config.join("\n")}\n`);
      const words = ["exec", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", ASKED];
      const env = { CODEX_HOME: home, PARLEY_KEY: key };
      assertActed(await bin("@openai/codex/bin/codex.js", words, { cwd: project(), env }));
    });
}
