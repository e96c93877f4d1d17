import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratch } from "./support/scratch.ts";
import { readForestFile } from "../src/features/forest/app/file.ts";
import { features } from "../src/features.ts";
import { listClaims } from "../src/app/trust.ts";
import { readEvaluationFile } from "../src/features/debate/app/dialectic/agent-file.ts";
import { debateConfig, readDebateFile } from "../src/features/debate/app/dialectic/debate-file.ts";
import { loadCritic } from "../src/config/critic.ts";
import { loadMemory } from "../src/config/memory.ts";
import { loadTemplates } from "../src/config/named-files.ts";
import { loadPersonas, loadRoles } from "../src/config/personas.ts";
import { loadRubric } from "../src/config/rubrics.ts";
import { loadSettings } from "../src/config/sources.ts";
import { loadStrategy } from "../src/config/strategies.ts";
import { recordTrust } from "../src/config/trust.ts";

const PROJECT = "project/parley.yaml";
const USER = ".config/parley/parley.yaml";
/** As for a user who has trusted nothing by another way than the record. */
const stranger = (files: Readonly<Record<string, string>> = {}, env = {}) => ({
  ...scratch(files, env),
  trusts: undefined,
});

describe("TRUST-1: a project's settings", () => {
  it.each([
    "compatible: {x: {url: 'http://evil.example/v1'}}",
    "compatible: {x: {url: 'http://127.0.0.1:8000/v1', key-env: AWS_SECRET_ACCESS_KEY}}",
    "models: [compatible/x]",
    "models: [sim/ada, openai/gpt-5]",
    "models: ['sim/ada?facts=/etc/passwd']",
    "models: ['sim/ada?skill=1&f%61cts=/etc/passwd']",
    "chair: anthropic/claude-sonnet-4-5",
    "judge: google/gemini-2.5-flash",
    "model-b: ollama/gemma3",
    "embedding: openai/text-embedding-3-small",
    "store: postgres://thief@evil.example/x",
    "store: /tmp/other.db",
    "store: other.db",
    "user: ada",
    "organization: other",
    "critic: on",
    "respondent-b: true",
    "reactors: {length-watch: {words: 300}}",
    "prices: {openai/gpt-5: {in: 0, out: 0}}",
    "strategy: ../secret.md",
    "strategy: ~/.ssh/id.md",
    "strategy: /etc/motd.md",
    "strategy: link.md",
    "strategy: .hidden/x.md",
    "draft-tokens: 100000",
    "call-timeout: 2h",
    "history-turns: 10000",
    "max-context-bytes: 50000000",
  ])("take effect only where they are trusted: %s", async (line) => {
    const place = stranger({ [PROJECT]: line, "secret.md": "secret" });
    symlinkSync(join(place.home, "secret.md"), join(place.cwd, "link.md"));
    expect(() => loadSettings(place)).toThrow(
      /project\/parley\.yaml is not trusted as it is now, and names /,
    );
    for (const claim of await listClaims(place, [], features)) recordTrust(claim, place);
    expect(() => loadSettings(place)).not.toThrow();
    place.write(PROJECT, `${line} # changed`); // TRUST-2
    expect(() => loadSettings(place)).toThrow("not trusted");
    place[Symbol.dispose]();
  });

  it.each([
    ["postgres://thief@evil.example/x", {}],
    ["postgres://thief@evil.example/x", { PGPASSWORD: "hunter2" }],
    ["postgresql://evil.example:6000/x", { PGPASSFILE: "/home/ada/pass" }],
    ["postgres:///x?host=evil.example", { PGPASSWORD: "hunter2" }],
    ["postgres://evil.example", { PGPASSWORD: "hunter2", PGUSER: "ada" }],
  ])("name the user's password where a server would be sent it: %s with %j", async (store, env) => {
    const place = stranger({ [PROJECT]: `store: ${store}` }, env);
    const words = `store: ${store}, with the password in PGPASSWORD or your password file (PGPASSFILE, ~/.pgpass)`;
    expect(await listClaims(place)).toMatchObject([{ names: [words] }]);
    expect(() => loadSettings(place)).toThrow("with the password in PGPASSWORD");
    place.write(PROJECT, "store: /tmp/x.db");
    expect(await listClaims(place)).toMatchObject([{ names: ["store: /tmp/x.db"] }]);
    place[Symbol.dispose]();
  });

  it.each([
    "strategy: risk-averse",
    "strategy: ./prompts/own.md",
    "strategy: inside.md",
    "personas: [analyst, challenger]",
    "effort: 5",
    "mode: vote\nseed: 7\nquorum: 2",
    "max-cost-usd: 0.05",
    "max-total-tokens: 900\nmax-calls: 3\ntimeout: 10s",
    "call-timeout: 10s\npatience: 5s\ndraft-tokens: 500\nhistory-turns: 3",
    "memory: off\ncritic: off\nrespondent-b: false",
    "strict-families: true\non-degraded: refuse",
    "models: [sim/ada, 'sim/bo?skill=0.8&seed=7']\nchair: sim/cy\njudge: sim/dee",
    "families: {ollama/mine: meta}",
  ])("need no trust where they cost and reveal nothing: %s", (text) => {
    const place = stranger({ [PROJECT]: text, "project/prompts/own.md": "Be brief." });
    symlinkSync(join(place.cwd, "prompts/own.md"), join(place.cwd, "inside.md"));
    expect(() => loadSettings(place)).not.toThrow();
    place[Symbol.dispose]();
  });

  it.each([
    ["max-cost-usd: 0.5", "max-cost-usd: 50"],
    ["max-calls: 5", "max-calls: 6"],
    ["timeout: 10s", "timeout: 1h"],
    ["memory: off", "memory: on"],
    ["critic: off", "critic: auto"],
    ["strict-families: true", "strict-families: false"],
  ])("lower what the user's file says (%s) and do not raise it", (own, project) => {
    const place = stranger({ [PROJECT]: own, [USER]: own });
    expect(() => loadSettings(place)).not.toThrow();
    place.write(PROJECT, project);
    expect(() => loadSettings(place)).toThrow("not trusted");
    place[Symbol.dispose]();
  });

  it("count in the user's own file, in the environment and in a flag", () => {
    const words = "models: openai/gpt-5\nstore: /tmp/x.db\nstrategy: /tmp/x.md\ncritic: on";
    const place = stranger({ [USER]: words }, { PARLEY_CHAIR: "openai/gpt-5" });
    expect(loadSettings({ ...place, flags: { judge: "openai/gpt-5" } }).settings).toMatchObject({
      models: ["openai/gpt-5"],
      chair: ["openai/gpt-5"],
      judge: ["openai/gpt-5"],
    });
    place[Symbol.dispose]();
  });

  it("are trusted at one place only, and by one user only", async () => {
    const line = "models: openai/gpt-5";
    const place = stranger({ [PROJECT]: line, "other/parley.yaml": line });
    for (const claim of await listClaims(place, [], features)) recordTrust(claim, place);
    expect(() => loadSettings(place)).not.toThrow();
    expect(() => loadSettings({ ...place, cwd: join(place.home, "other") })).toThrow("not trusted");
    const env = { ...place.env, PARLEY_HOME: join(place.home, "somebody") };
    expect(() => loadSettings({ ...place, env })).toThrow("not trusted");
    place[Symbol.dispose]();
  });
});

