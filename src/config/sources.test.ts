import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { refusalOf, scratch, type Scratch } from "../../test/support/scratch.ts";
import { readHint } from "./explain.ts";
import { settingKeys, settingNames, settingTypes } from "./settings.ts";
import { loadSettings } from "./sources.ts";

const PROJECT = "project/parley.yaml";
const USER = ".config/parley/parley.yaml";
const load = (place: Scratch, flags: Record<string, unknown> = {}) =>
  loadSettings({ ...place, flags, flagPrefix: "--" });

describe("defaults", () => {
  it("stand where nothing is given", () => {
    using place = scratch();
    const { settings, sources } = load(place);
    expect(settings).toEqual({
      models: [],
      clientModels: [],
      ...{ chair: [], reviewers: [], synthesizer: [], judge: [] },
      ...{ critic: "auto", memory: true, memoryTools: true },
      mcpServers: {},
      tools: [],
      user: "local",
      respondentB: false,
      search: false,
      temperatureB: 0.5,
      respondent: "respondent",
      strategy: "balanced",
      mode: "consensus",
      features: [],
      historyTurns: 20,
      storeConnections: 4,
      onDegraded: "accept",
      strictFamilies: false,
      personaFeedback: false,
      maxContextBytes: 1_000_000,
      ...{ maxAttachmentBytes: 10_000_000, pdf: "text", fetchPrivate: false, fetchUrls: false },
      ...{ corsOrigins: [], logFormat: "text", logLevel: "info", traces: "off" },
      store: join(place.home, ".local/share/parley/parley.db"),
      organization: "local",
      ...{ compatible: {}, providers: {}, programs: {}, families: {}, prices: {}, reactors: {} },
      ...{ callsAtOnce: {}, requestsPerMinute: {}, tokensPerMinute: {} },
    });
    expect(Object.keys(sources)).toEqual(settingNames);
    expect(new Set(Object.values(sources).map(({ from }) => from))).toEqual(new Set(["default"]));
    expect(sources["store"]?.value).toBe(settings.store);
  });

  it("have for every setting a hint whose example is right", () => {
    using place = scratch();
    for (const [name, key] of settingKeys) {
      const example = readHint(settingTypes[key])?.example;
      expect(example, name).toBeDefined();
      place.write(PROJECT, `${name}: ${example}`);
      expect(load(place).sources, name).not.toHaveProperty([name, "from"], "default");
    }
  });
});

