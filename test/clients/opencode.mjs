import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASKED, assertActed, project } from "./acting.mjs";
import { calling } from "./harness.mjs";

export const packages = ["opencode-ai@1.18.33"];

/** @param {import("./harness.mjs").Bench} bench */
export async function check({ serve, check, bin }) {
  const { url, key } = await serve(calling("read", { filePath: "note.txt" }));
  await check("opencode run reads a file", async () => {
    const cwd = project();
    const options = { baseURL: `${url}/v1`, apiKey: key };
    const parley = { npm: "@ai-sdk/openai-compatible", options, models: { "parley/council": {} } };
    const model = "parley/parley/council";
    const config = { provider: { parley }, model, small_model: model, autoupdate: false, share: "disabled" };
    writeFileSync(join(cwd, "opencode.json"), JSON.stringify(config));
    const program = `opencode-${process.platform === "win32" ? "windows" : process.platform}-${process.arch}/bin/opencode`;
    assertActed(await bin(program, ["run", ASKED], { cwd, env: { HOME: cwd, PWD: cwd } }));
  });
}