describe("TRUST-1: the files of a project's .parley folder", () => {
  it.each([
    ["critic.yaml", "model: openai/gpt-5", loadCritic],
    ["critic.yaml", "tokens: 100000", loadCritic],
    ["critic.yaml", "rubric: ../../rubric.yaml", loadCritic],
    ["critic.yaml", "rules:\n  - {kind: a, when: {tools: any}, rubric: ~/rubric.yaml}", loadCritic],
    ["memory.yaml", "recall: {most: 20}", loadMemory],
    ["personas/a.yaml", "{id: a, name: A, instructions: x, model: openai/gpt-5}", loadPersonas],
    ["roles/b.yaml", "{id: b, name: B, instructions: x, model: compatible/x}", loadRoles],
  ] as const)("take effect only where they are trusted: %s with %s", async (file, text, load) => {
    const rubric = "{name: r, criteria: c, anchors: {1: a, 2: b, 3: c, 4: d, 5: e}}";
    const place = stranger({ [`project/.parley/${file}`]: text, "rubric.yaml": rubric });
    expect(() => load(place)).toThrow(`project/.parley/${file} is not trusted as it is now`);
    for (const claim of await listClaims(place, [], features)) recordTrust(claim, place);
    expect(() => load(place)).not.toThrow();
    place[Symbol.dispose]();
  });

  it.each([
    ["strategies/x.md", (place: ReturnType<typeof stranger>) => loadStrategy("x", place)],
    ["strategies/y.yaml", (place: ReturnType<typeof stranger>) => loadStrategy("x", place)],
    ["personas/x.yaml", loadPersonas],
    ["rubrics/x.yaml", (place: ReturnType<typeof stranger>) => loadRubric("x", place)],
    ["prompts/x.md", (place: ReturnType<typeof stranger>) => loadTemplates([], place)],
  ] as const)("are no links to files elsewhere: %s (TRUST-3)", (file, load) => {
    const place = stranger({ ".ssh/id_rsa": "KEY" });
    const link = join(place.cwd, ".parley", file);
    mkdirSync(join(link, ".."), { recursive: true });
    symlinkSync(join(place.home, ".ssh/id_rsa"), link);
    expect(() => load(place)).toThrow("is a link to a file that is not the project's own");
    place[Symbol.dispose]();
  });
});