describe("precedence", () => {
  /** Every value of the table by itself names where it stands. */
  const goals = { flag: "by flag", environment: "by environment", project: "by project", user: "by user" };
  const table: [layers: (keyof typeof goals)[], from: string, name: string][] = [
    [["flag", "environment", "project", "user"], "flag", "--goal"],
    [["environment", "project", "user"], "environment", "PARLEY_GOAL"],
    [["project", "user"], "project file", "HOME/project/parley.yaml:2"],
    [["user"], "user file", "HOME/.config/parley/parley.yaml:3"],
    [["flag", "user"], "flag", "--goal"],
    [["flag", "environment"], "flag", "--goal"],
    [["environment", "user"], "environment", "PARLEY_GOAL"],
    [[], "default", "default"],
  ];

  it.each(table)("of %j takes the %s's", (layers, from, name) => {
    using place = scratch();
    const has = (layer: keyof typeof goals) => layers.includes(layer);
    if (has("project")) place.write(PROJECT, `\ngoal: ${goals.project}`);
    if (has("user")) place.write(USER, `\n\ngoal: ${goals.user}`);
    const env = has("environment") ? { ...place.env, PARLEY_GOAL: goals.environment } : place.env;
    const { settings, sources } = load({ ...place, env }, has("flag") ? { goal: goals.flag } : {});
    const [first] = layers;
    expect(settings.goal).toBe(first && goals[first]);
    const source = sources["goal"];
    expect({ ...source, name: source?.name.replace(place.home, "HOME") }).toEqual({
      value: first && goals[first],
      from,
      name,
    });
  });

  it("holds setting by setting", () => {
    using place = scratch(
      { [PROJECT]: "mode: vote\nseed: 7", [USER]: "seed: 8\nquorum: 3" },
      { PARLEY_QUORUM: "2" },
    );
    const { settings } = load(place, { mode: undefined });
    expect(settings).toMatchObject({ mode: "vote", seed: "7", quorum: 2 });
  });

  it("reads a setting under its older name, and names the one now", () => {
    using place = scratch({ [PROJECT]: "max-tokens: 5" });
    const { settings, renamed } = load(place);
    expect(settings.maxTotalTokens).toBe(5);
    expect(renamed).toEqual([`${join(place.home, PROJECT)}:1:1: max-tokens is now max-total-tokens`]);
    const { env } = place;
    const one = load({ ...place, env: { ...env, PARLEY_MAX_TOKENS: "6" } });
    expect([one.settings.maxTotalTokens, one.renamed[0]]).toEqual([
      6,
      "PARLEY_MAX_TOKENS is now PARLEY_MAX_TOTAL_TOKENS",
    ]);
    const both = { ...env, PARLEY_MAX_TOKENS: "6", PARLEY_MAX_TOTAL_TOKENS: "7" };
    const other = load({ ...place, env: both });
    expect([other.settings.maxTotalTokens, other.renamed.length]).toEqual([7, 1]);
  });

  it("holds entry by entry in maps", () => {
    using place = scratch({
      [PROJECT]: "families:\n  ollama/a: meta\n  ollama/b: google",
      [USER]: "families:\n  ollama/b: alibaba\n  ollama/c: mistral",
    });
    const { settings, sources } = load(place);
    expect(settings.families).toEqual({ "ollama/a": "meta", "ollama/b": "google", "ollama/c": "mistral" });
    expect(sources["families.ollama/b"]).toEqual({
      value: "google",
      from: "project file",
      name: join(place.home, `${PROJECT}:3`),
    });
    expect(sources["families.ollama/c"]).toEqual({
      value: "mistral",
      from: "user file",
      name: join(place.home, `${USER}:3`),
    });
  });

  it("looks at the project's file in a folder above, and reads a file in the home folder once", () => {
    using place = scratch({ [PROJECT]: "mode: vote" });
    const cwd = join(place.cwd, "a/b");
    mkdirSync(cwd, { recursive: true });
    expect(load({ ...place, cwd }).settings.mode).toBe("vote");
    const env = { ...place.env, PARLEY_HOME: place.cwd };
    expect(load({ ...place, cwd, env }).sources["mode"]?.from).toBe("user file");
  });
});

