import { openParley } from "../../../app/parley.ts";
import type { Run } from "../../../app/run.ts";
import type { Io, Values } from "../../../cli/command.ts";
import { runDeliberation } from "../../../cli/show.ts";
import { showingIn } from "../../../cli/session.ts";
import { loadSettings } from "../../../config/sources.ts";
import { systemWorld } from "../../../engine/world.ts";
import { Principal, Scope, type Call, type Models, type World } from "../../../kernel/index.ts";
import { council } from "../protocol/index.ts";
import type { DEMO } from "./index.ts";

/** Plays a recorded council: as fast as somebody reads on a terminal, else at once. */
export async function demo(io: Io, options: Values<typeof DEMO>): Promise<number> {
  const { keep, fast } = options;
  const { settings } = loadSettings({ flags: {}, env: io.env, cwd: io.cwd });
  const { organization, user } = settings;
  const playing = await openDemo({
    store: keep ? settings.store : ":memory:",
    principal: Principal.parse({ organization, user, scopes: Scope.options }),
    isFast: fast || !io.output.stderr.terminal,
  });
  try {
    if (!options.quiet)
      io.output.note("This is a recording: its texts were written for this demo, and no model is called.");
    const exit = await runDeliberation(
      io,
      { begin: playing.start },
      await showingIn(io, options, { settings }),
    );
    if (!options.quiet && !keep)
      io.output.note("This run was not stored. Try: parley demo --keep, then parley show, export or replay");
    return exit;
  } finally {
    await playing.close();
  }
}

/** Characters that a recorded reply shows at a time, and how long each piece takes. */
const PIECE = 12;
const PIECE_MS = 30;
const FIRST_PIECE_MS = 700;

type DemoOptions = {
  /** A store's address; `:memory:` keeps nothing. */
  readonly store: string;
  readonly principal: Principal;
  /** Whether the replies come at once, instead of as fast as somebody reads. */
  readonly isFast: boolean;
};

/** Starts a council whose replies are recorded: everything but the models is as in any other run. */
async function openDemo({ store, principal, isFast }: DemoOptions) {
  const parley = await openParley({
    store,
    env: {},
    protocols: [council],
    models: recordedModels(isFast ? undefined : systemWorld),
  });
  const start = (signal: AbortSignal): Promise<Run> =>
    parley.start(
      {
        ...{ protocol: council.name, question: DEMO_QUESTION, seed: "demo", reactions: false },
        models: ["demo/analyst", "demo/pragmatist", "demo/challenger"],
        chair: ["demo/chair"],
      },
      { principal, signal },
    );
  return { start, close: () => parley.close() };
}

/** Models that say what is recorded, each call the next reply; with a world, at a pace that can be watched. */
function recordedModels(world: World | undefined): Models {
  const said = new Map<string, number>();
  return {
    quote: () => ({ tokensIn: 0, tokensOut: 0, usd: 0 }),
    async complete({ model }, { signal, onDelta }): Promise<Call> {
      const nth = said.get(model) ?? 0;
      said.set(model, nth + 1);
      const reply = (Object.hasOwn(DEMO_REPLIES, model) ? DEMO_REPLIES[model] : undefined)?.[nth];
      const from = world?.now() ?? 0;
      if (reply !== undefined && world) {
        await world.sleep(FIRST_PIECE_MS, signal);
        for (let offset = 0; offset < reply.length && !signal.aborted; offset += PIECE) {
          onDelta?.({ attempt: 1, offset, text: reply.slice(offset, offset + PIECE) });
          await world.sleep(PIECE_MS, signal);
        }
      }
      const spent = {
        ...{ model, family: null, latencyMs: world ? world.now() - from : 0, attempts: 1 },
        tokens: { in: null, out: null, cached: null, reasoning: null },
        cost: { source: "free" as const, usd: 0 },
      };
      if (signal.aborted)
        return { ...spent, ok: false, failure: { code: "cancelled", message: "cancelled" } };
      if (reply === undefined)
        return {
          ...spent,
          ok: false,
          failure: { code: "refused", message: "the recording has no such reply" },
        };
      if (!world) onDelta?.({ attempt: 1, offset: 0, text: reply });
      return { ...spent, ok: true, reply, finish: "stop" };
    },
  };
}

/** Written for the demo by its authors: no model said any of this. */
const DEMO_QUESTION = "Should our job queue move from Redis to Postgres?";

const ANALYST = `**Yes, in two steps.** The queue loses jobs today because a job and the row that it belongs to are written to two systems.

1. Write each job to an \`outbox\` table, in the transaction that needs it. A relay moves it to Redis. Lost jobs end here.
2. Later let workers read the table with \`SELECT … FOR UPDATE SKIP LOCKED\`, and switch Redis off.

Measure first: above some thousand jobs a second, table bloat costs more than it saves.`;

const PRAGMATIST = `Yes, if Postgres runs here anyway: one system fewer to operate, to back up and to be woken for.

| | Redis | Postgres |
| --- | --- | --- |
| job and data in one transaction | no | yes |
| throughput | very high | thousands a second |
| you run it already | no | yes |

Use a library for it rather than your own loop, and move the least important queue first.`;

const CHALLENGER = `**Not yet.** Moving a queue treats a symptom. If jobs are lost, a transactional outbox ends that without a migration, and it can be undone in an afternoon.

A full move trades a known problem for a new one: long transactions hold back vacuum, and a busy queue table grows. Decide after four weeks of figures: lost jobs, jobs a second, and how long a job waits.`;

const CHAIR = `**Add a transactional outbox now, and decide about the move after four weeks of figures.**

1. **This week:** write every job to an \`outbox\` table in the same transaction as its data; a relay hands it to Redis. That ends lost jobs, and can be undone.
2. **Measure** lost jobs, jobs a second, and waiting time.
3. **Then move** the least important queue, if Postgres is run here anyway and the load is below some thousand jobs a second. Workers take jobs with \`FOR UPDATE SKIP LOCKED\`, by way of a library.

Stay with Redis for a queue that is busier: vacuum and table bloat would become the new problem.

## Dissent
- One member would plan the whole move at once, because each system that is run costs attention every day.

## Unique insights
- Long transactions hold back vacuum, which makes a queue table grow.

\`\`\`json
{"contributors": [{"id": "C", "weight": 0.4, "reason": "the outbox as a first step"}, {"id": "B", "weight": 0.35, "reason": "figures before the move"}, {"id": "A", "weight": 0.25, "reason": "the least important queue first"}]}
\`\`\``;

/** A review of two answers, the better one first. */
const review = (ranking: readonly [string, string], strengths: string, weaknesses: string): string =>
  JSON.stringify({
    reviews: [
      { label: ranking[0], strengths: [strengths], weaknesses: [] },
      { label: ranking[1], strengths: [], weaknesses: [weaknesses] },
    ],
    ranking,
  });

/** What each model says, call by call. Labels are those of the demo's seed. */
const DEMO_REPLIES: Readonly<Record<string, readonly string[]>> = {
  "demo/analyst": [
    ANALYST,
    review(
      ["B", "A"],
      "Names what to measure before deciding",
      "Does not say how jobs stop being lost today",
    ),
  ],
  "demo/pragmatist": [
    PRAGMATIST,
    review(
      ["C", "B"],
      "Ends lost jobs by a step that can be undone",
      "Leaves open what follows the four weeks",
    ),
  ],
  "demo/challenger": [
    CHALLENGER,
    review(["C", "A"], "Puts the outbox first", "Moves without a figure that asks for it"),
  ],
  "demo/chair": [CHAIR],
};
