import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { listCommands, longFlag } from "../src/cli/command.ts";
import { CommandError } from "../src/cli/errors.ts";
import { built, somewhere, type Ended } from "./e2e/parley.ts";
import { allRows } from "../src/cli/protocol-command.ts";
import { commandIo } from "./support/command-io.ts";
import { openFakeServer } from "./support/fake-server.ts";

// What people do wrong on the command line: one line says it, the next what to do, and no model is called.

built();

const Q = "What is 17 * 23?";
const M = ["--models", "openai/gpt-5-mini"];

const FILES: Record<string, string | Uint8Array> = {
  "a.md": "alpha",
  "b.md": "beta",
  "docs/c.md": "gamma",
  "empty/x.png": "\0",
  "latin.txt": new Uint8Array([0x61, 0xe9, 0x62]),
  "wide.txt": new Uint8Array([0xff, 0xfe, 0x61, 0x00]),
  "bin.dat": "a\0b",
  "big.txt": "x".repeat(1_000_001),
  "open/parley.yaml": "models: [sim/ada\n",
  "tab/parley.yaml": "models:\n\t- sim/ada\n",
  "typo/parley.yaml": "max_cost_usd: 1\n",
  "items/parley.yaml": "models:\n  - sim/ada\n   - sim/bo\n",
  "risk/parley.yaml": "effort: 1\nstrategy: risk-adverse\n",
  "url/parley.yaml": "compatible:\n  lab:\n    url: x/v1\n",
  "camel/parley.yaml": "maxCostUsd: 1\n",
  "modls/parley.yaml": "modls: [sim/ada]\n",
  "persona/.parley/personas/lawyer.md": "Be a lawyer.\n",
  "twice/parley.yaml": "effort: 1\neffort: 2\n",
  "ur/parley.yaml": "compatible:\n  lab:\n    ur: http://x/v1\n",
  "secret/parley.yaml": "key: sk-abcdef0123456789abcdef0123456789\n",
  "brace/parley.yaml": "models: [a\nb: {",
  "strateg/parley.yaml": "strateg: balanced\n",
  "tasks.jsonl": '{"id": "a", "question": "Is 2 + 2 equal to 4?", "answer": "yes"}\n',
  "s.yaml": "story_id: X\ntitle: x\nneeds: [judge]\nturns:\n  - query: hi\n",
};

type Row = {
  readonly args: readonly string[];
  readonly says: RegExp;
  readonly code?: number;
  readonly env?: Record<string, string>;
  /** In the folder of this name. */
  readonly cd?: string;
};

const RESPOND = ["respond", Q, "--model", "sim/ada"];