describe("what values may look like", () => {
  it("reads all settings from a file", () => {
    using place = scratch({
      [PROJECT]: `models: [sim/ada?skill=0.8&latency=200, openai/gpt-5]
client-models: [openai/gpt-5-nano]
chair: anthropic/claude-sonnet-4-5, openai/gpt-5
reviewers: [google/gemini-2.5-pro]
synthesizer: openai/gpt-5
judge: [google/gemini-2.5-flash]
critic: on
memory: off
user: ada@example.org
temperature: 0.2
respondent-b: true
model-b: ollama/gemma3:27b
temperature-b: 1.5
personas: [analyst, my_own]
respondent: historian
temperatures: [0.2, 1]
system: Be brief.
strategy: Risk Averse
goal: less
mode: vote
seed: 7
quorum: 2
max-cost-usd: 0.5
max-total-tokens: 1000
max-calls: 9
timeout: 90
call-timeout: 1.5m
patience: 500ms
draft-tokens: 10
review-tokens: 11
synthesis-tokens: 12
respond-tokens: 13
history-turns: 4
store-connections: 9
calls-at-once: {openai: 32, compatible/lab: 2}
tokens-per-minute: openai=200000, ollama=9
on-degraded: refuse
strict-families: yes
persona-feedback: on
max-context-bytes: 5
max-attachment-bytes: 6
pdf: file
fetch-private: true
fetch-urls: true
cors-origins: [https://app.example.org]
log-format: json
log-level: warn
notify-url: https://hooks.example.org/parley
traces: on
store: data/mine.db
organization: acme
compatible:
  lab: {url: "http://localhost:8000/v1", key-env: LAB_KEY, model: m, family: meta, context: 8192, wire: openai, local: true}
families: {ollama/mine: meta}
search: on
search-server: tavily
features: ./poll.mjs
prices: {openai/gpt-5: {in: 1.25, out: 10, cached: 0.1}}
reactors: {length-watch: {words: 300}, spell-check: on}
`,
    });
    expect(load(place).settings).toEqual({
      models: ["sim/ada?skill=0.8&latency=200", "openai/gpt-5"],
      clientModels: ["openai/gpt-5-nano"],
      chair: ["anthropic/claude-sonnet-4-5", "openai/gpt-5"],
      reviewers: ["google/gemini-2.5-pro"],
      synthesizer: ["openai/gpt-5"],
      judge: ["google/gemini-2.5-flash"],
      critic: "on",
      memory: false,
      memoryTools: true,
      mcpServers: {},
      tools: [],
      user: "ada@example.org",
      temperature: 0.2,
      respondentB: true,
      modelB: "ollama/gemma3:27b",
      temperatureB: 1.5,
      personas: ["analyst", "my_own"],
      respondent: "historian",
      temperatures: [0.2, 1],
      system: "Be brief.",
      strategy: "Risk Averse",
      goal: "less",
      mode: "vote",
      search: true,
      searchServer: "tavily",
      seed: "7",
      quorum: 2,
      maxCostUsd: 0.5,
      maxTotalTokens: 1_000,
      maxCalls: 9,
      timeoutMs: 90_000,
      callTimeoutMs: 90_000,
      patienceMs: 500,
      ...{ draftTokens: 10, reviewTokens: 11, synthesisTokens: 12, respondTokens: 13 },
      features: [`${place.cwd}/poll.mjs`],
      historyTurns: 4,
      storeConnections: 9,
      ...{ callsAtOnce: { openai: 32, "compatible/lab": 2 }, requestsPerMinute: {} },
      tokensPerMinute: { openai: 200_000, ollama: 9 },
      onDegraded: "refuse",
      ...{ strictFamilies: true, personaFeedback: true },
      maxContextBytes: 5,
      ...{ maxAttachmentBytes: 6, pdf: "file", fetchPrivate: true, fetchUrls: true },
      ...{ corsOrigins: ["https://app.example.org"], logFormat: "json", logLevel: "warn", traces: "on" },
      notifyUrl: "https://hooks.example.org/parley",
      store: join(place.cwd, "data/mine.db"),
      organization: "acme",
      compatible: {
        lab: {
          url: "http://localhost:8000/v1",
          keyEnv: "LAB_KEY",
          model: "m",
          family: "meta",
          context: 8192,
          wire: "openai",
          local: true,
        },
      },
      ...{ providers: {}, programs: {}, families: { "ollama/mine": "meta" } },
      prices: { "openai/gpt-5": { in: 1.25, out: 10, cached: 0.1 } },
      reactors: { "length-watch": { words: 300 }, "spell-check": true },
    });
    expect(load(place).sources["timeout"]?.value).toBe("90s");
    expect(load(place).sources["call-timeout"]?.value).toBe("90s");
  });

  it("reads them from the environment and from flags as text, a flag also as a list or under its camel-case name", () => {
    const env = {
      PARLEY_MODELS: "sim/a, sim/b",
      PARLEY_MAX_COST_USD: ".5",
      PARLEY_STRICT_FAMILIES: "1",
      PARLEY_TIMEOUT: "2m",
    };
    using place = scratch({}, { ...env, PARLEY_SEED: "007", PARLEY_GOAL: "" });
    expect(load(place).settings).toMatchObject({
      models: ["sim/a", "sim/b"],
      maxCostUsd: 0.5,
      strictFamilies: true,
      timeoutMs: 120_000,
      seed: "007",
    });
    expect(load(place).settings).not.toHaveProperty("goal");
    const flags = {
      models: ["sim/c"],
      maxCostUsd: "2",
      "on-degraded": "refuse",
      timeout: "5",
      json: true,
      limit: "20",
    };
    const { settings, sources } = load(place, flags);
    expect(settings).toMatchObject({
      models: ["sim/c"],
      maxCostUsd: 2,
      onDegraded: "refuse",
      timeoutMs: 5_000,
    });
    expect(sources["max-cost-usd"]).toEqual({ value: 2, from: "flag", name: "--max-cost-usd" });
    expect(sources).not.toHaveProperty("limit");
  });

  it("takes an empty file, and keys without a value, as nothing given", () => {
    using place = scratch({ [PROJECT]: "# models:\n", [USER]: "models:\nmode: vote" });
    expect(load(place).settings).toMatchObject({ models: [], mode: "vote" });
  });

  it("reads a path where it was written", () => {
    using place = scratch({ [USER]: "strategy: ./mine.md\nstore: ~/x.db" });
    expect(load(place).settings).toMatchObject({
      strategy: join(place.home, ".config/parley/mine.md"),
      store: join(place.home, "x.db"),
    });
    const { settings } = load(place, { strategy: "s/mine.yaml", store: ":memory:" });
    expect(settings).toMatchObject({ strategy: join(place.cwd, "s/mine.yaml"), store: ":memory:" });
  });

  it.each(["postgres://app@db/app", "mysql://ada:pw@x/y", "redis://x", "file.db", " "])(
    "leaves an application's DATABASE_URL alone: %s",
    (url) => {
      using place = scratch({}, { DATABASE_URL: url });
      expect(load(place).sources["store"]).toMatchObject({
        from: "default",
        value: join(place.home, ".local/share/parley/parley.db"),
      });
    },
  );

  it("takes the store from PARLEY_DATABASE_URL where PARLEY_STORE says nothing", () => {
    using place = scratch(
      { [PROJECT]: "store: file.db" },
      { PARLEY_DATABASE_URL: "postgres://ada:secret-word@db/parley?sslmode=require" },
    );
    const { settings, sources } = load(place);
    expect(settings.store).toBe("postgres://ada:secret-word@db/parley?sslmode=require");
    expect(sources["store"]).toEqual({
      value: "postgres://ada:…@db/parley?sslmode=require",
      from: "environment",
      name: "PARLEY_DATABASE_URL",
    });
    const env = { ...place.env, PARLEY_STORE: "other.db" };
    expect(load({ ...place, env }).sources["store"]).toMatchObject({
      name: "PARLEY_STORE",
      value: join(place.cwd, "other.db"),
    });
  });
});

