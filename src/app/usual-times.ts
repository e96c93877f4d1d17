import { LRUCache } from "lru-cache";
import {
  callOf,
  workOf,
  type DeliberationId,
  type Frame,
  type ModelRef,
  type OrganizationStore,
} from "../kernel/index.ts";

// Each organization's times come of its own runs: nobody learns from another's how long their models take.

/** So many of the newest runs say how long calls take, and this is known for a minute. */
const RUNS = 8;
const KNOWN_MS = 60_000;
/** So many organizations and runs are kept in mind. */
const MAX_KEPT = 1_000;

/** By model and kind of work, in milliseconds. */
type Times = ReadonlyMap<string, number>;

export type UsualTimes = ReturnType<typeof usualTimes>;

/** How long calls usually take: the median of the same work of the same model in the newest runs. */
export function usualTimes(now: () => number) {
  const max = MAX_KEPT;
  const known = new LRUCache<string, Promise<Times>>({ max, ttl: KNOWN_MS, ttlResolution: 0, perf: { now } });
  const followed = new LRUCache<DeliberationId, { times: Times; models: ReadonlyMap<string, ModelRef> }>({
    max,
  });
  const of = (store: OrganizationStore): Promise<Times> => {
    const times = known.get(store.organization) ?? readTimes(store).catch((): Times => new Map());
    if (!known.has(store.organization)) known.set(store.organization, times);
    return times;
  };
  return {
    /** Makes known what a run's calls will probably take. */
    async follow(
      store: OrganizationStore,
      id: DeliberationId,
      participants: readonly { readonly id: string; readonly model: ModelRef }[],
    ): Promise<void> {
      const times = await of(store);
      const models = new Map(participants.map((one) => [one.id, one.model]));
      if (times.size > 0) followed.set(id, { times, models });
    },
    /** The frame, with what such a call usually takes at its start. */
    expected(frame: Frame): Frame {
      const { times, models } = followed.get(frame.deliberation) ?? {};
      if (frame.kind !== "started" || !times || !frame.work) return frame;
      const expectedMs = times.get(`${models?.get(frame.work.by ?? "")} ${frame.work.kind}`);
      return expectedMs === undefined ? frame : { ...frame, expectedMs };
    },
  };
}

async function readTimes(store: OrganizationStore): Promise<Times> {
  const runs = (await store.list({ limit: RUNS * 2 }))
    .filter(({ status }) => status !== "open")
    .slice(0, RUNS);
  const all = new Map<string, number[]>();
  for (const { id } of runs)
    for (const entry of await store.read(id)) {
      const call = callOf(entry);
      const work = workOf(entry);
      if (!call?.ok || !work || entry.origin.by === "adopted" || call.latencyMs <= 0) continue;
      const key = `${call.model} ${work.kind}`;
      all.set(key, [...(all.get(key) ?? []), call.latencyMs]);
    }
  return new Map([...all].map(([key, times]) => [key, middleOf(times)]));
}

const middleOf = (times: readonly number[]): number =>
  Math.round([...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0);