const ROWS: readonly Row[] = [
  ...["nonsense", ""].map((models): Row => ({
    args: ["serve", "keys", "new", "ci", "--models", models],
    says: /--models takes model references, provider\/model .*\nTry: --models openai\//,
  })),
  // Words that are no question.
  ...[
    "sessions",
    "version",
    "HELP",
    "login",
    "launch",
    "update",
    "logs",
    "quit",
    "list-all",
    "Show",
    "lsit",
    "exit",
    "hello",
  ].map((word): Row => ({
    args: [word, ...M],
    says: new RegExp(`"${word}" is not a command.*parley ask ${word}\\.\nTry: parley `),
  })),
  { args: ["help", "nosuch"], says: /"nosuch" is not a command/ },
  { args: ["help", "me", "plan"], says: /"me" is not a command.*parley ask 'help me plan'/ },
  { args: [Q, "--context", "a.md", "b.md", ...M], says: /"b\.md" is a file.*\nTry: --context a\.md,b\.md/ },
  { args: [Q, "a.md", ...M], says: /"a\.md" is a file/ },
  {
    args: ["council", Q, ...M, "openai/gpt-5"],
    says: /"openai\/gpt-5" is a model.*\nTry: --models openai\/gpt-5-mini,openai\/gpt-5;/,
  },
  { args: ["ask", "", ...M], says: /the question is empty.\nTry: / },
  // Models.
  {
    args: [Q, "-m", "gpt-5-mimi"],
    says: /no model that can be reached is called "gpt-5-mimi"\.?\nTry: .*openai\/gpt-6.1-terra/,
  },
  { args: [Q, "-m", "opnai/gpt-5"], says: /there is no provider "opnai".*\nTry: openai\/gpt-5\n/ },
  { args: [Q, "-m", "antropic/claude"], says: /\nTry: anthropic\/claude\n/ },
  { args: [Q, "-m", "mistral/large"], says: /mistral needs a key; set MISTRAL_API_KEY/, code: 4 },
  {
    args: ["respond", Q, "--model", "openai/a,openai/b"],
    says: /--model takes one model .*\nTry: --model openai\/a; parley council --models openai\/a,openai\/b/,
  },
  { args: ["respond", Q, "-m", "openai/a", "--model", "openai/b"], says: /--model takes one model/ },
  // Files.
  { args: [Q, ...M, "--context", "missing.md"], says: /missing\.md does not exist.\nTry: check the path/ },
  { args: [Q, ...M, "--context", "a.md,missing.md"], says: /missing\.md does not exist/ },
  { args: [Q, ...M, "--context", "*.rst"], says: /\*\.rst matches no text, picture or PDF/ },
  {
    args: [Q, ...M, "--context", "empty"],
    says: /empty has no text, picture or PDF: skipped x\.png \(binary\)/,
  },
  { args: [Q, ...M, "--context", "bin.dat"], says: /bin\.dat is binary/ },
  { args: [Q, ...M, "--context", "big.txt"], says: /has more than 1 MB.\nTry: .*max-context-bytes/ },
  { args: [Q, ...M, "--context", "latin.txt"], says: /is not UTF-8 text/ },
  { args: [Q, ...M, "--context", "wide.txt"], says: /is UTF-16, not UTF-8/ },
  // Options.
  {
    args: [Q, ...M, "--strategy", "risk-adverse"],
    says: /no strategy "risk-adverse".\nTry: the nearest is risk-averse/,
  },
  { args: [Q, ...M, "--effort", "9"], says: /--effort .*1 to 5.*\n(Try: )?/ },
  { args: [Q, ...M, "--max-cost-usd"], says: /argument missing.\nTry: parley ask --help/ },
  { args: [Q, ...M, "--timeout", "soon"], says: /--timeout must be a duration/ },
  { args: [Q, ...M, "--max-cost", "1"], says: /unknown option '--max-cost'.\nTry: --max-cost-usd\n/ },
  { args: [Q, ...M, "--no-stream"], says: /\nTry: --quiet\n/ },
  { args: [Q, ...M, "--budget", "1"], says: /\nTry: --max-cost-usd\n/ },
  { args: [Q, ...M, "--file", "a.md"], says: /\nTry: --context\n/ },
  {
    args: [Q, "--models", "openai/gpt-5.6?effort=hihg"],
    says: /openai takes no effort "hihg" \(it takes none, minimal, .*\)\nTry: name one of these, or none/,
  },
  { args: [Q, ...M, "--modles", "x/y"], says: /\nTry: --models; parley ask --help lists all\n/ },
  {
    args: [Q, ...M, "--output", "f"],
    says: /\nTry: parley ask --help; --output is an option of parley debate, resume, export\n/,
  },
  {
    args: ["debate", Q, ...M, "--system", "be short"],
    says: /unknown option '--system'.\nTry: parley debate --help; --system is an option of parley ask, /,
  },
  { args: ["chat", "--model", "openai/gpt-5-mini", "--max-cost", "1"], says: /\nTry: --max-cost-usd\n/ },
  { args: [Q, ...M, "--temperature", "5"], says: /--temperature must be a number from 0 to 2 \(got 5\)/ },
  { args: [Q, ...M, "--persona", "lawyer"], says: /there is no persona "lawyer".\nTry: there are analyst, / },
  {
    args: [Q, ...M, "--persona", "lawyer"],
    cd: "persona",
    says: /lawyer\.md:1:1: .*\nTry: begin it with ---/,
  },
  {
    args: [Q, ...M, "--max-cost-usd", "1"].map((word) => word.replace("gpt-5-mini", "gpt-99")),
    says: /price of openai\/gpt-99 is unknown/,
  },
  {
    args: [Q, "-m", "openai/gpt-5-mini"],
    env: { OPENAI_API_KEY: "", OPENAI_BASE_URL: "" },
    says: /set OPENAI_API_KEY/,
    code: 4,
  },
  { args: ["Should I learn Rust?"], env: { OPENAI_API_KEY: "", OPENAI_BASE_URL: "" }, says: /no model/i },
  { args: [Q, ...M, "--system", "@nix.md"], says: /nix\.md does not exist.\nTry: / },
  { args: [Q, ...M, "--pack", "risk-reviw"], says: /no pack "risk-reviw".\nTry: the nearest is risk-review/ },
  // A file of variables is read by every command.
  { args: ["list", "--env-file", "nix.env"], says: /the env file nix\.env cannot be read/ },
  { args: ["test", "-e", "nix.env", "a.md"], says: /the env file nix\.env cannot be read/ },
  { args: ["feedback", "x", "good"], says: /rating must be up or down/ },
  // Settings.
  { args: [Q], cd: "open", says: /parley\.yaml:\d+:\d+: .*\nTry: close the bracket before it, or / },
  { args: [Q], cd: "tab", says: /parley\.yaml:2.*Tabs .*\nTry: indent with spaces\n/ },
  {
    args: [Q],
    cd: "items",
    says: /parley\.yaml:2:\d+: "sim\/ada - sim\/bo" is not a model reference; expected /,
  },
  {
    args: [Q],
    cd: "risk",
    says: /parley\.yaml:2: there is no strategy "risk-adverse".\nTry: the nearest is risk-averse/,
  },
  { args: [Q], cd: "url", says: /lab\.url must be an http or https URL \(got "x\/v1"\)\nTry: http:/ },
  { args: [Q], cd: "camel", says: /unknown setting "maxCostUsd".\nTry: did you mean max-cost-usd\?/ },
  { args: [Q], cd: "modls", says: /unknown setting "modls".\nTry: did you mean models\?/ },
  { args: [Q], cd: "typo", says: /unknown setting "max_cost_usd".\nTry: did you mean max-cost-usd\?/ },
  { args: [Q], cd: "twice", says: /effort/ },
  { args: [Q], cd: "ur", says: /unknown key "ur".\nTry: did you mean url\?/ },
  { args: [Q], cd: "secret", says: /secret/ },
  {
    args: [Q],
    env: { PARLEY_MODLES: "x/y" },
    says: /PARLEY_MODLES is not a setting.\nTry: did you mean PARLEY_MODELS\?/,
  },
  { args: [Q], cd: "brace", says: /parley\.yaml:\d+/ },
  { args: [Q], cd: "strateg", says: /strategy/ },
  { args: ["list"], env: { PARLEY_HOME: "", HOME: "" }, says: /HOME is empty/ },
  // Where the store is.
  { args: ["list"], env: { PARLEY_HOME: "/dev/null/x" }, says: /store/ },
  { args: ["list"], env: { PARLEY_HOME: "/proc/nothere" }, says: /store/ },
  { args: ["list"], env: { PARLEY_STORE: "/etc/passwd" }, says: /\/etc\/passwd/ },
  {
    args: ["list"],
    env: { PARLEY_DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/x" },
    says: /127\.0\.0\.1:1/,
  },
  { args: ["list"], env: { PARLEY_DATABASE_URL: "mysql://localhost/x" }, says: /postgres/ },
  // Runs that are not there.
  { args: ["show", "nosuchthing"], says: /parley list/ },
  { args: ["fork", "nosuchthing"], says: /no run/ },
  { args: [...RESPOND, "--continue", "nosuchthing"], says: /no run "nosuchthing"/ },
  { args: ["feedback", "nosuchthing", "up"], says: /no run "nosuchthing"/ },
  { args: ["feedback", "x", "sideways"], says: /rating must be up or down \(got "sideways"\)/ },
  { args: ["feedback", "x"], says: /a rating or an --outcome is missing/ },
  // What does not go together, or lacks something.
  { args: ["ask", "  "], says: /the question is empty\.\nTry: parley "Which database fits\?"/ },
  { args: ["respond"], says: /the question is empty/ },
  { args: ["respond", "  "], says: /the question is empty/ },
  {
    args: ["debate", "Should I learn Rust?"],
    env: { OPENAI_API_KEY: "", OPENAI_BASE_URL: "" },
    says: /no model is connected.*\nTry: parley keys set openai; or ollama pull/,
  },
  { args: [Q, "-m", "sim/a?skil=1"], says: /did you mean "skill"/ },
  { args: [Q, "-m", "sim/a?skill=2"], says: /skill/ },
  { args: [Q, ...M, "--strategy", "goal-seeking"], says: /goal-seeking needs a goal/ },
  { args: [Q, ...M, "--mode", "both"], says: /consensus.*vote/ },
  { args: [Q, ...M, "--json", "--events"], says: /cannot be used with/ },
  { args: [Q, ...M, "-x", "--events"], says: /cannot be used with/ },
  { args: [Q, ...M, "--schema", "s.json", "--events"], says: /cannot be used with/ },
  {
    args: [Q, "-m", "openrouter/x/y", "--max-cost-usd", "1"],
    env: { OPENROUTER_API_KEY: "k" },
    says: /price of openrouter\/x\/y is unknown/,
  },
  {
    args: [Q, "-m", "openrouter/qwen/qwen3-max", "--search", "--max-cost-usd", "1"],
    env: { OPENROUTER_API_KEY: "k" },
    says: /what a search costs with openrouter\/qwen\/qwen3-max is unknown[^]*and for a search:\nprices:\n {2}"openrouter\/qwen\/qwen3-max": \{ in: 1\.25, out: 10, search: 0\.01 \}/,
  },
  {
    args: [...RESPOND, "--temperature", "hot"],
    says: /temperature must be a number from 0 to 2 \(got "hot"\)/,
  },
  {
    args: [...RESPOND, "--respondent-b", "--temperature-b", "2.5"],
    says: /temperature-b must be a number from 0 to 2 \(got 2\.5\)/,
  },
  {
    args: [...RESPOND, "--model-b", "sim/bo"],
    says: /--model-b needs a second model, and --respondent-b is not given\.\nTry: add --respondent-b/,
  },
  { args: [...RESPOND, "--respondent-b", "--model-b", "nope/b"], says: /no provider "nope"/ },
  { args: [...RESPOND, "--judge", "nope/x"], says: /no provider "nope"/ },
  { args: [...RESPOND, "--judge", "sim/judy?skil=1"], says: /did you mean "skill"/ },
  { args: [...RESPOND, "--judge", "mistral/large"], says: /set MISTRAL_API_KEY/, code: 4 },
  { args: [...RESPOND, "--user", "../ada"], says: /--user ada/ },
  { args: [...RESPOND, "--folder", "nope"], says: /nope is not there/ },
  { args: ["chat", "hello"], says: /too many arguments for 'chat'/ },
  {
    args: ["bench", "tasks.jsonl", "--models", "sim/a,sim/b,sim/c", "--out", "/proc/nowhere/x"],
    says: /\/proc\/nowhere\/x cannot be written/,
  },
  { args: ["test", "nope.yaml"], says: /nope\.yaml does not exist/ },
  {
    args: ["test", "s.yaml"],
    says: /needs a judge, and none is configured\.\nTry: set judge to provider\/model/,
  },
];

const nameOf = ({ args, cd = "", env = {} }: Row): string =>
  [...args, cd, ...Object.entries(env).flat()].join(" ");

describe("a mistake on the command line", () => {
  const ends = new Map<string, Omit<Ended, "signal">>();
  let calls: unknown;
  beforeAll(async () => {
    await using server = await openFakeServer((response) => void response.writeHead(500).end());
    await using place = somewhere();
    for (const [name, content] of Object.entries(FILES)) {
      mkdirSync(dirname(join(place.cwd, name)), { recursive: true });
      writeFileSync(join(place.cwd, name), content);
    }
    const keys = { OPENAI_API_KEY: "sk-x", OPENAI_BASE_URL: `${server.url}/v1` };
    const commands = ROWS.map(({ args, env, cd = "." }) => ({ args, env: { ...keys, ...env }, below: cd }));
    for (const [index, end] of (await place.runAll(commands)).entries()) {
      const row = ROWS[index];
      if (row) ends.set(nameOf(row), end);
    }
    // A list of models is read for nothing.
    calls = server.received.filter(({ path }) => path !== "/v1/models");
  }, 60_000);

  it("makes no model call", () => {
    expect({ rows: ends.size, calls }).toEqual({ rows: ROWS.length, calls: [] });
  });

  it.each(ROWS.map((row) => [nameOf(row), row] as const))("%s", (name, { args, says, code = 2 }) => {
    const end = ends.get(name);
    expect(end).toMatchObject({ code, ...(!args.includes("--json") && { stdout: "" }) });
    expect(end?.stderr).toMatch(says);
    expect(end?.stderr).not.toContain("hunter2");
    const lines = (end?.stderr ?? "").trimEnd().split("\n");
    // What is to be pasted has lines of its own.
    expect(lines.slice(2).join("\n")).toMatch(
      /^(?:prices:(?:\n  "[^"]+": \{ in: 1\.25, out: 10(?:, search: 0\.01)? \})+)?$/,
    );
    expect(lines[0]).toMatch(/^parley: /);
    if (lines.length > 1) expect(lines[1]).toMatch(/^Try: \S/);
  });
});

/** What `--json` printed, which is one object and nothing else. */
function objectIn({ stdout }: Pick<Ended, "stdout">, name: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`${name} printed ${JSON.stringify(stdout.slice(0, 200))}`);
  }
}

