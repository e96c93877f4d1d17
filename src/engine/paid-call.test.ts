import { describe, expect, it } from "vitest";
import { callOf, fitText, MAX_EVENT_BYTES, type Call } from "../kernel/index.ts";
import {
  failureOf,
  nothingToSay,
  toyAsked,
  toyParticipant,
  toyProtocol,
  toyRequest,
} from "../testing/kit.ts";
import type { ScriptedReply } from "../testing/scripted-models.ts";
import { stage } from "../testing/stage.ts";
import { LOCAL } from "../testing/store-samples.ts";
import type { ReadReply, StepOutcome } from "./run.ts";

// PAID-1 of paid-call.ts; guarantee 2.

const ada = toyParticipant("ada", "member");
const bob = toyParticipant("bob", "member");

type Types = "answer-given" | "degradation-noted";

const answered = (text: string): StepOutcome<"answer-given"> => ({
  type: "answer-given",
  data: { by: ada.id, kind: "draft", round: 1, text, final: null },
});
const reads =
  (ok: (reply: string) => StepOutcome<Types>): ReadReply<Types> =>
  (call) =>
    call.ok ? ok(call.reply) : failureOf(ada.id)(call.failure.message);
const plain = reads(answered);

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const HUGE = 2 ** 53 - 1;
const large = "é".repeat(1_500_000);

type Poison = {
  readonly reply: ScriptedReply | string;
  readonly read?: ReadReply<Types>;
  readonly why: RegExp;
};
const UNREADABLE: { readonly [form: string]: Poison } = {
  "a reply that is too long with its copy": { reply: large, why: /6000266 bytes is over the limit of 4 MB$/ },
  "a reply that is too long by itself": { reply: "x".repeat(5_000_000), why: /first 4\d+ of its 5000000 / },
  "a reply of escapes": { reply: "\u0001".repeat(400_000), why: /over the limit of 4 MB/ },
  "tool arguments that are too long": {
    reply: { text: "so", toolCalls: [{ id: "1", name: "t", arguments: "y".repeat(4_200_000) }] },
    why: /over the limit of 4 MB/,
  },
  "a reader that throws": {
    reply: "odd",
    read: reads(() => {
      throw new RangeError("no digit");
    }),
    why: /could not be used: no digit/,
  },
  "a reader that throws at failures, too": {
    reply: "odd",
    read: () => {
      throw new Error("not mine");
    },
    why: /could not be used: not mine/,
  },
  "an event that its schema refuses": {
    reply: "odd",
    read: reads((text) => ({ ...answered(text), data: { ...answered(text).data, round: 1e300 } })),
    why: /cannot be recorded/,
  },
  "an event that is nested too deep": {
    reply: "odd",
    // A reader that is not typed may make anything.
    read: reads((text) => ({
      ...answered(text),
      data: { ...answered(text).data, final: nested(600) as never },
    })),
    why: /cannot be recorded/,
  },
};

async function play(reply: ScriptedReply | string, read: ReadReply<Types>) {
  const protocol = toyProtocol(async ({ run }) => {
    const outcomes = ["answer-given", "degradation-noted"] as const;
    await Promise.all([
      run.call({ key: "a", outcomes, request: toyRequest(ada, "?") }, read),
      run.call({ key: "b", outcomes, request: toyRequest(bob, "?") }, plain),
    ]);
    await run.awaits("more");
    return nothingToSay;
  });
  const on = stage({ protocols: [protocol], script: { ada: () => reply, bob: () => "fine" } });
  const { opened } = await on.engine.open("r1", toyAsked("toy", { members: ["ada", "bob"] }));
  const id = opened.deliberation;
  expect(await on.drive(id)).toMatchObject({ status: "waiting" });
  expect(await on.drive(id, on.start().engine)).toMatchObject({ status: "waiting" });
  expect([on.models.count("ada"), on.models.count("bob")]).toEqual([1, 1]);
  const entries = await on.store.for(LOCAL).read(id);
  await on.engine.replay(id);
  const [first] = entries.filter(({ origin }) => "step" in origin && origin.step === "a");
  if (!first) throw new Error("nothing is recorded");
  return { first, call: callOf(first) };
}

describe("a call that was paid for", () => {
  it.each(Object.entries(UNREADABLE))("PAID-1: is recorded as failed: %s", async (_, poison) => {
    const { first, call } = await play(poison.reply, poison.read ?? plain);
    expect(first.type).toBe("degradation-noted");
    expect(call).toMatchObject({ ok: false, failure: { code: "unreadable" }, cost: { usd: 0.0005 } });
    expect(call).toMatchObject({ tokens: { in: 10, out: 20 }, attempts: 1 });
    expect(first.data).toMatchObject({ why: expect.stringMatching(poison.why) as string });
    const said = typeof poison.reply === "string" ? poison.reply : "so";
    const kept = call && !call.ok ? (call.reply ?? "") : "";
    expect(said.startsWith(kept) && kept.length).toBeGreaterThanOrEqual(Math.min(said.length, 600_000));
  });

  const figures: { readonly [form: string]: [Partial<ScriptedReply>, Partial<Call>] } = {
    "infinite cost": [{ usd: Infinity }, { cost: { source: "unknown", usd: null } }],
    "cost that is no number": [{ usd: NaN }, { cost: { source: "unknown", usd: null } }],
    "negative cost": [{ usd: -1 }, { cost: { source: "unknown", usd: null } }],
    "more tokens than are counted exactly": [
      { tokens: { in: HUGE + 2, out: 7 } },
      { tokens: { in: null, out: 7, cached: null, reasoning: null } },
    ],
    "half a token": [
      { tokens: { in: 7, out: 0.5 } },
      { tokens: { in: 7, out: null, cached: null, reasoning: null } },
    ],
  };
  it.each(Object.entries(figures))(
    "PAID-1: keeps its reply without a figure: %s",
    async (_, [odd, expected]) => {
      const { first, call } = await play({ text: "fine", ...odd }, plain);
      expect(first.type).toBe("answer-given");
      expect(call).toMatchObject({ ok: true, reply: "fine", ...expected });
    },
  );

  it("PAID-1: keeps what fits an event", async () => {
    const { first, call } = await play("x".repeat(1_900_000), plain);
    expect([first.type, call?.ok]).toEqual(["answer-given", true]);
  });
});

describe("the beginning of a text", () => {
  it.each([
    ["plain", "abcdef", 3, "abc"],
    ["whole", "abc", 3, "abc"],
    ["accents", "ééé", 5, "éé"],
    ["pairs are not parted", "😀😀", 7, "😀"],
    ["quotes are escaped", '"""', 5, '""'],
    ["controls take six", "\n\n", 11, "\n"],
    ["lone surrogates take three", "\ud800\ud800", 5, "\ud800"],
  ])("is measured in bytes: %s", (...[, text, bytes, expected]) => {
    expect(fitText(text, bytes)).toBe(expected);
  });

  it("never takes more than its bytes", () => {
    const text = '\u0000"é😀\ud800\u2028x'.repeat(50);
    for (let bytes = 0; bytes < 200; bytes += 7)
      expect(Buffer.byteLength(JSON.stringify(fitText(text, bytes).toWellFormed())) - 2).toBeLessThanOrEqual(
        bytes,
      );
    expect(fitText(text, MAX_EVENT_BYTES)).toBe(text);
  });
});
