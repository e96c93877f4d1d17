import type { Parley } from "../app/parley.ts";
import {
  isEvent,
  type DeliberationId,
  type Entry,
  type Frame,
  type OrganizationId,
  type Principal,
} from "../kernel/index.ts";
import { doingAfter } from "../views/doing.ts";
import { hasPeople, veilEntries, veiledEntry } from "../views/veil.ts";
import { publicEntry, type EventTexts } from "../views/public-entry.ts";
import { isClosed } from "../views/result.ts";
import { isWaiting } from "../views/waiting.ts";
import { begun, framesBytes, presentBytes, type Running } from "./live-steps.ts";
import { Refused } from "./problem.ts";

// STREAM-1. `id:` is the deliberation's seq, so that a follower that returns misses nothing, whatever ended in between. The store-wide
//     cursor leaves no server. Else: a follower misses events, or learns how busy other organizations are.
// What is said to all followers of a deliberation is encoded once. Live text is lossy: one that is far behind gets none, and the present
// text of every running step stands first for whoever joins late.
// Nobody's slowness is anybody else's: a follower that is too far behind is closed, and resumes by its id.

const FLUSH_MS = 25;
const COMMENT_MS = 10_000;
/** Behind by so many bytes a follower gets no live text; by so many, nothing more. */
export const MAX_BEHIND_FRAMES = 1_000_000;
const MAX_BEHIND = 8_000_000;
/** Where a follower's bytes go. */
export type Sink = {
  write(bytes: Buffer): void;
  /** Writes something that says nothing, on a connection on which nothing may have come for a while. */
  comment(bytes: Buffer): void;
  /** Bytes that were written and not taken yet. */
  behind(): number;
  /** Nothing more comes; `isOver`: because the deliberation has ended. */
  end(isOver: boolean): void;
};

type StreamFollower = Sink & { readonly texts: EventTexts; seq: number };

type Channel = {
  readonly id: DeliberationId;
  readonly organization: OrganizationId;
  readonly followers: Set<StreamFollower>;
  /** All events, in order, for what may be shown and whether it has ended. */
  entries: Entry[];
  /** Resolves when nothing is missing between what was read and what is heard. */
  readonly complete: Promise<void>;
  pending: Entry[];
  /** Takes back the next flush; undefined where none is due. */
  unwake: (() => void) | undefined;
  /** When its followers were told something last. */
  sentAt: number;
};

export type FollowersOptions = {
  readonly parley: Parley;
  readonly principal: Principal;
  readonly log: (line: string) => void;
};