/** Commands that go on until they are stopped. */
const ENDLESS = new Set(["serve", "mcp", "sim-server", "worker", "watch", "chat"]);

describe("--json prints one object, wherever a command ends:", () => {
  it("after a mistake", async () => {
    await using place = somewhere();
    writeFileSync(join(place.cwd, "a.md"), "alpha");
    const rows = ROWS.filter(({ cd, env }) => cd === undefined && env === undefined);
    const ended = await place.runAll(rows.map(({ args }) => ({ args: [...args, "--json"] })));
    for (const [index, end] of ended.entries()) {
      const { args = [] } = rows[index] ?? {};
      const object = CommandError.parse(objectIn(end, args.join(" ")));
      expect(object.exit, args.join(" ")).toBe(end.code);
      // The sentence and what to do that a person reads.
      expect(end.stderr).toContain(`parley: ${object.error?.message}`);
      if (end.stderr.includes("\nTry: ")) expect(end.stderr).toContain(`Try: ${object.error?.next}`);
    }
  }, 60_000);

  it("every command, with what is missing, unknown, or not there to be read", async () => {
    const rows = await allRows(commandIo({ cwd: "/", env: {} }).io);
    const commands = listCommands(rows);
    await using place = somewhere();
    mkdirSync(join(place.cwd, "open"));
    writeFileSync(join(place.cwd, "open", "parley.yaml"), FILES["open/parley.yaml"] ?? "");
    const runs = commands.flatMap(({ path, command: { name, options, arguments: words = "" } }) => {
      const needed = Object.values(options)
        .filter(({ isRequired }) => isRequired)
        .flatMap(({ flags }) => [longFlag(flags), "nosuch"]);
      const given = [...path, ...words.split(" ").filter(Boolean).fill("nosuch"), ...needed, "--json"];
      return [
        { args: [...path, "--json", "--no-such"] },
        ...("json" in options ? [{ args: given, below: "open" }] : []),
        ...("json" in options && !ENDLESS.has(name) ? [{ args: given }, { args: [...path, "--json"] }] : []),
      ];
    });
    const ended = await place.runAll(runs);
    for (const [index, end] of ended.entries()) {
      const name = runs[index]?.args.join(" ") ?? "";
      const object = objectIn(end, name);
      if (end.code === 2) expect(object, name).toMatchObject({ error: { code: "usage" }, exit: 2 });
    }
    expect(ended.length).toBeGreaterThan(250);
  }, 60_000);

  it("a run without a key, over its budget, refused, or that waits", async () => {
    await using server = await openFakeServer((response) => void response.writeHead(400).end("{}"));
    await using place = somewhere();
    writeFileSync(join(place.cwd, ".env"), "");
    const env = { OPENAI_API_KEY: "sk-x", OPENAI_BASE_URL: `${server.url}/v1` };
    const [ask, sim] = [
      ["council", Q, "--json", "-q"],
      ["--models", "sim/ada,sim/bo,sim/cy"],
    ];
    const rows = [
      {
        args: [...ask, ...M],
        code: 4,
        has: {
          error: { message: expect.stringMatching(/needs a key/) as string, next: "parley keys set openai" },
        },
      },
      {
        args: [...ask, ...M, "--max-cost-usd", "0.0000001"],
        env,
        code: 5,
        has: { status: "stopped-by-budget" },
      },
      { args: [...ask, ...M], env, code: 3, has: { status: "failed" } },
      { args: [...ask, ...sim, "--seat", "me:tie-break"], code: 0, has: { status: "answered" } },
      { args: ["seat", "--json"], code: 0, has: { error: null, exit: 0 } },
      { args: [...ask, ...sim.slice(0, 1), "sim/ada,human/local"], code: 8, has: { status: "waiting" } },
      {
        args: ["seat", "--json"],
        code: 8,
        has: {
          error: { code: "waiting", next: expect.stringMatching(/^parley seat \w+ --answer/) as string },
        },
      },
      { args: ["answer", "last", "--list", "--json"], code: 0, has: [] },
    ];
    const ended = await place.runAll(rows);
    for (const [index, end] of ended.entries()) {
      const { args = [], code, has } = rows[index] ?? {};
      expect(end.code, end.stderr).toBe(code);
      const object = objectIn(end, args.join(" "));
      if (Array.isArray(has)) expect(object).toEqual(has);
      else expect(object).toMatchObject(has ?? {});
    }
  }, 60_000);

  it.each([["council", Q, ...M], ["models", "test", "openai/gpt-5-mini"], ["models"]])(
    "stopped by Ctrl-C: %s",
    async (...args) => {
      await using server = await openFakeServer(() => undefined);
      await using place = somewhere();
      const env = { OPENAI_API_KEY: "sk-x", OPENAI_BASE_URL: `${server.url}/v1` };
      const running = place.start([...args, "--json"], env);
      await vi.waitUntil(() => server.received.length > 0, { timeout: 20_000 });
      running.kill("SIGINT");
      const end = await running.ended;
      expect(end.code, end.stderr).toBe(130);
      const object = objectIn(end, args.join(" "));
      // What a command makes of it itself is an object, too.
      if (args[1] !== "test") expect(object).toMatchObject({ error: { code: "interrupted" }, exit: 130 });
    },
    30_000,
  );
});

