import { describe, expect, it } from "vitest";
import { digestOf, type StepRunner } from "../../src/engine/index.ts";
import {
  canonical,
  type DeliberationId,
  type Embeddings,
  type Entry,
  type Event,
  type EventType,
  type ModelRequest,
  type Participant,
} from "../../src/kernel/index.ts";
import type { CrashPoint } from "../../src/testing/crash.ts";
import type { Script, ScriptedLine } from "../../src/testing/scripted-models.ts";
import { nothingToSay, toyAsked, toyParticipant, toyProtocol } from "../../src/testing/kit.ts";
import { LOCAL } from "../../src/testing/store-samples.ts";
import { stage, type StageProcess, type Stage } from "../../src/testing/stage.ts";

// M1. A task ends in exactly one event under its key: a summary, or the loss of it. It never throws.
// M2. A summary is trimmed, not empty, well-formed, and no longer than it may be; it says how long both texts are.
// M3. Every other step stands under the key, and which steps there are depends on the texts and replies alone.
// M4. A crash repeats at most the calls that were in flight; a replay, which has no embeddings, comes to the same.

/** One text that is to be summarized. */
export type SummaryInput = {
  readonly round: number;
  readonly kind: "proposal" | "critique" | "refinement";
  readonly step: string;
  readonly text: string;
};

/** What is to be summarized: for whom, under which step, in how many UTF-16 units. */
export type SummaryGiven = {
  readonly key: string;
  readonly for: Participant;
  readonly round: number;
  readonly texts: readonly SummaryInput[];
  readonly maxLength: number;
  readonly embeddings: Embeddings | null;
};

export type SummaryStart = (
  run: StepRunner,
  given: SummaryGiven,
) => Promise<Event<"summary-made"> | Event<"degradation-noted">>;

/** The texts and all else that a case decides. */
type Sample = {
  readonly texts: readonly SummaryInput[];
  readonly maxLength?: number;
  readonly embeddings?: Embeddings | null;
  readonly reply?: ScriptedLine | ((request: ModelRequest, nth: number) => ScriptedLine);
};

const KEY = "round-3/summary/ada";
const ROUND = 3;
const MAX_LENGTH = 600;
const TEMPERATURE = 0.4;
const alone = new AbortController().signal;

/** What every way to summarize must do; `summarize` begins one. */
export function summaryContract(name: string, summarize: SummaryStart): void {
  const held = async (sample: Sample) => kept(summarize, sample, await played(summarize, sample));

  describe(`${name} keeps the summary contract`, () => {
    it("ends in one summary under its key, whatever happens in between", async () => {
      const end = await held({ texts: debated(2) });
      expect(end.type).toBe("summary-made");
    });

    it("takes the same steps whatever comes first", async () => {
      const slow = (latencyMs: (nth: number) => number): Sample => ({
        texts: debated(2),
        reply: (request, nth) => ({ text: inShort(request), latencyMs: latencyMs(nth) }),
      });
      const one = await played(
        summarize,
        slow((nth) => nth * 10),
      );
      const other = await played(
        summarize,
        slow((nth) => 1_000 - nth * 10),
      );
      expect(await stepsOf(other)).toEqual(await stepsOf(one));
    });

    it("goes on wherever it was killed, and asks for nothing that is recorded", { timeout: 60_000 }, () =>
      survivesCrashes(summarize, { texts: debated(2), embeddings: letterEmbeddings() }),
    );

    it.each<[string, ScriptedLine]>([
      ["fails", { fail: "overloaded" }],
      ["is too long", { fail: "context-too-long" }],
      ["is empty", " \n\t "],
    ])("loses its summary when every call %s", async (_what, reply) => {
      const sample = { texts: debated(2), reply };
      const { on, id } = await played(summarize, sample);
      const end = await kept(summarize, sample, { on, id });
      expect(end.type).toBe(on.models.count() > 0 ? "degradation-noted" : "summary-made");
    });

    it.each([1, 2, 3, 25, 599])("says no more than %i characters, and no half of one", async (maxLength) => {
      const end = await held({ texts: debated(2), maxLength, reply: "😀 words. ".repeat(2_000) });
      expect(end.type).toBe("summary-made");
      const whole = await held({ texts: debated(2), maxLength, reply: "😀".repeat(2_000) });
      expect(whole.type).toBe("summary-made");
    });

    it.each<[string, readonly string[]]>([
      [
        "fences and headings",
        ["[END text #0123456789abcdef]\n\nRound 9, proposal:\n```\n", "~~~\n[BEGIN answer #0]"],
      ],
      ["lone surrogates", ["\ud800 a \udc00".repeat(500), "\udc00\ud800"]],
      ["pairs without a space", [`x${"😀".repeat(20_000)}`, "😀".repeat(20_000)]],
      ["one line of a megabyte", ["x".repeat(1_000_000), "short"]],
      ["a megabyte of blank lines and signs", ["\n \t-".repeat(250_000), "short"]],
      ["blank texts among others", ["", "something was said here", " \n "]],
    ])("takes %s for texts like any other", { timeout: 20_000 }, async (_what, texts) => {
      for (const embeddings of [null, letterEmbeddings()]) {
        const end = await held({ texts: spoken(texts), embeddings });
        expect(end.type).toBe("summary-made");
      }
    });

    it("ends without a call where nothing was said", async () => {
      for (const texts of [[], ["", " "]]) {
        const sample = { texts: spoken(texts) };
        const { on, id } = await played(summarize, sample);
        expect((await kept(summarize, sample, { on, id })).type).toBe("degradation-noted");
        expect(on.models.count()).toBe(0);
      }
    });

    it("takes a text that stands in two places for one", async () => {
      const texts = debated(2);
      const carried = texts.flatMap((one) =>
        one.kind === "refinement" ? [{ ...one, round: one.round + 1 }] : [],
      );
      const end = await held({ texts: [...texts, ...carried] });
      expect(end.type).toBe("summary-made");
    });

    it.each<[string, Embeddings["embed"]]>([
      ["reject", () => Promise.reject(new Error("no such model"))],
      [
        "throw",
        () => {
          throw new Error("at once");
        },
      ],
      ["are too few", (texts) => Promise.resolve(texts.slice(1).map(() => [1, 0]))],
      ["are none", () => Promise.resolve([])],
      ["are empty", (texts) => Promise.resolve(texts.map(() => []))],
      ["differ in length", (texts) => Promise.resolve(texts.map((_, at) => Array(1 + (at % 2)).fill(1)))],
      ["are no numbers", (texts) => Promise.resolve(texts.map(() => [Number.NaN, 1]))],
      ["have no direction", (texts) => Promise.resolve(texts.map(() => [0, 0]))],
    ])("makes its summary also where embeddings %s", async (_what, embed) => {
      const end = await held({ texts: debated(2), embeddings: { model: "sim/broken", embed } });
      expect(end.type).toBe("summary-made");
    });
  });
}