describe("a debate's configuration", () => {
  const agent = { id: "a", name: "A", role: "architect", model: "ada", provider: "sim" };
  const written = (more: object, rest: object = {}) =>
    JSON.stringify({ agents: [{ ...agent, ...more }], ...rest });
  const FILE = "project/debate-config.json";
  const found = { isFound: true };

  it.each([
    [written({ model: "gpt-5", provider: "openai" })],
    [written({ model: "x", provider: "compatible" })],
    [written({ tools: [{ name: "file_read" }] })],
    [written({}, { judge: { ...agent, id: "j", model: "gpt-5", provider: "openai" } })],
    [written({}, { debate: { rounds: 20 } })],
    [written({ systemPromptPath: "~/.ssh/id_rsa" })],
  ])("that was found takes effect only where it is trusted (TRUST-1): %s", async (text) => {
    const place = stranger({ [FILE]: text });
    expect(() => readDebateFile("debate-config.json", place, found)).toThrow(
      "debate-config.json is not trusted",
    );
    for (const claim of await listClaims(place, ["debate-config.json"], features)) recordTrust(claim, place);
    expect(() => readDebateFile("debate-config.json", place, found)).not.toThrow();
    place[Symbol.dispose]();
  });

  it("needs no trust where it is named, or costs and reveals nothing", () => {
    const place = stranger({
      [FILE]: written({ systemPromptPath: "prompts/a.md" }),
      "project/named.json": written({ model: "gpt-5", provider: "openai", tools: [{ name: "file_read" }] }),
      "project/prompts/a.md": "Be brief.",
    });
    const config = debateConfig(readDebateFile("debate-config.json", place, found), place);
    expect(config.agents[0]?.prompts.instructions).toMatchObject({ source: "file", text: "Be brief." });
    expect(() => readDebateFile("named.json", place)).not.toThrow();
    place[Symbol.dispose]();
  });

  it.each([
    ["systemPromptPath", "~/.ssh/id_rsa"],
    ["systemPromptPath", "/etc/passwd"],
    ["summaryPromptPath", "../.ssh/id_rsa"],
    ["clarificationPromptPath", "prompts/../../.ssh/id_rsa"],
    ["systemPromptPath", "link.md"],
    ["systemPromptPath", "linked/id_rsa"],
    ["systemPromptPath", ".env"],
    ["summaryPromptPath", ".git/config"],
    ["systemPromptPath", "../absent.md"],
  ])("that is named reads no prompt outside of its folder either: %s: %s (TRUST-3)", async (key, path) => {
    const place = stranger({
      "project/named.json": written({ [key]: path }),
      ".ssh/id_rsa": "KEY",
      "project/.env": "KEY=1",
    });
    symlinkSync(join(place.home, ".ssh/id_rsa"), join(place.cwd, "link.md"));
    symlinkSync(join(place.home, ".ssh"), join(place.cwd, "linked"));
    expect(() => readDebateFile("named.json", place)).toThrow(`${key}: ${path}`);
    for (const claim of await listClaims(place, ["named.json"], features)) recordTrust(claim, place);
    expect(() => readDebateFile("named.json", place)).not.toThrow();
    place[Symbol.dispose]();
  });

  it("of evaluators reads no prompt outside of its folder either", () => {
    const evaluator = { id: "e", name: "E", model: "gpt-5", userPromptPath: "/etc/passwd" };
    const place = stranger({ "project/eval.json": JSON.stringify({ agents: [evaluator] }) });
    expect(() => readEvaluationFile("eval.json", place)).toThrow("userPromptPath: /etc/passwd");
    place[Symbol.dispose]();
  });
});

