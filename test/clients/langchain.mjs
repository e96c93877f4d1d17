import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "../../scripts/child.mjs";

/** A commit of LangChain's repository: its tests for models are not published. */
const COMMIT = "62fc484b2a0d1ec5b8bebff4a8a0efe6300ada72";
const SUITES = ["parley/ask chat", "parley/ask responses", "parley/respond chat"];

export const packages = ["@langchain/openai@1.6.0", "@langchain/core@1.4.0", "vitest@3.2.6", "zod@4.6.7"];

/** Fetches the tests from GitHub, or from the repository that $LANGCHAINJS names. @param {string} folder */
export async function prepare(folder) {
  const source = join(folder, "langchainjs");
  if (existsSync(join(source, "internal"))) return undefined;
  mkdirSync(source, { recursive: true });
  const from = process.env["LANGCHAINJS"] ?? "https://github.com/langchain-ai/langchainjs";
  for (const words of [
    ["init", "-q"],
    ["fetch", "-q", "--depth", "1", from, COMMIT],
    ["checkout", "-q", COMMIT, "--", "internal/standard-tests/src"],
  ]) {
    const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
    const { code, output } = await capture(["git", ...words], { cwd: source, env, limitMs: 120_000 });
    if (code !== 0)
      return `LangChain's tests cannot be fetched; name a clone by LANGCHAINJS (${output.trim()})`;
  }
  return undefined;
}

/** @param {import("./harness.mjs").Bench} bench */
export async function check({ folder, serve, bin, report }) {
  const { url, key } = await serve("calls=%2A");
  copyFileSync(join(import.meta.dirname, "langchain-suites.txt"), join(folder, "suites.test.ts"));
  const results = join(folder, "results.json");
  const env = {
    PARLEY_URL: url,
    PARLEY_KEY: key,
    SUITES: JSON.stringify(SUITES),
    LANGCHAIN_TRACING_V2: "false",
  };
  const args = ["run", "--root", folder, "--reporter=json", `--outputFile=${results}`, "suites.test.ts"];
  await bin("vitest/vitest.mjs", args, { cwd: folder, env }).catch((error) =>
    process.stdout.write(`${error}\n`),
  );
  /** @type {{ testResults: { assertionResults: { fullName: string, status: string, failureMessages: string[] }[] }[] }} */
  const { testResults } = JSON.parse(readFileSync(results, "utf8"));
  writeFileSync(results, "{}");
  for (const { fullName, status, failureMessages } of testResults.flatMap((one) => one.assertionResults)) {
    process.stdout.write(`${failureMessages.join("\n").slice(0, 1_500)}\n`);
    const ok = status === "passed";
    const reason = failureMessages.join(" ").replace(/\s+/g, " ").slice(0, 300) || status;
    report({ name: fullName.replace(" should ", ": "), ok, reason: ok ? "" : reason });
  }
}