/** Who follows which deliberation, over one subscription to the store. */
export function createFollowers({ parley, principal, log }: FollowersOptions) {
  const { process, frames } = parley.context({}, { principal });
  const channels = new Map<DeliberationId, Channel>();
  const texts = new Map<DeliberationId, Map<string, Running>>();
  /** Who waits for the next event of a deliberation. */
  const awaited = new Map<DeliberationId, Set<() => void>>();
  const stopped = new AbortController();
  let following: Promise<void> | undefined;

  const hear = (frame: Frame): void => {
    const steps = texts.get(frame.deliberation) ?? new Map<string, Running>();
    texts.set(frame.deliberation, steps);
    const { step, work } = frame;
    const known = steps.get(step);
    const doing = doingAfter(frame, process.world.now(), known?.doing);
    if (frame.kind === "text") {
      const { attempt, text, offset } = frame.delta;
      if (known?.attempt === attempt && offset === known.text.length) known.text += text;
      else steps.set(step, { ...begun, attempt, text, work: work ?? known?.work });
    } else if (!known) steps.set(step, { ...begun, work });
    const running = steps.get(step);
    if (running) running.doing = doing;
    const channel = channels.get(frame.deliberation);
    if (channel) wake(channel);
  };
  const unlisten = frames.listen(hear);

  /** A step's text is of no use once the step is recorded. */
  const forget = (entry: Entry): void => {
    if (isEvent(entry, "deliberation-closed")) texts.delete(entry.deliberation);
    else if ("step" in entry.origin) texts.get(entry.deliberation)?.delete(entry.origin.step);
  };

  const wake = (channel: Channel): void => {
    if (channel.unwake) return;
    const send = () => {
      channel.unwake = undefined;
      channel.sentAt = process.world.now();
      flush(channel);
    };
    // What comes after a pause is told at once; what comes in a rush, in batches.
    const dueMs = channel.sentAt + FLUSH_MS - process.world.now();
    if (dueMs <= 0) {
      const soon = setImmediate(send); // the shortest timer takes a millisecond
      channel.unwake = () => clearImmediate(soon);
    } else {
      const later = setTimeout(send, dueMs);
      channel.unwake = () => clearTimeout(later);
    }
  };

  const flush = (channel: Channel): void => {
    const entries = channel.pending;
    channel.pending = [];
    const shown = entries.flatMap((entry) => shownIn(channel, entry));
    const encoded = {
      full: once(() => Buffer.concat(shown.map((entry) => eventBytes(entry, "full")))),
      head: once(() => Buffer.concat(shown.map((entry) => eventBytes(entry, "head")))),
    };
    const live = hides(channel.entries) ? undefined : framesBytes(texts.get(channel.id), process.world.now());
    const isState = entries.some(isStateChange);
    const tell = (one: StreamFollower): void => {
      const fresh = entries.every(({ seq }) => seq > one.seq);
      if (shown.length > 0)
        one.write(
          fresh
            ? encoded[one.texts]()
            : Buffer.concat(
                shown.filter(({ seq }) => seq > one.seq).map((entry) => eventBytes(entry, one.texts)),
              ),
        );
      one.seq = Math.max(one.seq, entries.at(-1)?.seq ?? 0);
      if (isState) one.write(stateBytes(channel.entries));
    };
    for (const one of channel.followers) {
      if (entries.length > 0) tell(one);
      const behind = one.behind();
      if (live && behind < MAX_BEHIND_FRAMES) one.write(live);
      if (behind > MAX_BEHIND) leave(channel, one, false);
    }
    if (isClosed(channel.entries)) void endWhenDone(channel);
  };

  /** After the answer come its reactions; then there is nothing more to follow. */
  const endWhenDone = async (channel: Channel): Promise<void> => {
    const { id, organization } = channel;
    const owes = await process.engine
      .for(organization)
      .owesReactions(id)
      .catch(() => false);
    if (owes || channel.pending.length > 0) return;
    for (const one of channel.followers) leave(channel, one, true);
  };

  const leave = (channel: Channel, follower: StreamFollower, isOver: boolean): void => {
    if (!channel.followers.delete(follower)) return;
    if (isOver) follower.write(END);
    follower.end(isOver);
    drop(channel);
  };

  const drop = (channel: Channel): void => {
    if (channel.followers.size > 0) return;
    channel.unwake?.();
    channels.delete(channel.id);
  };

  const openChannel = ({ id, organization, entries: read }: FollowRequest): Channel => {
    const channel: Channel = {
      id,
      organization,
      followers: new Set(),
      entries: [...read],
      pending: [],
      unwake: undefined,
      sentAt: 0,
      // What was recorded between the reading and the channel nobody has heard.
      complete: process.store
        .for(organization)
        .read(id, read.at(-1)?.seq ?? 0)
        .then((rest) => {
          const all = new Map([...channel.entries, ...rest].map((entry) => [entry.seq, entry]));
          channel.entries = [...all.values()].sort((one, other) => one.seq - other.seq);
        }),
    };
    channel.complete.catch(() => channels.delete(id));
    channels.set(id, channel);
    return channel;
  };

  const take = (entry: Entry): void => {
    forget(entry);
    for (const tell of awaited.get(entry.deliberation) ?? []) tell();
    const channel = channels.get(entry.deliberation);
    if (!channel || entry.seq <= lastSeq(channel)) return;
    channel.entries.push(entry);
    channel.pending.push(entry);
    wake(channel);
  };

  const commenting = setInterval(() => {
    for (const { followers } of channels.values()) for (const one of followers) one.comment(COMMENT);
  }, COMMENT_MS);
  commenting.unref();

  /** Hears of every event of the store from now on, as long as the server runs. */
  const follow = async (): Promise<void> => {
    let at = await process.store.end();
    while (!stopped.signal.aborted)
      try {
        for await (const batch of process.store.subscribe(at, stopped.signal))
          for (const entry of batch) {
            at = entry.cursor;
            if (entry.type !== "unreadable") take(entry);
          }
      } catch (error) {
        log(`cannot read the store: ${error instanceof Error ? error.message : String(error)}`);
        await process.world.sleep(1_000, stopped.signal);
      }
  };

  return {
    /** Begins to hear of events, so that nothing recorded later is missed. */
    start(): void {
      following ??= follow();
    },
    /**
     * Sends everything after `after` to a sink, then what is recorded and written from now on.
     * @returns undefined where there is nothing more to come (the sink is not used), else what ends the following
     */
    async follow(request: FollowRequest, sink: Sink): Promise<(() => void) | undefined> {
      const { id, organization, entries, after, texts: how } = request;
      if (stopped.signal.aborted) throw stopping();
      const isOver = async (all: readonly Entry[]) =>
        isClosed(all) && !(await process.engine.for(organization).owesReactions(id));
      if (after >= (entries.at(-1)?.seq ?? 0) && (await isOver(entries))) return undefined;
      const channel = channels.get(id) ?? openChannel(request);
      await channel.complete;
      const isAtEnd = await isOver(channel.entries);
      // Whoever else followed it may have gone meanwhile, and the channel with them.
      if (channels.get(id) !== channel) return this.follow(request, sink);
      flush(channel); // what is pending goes to the others, and live text is told up to here
      const follower: StreamFollower = { ...sink, texts: how, seq: Math.max(after, lastSeq(channel)) };
      channel.followers.add(follower);
      const missed = veilEntries(channel.entries).filter(({ seq }) => seq > after);
      if (missed.length > 0) sink.write(Buffer.concat(missed.map((entry) => eventBytes(entry, how))));
      sink.write(stateBytes(channel.entries));
      const present = hides(channel.entries) ? undefined : presentBytes(texts.get(id), process.world.now());
      if (present) sink.write(present);
      if (isAtEnd) leave(channel, follower, true);
      return () => {
        channel.followers.delete(follower);
        drop(channel);
      };
    },
    /** A drive has ended: nothing more is written, and its followers may be at the end. */
    settle(id: DeliberationId): void {
      texts.delete(id);
      const channel = channels.get(id);
      if (channel && isClosed(channel.entries)) void endWhenDone(channel);
    },
    /** Resolves at the next event of a deliberation, or when `signal` aborts. */
    async next(id: DeliberationId, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return;
      const waiting = awaited.get(id) ?? new Set();
      awaited.set(id, waiting);
      await new Promise<void>((resolve) => {
        const tell = () => {
          signal.removeEventListener("abort", tell);
          waiting.delete(tell);
          if (waiting.size === 0) awaited.delete(id);
          resolve();
        };
        waiting.add(tell);
        signal.addEventListener("abort", tell);
      });
    },
    count: () => [...channels.values()].reduce((sum, { followers }) => sum + followers.size, 0),
    async stop(): Promise<void> {
      stopped.abort();
      clearInterval(commenting);
      unlisten();
      for (const channel of channels.values())
        for (const one of channel.followers) leave(channel, one, false);
      await following;
    },
  };
}
export type Followers = ReturnType<typeof createFollowers>;

