import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("the modules made from templates and default settings are what those files say", async () => {
  const script = fileURLToPath(new URL("../scripts/generate.mjs", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, "--check"]).catch(
    (error: unknown) => error as { readonly stdout: string }, // what execFile rejects with
  );
  expect(stdout).toBe("");
});
