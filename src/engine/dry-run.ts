import {
  DeliberationId,
  EventId,
  Fault,
  isEvent,
  MAX_REPLY_TOKENS,
  personOf,
  StepKey,
  type Call,
  type Cursor,
  type Digest,
  type Entry,
  type Event,
  type ModelRequest,
  type NewEvent,
  type Origin,
  type Quote,
  type Work,
} from "../kernel/index.ts";
import { NO_QUOTE } from "./budget.ts";
import { fenceMark } from "./digest.ts";
import { loadPinned, settingsOf, type CheckedInput } from "./opening.ts";
import { readCall } from "./paid-call.ts";
import type { Ports } from "./protocol.ts";
import { loadReactorSettings, needsReaction, subscribesTo, type AnyReactor } from "./reactor.ts";
import {
  toEvent,
  type CallSpec,
  type Course,
  type DryDesk,
  type EffectSpec,
  type ReplyEventType,
  type StepScope,
} from "./run.ts";

// DRY-1. A dry run has no store, no models and no clock, and runs no effect: nothing is recorded, sent or called by it. Else: an
//     estimate costs money, or changes what there is.
// No course of a run makes more calls than the longest dry runs together, repairs and fallbacks included; a request that is sent again
// after a failure of its connection is in none of them.

/** How the calls of a dry run are answered. */
export type DryCourse = {
  readonly course: Course;
  /** Final answers: the same from all, everyone's own, or none. */
  readonly finals: "same" | "own" | "none";
  /** Whether replies go wrong and tools are called, where that makes more calls. */
  readonly troubled: boolean;
  /** The tokens of a reply, unless its limit is lower. */
  readonly replyTokens: number;
  /** Whether replies are as long as they count, or as short as can be. */
  readonly isWritten: boolean;
};

/**
 * A call that a dry run made: its prompt counts `shown` more tokens, of texts that stand for longer ones. `limit`: the reply's
 * limit as it would be sent, where the course makes it shorter.
 */
export type DryCall = {
  readonly phase: string;
  readonly request: ModelRequest;
  readonly shown: number;
  readonly limit: number;
};

type DryOptions = {
  /** What effects use in place of the process's ports. */
  readonly ports: (desk: Pick<DryDesk, "course" | "standIn">) => Ports;
  /** Those that the opening enables. */
  readonly reactors: readonly AnyReactor[];
  readonly onCall: (call: DryCall) => void;
};

const CHARACTERS_PER_TOKEN = 3;
/** More than any run makes that ends. */
const MAX_STEPS = 100_000;
/** How many turns of the event loop a dry run waits for a protocol that takes no step. */
const IDLE_TURNS = 1_000;
const NOTHING = { by: "open", request: "dry-run" } as const satisfies Origin;
const NO_DIGEST = "0".repeat(64) as Digest;
const NO_MARK = "0".repeat(16);
const UNENDING = new Promise<never>(() => undefined);
const SPENT = {
  family: null,
  latencyMs: 0,
  attempts: 1,
  tokens: { in: 0, out: 0, cached: null, reasoning: null },
  cost: { source: "free", usd: 0 },
} as const;

/** Returns how to run a checked opening in memory, with replies in place of calls. @throws Fault as `open` does */
export async function prepareDryRun({ protocol, opening, texts }: CheckedInput) {
  const byDigest: ReadonlyMap<string, string> = texts;
  const store = {
    text(digest: string): Promise<string> {
      const pinned = byDigest.get(digest);
      if (pinned === undefined) throw new Fault("text-missing", { digest });
      return Promise.resolve(pinned);
    },
  };
  const deliberation = DeliberationId.parse("dry-run");
  const opened = eventOf({ type: "deliberation-opened", data: opening }, { deliberation, seq: 1 }, NOTHING);
  const { text: _text, ...pinned } = await loadPinned(store, opened as Event<"deliberation-opened">);
  // The protocol's schema has parsed the settings, so they have the type of its context.
  const settings = settingsOf(protocol, opening.settings) as never;
  const shortened = shortener(fenceMark(opening.seed, "dry run"));
  const context = { ...pinned, mark: () => NO_MARK, shorten: shortened.shorten };

  /** Runs it once. `undeclared`: the reactors whose calls cannot be told. @throws where the protocol cannot run so */
  return async (how: DryCourse, options: DryOptions): Promise<{ readonly undeclared: string[] }> => {
    const dry = new DryRun(how, { opened, shortened, onCall: options.onCall });
    const ports = options.ports(dry.desk(MAX_REPLY_TOKENS));
    const run = dry.steps((step) => ({ by: "protocol", ...step }));
    const closing = await dry.end(() => protocol.deliberate({ ...context, run, ports, settings }));
    dry.add({ type: "deliberation-closed", data: closing }, { by: "close", after: [] });
    const undeclared = new Set<string>();
    for (const [index, entry] of dry.entries.entries())
      for (const reactor of options.reactors) {
        if (!subscribesTo(reactor, entry)) continue;
        const own = await loadReactorSettings(store, reactor, opening);
        const before = dry.entries.slice(0, index + 1);
        if (!needsReaction(reactor, entry, { before, settings: { ok: true, value: own } })) continue;
        const { name } = reactor;
        const reaction = {
          ...context,
          ports,
          settings: own as never,
          turns: context.history,
          history: [...dry.entries],
          run: dry.steps((step) => ({ by: "reactor", reactor: name, event: entry.id, ...step }), name),
        };
        // What needs no model is left out: a memory, which is not written in a dry run.
        await dry
          .end(() => reactor.react(entry as Event<never>, reaction))
          .catch(() => {
            if (reactor.requires?.(own as never).models?.length) undeclared.add(name);
          });
      }
    return { undeclared: [...undeclared] };
  };
}

