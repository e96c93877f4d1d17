import { createParser, type EventSourceMessage } from "eventsource-parser";
import { signal } from "@preact/signals";
import type { Entry } from "../kernel/index.ts";
import type { Doing } from "../views/doing.ts";
import { apiUrl, noteBuild, online, serverBuild, signedOut, withQuery } from "./http.ts";

// One tab of a browser holds one connection for all tabs and all runs: a browser allows six to a server, and each tab would take one.
// Whichever tab has the lock holds it; when that tab goes, another goes on from the seqs that it has seen.
// Nothing is shown twice and nothing is missed: whoever hears an entry knows its seq, and asks for what lies between.

/** A piece of what a running step writes. `offset` counts UTF-16 units from the attempt's beginning. */
export type LivePiece = {
  readonly step: string;
  readonly attempt: number;
  readonly offset: number;
  readonly text: string;
  readonly by?: string;
  readonly kind?: string;
};

/** What a step does before it writes. Times are in milliseconds until now, and `inMs` from now on. */
export type LiveDoing = {
  readonly step: string;
  readonly doing: Doing["kind"];
  readonly forMs: number;
  readonly sentMs: number;
  readonly expectedMs: number | null;
  readonly again?: {
    readonly code: string;
    readonly inMs: number;
    readonly attempt: number;
    readonly of: number;
  };
};

/** What a run's followers are told. */
export type FeedNews =
  | { readonly kind: "recorded"; readonly entry: Entry }
  | { readonly kind: "frames"; readonly pieces: readonly LivePiece[] }
  | { readonly kind: "doing"; readonly doings: readonly LiveDoing[] }
  | { readonly kind: "state"; readonly status: string; readonly waiting: boolean }
  | { readonly kind: "end" };

type FeedFollower = { readonly after: () => number; readonly tell: (told: FeedNews) => void };

/** Between tabs: what one follows and has seen, what is told of a run, that a tab has gone, and that another one holds the connection. */
type Post =
  | { readonly type: "wants"; readonly tab: string; readonly runs: Readonly<Record<string, number>> }
  | { readonly type: "told"; readonly id: string; readonly told: FeedNews }
  | { readonly type: "link"; readonly up: boolean; readonly build: string | null }
  | { readonly type: "gone"; readonly tab: string }
  | { readonly type: "leads" };

/** Whether what runs can be followed now: false between a lost connection and the next. */
export const isLinked = signal(true);

const RETRY_MS = [250, 500, 1_000, 2_000] as const;
const SETTLE_MS = 20;

const tab = Math.random().toString(36).slice(2);
const followers = new Map<string, Set<FeedFollower>>();
const channel =
  typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(`parley ${document.baseURI}`);
/** In the leading tab: what each tab wants. */
const wants = new Map<string, Readonly<Record<string, number>>>();
let leads = false;
let connection: AbortController | undefined;
let due: ReturnType<typeof setTimeout> | undefined;
let failures = 0;

/** Follows a run from its seq `after()` on, as long as the returned function is not called. */
export function followRun(id: string, follower: FeedFollower): () => void {
  begin();
  const all = followers.get(id) ?? new Set();
  followers.set(id, all.add(follower));
  announce();
  return () => {
    all.delete(follower);
    if (all.size === 0) followers.delete(id);
    announce();
  };
}

const ownRuns = (): Record<string, number> =>
  Object.fromEntries(
    [...followers].map(([id, all]) => [id, Math.min(...[...all].map(({ after }) => after()))]),
  );

function announce(): void {
  const runs = ownRuns();
  if (leads) take({ type: "wants", tab, runs });
  else channel?.postMessage({ type: "wants", tab, runs } satisfies Post);
}

let feedStart = false;
/** With the first run that is followed: takes part among the tabs, and leads when it is its turn. */
function begin(): void {
  if (feedStart) return;
  feedStart = true;
  if (channel) channel.onmessage = ({ data }: MessageEvent<Post>) => take(data);
  addEventListener("pagehide", () => channel?.postMessage({ type: "gone", tab } satisfies Post));
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) announce();
  });
  const lead = () => {
    leads = true;
    channel?.postMessage({ type: "leads" } satisfies Post);
    announce();
  };
  // Without locks (an address that is neither https nor this machine's) every tab leads itself.
  if (!("locks" in navigator) || !channel) return lead();
  void navigator.locks.request(`parley ${document.baseURI}`, () => {
    lead();
    return new Promise<never>(() => undefined); // until the tab goes
  });
}

function take(post: Post): void {
  switch (post.type) {
    case "told":
      return tellOwn(post.id, post.told);
    case "link":
      isLinked.value = post.up;
      serverBuild.value = post.build;
      return;
    case "leads":
      return leads ? undefined : announce();
    case "gone":
      wants.delete(post.tab);
      return leads ? connectSoon() : undefined;
    case "wants":
      if (!leads) return;
      if (Object.keys(post.runs).length === 0) wants.delete(post.tab);
      else wants.set(post.tab, post.runs);
      return connectSoon();
  }
}

function tellOwn(id: string, told: FeedNews): void {
  for (const { tell } of followers.get(id) ?? []) tell(told);
}

