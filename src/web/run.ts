import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Entry } from "../kernel/index.ts";
import { hasCutText, readPublicEntry } from "../views/public-entry.ts";
import type { Result } from "../views/result.ts";
import { followRun, type LiveDoing, type LivePiece, type FeedNews } from "./feed.ts";
import { callApi, fetchJson, ApiProblem, withQuery } from "./http.ts";
import { isServed } from "./served.ts";

// A run is its entries, in the order of their seqs, each once. Everything that is shown of it is a fold of the entries up to a seq, by the
// same functions as the server's and the command line's.

/** A journal of at most so many entries comes whole. */
const SMALL = 300;
const MAX_AT_ONCE = 200;
/** So many runs are kept when they are left, so that they can be looked at again without a server. */
const MAX_KEPT = 8;

/** What a running step has written so far, and what it did at `atMs` (of `performance.now()`), where it has written nothing. */
export type LiveStep = {
  attempt: number;
  text: string;
  by: string | undefined;
  kind: string | undefined;
  doing?: (LiveDoing & { readonly atMs: number }) | undefined;
};

export type RunStore = {
  readonly id: string;
  /** All that is recorded, in order. Read it after `version`. */
  readonly entries: readonly Entry[];
  /** Grows with each change of the entries. */
  readonly version: Signal<number>;
  /** Another one where an entry that was there has changed, or one has come between others. */
  edition(): number;
  readonly state: Signal<"loading" | "ready" | "failed">;
  /** Why it could not be loaded. */
  readonly error: Signal<Error | undefined>;
  /** Nothing more will come. */
  readonly ended: Signal<boolean>;
  /** What running steps write, by step. */
  readonly live: ReadonlyMap<string, LiveStep>;
  /** Grows when a step begins to write, or is recorded. */
  readonly liveVersion: Signal<number>;
  /** Calls back with each piece of a step's text; the returned function ends that. */
  listen(step: string, hear: (live: LiveStep, added: string | undefined) => void): () => void;
  /** Loads the whole texts of these entries, where they came cut; with `digests`, whatever else they came without. */
  complete(seqs: readonly number[], options?: { readonly digests?: boolean }): void;
};

const runStores = new Map<string, RunStore & { follow(): () => void }>();

/** The run's store; it is followed until the returned function is called. */
export function openRun(id: string): { readonly run: RunStore; readonly leave: () => void } {
  const run = runStores.get(id) ?? createRun(id);
  runStores.delete(id);
  runStores.set(id, run);
  for (const old of [...runStores.keys()].slice(0, -MAX_KEPT)) runStores.delete(old);
  return { run, leave: run.follow() };
}

/** A run that is all there: from a file, or for a comparison. */
export function closedRun(id: string, entries: readonly Entry[]): RunStore {
  const run = createRun(id);
  run.put(entries);
  run.state.value = "ready";
  run.ended.value = true;
  return run;
}