const eventOf = (
  event: NewEvent,
  { deliberation, seq }: Pick<Event, "deliberation" | "seq">,
  origin: Origin,
): Event => {
  const id = EventId.parse(`${deliberation}/${seq}`);
  // A dry run's events are in no store, so they have no place in one.
  return { ...event, id, deliberation, seq, cursor: seq as Cursor, at: "1970-01-01T00:00:00.000Z", origin };
};

/** Texts that stand for longer ones: `mark`, which no foreign text can have, and the characters that each counts. */
function shortener(mark: string) {
  const standIn = (characters: number): string => `\uE000${mark}:${Math.ceil(characters)}\uE001`;
  const known = new Map<string, string>();
  const pattern = new RegExp(`\uE000${mark}:(\\d+)\uE001`, "g");
  return {
    standIn,
    /** The text with stand-ins for what a dry run has written into it. */
    shorten(text: string): string {
      if (text.length < MIN_SHORTENED) return text;
      const found = text.length > MAX_KNOWN ? undefined : known.get(text);
      if (found !== undefined) return found;
      const short = text.replace(FILLER, ({ length }) => standIn(length));
      if (text.length <= MAX_KNOWN) known.set(text, short);
      return short;
    },
    /** The text without stand-ins, and the characters that they count. */
    counted(text: string): { readonly text: string; readonly shown: number } {
      if (!text.includes("\uE000")) return { text, shown: 0 };
      let shown = 0;
      const rest = text.replace(pattern, (_, characters: string) => ((shown += Number(characters)), ""));
      return { text: rest, shown };
    },
  };
}

/** What a dry run writes: three letters, again and again, so that two texts are not alike. */
const FILLER = /([a-z]{3})\1{30,}[a-z]{0,2}/g;
const MIN_SHORTENED = 100;
/** Longer ones are put together for one prompt. */
const MAX_KNOWN = 50_000;
const LETTERS = 26;
/** Texts are written whole up to so many characters, and so many in a run; then in short, with what stands for the rest. */
const MAX_WRITTEN = 20_000;
const MAX_WRITTEN_TOGETHER = 1_000_000;
const SHORT_LENGTH = 2_000;

type DryParts = {
  readonly opened: Event;
  readonly shortened: ReturnType<typeof shortener>;
  readonly onCall: DryOptions["onCall"];
};

class DryRun {
  readonly entries: Event[];
  readonly #how: DryCourse;
  readonly #parts: DryParts;
  /** What keeps the run from going on dry. */
  #refusal: Error | undefined;
  #texts = 0;
  #written = 0;

  constructor(how: DryCourse, parts: DryParts) {
    this.#how = how;
    this.#parts = parts;
    this.entries = [parts.opened];
  }

  add(event: NewEvent, origin: Origin): Event {
    if (this.entries.length > MAX_STEPS) throw this.#refuse("it does not end");
    const { deliberation } = this.#parts.opened;
    const added = eventOf(event, { deliberation, seq: this.entries.length + 1 }, origin);
    this.entries.push(added);
    return added;
  }