describe("a name with a tag is a model of Ollama's", () => {
  it.each([
    ["gemma4:26b", "ollama/gemma4:26b"],
    ["prometheus-7b:latest", "ollama/prometheus-7b:latest"],
    ["mistral:7b", "ollama/mistral:7b"],
    [" Llama3.3:70b-instruct-q4_K_M ", "ollama/Llama3.3:70b-instruct-q4_K_M"],
    ["sim/ada", "sim/ada"],
    // Of a bare name the provider is found where it is used.
    ["gemma4", "any/gemma4"],
    ["ollama/gemma4:26b", "ollama/gemma4:26b"],
    ["openrouter/deepseek/deepseek-chat:free", "openrouter/deepseek/deepseek-chat:free"],
  ])("%j is %j", (given, meant) => {
    using place = scratch({ "project/parley.yaml": `model-b: "${given}"\njudge: ["${given}", sim/a]` });
    const { settings } = loadSettings({ ...place, flags: { models: `${given},sim/bo` } });
    expect(settings).toMatchObject({ models: [meant, "sim/bo"], modelB: meant, judge: [meant, "sim/a"] });
  });

  it.each(["openai:gpt-5", "OpenAI:gpt-5", "sim:ada", "ollama:gemma4", "a:b:c", ":7b", "a: b", "gemma4:"])(
    "%j is refused",
    async (given) => {
      using place = scratch();
      const said = await refusalOf(() => loadSettings({ ...place, flags: { modelB: given } }), place);
      expect(said).toContain(`${JSON.stringify(given)} is not a model reference`);
    },
  );
});

