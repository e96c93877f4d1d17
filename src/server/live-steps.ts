import type { Work } from "../kernel/index.ts";
import type { Doing } from "../views/doing.ts";

// What running steps write and do, as a server's followers are told it.

/** A running step's text so far. */
export type Running = {
  attempt: number;
  text: string;
  /** How much of the text the followers were told; below 0, not even that it has begun. */
  told: number;
  readonly work: Work | undefined;
  /** What it does until it writes, and what of that the followers were told. */
  doing: Doing | null;
  toldDoing: Doing | null;
};

/** A step of which nothing is known yet. */
export const begun = { attempt: 1, text: "", told: -1, doing: null, toldDoing: null };

/** What running steps have written since it was told last, who has begun, and what those do who do not write; undefined for nothing. */
export function framesBytes(steps: Map<string, Running> | undefined, nowMs: number): Buffer | undefined {
  const all = [...(steps ?? [])];
  const pieces = all.flatMap(([step, running]) =>
    running.text.length > running.told ? [pieceOf(step, running, Math.max(0, running.told))] : [],
  );
  return liveBytes(
    pieces,
    all.filter(([, { doing, toldDoing }]) => doing !== toldDoing),
    nowMs,
  );
}

export function presentBytes(steps: Map<string, Running> | undefined, nowMs: number): Buffer | undefined {
  const all = [...(steps ?? [])];
  const pieces = all.map(([step, running]) => pieceOf(step, running, 0));
  return liveBytes(pieces, all, nowMs);
}

function liveBytes(
  pieces: readonly unknown[],
  changed: readonly (readonly [string, Running])[],
  nowMs: number,
): Buffer | undefined {
  const doings = changed.flatMap(([step, running]) => {
    running.toldDoing = running.doing;
    return running.doing ? [doingData(step, running.doing, nowMs)] : [];
  });
  const events = [
    pieces.length === 0 ? "" : `event: frames\ndata: ${JSON.stringify(pieces)}\n\n`,
    doings.length === 0 ? "" : `event: doing\ndata: ${JSON.stringify(doings)}\n\n`,
  ].join("");
  return events === "" ? undefined : Buffer.from(events);
}

/** What a step does, in times from now on and until now: a client has a clock of its own. */
function doingData(step: string, { kind, sinceMs, sentMs, expectedMs, again }: Doing, nowMs: number) {
  const { code, attempt, of, atMs = nowMs } = again ?? {};
  return {
    ...{ step, doing: kind, forMs: Math.round(nowMs - sinceMs), sentMs: Math.round(nowMs - sentMs) },
    expectedMs: expectedMs === null ? null : Math.round(expectedMs),
    ...(again ? { again: { code, inMs: Math.round(atMs - nowMs), attempt, of } } : {}),
  };
}

/** A piece of a step's text. The first one says whose work it is. */
function pieceOf(step: string, running: Running, offset: number) {
  const { attempt, text, work } = running;
  running.told = text.length;
  const of = offset === 0 && work ? { by: work.by, kind: work.kind } : {};
  return { step, attempt, offset, text: text.slice(offset), ...of };
}
