import { createServer } from "node:http";
import { readdirSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { keyFilePath, storeKey } from "../../src/config/keys.ts";
import { providers } from "../../src/models/index.ts";
import { built, QUESTION, somewhere } from "./parley.ts";

built();

const VARIABLES = [...new Set(Object.values(providers).flatMap(({ keyVariables }) => keyVariables))];
const keyOf = (name: string) => `sk-canary-${name.toLowerCase().replaceAll("_", "-")}-0123456789abcdef`;

/** A provider that says back whatever it was sent: in an error for the model `err`, else in its reply. */
async function echo() {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const said = `${request.headers.authorization ?? ""} ${String(request.headers["x-api-key"] ?? "")}`;
      const failing = body.includes('"model":"err"');
      response.writeHead(failing ? 401 : 200, { "content-type": "application/json" });
      response.end(
        JSON.stringify(
          failing
            ? { error: { message: `invalid key ${said}`, type: "invalid_request_error" } }
            : {
                choices: [
                  {
                    message: { role: "assistant", content: `you sent ${said}\n\nFinal answer: 391` },
                    finish_reason: "stop",
                  },
                ],
                usage: { prompt_tokens: 3, completion_tokens: 4 },
              },
        ),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/v1`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

it("lets no key into the store, a log, an error or an export, whatever a provider says back", async () => {
  await using place = somewhere();
  await using server = await echo();
  const env = {
    ...Object.fromEntries(VARIABLES.map((name) => [name, keyOf(name)])),
    OPENAI_BASE_URL: server.url,
    ANTHROPIC_BASE_URL: server.url.replace("/v1", ""),
    PARLEY_DEBUG: "1",
  };
  const ask = (models: string) => place.run([QUESTION, "--models", models, "--events"], env);
  const respond = (model: string, judge: string) =>
    place.run(["respond", QUESTION, "--model", model, "--judge", judge, "--respondent-b", "--events"], env);
  const outputs = [
    await ask("openai/gpt-5-mini,openai/b,openai/c"),
    await ask("openai/err,openai/err,openai/err"),
    await ask("anthropic/err,anthropic/err"),
    await place.run([QUESTION, "--models", "openai/err,openai/err"], env),
    await respond("openai/gpt-5-mini", "openai/judy"),
    await respond("openai/gpt-5-mini", "openai/err"),
    ...(await Promise.all(
      [["models"], ["config"], ["doctor"], ["list"]].map((args) => place.run(args, env)),
    )),
  ];
  expect(outputs.map(({ code }) => code).slice(0, 6)).toEqual([0, 4, 4, 4, 0, 0]);
  const ids = [
    ...new Set(
      outputs.flatMap(({ stdout }) =>
        [...stdout.matchAll(/"deliberation":"([a-z0-9]+)"/g)].map(([, id = ""]) => id),
      ),
    ),
  ];
  expect(ids).toHaveLength(5);
  for (const id of ids) {
    for (const format of ["md", "json", "jsonl"])
      outputs.push(await place.run(["export", id, "--format", format], env));
    outputs.push(await place.run(["show", id, "--all"], env), await place.run(["show", id], env));
  }
  const places = [
    ...outputs.map(({ stdout, stderr }, index) => ({ where: `output ${index}`, text: stdout + stderr })),
    ...filesUnder(place.folder).map((file) => ({ where: file, text: readFileSync(file, "latin1") })),
  ];
  // The canaries were sent, or the search would prove nothing.
  expect(outputs[0]?.stdout).toContain("you sent");
  const remembered = [4, 5].flatMap((index) =>
    [...(outputs[index]?.stdout ?? "").matchAll(/"type":"engram-written".*/g)].map(([line]) => line),
  );
  expect(remembered.map((line) => line.includes("you sent"))).toEqual([true, true, true, true]);
  for (const name of VARIABLES) {
    expect(places.filter(({ text }) => text.includes(keyOf(name))).map(({ where }) => where)).toEqual([]);
  }
}, 60_000);

it("leaves a stored key in its own file alone, whatever a provider says back", async () => {
  await using place = somewhere();
  await using server = await echo();
  const key = keyOf("STORED");
  const owner = { env: { PARLEY_HOME: place.home, HOME: place.folder, PATH: "/nowhere" }, cwd: place.cwd };
  expect(storeKey(owner, "OPENAI_API_KEY", key)).toBe("file");
  const env = { OPENAI_BASE_URL: server.url, PARLEY_DEBUG: "1" };
  const outputs = [
    await place.run([QUESTION, "--models", "openai/a,openai/b,openai/c", "--events"], env),
    await place.run([QUESTION, "--models", "openai/err,openai/err", "--events"], env),
    await place.run(["export", "--format", "jsonl"], env),
    await place.run(["keys", "list", "--json"], env),
  ];
  expect(outputs.map(({ code }) => code)).toEqual([0, 4, 0, 0]);
  // The key was sent, or the search would prove nothing.
  expect(outputs[0]?.stdout).toContain("you sent Bearer [redacted]");
  expect(outputs.filter(({ stdout, stderr }) => (stdout + stderr).includes(key))).toEqual([]);
  const holding = filesUnder(place.folder).filter((file) => readFileSync(file, "latin1").includes(key));
  expect(holding).toEqual([keyFilePath(owner)]);
}, 30_000);