describe("everything given is checked", () => {
  it("also what is overruled", async () => {
    using place = scratch({ [USER]: "mode: loud" });
    expect(await refusalOf(() => load(place, { mode: "vote" }), place)).toBe(
      'HOME/.config/parley/parley.yaml:1:7: mode must be consensus or vote (got "loud"); for example mode: vote',
    );
  });

  it.each([
    ["modles: [sim/a]", '1:1: unknown setting "modles"; did you mean models?'],
    ["maxTokens: 5", '1:1: unknown setting "maxTokens"; did you mean max-total-tokens?'],
    ["a: 1\nconstructor: {}", '1:1: unknown setting "a"; did you mean goal?'],
    ["quorum: two", '1:9: quorum must be an integer above 0 (got "two"); for example quorum: 2'],
    ["quorum: 1.5", "1:9: quorum must be an integer above 0 (got 1.5); for example quorum: 2"],
    ["quorum: .inf", "1:9: quorum must be an integer above 0 (got null); for example quorum: 2"],
    ["quorum: [1]", "1:9: quorum must be an integer above 0 (got a list of 1); for example quorum: 2"],
    [
      "max-cost-usd: free",
      '1:15: max-cost-usd must be an amount above 0 in US dollars (got "free"); for example max-cost-usd: 0.50',
    ],
    [
      "max-cost-usd: 0",
      "1:15: max-cost-usd must be an amount above 0 in US dollars (got 0); for example max-cost-usd: 0.50",
    ],
    [
      "timeout: 5 fortnights",
      '1:10: timeout must be a duration such as 90 (seconds), 90s, 5m or 1h (got "5 fortnights"); for example timeout: 5m',
    ],
    ["timeout: 0", "1:10: timeout must be a duration such as 90 (seconds), 90s, 5m or 1h (got 0)"],
    ["timeout: 600h", '1:10: timeout must be a duration such as 90 (seconds), 90s, 5m or 1h (got "600h")'],
    ["models: gpt.5!", '1:9: "gpt.5!" is not a model reference'],
    ["models:\n  - sim/a\n  - gpt!", '3:5: "gpt!" is not a model reference'],
    ["models: sim/a,,sim/b", '1:9: "" is not a model reference'],
    [
      "models: []",
      "1:9: models must be one or more model references (provider/model), separated by commas or as a list (got an empty list)",
    ],
    [
      "models: {a: b}",
      "1:9: models must be one or more model references (provider/model), separated by commas or as a list (got a mapping)",
    ],
    ["models: ['sim/a,sim/b']", '1:10: "sim/a,sim/b" is not a model reference'],
    ["client-models: [openai/*]", '1:17: "openai/*" is not a model reference; expected provider/model'],
    [
      "chair: 7",
      "1:8: chair must be one or more model references (provider/model), separated by commas or as a list (got 7)",
    ],
    ["critic: maybe", '1:9: critic must be auto, on or off (got "maybe"); for example critic: off'],
    ["memory: some", '1:9: memory must be on or off (got "some"); for example memory: off'],
    ["user: a b", '1:7: user must be a name of letters, digits, dot, dash, underscore, @ and + (got "a b")'],
    [
      "temperature: 2.1",
      "1:14: temperature must be a number from 0 to 2 (got 2.1); for example temperature: 0.2",
    ],
    ["temperature-b: hot", '1:16: temperature-b must be a number from 0 to 2 (got "hot")'],
    ["model-b: gpt!", '1:10: "gpt!" is not a model reference'],
    ["history-turns: 0", "1:16: history-turns must be an integer above 0 (got 0)"],
    ["personas: [Analyst]", '1:12: "Analyst" is not a persona id'],
    [
      "strict-families: maybe",
      '1:18: strict-families must be true or false (got "maybe"); for example strict-families: true',
    ],
    ["store: mysql://x/y", '1:8: store must be postgres://… or the path of a file (got "mysql://x/y")'],
    [
      "organization: a b",
      '1:15: organization must be a name of letters, digits, dot, dash and underscore (got "a b")',
    ],
    ["goal: ''", '1:7: goal must be a line of text (got ""); for example goal: fewest outages'],
    ['goal: "a\\eb"', '1:7: goal must be a line of text (got "a\\u001bb")'],
    ["compatible: lab", "1:13: compatible can only be set in a file; write it into parley.yaml"],
    [
      "compatible: {lab: {}}",
      "1:19: compatible.lab.url is missing; expected an http or https URL, e.g. http://localhost:8000/v1",
    ],
    [
      "compatible: {lab: {url: ftp://x}}",
      '1:25: compatible.lab.url must be an http or https URL (got "ftp://x")',
    ],
    ["compatible: {lab: {url: http://x, modle: y}}", '1:35: unknown key "modle"; did you mean model?'],
    ["compatible: {a b: {url: http://x}}", '1:14: "a b" is not a name for an endpoint'],
    ["compatible: {lab: 5}", "1:19: compatible.lab must be a mapping with a url (got 5)"],
    [
      "families: {ollama/x: 5}",
      "1:22: families.ollama/x must be the name of who trained the model (got 5); for example meta",
    ],
    ["prices: {gpt: {in: 1, out: 2}}", '1:10: "gpt" is not a model reference'],
    [
      "prices: {a/b: {in: 1}}",
      "1:15: prices.a/b.out is missing; expected a price in US dollars per million tokens, e.g. 10",
    ],
    [
      "prices: {a/b: {in: -1, out: 1}}",
      "1:20: prices.a/b.in must be a price in US dollars per million tokens (got -1); for example 1.25",
    ],
    ["- a\n- b", "risk-averse"],
    ["hello", "risk-averse"],
    [`mode: ${"x".repeat(5_000)}`, `1:7: mode must be consensus or vote (got "${"x".repeat(78)}…`],
    [
      "mode: [\n",
      "2:1: Flow sequence in block collection must be sufficiently indented and end with a ]; close the bracket before it, or indent it as the lines around it",
    ],
  ])("refuses %j in a file", async (text, expected) => {
    using place = scratch({ [PROJECT]: text });
    const said = await refusalOf(() => load(place), place);
    expect(said).toMatch(/^HOME\/project\/parley.yaml/);
    expect(said).toContain(expected);
    expect(said.length).toBeLessThan(900);
    expect(said).not.toMatch(/[\p{Cc}\u2028]/u);
  });

  it.each([
    [{ quorum: "x" }, {}, '--quorum must be an integer above 0 (got "x"); for example --quorum 2'],
    [{ goal: "" }, {}, "--goal must be a line of text (got \"\"); for example --goal 'fewest outages'"],
    [
      { models: ["non!sense"] },
      {},
      '--models: "non!sense" is not a model reference; expected provider/model, e.g. openai/gpt-6.1-terra',
    ],
    [{ prices: "x" }, {}, "prices can only be set in a file; write it into parley.yaml"],
    [
      {},
      { PARLEY_QUORUM: "-1" },
      "PARLEY_QUORUM must be an integer above 0 (got -1); for example PARLEY_QUORUM=2",
    ],
    [{}, { PARLEY_FAMILIES: "a=b" }, "families can only be set in a file; write it into parley.yaml"],
    [{}, { PARLEY_SAMPLING: "{seed: 7}" }, "sampling can only be set in a file; write it into parley.yaml"],
    [
      {},
      { PARLEY_MEMBER_OPTIONS: "[]" },
      "member-options can only be set in a file; write it into parley.yaml",
    ],
    [
      {},
      { PARLEY_MODLES: "sim/a" },
      "PARLEY_MODLES is not a setting; did you mean PARLEY_MODELS? Set that, or unset PARLEY_MODLES",
    ],
    [
      {},
      { PARLEY_DATABASE_URL: "mysql://ada:pw@x/y" },
      'PARLEY_DATABASE_URL must be postgres://… or the path of a file (got "mysql://ada:…@x/y")',
    ],
  ])("refuses %j and %j", async (flags, env, expected) => {
    using place = scratch({}, env);
    expect(await refusalOf(() => load(place, flags), place)).toContain(expected);
  });

  it("leaves variables alone that only begin like its own", () => {
    using place = scratch(
      {},
      { PARLEY_SERVICE_HOST: "1", PARLEY_PORT_80_TCP: "1", PARLEY_SIM_KEY: "k", PARLEY_DEBUG: "1" },
    );
    expect(() => load(place)).not.toThrow();
  });

  it("refuses a settings file that is a folder", async () => {
    using place = scratch({ "project/parley.yaml/x": "" });
    expect(await refusalOf(() => load(place), place)).toBe(
      "the settings file HOME/project/parley.yaml is a folder; name a file in it",
    );
  });
});

