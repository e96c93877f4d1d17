import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { built, somewhere } from "./e2e/parley.ts";
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
  "twice/parley.yaml": "effort: 1\neffort: 2\n",
  "ur/parley.yaml": "compatible:\n  lab:\n    ur: http://x/v1\n",
  "secret/parley.yaml": "key: sk-abcdef0123456789abcdef0123456789\n",
};

type Row = {
  readonly args: readonly string[];
  readonly says: RegExp;
  readonly code?: number;
  readonly env?: Record<string, string>;
  /** In the folder of this name. */
  readonly cd?: string;
};

const ROWS: readonly Row[] = [
  // Words that are no question.
  ...[
    "history",
    "version",
    "HELP",
    "init",
    "login",
    "keys",
    "serve",
    "update",
    "completion",
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
  { args: [Q, "-m", "gpt-5-mini"], says: /"gpt-5-mini" is not a model reference; expected provider\/model/ },
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
  { args: [Q, ...M, "--context", "*.rst"], says: /\*\.rst matches no text file/ },
  { args: [Q, ...M, "--context", "empty"], says: /empty has no text file: skipped x\.png \(binary\)/ },
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
  { args: [Q, ...M, "--modles", "x/y"], says: /\nTry: --models; parley ask --help lists all\n/ },
  { args: [Q, ...M, "--output", "f"], says: /\nTry: parley .*which has --output; parley ask --help\n/ },
  { args: [Q, ...M, "--temperature", "1"], says: /\nTry: parley .*which has --temperature/ },
  { args: [Q, ...M, "--persona", "lawyer"], says: /unknown option '--persona'.\nTry: parley ask --help\n/ },
  { args: [Q, ...M, "--system", "x"], says: /unknown option '--system'.\nTry: / },
  { args: ["feedback", "x", "good"], says: /rating must be up or down/ },
  // Settings.
  { args: [Q], cd: "open", says: /parley\.yaml:\d+:\d+/ },
  { args: [Q], cd: "tab", says: /parley\.yaml:2.*tab/i },
  { args: [Q], cd: "typo", says: /unknown setting "max_cost_usd".\nTry: did you mean max-cost-usd\?/ },
  { args: [Q], cd: "twice", says: /effort/ },
  { args: [Q], cd: "ur", says: /unknown key "ur".\nTry: did you mean url\?/ },
  { args: [Q], cd: "secret", says: /secret/ },
  {
    args: [Q],
    env: { PARLEY_MODLES: "x/y" },
    says: /PARLEY_MODLES is not a setting.\nTry: did you mean PARLEY_MODELS\?/,
  },
  { args: ["list"], env: { PARLEY_HOME: "", HOME: "" }, says: /HOME is empty/ },
];

it.each(
  ROWS.map((row) => [[...row.args, row.cd ?? "", ...Object.keys(row.env ?? {})].join(" "), row] as const),
)("%s", async (_name, { args, says, code = 2, env = {}, cd = "." }) => {
  await using server = await openFakeServer((response) => void response.writeHead(500).end());
  await using place = somewhere();
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(place.cwd, name)), { recursive: true });
    writeFileSync(join(place.cwd, name), content);
  }
  const run = { OPENAI_API_KEY: "sk-x", OPENAI_BASE_URL: `${server.url}/v1`, ...env };
  const ended = await place.runIn(cd, args, run);
  expect(ended).toMatchObject({ code, stdout: "" });
  expect(ended.stderr).toMatch(says);
  const lines = ended.stderr.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(2);
  expect(lines[0]).toMatch(/^parley: /);
  expect(server.received).toHaveLength(0);
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