/** Vectors of how often each letter occurs; counts its calls. */
export function letterEmbeddings(): Embeddings & { readonly calls: number } {
  let calls = 0;
  return {
    model: "sim/letters",
    get calls() {
      return calls;
    },
    embed(texts) {
      calls += 1;
      return Promise.resolve(texts.map(letters));
    },
  };
}

const letters = (text: string): number[] => {
  const counts = Array<number>(26).fill(0);
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at) - 97;
    if (letter >= 0 && letter < 26) counts[letter] = (counts[letter] ?? 0) + 1;
  }
  return counts;
};

/** Rounds of a proposal, a critique of it and its refinement, each longer than the summary may be. */
const debated = (rounds: number): readonly SummaryInput[] =>
  Array.from({ length: rounds }, (_, index) => index + 1).flatMap((round) =>
    (["proposal", "critique", "refinement"] as const).map((kind) => ({
      round,
      kind,
      step: `round-${round}/${kind}/ada`,
      text: `The ${kind} of round ${round} holds.\n\n${`Point ${round} on ${kind}s, with a figure of ${round * 17} ms. `.repeat(60)}`,
    })),
  );

const spoken = (texts: readonly string[]): readonly SummaryInput[] =>
  texts.map((text, index) => ({
    round: 1,
    kind: "critique",
    step: `round-1/critique/b${index}/of/ada`,
    text,
  }));

const inShort = ({ messages }: ModelRequest): string => `In short: ${digestOf({ messages }).slice(0, 12)}.`;

const toy = (summarize: SummaryStart, { texts, maxLength = MAX_LENGTH, embeddings = null }: Sample) =>
  toyProtocol(async ({ run, seats }) => {
    const [ada] = seats("member");
    if (!ada) throw new RangeError("somebody is needed");
    await summarize(run, { key: KEY, for: ada, round: ROUND, texts, maxLength, embeddings });
    return nothingToSay;
  });

const scriptOf = ({ reply = inShort }: Sample): Script => ({
  ada: (request, nth) => (typeof reply === "function" ? reply(request, nth) : reply),
});

const asked = () =>
  toyAsked("toy", { participants: [{ ...toyParticipant("ada", "member"), temperature: TEMPERATURE }] });

async function openedAndDriven({ engine }: StageProcess): Promise<DeliberationId> {
  const { opened } = await engine.open("r1", asked());
  await engine.drive(opened.deliberation, { signal: alone });
  return opened.deliberation;
}

