import type { Call, Models, Principal, World } from "../kernel/index.ts";
import { systemWorld } from "../engine/world.ts";
import { DEMO_QUESTION, DEMO_REPLIES } from "./demo-script.ts";
import { openParley } from "./parley.ts";
import type { Run } from "./run.ts";

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
export async function openDemo({ store, principal, isFast }: DemoOptions) {
  const parley = await openParley({
    store,
    env: {},
    models: recordedModels(isFast ? undefined : systemWorld),
  });
  const start = (signal: AbortSignal): Promise<Run> =>
    parley.start(
      {
        ...{ protocol: "council", question: DEMO_QUESTION, seed: "demo", reactions: false },
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
      const reply = DEMO_REPLIES[model]?.[nth];
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
