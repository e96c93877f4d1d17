import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineProtocol } from "../../engine/index.ts";
import type { ModelRequest } from "../../kernel/index.ts";
import { openingFor } from "../../testing/kit.ts";
import type { ScriptedLine } from "../../testing/scripted-models.ts";
import { closingOf, eventsOf, stage } from "../../testing/stage.ts";
import { askAgain, measure, seatedAt } from "./measure.ts";
import { modelParams, readReply } from "./reply.ts";

const settings = z.strictObject({ callTimeoutMs: z.int(), again: z.int() });
const base = {
  version: 1,
  summary: "measure something",
  seats: [{ name: "judge", filledBy: "models", min: 1 } as const],
  settings,
  templates: [],
};
type Settings = z.infer<typeof settings>;
const PROMPT: ModelRequest["messages"] = [{ role: "user", text: "What of it?" }];

/** One prompt, asked as `manner` says. */
const single = (manner: { readonly from?: number; readonly rereads?: true }) =>
  defineProtocol<Settings>({
    ...{ ...base, name: "single" },
    async deliberate(context) {
      const by = seatedAt(context, "judge");
      const request = { ...modelParams(by), messages: PROMPT, maxOutputTokens: 9 };
      const event = await askAgain(
        context,
        {
          ...{ key: "item", work: { kind: "grade", of: "item" }, request, ...manner },
          outcomes: ["reply-received", "degradation-noted"],
        },
        readReply<"reply-received">({ what: "it", participant: by.id }, () => ({
          type: "reply-received",
          data: { by: by.id, why: "it was asked" },
        })),
      );
      return { outcome: "failed", why: event.type };
    },
  });

type Says = (request: ModelRequest, nth: number) => ScriptedLine;
const fails: Says = () => ({ fail: "network" });

async function stepsOf(manner: Parameters<typeof single>[0], again: number, says: Says) {
  const protocol = single(manner);
  const on = stage({ protocols: [protocol], script: { ada: says } });
  const opening = openingFor(protocol, { models: ["ada"], settings: { callTimeoutMs: 1_000, again } });
  const { entries } = await on.play(opening);
  return entries.flatMap(({ origin }) =>
    "step" in origin && origin.step.startsWith("item") ? [[origin.step, origin.work?.nth]] : [],
  );
}

describe("asking again", () => {
  it("makes a failed call again under keys of its own, as often as the settings say", async () => {
    expect(await stepsOf({}, 2, fails)).toEqual([
      ["item", undefined],
      ["item/again-1", 2],
      ["item/again-2", 3],
    ]);
    expect(await stepsOf({}, 2, (_, nth) => (nth === 2 ? "so" : { fail: "network" }))).toHaveLength(2);
  });

  it("makes no call again that the budget refused", async () => {
    expect(await stepsOf({}, 2, () => ({ fail: "over-budget" }))).toEqual([["item", undefined]]);
  });

  it("asks no more for a reply that cannot be read, unless it is told to, and then counts no attempts", async () => {
    expect(await stepsOf({}, 1, () => "")).toEqual([["item", undefined]]);
    expect(await stepsOf({ rereads: true }, 1, () => "")).toEqual([
      ["item", undefined],
      ["item/again-1", undefined],
    ]);
  });

  it("begins with a later attempt where it is told to", async () => {
    expect(await stepsOf({ from: 2 }, 2, fails)).toEqual([["item/again-2", 3]]);
  });
});

const group = defineProtocol<Settings>({
  ...{ ...base, name: "group" },
  deliberate: (context) =>
    measure(context, {
      name: "guess",
      prompts: context
        .seats("judge")
        .map((by) => ({
          ...{ id: by.id, work: { by: by.id } },
          request: { ...modelParams(by), messages: PROMPT, maxOutputTokens: 9 },
          read: readReply<"reply-received">({ what: by.id, participant: by.id }, (text) =>
            text === "hm" ? { unreadable: "hm" } : { type: "reply-received", data: { by: by.id, why: text } },
          ),
        })),
      outcomes: ["reply-received", "degradation-noted"],
      ...{ key: "guessed", reason: "who was read", nothing: "nobody was read" },
      body: (read, unread) => ({ read, unread }),
    }),
});

describe("a measurement", () => {
  it.each([
    { ada: "A", bob: "B", ends: { outcome: "answered", answer: "guessed" }, unread: [] },
    { ada: "A", bob: "hm", ends: { outcome: "answered-degraded" }, unread: ["bob"] },
    { ada: "A", bob: { fail: "network" }, ends: { outcome: "answered-degraded" }, unread: ["bob"] },
    { ada: "hm", bob: { fail: "network" }, ends: { outcome: "inconclusive", why: "nobody was read" } },
    { ada: { fail: "network" }, bob: { fail: "network" }, ends: { outcome: "failed" } },
  ] as const)("closes on what it has, as $ends.outcome", async ({ ada, bob, ends, ...rest }) => {
    const on = stage({ protocols: [group], script: { ada, bob } });
    const opening = openingFor(group, { models: ["ada", "bob"], settings: { callTimeoutMs: 9, again: 0 } });
    const { entries } = await on.play(opening);
    expect(closingOf(entries)).toMatchObject(ends);
    const { unread = ["ada", "bob"] } = { ...rest };
    expect(eventsOf(entries, "note-taken")[0]?.data).toMatchObject({ topic: "guessed", body: { unread } });
  });

  it("shows what it has where the budget does not reach for all", async () => {
    const on = stage({ protocols: [group], script: { ada: "A", bob: "B" } });
    const opening = openingFor(group, { models: ["ada", "bob"], settings: { callTimeoutMs: 9, again: 0 } });
    const { entries } = await on.play({ ...opening, budget: { calls: 1 } });
    expect(closingOf(entries)).toEqual({
      outcome: "stopped-by-budget",
      ...{ why: "the budget does not reach for bob", cap: "calls" },
      best: { answer: "guessed", control: null },
    });
  });
});