describe("SETTINGS-3: secrets", () => {
  const KEY = "sk-proj-abcdefghijklmnop1234567890";

  it.each([
    [`api-key: ${KEY}`, "1:1: api-key looks like a secret"],
    [`OPENAI_API_KEY: ${KEY}`, "1:1: OPENAI_API_KEY looks like a secret"],
    [`compatible:\n  lab:\n    url: http://x\n    api_key: ${KEY}`, "4:5: api_key looks like a secret"],
    [`compatible: {lab: {url: http://x, token: ${KEY}}}`, "1:35: token looks like a secret"],
    [`store: postgres://ada:${KEY}@db/x`, "1:8: this URL holds a password"],
    [`store: postgres://db/x?password=${KEY}`, "1:8: this URL holds a password"],
    [`store: " postgres://ada:${KEY}@db/x"`, "1:8: this URL holds a password"],
    [`compatible: {lab: {url: "https://x/v1?key=${KEY}"}}`, "1:25: this URL holds a password or a key"],
    [`compatible: {lab: {url: "https://x/v1?a=1&api_key=${KEY}"}}`, "this URL holds a password or a key"],
    [`compatible: {lab: {url: "https://x/v1?p%61ssword=${KEY}"}}`, "this URL holds a password or a key"],
    [`compatible: {lab: {url: "https://x/v1?subscription-key=${KEY}"}}`, "this URL holds a password"],
    [`compatible: {lab: {url: "https://x/v1#access_token=${KEY}"}}`, "this URL holds a password"],
    [`compatible: {lab: {url: "https://ada:${KEY}@x"}}`, "1:25: this URL holds a password"],
    [
      `compatible: {lab: {url: http://x, key-env: ${KEY}}}`,
      "compatible.lab.key-env must be the name of an environment variable (not shown, since it may be a key)",
    ],
    [`models: ${KEY}`, '"sk-…" is not a model reference'],
    [`models: [${KEY}`, "Flow sequence in block collection must be sufficiently indented and end with a ]"],
  ])("refuses %j without showing the value", async (text, expected) => {
    using place = scratch({ [PROJECT]: text });
    const said = await refusalOf(() => load(place), place);
    expect(said).toContain(expected);
    expect(said).not.toContain(KEY.slice(8));
  });

  it("lets names pass that only look alike", () => {
    using place = scratch({
      [PROJECT]: "max-tokens: 5\ncompatible: {token: {url: http://x, key-env: A_KEY}}",
    });
    expect(load(place).settings.compatible).toHaveProperty("token");
  });
});
