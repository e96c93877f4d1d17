import {
  createEngine,
  localFrames,
  type AnyProtocol,
  type AnyReactor,
  type NewDeliberation,
  type DriveResult,
  type Engine,
  type Ports,
} from "../engine/index.ts";
import {
  callOf,
  canonical,
  originKey,
  requestsCovered,
  type Closing,
  type DeliberationId,
  type Entry,
  type ModelRequest,
  type Quote,
  type Store,
} from "../kernel/index.ts";
import { mortal, type CrashPoint, type Mortal } from "./crash.ts";
import { memoryStore } from "./memory-store.ts";
import { scripted, type Script } from "./scripted-models.ts";
import { stepClock, type StepClock } from "./step-clock.ts";

export type StageOptions = {
  readonly protocols: readonly AnyProtocol[];
  readonly reactors?: readonly AnyReactor[];
  readonly script?: Script;
  readonly quote?: (request: ModelRequest) => Quote;
  readonly ports?: Ports;
  /** Instead of a fresh memory store. */
  readonly store?: (clock: StepClock) => Store;
};

export type StageProcess = Mortal & { readonly engine: Engine };

/** A deliberation that a stage has driven. */
export type Played = {
  readonly id: DeliberationId;
  readonly driven: DriveResult;
  readonly entries: readonly Entry[];
};

/**
 * One store, one clock and one provider, and as many processes over them as a test starts.
 *
 * @example
 * const on = stage({ protocols: [delphi], script: { ada: "Estimate: 7" } });
 * const { entries } = await on.play(openingFor(delphi, { models: ["ada"] }));
 * expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
 */
export function stage({
  protocols,
  reactors = [],
  script = {},
  quote,
  ports = {},
  store: open = (clock) => memoryStore(clock.now),
}: StageOptions) {
  const clock = stepClock();
  const store = open(clock);
  const models = scripted(script, { clock, ...(quote ? { quote } : {}) });
  const frames = localFrames();
  const start = (point?: CrashPoint): StageProcess => {
    const process = mortal({ store, models, world: clock }, point);
    const { store: seen, models: asked, world } = process;
    const engine = createEngine({ store: seen, models: asked, world, frames, protocols, reactors, ports });
    return Object.assign(process, { engine });
  };
  const alone = new AbortController();
  const { engine } = start();
  const drive = (id: DeliberationId, by: Engine = engine) =>
    clock.settle(by.drive(id, { signal: alone.signal }));
  const read = async (id: DeliberationId) => {
    const organization = await store.findOrganization(id);
    return organization === undefined ? [] : store.for(organization).read(id);
  };
  const played = async (id: DeliberationId, by: Engine = engine): Promise<Played> => {
    const driven = await drive(id, by);
    return { id, driven, entries: await read(id) };
  };
  return {
    clock,
    store,
    models,
    frames,
    engine,
    start,
    /** Drives to the drive's end, whatever time it takes. */
    drive,
    /** Opens a deliberation, or finds it open under the same request, and drives it. */
    async play(asked: NewDeliberation, request = "r1"): Promise<Played> {
      const { opened } = await engine.open(request, asked);
      return played(opened.deliberation);
    },
    /**
     * The same by a process that dies at this point, and another that finishes. `made` calls were made when it died, of which
     * `recorded` were recorded. Every call that was sent is on the bill, and nothing else but what was reserved and not sent.
     * @throws Error where it is not (BILL-1)
     */
    async playKilled(
      asked: NewDeliberation,
      point: CrashPoint,
    ): Promise<Played & { readonly made: number; readonly recorded: number }> {
      const first = start(point);
      const { opened } = await engine.open("r1", asked);
      const id = opened.deliberation;
      await clock.settle(Promise.race([first.engine.drive(id, { signal: alone.signal }), first.died]));
      const recorded = (await read(id)).filter((entry) => callOf(entry)).length;
      const made = models.calls.length;
      const second = start();
      const ended = await played(id, second.engine);
      const [calls, reserved] = (["call", "reserve"] as const).map(
        (at) => first.begun(at) + second.begun(at),
      );
      const billed = requestsIn(ended.entries);
      if (billed < (calls ?? 0) || billed > (reserved ?? 0))
        throw new Error(`${calls} calls were sent, ${reserved} reserved, ${billed} are on the bill`);
      return { ...ended, made, recorded };
    },
    lines: async (id: DeliberationId) => (await read(id)).map(lineOf),
    facts: async (id: DeliberationId) => factsOf(await read(id)),
  };
}

export type Stage = ReturnType<typeof stage>;

/** A deliberation's events of one type, in order. */
export const eventsOf = <T extends Entry["type"]>(entries: readonly Entry[], type: T) =>
  entries.filter((entry): entry is Extract<Entry, { type: T }> => entry.type === type);

/** How a deliberation ended; undefined while it is open. */
export const closingOf = (entries: readonly Entry[]): Closing | undefined =>
  eventsOf(entries, "deliberation-closed").at(-1)?.data;

/** Every place in which a process can die that makes so many calls and appends, before and after each. */
export const crashPoints = (counts: { readonly calls: number; readonly appends: number }): CrashPoint[] =>
  (["call", "append"] as const).flatMap((at) =>
    Array.from({ length: counts[`${at}s`] }, (_, index) => index + 1).flatMap((nth): CrashPoint[] => [
      { at, nth, when: "before" },
      { at, nth, when: "after" },
    ]),
  );

/** How many requests a run has sent, by its record: each call is one here, whatever its script says of its attempts. */
function requestsIn(entries: readonly Entry[]): number {
  const made = entries.filter((entry) => entry.origin.by !== "adopted" && (callOf(entry)?.attempts ?? 0) > 0);
  const left = (entries[0]?.sent ?? []).map(({ origin, calls }) => {
    const entry = entries.find((one) => originKey(one.origin) === origin);
    return Math.max(0, calls - (entry && requestsCovered(entry) > 0 ? 1 : 0));
  });
  return made.length + left.reduce((sum, calls) => sum + calls, 0);
}

/** `type < origin`, with what a degradation or an adoption needs to be told from others. */
const lineOf = (entry: Entry): string =>
  `${entry.type} < ${entry.origin.by === "adopted" ? "adopted: " : ""}${originKey(entry.origin)}`;

/** All that two runs of one deliberation have to agree on: types, whole origins and data, in the origins' order. */
export const factsOf = (entries: readonly Entry[]): string[] =>
  entries.map(({ type, data, origin }) => `${originKey(origin)} ${canonical({ type, data, origin })}`).sort();
