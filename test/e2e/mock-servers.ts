import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { ChatCompletionRequest } from "@copilotkit/aimock";
import { onTestFinished } from "vitest";
import { ModelRef } from "../../src/kernel/index.ts";
import { scriptsOf } from "../../src/app/registry.ts";
import { features } from "../../src/features.ts";
import { createSim } from "../../src/sim/index.ts";

// What the tests with servers and packages of others share.

export type Variables = Readonly<Record<string, string>>;

const sim = createSim({ scripts: scriptsOf(features) });

/** What a simulated model of this name says, so that drafts, rankings and verdicts are in the forms that are asked for. */
export async function simulated({ model, messages }: ChatCompletionRequest): Promise<{ content: string }> {
  const attempted = await sim.send(
    {
      model: ModelRef.parse(`sim/${model.replaceAll("/", "-")}?skill=1`),
      maxOutputTokens: 4_000,
      messages: messages.flatMap(({ role, content }) => {
        const text =
          typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
        return role === "tool" ? [] : [{ role, text: text.replace(/^Picture 1:/, "") }];
      }),
    },
    { attempt: 1, signal: new AbortController().signal, onText: () => {} },
  );
  if (!attempted.ok) throw new Error(attempted.failure.message);
  return { content: attempted.text };
}

/** The `node_modules` that `bench/other-servers.mjs` installed what is too large to be a dependency in. */
export const installed = join(process.env["PARLEY_OTHER_SERVERS"] ?? "", "node_modules");

/** Whether a package is not there, which is said. */
export function isAbsent(name: string): boolean {
  const absent = !process.env["PARLEY_OTHER_SERVERS"] || !existsSync(join(installed, name));
  if (absent) process.stdout.write(`skipped: ${name} is run by node bench/other-servers.mjs\n`);
  return absent;
}

const MOCK_KEY = "sk-mock-0123456789";

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/** A server of openai-mock-api with these conversations, whose last message of the assistant is what it answers. */
export async function openaiMockApi(
  at: string,
  conversations: readonly (readonly object[])[],
): Promise<Variables> {
  const port = await freePort();
  const responses = conversations.map((messages, index) => ({ id: `r${index}`, messages }));
  writeFileSync(join(at, "mock.yaml"), JSON.stringify({ apiKey: MOCK_KEY, responses }));
  const program = join(installed, "openai-mock-api/dist/cli.js");
  const child = spawn(process.execPath, [program, "--config", join(at, "mock.yaml"), "--port", String(port)]);
  onTestFinished(() => void child.kill());
  await new Promise<void>((resolve, reject) => {
    let written = "";
    child.stdout.on("data", (bytes: Buffer) => {
      written += bytes.toString();
      if (/started|listening|running/i.test(written)) resolve();
    });
    child.once("exit", () => reject(new Error(written)));
  });
  return { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: MOCK_KEY };
}