function tellAll(id: string, told: FeedNews): void {
  tellOwn(id, told);
  if (wants.size > 1 || !wants.has(tab)) channel?.postMessage({ type: "told", id, told } satisfies Post);
  // What a tab has seen is where the next connection begins.
  if (told.kind === "recorded") moveOn(id, told.entry.seq);
  if (told.kind === "end") forget(id);
}

function moveOn(id: string, seq: number): void {
  for (const [name, runs] of wants)
    if (id in runs) wants.set(name, { ...runs, [id]: Math.max(seq, runs[id] ?? 0) });
}

function forget(id: string): void {
  for (const [name, { [id]: _ended, ...runs }] of wants) {
    if (Object.keys(runs).length === 0) wants.delete(name);
    else wants.set(name, runs);
  }
}

function connectSoon(ms = SETTLE_MS): void {
  clearTimeout(due);
  due = setTimeout(() => void connect(), ms);
}

/** The runs that any tab follows, each with the least that one of them has seen. */
function followedRuns(): Map<string, number> {
  const all = new Map<string, number>();
  for (const runs of wants.values())
    for (const [id, seq] of Object.entries(runs)) all.set(id, Math.min(seq, all.get(id) ?? Infinity));
  return all;
}

async function connect(): Promise<void> {
  connection?.abort();
  const runs = followedRuns();
  if (runs.size === 0 || signedOut.value) return;
  const control = (connection = new AbortController());
  const of = [...runs].map(([id, seq]) => `${id}:${seq}`);
  try {
    const response = await fetch(apiUrl(withQuery("feed", { of })), {
      headers: { accept: "text/event-stream" },
      signal: control.signal,
    });
    noteBuild(response);
    if (response.status === 204) {
      for (const id of runs.keys()) tellAll(id, { kind: "end" });
      return;
    }
    if (response.status === 401) return void (signedOut.value = true);
    // A run that is gone is gone for good; whoever shows it is told by its own request.
    if (response.status === 404) return;
    if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`);
    setLink(true);
    failures = 0;
    await readFeed(response.body);
    if (!control.signal.aborted && followedRuns().size > 0) connectSoon(RETRY_MS[1]);
  } catch {
    if (control.signal.aborted) return;
    setLink(false);
    const wait = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 2_000;
    failures += 1;
    connectSoon(wait);
  }
}

function setLink(up: boolean): void {
  isLinked.value = up;
  if (up) online.value = true;
  channel?.postMessage({ type: "link", up, build: serverBuild.value } satisfies Post);
}

/** The server says something every 10 s. After a sleep, or on another network, a connection may be dead without having ended. */
const MAX_SILENCE_MS = 25_000;

async function readFeed(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  let id = "";
  await readEvents(body, ({ event, data }) => {
    if (event === "of") id = data;
    else tellAll(id, toldOf(event, data));
  });
}

/** Reads server-sent events until the connection ends, or says nothing for too long. */
async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onEvent: (message: EventSourceMessage) => void,
): Promise<void> {
  const parser = createParser({ onEvent });
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const read = () => {
    const silence = setTimeout(() => void reader.cancel(), MAX_SILENCE_MS);
    return reader.read().finally(() => clearTimeout(silence));
  };
  for (let { value, done } = await read(); !done; { value, done } = await read()) parser.feed(value ?? "");
}

type SeenStream = {
  readonly tell: (data: string) => void;
  /** Called when the connection is there, and when it is lost. */
  readonly link: (up: boolean) => void;
};

/** Follows a stream of the API from the last event that was seen, while somebody looks: a hidden tab holds no connection. */
export function followWhileSeen(path: string, { tell, link }: SeenStream): () => void {
  const end = new AbortController();
  let own: AbortController | undefined;
  let last: string | undefined;
  const isSeen = () => document.visibilityState === "visible" && !end.signal.aborted;
  const begin = async (): Promise<void> => {
    if (own || !isSeen()) return;
    const control = (own = new AbortController());
    try {
      const headers = {
        accept: "text/event-stream",
        ...(last === undefined ? {} : { "last-event-id": last }),
      };
      const response = await fetch(apiUrl(path), { headers, signal: control.signal });
      noteBuild(response);
      if (response.status === 401) return void (signedOut.value = true);
      if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`);
      link(true);
      await readEvents(response.body, ({ id, data }) => {
        last = id ?? last;
        tell(data);
      });
    } catch {
      if (isSeen()) link(false);
    }
    own = undefined;
    if (isSeen()) setTimeout(() => void begin(), RETRY_MS[2]);
  };
  const look = () => (isSeen() ? void begin() : own?.abort());
  document.addEventListener("visibilitychange", look, { signal: end.signal });
  void begin();
  return () => {
    end.abort();
    own?.abort();
  };
}

function toldOf(event: string | undefined, data: string): FeedNews {
  // The server writes these forms and no others.
  const json: unknown = JSON.parse(data);
  if (event === "recorded") return { kind: "recorded", entry: json as Entry };
  if (event === "frames") return { kind: "frames", pieces: json as LivePiece[] };
  if (event === "doing") return { kind: "doing", doings: json as LiveDoing[] };
  if (event === "end") return { kind: "end" };
  return { kind: "state", ...(json as { status: string; waiting: boolean }) };
}