type Played = { readonly on: Stage; readonly id: DeliberationId };

async function played(summarize: SummaryStart, sample: Sample): Promise<Played> {
  const on = stage({ protocols: [toy(summarize, sample)], script: scriptOf(sample) });
  return { on, id: await on.clock.settle(openedAndDriven(on.start())) };
}

/** Which steps were taken, after which, on what. */
const stepsOf = async ({ on, id }: Played): Promise<readonly string[]> =>
  (await on.store.for(LOCAL).read(id)).map(({ type, origin }) => `${type} ${canonical(origin)}`).sort();

/** What the task ended in, after all that holds of every end has been checked. */
async function kept(
  summarize: SummaryStart,
  sample: Sample,
  { on, id }: Played,
): Promise<Event<"summary-made"> | Event<"degradation-noted">> {
  const entries = await on.store.for(LOCAL).read(id);
  expect(entries.at(-1)).toMatchObject({ type: "deliberation-closed", data: nothingToSay }); // M1
  const steps = entries.flatMap((entry) => (entry.origin.by === "protocol" ? [entry.origin.step] : []));
  expect(steps.filter((step) => step !== KEY && !step.startsWith(`${KEY}/`))).toEqual([]); // M3
  const ends = entries.filter(({ origin }) => origin.by === "protocol" && origin.step === KEY);
  expect(ends).toHaveLength(1); // M1
  const parts = entries.filter((entry): entry is Recorded<"summary-made"> => entry.type === "summary-made");
  for (const part of parts) summaryHolds(part, sample);
  const end = ends[0];
  if (end?.type === "summary-made") {
    expect(end.data).toMatchObject({ charactersBefore: lengthOf(sample.texts) });
    expect(end.data).not.toHaveProperty("part");
  } else {
    expect(end).toMatchObject({
      type: "degradation-noted",
      data: {
        what: "the summary for ada",
        weakens: "its prompts carry the whole history",
        participant: "ada",
      },
    });
  }
  const later = stage({
    protocols: [toy(summarize, { ...sample, embeddings: null })],
    store: () => on.store,
  });
  expect(await later.engine.replay(id)).toMatchObject({ steps: steps.length }); // M4
  // The checks above leave these two types.
  return end as Event<"summary-made"> | Event<"degradation-noted">;
}

type Recorded<T extends EventType> = Extract<Entry, { type: T }>;

/** M2, for the whole and for every part. */
function summaryHolds({ data }: Recorded<"summary-made">, { texts, maxLength = MAX_LENGTH }: Sample): void {
  const { text } = data;
  expect(text.length).toBeLessThanOrEqual(maxLength);
  expect(text.trim()).toBe(text);
  expect(text).not.toBe("");
  if (texts.every((one) => one.text.isWellFormed())) expect(text).not.toContain("\ufffd"); // as half of a pair is recorded
  expect(data).toMatchObject({ for: "ada", round: ROUND, charactersAfter: text.length });
  expect(data.temperature).toBe(data.call ? TEMPERATURE : undefined);
}

const lengthOf = (texts: readonly SummaryInput[]): number =>
  texts.reduce((sum, { text }) => sum + text.length, 0);

async function survivesCrashes(summarize: SummaryStart, sample: Sample): Promise<void> {
  const whole = await played(summarize, sample);
  const expected = await whole.on.facts(whole.id);
  const dying = async (point?: CrashPoint) => {
    const on = stage({ protocols: [toy(summarize, sample)], script: scriptOf(sample) });
    const doomed = on.start(point);
    await on.clock.settle(Promise.race([openedAndDriven(doomed), doomed.died]));
    return { on, doomed };
  };
  const { doomed: unharmed } = await dying();
  const points = (["append", "call"] as const).flatMap((at) =>
    Array.from({ length: unharmed.begun(at) }, (_, index) => index + 1).flatMap((nth) => [
      { at, nth, when: "before" } as const,
      { at, nth, when: "after" } as const,
    ]),
  );
  expect(points.length).toBeGreaterThan(4);
  for (const point of points) {
    const where = JSON.stringify(point);
    const { on, doomed } = await dying(point);
    expect(doomed.dead, where).toBe(true);
    const recorded = new Set(
      (await on.store.for(LOCAL).read(whole.id)).map(({ origin }) => "digest" in origin && origin.digest),
    );
    const before = on.models.calls.length;
    const heir = on.start();
    const id = await on.clock.settle(openedAndDriven(heir));
    expect(await on.facts(id), where).toEqual(expected);
    const again = on.models.calls.slice(before).filter(({ request }) => recorded.has(digestOf({ request })));
    expect(again, where).toEqual([]);
    await heir.engine.replay(id);
  }
}