export type FollowRequest = {
  readonly organization: OrganizationId;
  readonly id: DeliberationId;
  /** All of its events, as they were just read. */
  readonly entries: readonly Entry[];
  readonly after: number;
  readonly texts: EventTexts;
};

const stopping = () =>
  new Refused({
    ...{ status: 503, code: "over-capacity", detail: "the server is stopping", next: "try again later" },
    headers: { "retry-after": "2" },
  });

const lastSeq = ({ entries }: Pick<Channel, "entries">): number => entries.at(-1)?.seq ?? 0;

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};

const shownIn = ({ entries }: Channel, entry: Entry): readonly Entry[] => {
  const closed = isEvent(entry, "deliberation-closed");
  // What was hidden is shown to whoever comes back; live, a follower sees that it has ended.
  return closed ? [entry] : veiledEntry(entry, entries);
};

/** True while live text is hidden, because a person takes part. */
const hides = (entries: readonly Entry[]): boolean => {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  return opened !== undefined && hasPeople(opened.data) && !isClosed(entries);
};

const eventBytes = (entry: Entry, texts: EventTexts): Buffer =>
  Buffer.from(`id: ${entry.seq}\nevent: recorded\ndata: ${JSON.stringify(publicEntry(entry, texts))}\n\n`);

const isStateChange = (entry: Entry): boolean =>
  isEvent(
    entry,
    ...(["seat-opened", "seat-answered", "seat-expired"] as const),
    ...(["clarification-asked", "clarification-answered"] as const),
    "deliberation-closed",
  );

const stateBytes = (entries: readonly Entry[]): Buffer => {
  const closing = entries.findLast((entry) => isEvent(entry, "deliberation-closed"))?.data;
  const status = closing?.outcome ?? (isWaiting(entries) ? "waiting" : "open");
  return Buffer.from(`event: state\ndata: ${JSON.stringify({ status, waiting: status === "waiting" })}\n\n`);
};

const COMMENT = Buffer.from(": \n\n");
/** Nothing more comes of a deliberation. */
export const END = Buffer.from("event: end\ndata: {}\n\n");
