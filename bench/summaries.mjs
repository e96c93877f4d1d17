// What ways of summarising keep of a debate: characters against named facts. node bench/summaries.mjs [RESULT.json …]
import "../scripts/node-version.mjs";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root } from "../scripts/root.mjs";
import { runScript, setUp } from "../scripts/setup.mjs";
import { loadParley } from "./council.mjs";

/** Whose deliberations are measured. */
const LOCAL = /** @type {import("../src/kernel/index.ts").OrganizationId} */ ("local");

/** @typedef {{ round: number, kind: "proposal" | "critique" | "refinement", step: string, text: string }} Contribution */

const MAX_LENGTH = 2_500;
const ROUNDS = 4;

/** An agent's perspective over some rounds, with facts of its own in every text. @returns {Contribution[]} */
function generated() {
  const parts = ["queue", "worker", "broker", "index", "cache", "ledger", "gateway", "scheduler"];
  const names = ["Kafka", "Postgres", "Redis", "Nomad", "Envoy", "Vault", "Quartz", "Minio"];
  return Array.from({ length: ROUNDS }, (_, round) =>
    /** @type {const} */ (["proposal", "critique", "refinement"]).flatMap((kind, place) => {
      if (kind === "proposal" && round > 0) return [];
      const lines = parts.map((part, index) => {
        const figure = 100 + 97 * (index + 8 * (place + 3 * round));
        const name = names[(index + place + round) % names.length];
        return `The ${part} is moved to ${name}, because ${figure} ms were measured there. Nobody who was asked had an objection worth writing down, and the usual remarks on care and common sense were made once more.`;
      });
      return [{ round: round + 1, kind, step: `round-${round + 1}/${kind}/ada`, text: lines.join("\n\n") }];
    }),
  ).flat();
}

/** The perspective of a result file's first agent. @param {string} file @returns {Contribution[]} */
function inFile(file) {
  const { rounds } = JSON.parse(readFileSync(file, "utf8"));
  const all = rounds.flatMap((/** @type {any} */ { roundNumber, contributions }) =>
    contributions.map((/** @type {any} */ one) => ({ ...one, round: roundNumber })),
  );
  const agent = all[0]?.agentId;
  return all.flatMap(
    (
      /** @type {any} */ { agentId, targetAgentId, type, content, round, metadata },
      /** @type {number} */ index,
    ) => {
      const carried = type === "proposal" && round > 1 && metadata?.tokensUsed === 0;
      const own = type === "critique" ? targetAgentId === agent : agentId === agent;
      return own && !carried
        ? [{ round, kind: type, step: `round-${round}/${type}/${index}`, text: content }]
        : [];
    },
  );
}

/** Figures, and words that are written large within a sentence, each once. @param {string} text */
const factsIn = (text) => new Set(text.match(/\d[\d.,]*\d|\d|(?<=[a-z,] )[A-Z][A-Za-z0-9]{2,}/g) ?? []);

await runScript(async () => {
  await setUp(root, { build: true });
  const parley = await loadParley(join(root, "dist"));
  const files = process.argv.slice(2);
  const materials = [
    { name: "generated", contributions: generated() },
    ...files.map((file) => ({ name: basename(file), contributions: inFile(file) })),
  ];
  const scratch = mkdtempSync(join(tmpdir(), "parley-summaries-"));
  try {
    for (const { name, contributions } of materials) {
      const whole = contributions.map(({ text }) => text).join("\n");
      const facts = factsIn(whole);
      say(
        `\n${name}: ${contributions.length} texts, ${whole.length} characters, ${facts.size} named facts; at most ${MAX_LENGTH} characters; simulated models`,
      );
      for (const method of parley.summaryMethods) {
        const { text, recorded, calls } = await summarised(parley, {
          method,
          contributions,
          store: join(scratch, `${name}-${method.name}.db`),
        });
        const kept = [...facts].filter((fact) => factsIn(text).has(fact)).length;
        const share = (/** @type {number} */ part, /** @type {number} */ all) =>
          `${((100 * part) / all).toFixed(1)} %`;
        say(
          `  ${recorded.padEnd(24)} ${String(text.length).padStart(5)} characters (${share(text.length, whole.length)}), ${String(kept).padStart(3)} facts (${share(kept, facts.size)}), ${calls} calls`,
        );
      }
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return 0;
});

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`);
}

/**
 * @param {import("./council.mjs").Parley} parley
 * @param {{ method: (typeof import("../src/internal.ts").summaryMethods)[number], contributions: readonly Contribution[], store: string }} what
 */
async function summarised(parley, { method, contributions, store: path }) {
  const [, user = ""] = parley.template("debate-summary").split("=== user ===\n");
  const protocol = parley.defineProtocol({
    name: "summary",
    version: 1,
    summary: "makes one summary",
    seats: [],
    settings: parley.DebateSettings,
    templates: [],
    async deliberate({ run, seats, question }) {
      const [agent] = seats("agent");
      if (!agent) throw new Error("nobody is there");
      await method.summarize(
        run,
        {
          key: "summary",
          for: agent,
          round: ROUNDS,
          contributions,
          charactersBefore: contributions.reduce((sum, { text }) => sum + text.length, 0),
          maxLength: MAX_LENGTH,
          purpose: question,
          prompt: (text, most) => [
            {
              role: "user",
              text: user
                .replace(
                  "{{text}}",
                  () =>
                    `[BEGIN contributions #0123456789abcdef]\n${text}\n[END contributions #0123456789abcdef]`,
                )
                .replace("{{maxLength}}", String(most))
                .replace("{{persona}}", "You are an architect.")
                .replace("{{focus}}", ""),
            },
          ],
          maxOutputTokens: 4_096,
          timeoutMs: 60_000,
        },
        { embeddings: null, options: { semanticThreshold: 0.8 } },
      );
      return { outcome: "failed", why: "it was there to be measured" };
    },
  });
  const store = await parley.openStore(path);
  const engine = parley.createEngine({
    store,
    models: parley.createModels({ env: {}, locals: { sim: parley.createSim({}) } }),
    frames: parley.localFrames(),
    world: parley.systemWorld,
    protocols: [protocol],
    reactors: [],
  });
  try {
    const { opened } = await engine.open(
      parley.systemWorld.id(),
      // The branded names are checked when the engine opens it.
      {
        question: "Which decisions stand, and what was measured?",
        context: [],
        protocol: { name: "summary", version: 1 },
        settings: {},
        participants: [
          {
            id: "ada",
            seat: "agent",
            persona: { name: "Ada", instructions: "Be brief." },
            model: "sim/ada",
            family: null,
          },
        ],
        templates: {},
        seed: "bench",
        budget: {},
        organization: "local",
      },
    );
    await engine.drive(opened.deliberation, { signal: new AbortController().signal });
    const entries = await store.for(LOCAL).read(opened.deliberation);
    const made = entries.find(({ origin }) => "step" in origin && origin.step === "summary");
    if (made?.type !== "summary-made") throw new Error(`${method.name} made no summary`);
    const calls = entries.filter(({ data }) => "call" in data).length;
    return { text: made.data.text, recorded: made.data.method, calls };
  } finally {
    await store[Symbol.asyncDispose]();
  }
}