function createRun(id: string) {
  const entries: Entry[] = [];
  /** The seqs of entries that came without their digests and with the heads of their texts. */
  const cut = new Set<number>();
  const live = new Map<string, LiveStep>();
  const ears = new Map<string, Set<(step: LiveStep, added: string | undefined) => void>>();
  const version = signal(0);
  const liveVersion = signal(0);
  const state = signal<"loading" | "ready" | "failed">("loading");
  const error = signal<Error | undefined>(undefined);
  const ended = signal(false);
  let edition = 0;
  let followed = 0;
  let unfollow: (() => void) | undefined;
  let painted = false;

  /** Entries come in a rush: what shows them is told once a picture. */
  const changed = () => {
    if (painted) return;
    painted = true;
    const tell = () => {
      painted = false;
      version.value += 1;
    };
    if (document.visibilityState === "visible") requestAnimationFrame(tell);
    else setTimeout(tell, 250);
  };
  const lastSeq = () => entries.at(-1)?.seq ?? 0;
  const put = (fresh: readonly Entry[]) => {
    for (const entry of fresh.map(readPublicEntry)) {
      if (entry.seq > lastSeq()) entries.push(entry);
      else {
        edition += 1;
        const at = indexOf(entries, entry.seq);
        if (entries[at]?.seq === entry.seq) entries[at] = entry;
        else entries.splice(at, 0, entry);
      }
      const { origin } = entry;
      if ("step" in origin && live.delete(origin.step)) liveVersion.value += 1;
    }
    changed();
  };
  const putCut = (fresh: readonly Entry[]) => {
    for (const { seq } of fresh) cut.add(seq);
    put(fresh);
  };

  const load = async (after = lastSeq()) => {
    try {
      const path = `deliberations/${encodeURIComponent(id)}/events`;
      const headers = { accept: "application/x-ndjson" };
      // Both at once: most runs have nothing after the first, and of those that have, it is most of what there is to wait for.
      const later = callApi(withQuery(path, { texts: "head", after: after + SMALL }), { headers });
      later.catch(() => undefined); // where both fail, the first says why
      const first = await fetchJson<{ data: Entry[] }>(withQuery(path, { limit: SMALL, after }));
      put(first.data);
      for await (const entries of readLines(await later)) putCut(entries);
      state.value = "ready";
    } catch (failure) {
      error.value = failure as Error; // callApi throws errors
      if (entries.length > 0) state.value = "ready";
      else state.value = "failed";
      if (failure instanceof ApiProblem && failure.code === "offline") setTimeout(() => void again(), 2_000);
    }
  };
  const again = () => (followed > 0 ? load().then(begin) : undefined);

  const hear = (told: FeedNews) => {
    switch (told.kind) {
      case "recorded": {
        const before = lastSeq();
        put([told.entry]);
        // What lies between what was known and what is heard; and, of a run with people, what was hidden until its end.
        if (told.entry.seq > before + 1) void load(before);
        else if (told.entry.type === "deliberation-closed" && entries.length < told.entry.seq) void load(0);
        return;
      }
      case "frames":
        return hearPieces(told.pieces);
      case "doing":
        return hearDoings(told.doings);
      case "state":
        ended.value = false;
        return;
      case "end":
        ended.value = true;
        live.clear();
        liveVersion.value += 1;
        return;
    }
  };
  const hearDoings = (doings: readonly LiveDoing[]) => {
    for (const doing of doings) {
      const known = live.get(doing.step);
      if (known) known.doing = { ...doing, atMs: performance.now() };
    }
    liveVersion.value += 1;
  };
  const hearPieces = (pieces: readonly LivePiece[]) => {
    for (const { step, attempt, offset, text, by, kind } of pieces) {
      const known = live.get(step);
      if (known?.attempt === attempt && offset === known.text.length) {
        if (text === "") continue;
        if (known.text === "") liveVersion.value += 1;
        known.text += text;
        for (const tell of ears.get(step) ?? []) tell(known, text);
        continue;
      }
      if (known?.attempt === attempt && offset > known.text.length) continue; // what was lost comes again with the next connection
      const begun = {
        attempt,
        text: (known?.attempt === attempt ? known.text.slice(0, offset) : "") + text,
        by: by ?? known?.by,
        kind: kind ?? known?.kind,
      };
      live.set(step, begun);
      if (!known) liveVersion.value += 1;
      for (const tell of ears.get(step) ?? []) tell(begun, undefined);
    }
  };
  const begin = () => {
    if (isServed && followed > 0 && !ended.value && state.value === "ready")
      unfollow ??= followRun(id, { after: lastSeq, tell: hear });
  };

  return {
    ...{ id, entries: entries as readonly Entry[], version, state, error, ended, live, liveVersion, put },
    edition: () => edition,
    follow() {
      followed += 1;
      if (!ended.value) void load().then(begin);
      return () => {
        followed -= 1;
        if (followed > 0) return;
        unfollow?.();
        unfollow = undefined;
      };
    },
    listen(step: string, tell: (live: LiveStep, added: string | undefined) => void) {
      const all = ears.get(step) ?? new Set();
      ears.set(step, all.add(tell));
      return () => {
        all.delete(tell);
        if (all.size === 0) ears.delete(step);
      };
    },
    complete(seqs: readonly number[], { digests = false } = {}) {
      const isWanted = (seq: number) => digests || hasCutText(entries[indexOf(entries, seq)]?.data);
      const missing = seqs.filter((seq) => cut.has(seq) && isWanted(seq) && cut.delete(seq));
      for (let from = 0; from < missing.length; from += MAX_AT_ONCE) {
        const only = missing.slice(from, from + MAX_AT_ONCE);
        const path = withQuery(`deliberations/${encodeURIComponent(id)}/events`, { only: only.join(",") });
        fetchJson<{ data: Entry[] }>(path)
          .then(({ data }) => put(data))
          .catch(() => only.forEach((seq) => cut.add(seq)));
      }
    },
  };
}

/** The server's entries, a line each, as they come. */
async function* readLines({ body }: Response): AsyncGenerator<Entry[]> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    const lines = (rest + part.value).split("\n");
    rest = lines.pop() ?? "";
    yield lines.map((line) => JSON.parse(line) as Entry);
  }
}

/** Where an entry of this seq stands, or would stand. */
export function indexOf(entries: readonly Entry[], seq: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.seq ?? Infinity) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A run as it stood at the seq of the address. */
export type ShownRun = {
  readonly run: RunStore;
  readonly at: ReadonlySignal<number | undefined>;
  readonly entries: ReadonlySignal<readonly Entry[]>;
  readonly result: ReadonlySignal<Result | undefined>;
  readonly protocol: ReadonlySignal<string | undefined>;
  /** Whether the result has its protocol's own part, or will have none. */
  readonly isWhole: ReadonlySignal<boolean>;
};