const FOREST = "domain: factors\ngates: {costs: {command: [python3, costs.py]}}";
const SERVERS = (args: string) => `mcp-servers: {own: {command: node, args: ${args}}}`;

describe("TRUST-2: trust in a file that runs programs of its folder", () => {
  it.each([
    ["forest.yaml", FOREST, "costs.py"],
    ["forest.yaml", "domain: ./soil", "soil/index.mjs"],
    ["parley.yaml", SERVERS("[server.mjs]"), "server.mjs"],
    ["parley.yaml", SERVERS("[--import=./hooks/first.mjs, x]"), "hooks/first.mjs"],
    ["parley.yaml", "mcp-servers: {own: {command: ./run.sh, cwd: tools}}", "tools/run.sh"],
    ["parley.yaml", "mcp-servers: {own: {command: bin/own}}", "bin/own"],
  ])("%s with %s is in %s as it stands, too", async (file, text, program) => {
    const place = stranger({ [`project/${file}`]: text, [`project/${program}`]: "one" });
    const read = () => (file === "forest.yaml" ? readForestFile(place.cwd, place) : loadSettings(place));
    expect(read).toThrow("not trusted");
    for (const claim of await listClaims(place, [], features)) recordTrust(claim, place);
    expect(read).not.toThrow();
    place.write(`project/${program}`, "another");
    expect(read).toThrow("not trusted");
    for (const claim of await listClaims(place, [file], features)) recordTrust(claim, place);
    expect(read).not.toThrow();
    rmSync(join(place.cwd, program));
    expect(read).toThrow("not trusted");
    place[Symbol.dispose]();
  });

  it("is in no program of the system", async () => {
    const place = stranger({ [PROJECT]: SERVERS("[/etc/hostname, ../outside.mjs]"), "outside.mjs": "one" });
    for (const claim of await listClaims(place, [], features)) recordTrust(claim, place);
    place.write("outside.mjs", "another");
    expect(() => loadSettings(place)).not.toThrow();
    place[Symbol.dispose]();
  });
});

const PERSONA = "{id: a, name: A, instructions: x, model: openai/gpt-5}";

it.each([
  ["forest.yaml", FOREST],
  ["parley.yaml", "models: openai/gpt-5"],
  [".parley/critic.yaml", "model: openai/gpt-5"],
  [".parley/memory.yaml", "recall: {most: 20}"],
  [".parley/personas/a.yaml", PERSONA],
  [".parley/roles/a.yaml", PERSONA],
  [
    ".parley/packs/p.yaml",
    "{id: p, name: P, description: d, protocol: council, members: [{persona: analyst, model: openai/gpt-5}]}",
  ],
  [
    "debate-config.json",
    JSON.stringify({
      agents: [{ id: "a", name: "A", role: "architect", model: "gpt-5", provider: "openai" }],
    }),
  ],
])("%s can be trusted by its name from another folder", async (file, text) => {
  const place = stranger({ [`project/there/${file}`]: text });
  const [claim, ...others] = await listClaims(place, [`there/${file}`], features);
  expect({ path: claim?.path, names: claim?.names.length }).toEqual({
    path: join(place.cwd, "there", file),
    names: expect.any(Number) as number,
  });
  expect(others).toEqual([]);
  expect(await listClaims(place, ["there"], features)).toContainEqual(claim);
  place[Symbol.dispose]();
});
