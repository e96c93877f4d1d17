import { join } from "node:path";
import { ASKED, assertActed, project } from "./acting.mjs";
import { calling } from "./harness.mjs";

export const packages = ["@anthropic-ai/claude-code@2.1.332"];

/** @param {import("./harness.mjs").Bench} bench */
export async function check({ serve, check, bin }) {
  await check("claude -p reads a file", async () => {
    const cwd = project();
    const { url, key } = await serve(calling("Read", { file_path: join(cwd, "note.txt") }));
    const env = {
      ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key },
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    };
    const words = ["-p", ASKED, "--model", "parley/council", "--allowedTools", "Read"];
    const program = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;
    assertActed(await bin(program, words, { cwd, env }));
  });
}