  desk(maxOutputTokens: number): DryDesk {
    const { course, isWritten, replyTokens } = this.#how;
    const { standIn } = this.#parts.shortened;
    const room = CHARACTERS_PER_TOKEN * Math.min(maxOutputTokens, replyTokens);
    const written = (characters: number): string => {
      const nth = (this.#texts += 1);
      const word = String.fromCharCode(
        ...[nth, nth / LETTERS, nth / LETTERS ** 2].map((digit) => 0x61 + (Math.floor(digit) % LETTERS)),
      );
      return word.repeat(Math.ceil(characters / word.length)).slice(0, characters);
    };
    const text = (characters = room) => {
      const most = !isWritten ? 0 : this.#written < MAX_WRITTEN_TOGETHER ? MAX_WRITTEN : SHORT_LENGTH;
      const length = Math.min(most, Math.floor(characters));
      this.#written += length;
      return written(length) + (length < Math.floor(characters) ? standIn(characters - length) : "");
    };
    return { course, room, text, standIn };
  }

  /** What a protocol or a reactor comes to, unless it waits for what does not happen in a dry run. */
  async end<T>(work: () => Promise<T>): Promise<T> {
    let isOver = false;
    this.#forgive();
    const over = work().finally(() => (isOver = true));
    over.catch(() => undefined);
    let steps = 0;
    for (let idle = 0; !isOver && !this.#refusal; idle = steps === this.entries.length ? idle + 1 : 0) {
      steps = this.entries.length;
      if (idle > IDLE_TURNS) throw this.#refuse("it waits for something else than its steps");
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (this.#refusal) throw this.#refusal;
    return over;
  }

  #forgive(): void {
    this.#refusal = undefined;
  }

  #refuse(why: string): Error {
    return (this.#refusal ??= new Error(`there is no dry run of it: ${why}`));
  }

  steps(
    originOf: (step: { step: StepKey; digest: Digest; after: StepKey[]; work?: Work }) => Origin,
    reactor?: string,
  ): StepScope {
    const { signal } = new AbortController();
    const record = ({ key, work }: Pick<CallSpec<ReplyEventType>, "key" | "work">, event: NewEvent) => {
      const step = { step: StepKey.parse(key), digest: NO_DIGEST, after: [], ...(work ? { work } : {}) };
      // The outcome is the step's own, so its event is of a type that the step declares.
      return this.add(event, originOf(step)) as never;
    };
    const steps: StepScope = {
      signal,
      frontier: [],
      call: async (spec, read) => {
        const { request } = spec;
        if (personOf(request.model) === undefined) this.#count(spec, reactor);
        return record(spec, readCall(spec, this.#reply(spec), read));
      },
      derive: async (spec, make) => record(spec, toEvent(make())),
      effect: async (spec) => record(spec, toEvent(await this.#effect(spec))),
      join: async (spec, work) => record(spec, toEvent((await work(signal)).ending)),
      awaits: async () => this.#answers(),
      recorded: () => undefined,
      settled: () => false,
      scope: () => steps,
      catchUp: () => Promise.resolve(),
      budget: {
        capped: false,
        caps: {},
        quote: (): Quote => NO_QUOTE,
        affordable: ({ length: fits }) => ({ fits }),
        hold: () => undefined,
        release: () => undefined,
      },
      sleep: () => UNENDING,
    };
    return steps;
  }

  #count({ dry, key, request, work }: CallSpec<ReplyEventType>, reactor: string | undefined): void {
    const counted = request.messages.map((message) => ({
      message,
      ...this.#parts.shortened.counted(message.text),
    }));
    const kind = work?.kind ?? key;
    const phase = dry?.phase ?? (work?.round === undefined ? kind : `round ${work.round} ${kind}`);
    this.#parts.onCall({
      phase: reactor === undefined ? phase : `${reactor} (reaction)`,
      request: {
        ...request,
        messages: counted.map(({ message, text }) => ({ ...message, text })),
        maxOutputTokens: Math.min(request.maxOutputTokens, this.#how.replyTokens),
      },
      limit: request.maxOutputTokens,
      shown: Math.ceil(counted.reduce((sum, { shown }) => sum + shown, 0) / CHARACTERS_PER_TOKEN),
    });
  }

  #reply({ dry, request, work }: CallSpec<ReplyEventType>): Call {
    const { troubled, finals } = this.#how;
    const { model, tools = [], maxOutputTokens } = request;
    const desk = this.desk(maxOutputTokens);
    const isPerson = personOf(model) !== undefined;
    if (troubled && dry?.mishap === "lost" && !isPerson)
      return { ok: false, failure: { code: "network", message: "" }, model, ...SPENT };
    const given = { ok: true, finish: "stop", model, ...SPENT } as const;
    const [tool] = troubled && !isPerson ? tools : [];
    if (tool) {
      const toolCalls = [{ id: "1", name: tool.name, arguments: "{}" }];
      return { ...given, reply: desk.text(), finish: "tool-calls", toolCalls };
    }
    if (dry?.reply && !(troubled && dry.mishap === "unread" && !isPerson))
      return { ...given, reply: dry.reply(desk) };
    const last =
      finals === "none" ? "" : `\nFinal answer: ${finals === "same" ? 42 : this.#numberOf(work?.by)}`;
    return { ...given, reply: `${desk.text(Math.max(1, desk.room - last.length))}${last}` };
  }

  #numberOf(by: string | undefined): number {
    const { data } = this.#parts.opened as Event<"deliberation-opened">;
    return 1_000 + data.participants.findIndex(({ id }) => id === by);
  }

  async #effect<T extends NewEvent["type"]>({ dry, key }: EffectSpec<T>) {
    if (!dry) throw this.#refuse(`nothing stands for the effect ${key}`);
    return dry(this.desk(MAX_REPLY_TOKENS));
  }

  /** Answers to all questions so far, each as long as its question. */
  #answers(): Entry {
    const asked = this.entries.flatMap((entry) =>
      isEvent(entry, "clarification-asked") ? entry.data.questions : [],
    );
    if (asked.length === 0) throw this.#refuse("it waits for a client");
    const answers = asked.map(({ id, text }) => ({ id, text }));
    return this.add(
      { type: "clarification-answered", data: { answers } },
      { by: "client", request: "dry-run" },
    );
  }
}