describe("what a provider refuses is told once", () => {
  const body = (message: string, code: string) => JSON.stringify({ error: { message, code, type: code } });
  it.each([
    {
      status: 401,
      text: body("Incorrect API key provided", "invalid_api_key"),
      code: 4,
      says: /check the provider's key/,
    },
    {
      status: 404,
      text: body("The model nope does not exist", "model_not_found"),
      code: 3,
      says: /parley models/,
    },
    {
      status: 429,
      text: body("You exceeded your current quota", "insufficient_quota"),
      code: 4,
      says: /top up/,
    },
    {
      status: 400,
      text: body("Unsupported parameter: 'max_tokens'", "unsupported_parameter"),
      code: 3,
      says: /another model/,
    },
  ])("HTTP $status $text", async ({ status, text, code, says }) => {
    await using server = await openFakeServer((response) => void response.writeHead(status).end(text));
    await using place = somewhere();
    const env = { OPENAI_API_KEY: "sk-x", OPENAI_BASE_URL: `${server.url}/v1` };
    const three = ["council", Q, "-q", "-m", "openai/a,openai/b,openai/c"];
    const ended = await place.run(three, env);
    expect(ended.code).toBe(code);
    expect(ended.stderr + ended.stdout).toMatch(says);
    const { error } = JSON.parse(text) as { error: { message: string } };
    expect((ended.stderr + ended.stdout).split(error.message)).toHaveLength(2);
  });
});
