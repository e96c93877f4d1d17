import { describe, expect, it } from "vitest";
import { openConfigured } from "../../../../test/support/opened.ts";
import { scratch } from "../../../../test/support/scratch.ts";
import {
  callOf,
  type DeliberationId,
  isEvent,
  OrganizationId,
  UserId,
  type Entry,
} from "../../../kernel/index.ts";
import * as z from "zod";
import { sectionOf } from "../protocol/view.ts";
import { resultOf } from "../../../views/result.ts";
import { converse } from "../../../../test/support/converse.ts";
import type { AppContext } from "../../../app/context.ts";
import { follow } from "../../../app/run.ts";
import { openPrepared, prepareOpening } from "../../../app/start.ts";

const never = new AbortController().signal;

/** Works over a store in memory, with simulated models. */
const using = async <T>(
  flags: Record<string, unknown>,
  work: (context: AppContext) => Promise<T>,
): Promise<T> => {
  using folder = scratch();
  const { context } = await openConfigured({
    ...folder,
    flags: { store: ":memory:", models: ["sim/ada"], ...flags },
  });
  try {
    return await work(context);
  } finally {
    await context.close();
  }
};

const asking = (context: AppContext, question: string, previous?: string) =>
  prepareOpening(context, { protocol: "respond", question, previous });

const typesBy = (entries: readonly Entry[]) =>
  entries.map(({ type, origin }) => (origin.by === "reactor" ? `${origin.reactor}: ${type}` : type)).sort();

describe("a turn with a respondent", () => {
  it("pins what comes after it: nothing but memory, unless a judge or a second respondent is asked for", () =>
    using({}, async (context) => {
      const { opening } = await asking(context, "What is 17 * 23?");
      expect(Object.keys(opening.reactions ?? {})).toEqual(["memory"]);
      expect(Object.keys(opening.templates)).toEqual(["respond", "respond-summary"]);
      expect(opening.participants.map(({ id, seat }) => [id, seat])).toEqual([["A", "respondent"]]);
    }));

  it("gives whoever has a memory its tools, and only the model that is shown the one that keeps facts", async () => {
    const toolsOf = (flags: object, folder?: string) =>
      using({ respondentB: true, ...flags }, async (context) => {
        const request = { protocol: "respond", question: "What is 17 * 23?" };
        const { opening } = await prepareOpening(context, request, { folder });
        const pinned = z.object({ tools: z.object({ specs: z.array(z.object({ name: z.string() })) }) });
        return [opening.settings, opening.reactions?.["respondent-b"]].map((settings) =>
          pinned.parse(settings).tools.specs.map(({ name }) => name),
        );
      });
    expect(await toolsOf({})).toEqual([["search_memory", "remember_this"], ["search_memory"]]);
    expect(await toolsOf({}, import.meta.dirname)).toEqual([
      ["file_read", "list_files", "search_memory", "remember_this"],
      ["file_read", "list_files", "search_memory"],
    ]);
    expect(await toolsOf({ memoryTools: false })).toEqual([[], []]);
    expect(await toolsOf({ memory: false })).toEqual([[], []]);
  });

  it("asks memory again in its own words, where the whole question found nothing", () =>
    using({}, async (context) => {
      const told = "My favorite programming language is Rust. I use it for all my systems work.";
      await converse(context, { question: told }, never);
      const question =
        "What programming language did I tell you I use for systems work? Check your memory if you are not sure.";
      const { entries } = await converse(context, { question }, never);
      expect(resultOf(entries)?.answer).toContain("Rust");
      const called = entries.flatMap((entry) => (isEvent(entry, "tool-called") ? [entry.data.tool] : []));
      expect(called).toEqual(["search_memory"]);
      const other = { question, user: UserId.parse("eve") };
      expect(resultOf((await converse(context, other, never)).entries)?.answer).not.toContain("Rust");
    }));

  it("keeps a fact that it is asked to remember, and says so", () =>
    using({}, async (context) => {
      const { entries } = await converse(context, { question: "Remember that I live in Kyiv." }, never);
      const { id, fact } = sectionOf(entries).remembered[0] ?? {};
      expect([id, fact]).toEqual([expect.stringMatching(/^pinned:[0-9a-f]{16}$/), "I live in Kyiv."]);
    }));

  it(
    "summarizes a long conversation where its context is known: some calls for many turns, the newest whole",
    () =>
      using({ respondContext: 6_000, respondentB: true }, async (context) => {
        let previous: DeliberationId | undefined;
        const made: number[] = [];
        for (let turn = 1; turn <= 24; turn += 1) {
          const question = `Remark ${turn}: ${"alpha beta gamma delta ".repeat(8)}. What is ${turn} + 1?`;
          const { entries, id } = await converse(context, { question, previous }, never);
          previous = id;
          for (const entry of entries)
            if (isEvent(entry, "summary-made")) {
              if (entry.data.for === "A") made.push(entry.data.turns?.covers ?? 0);
              expect(entry.data.call?.ok).toBe(true);
            }
          expect(resultOf(entries)).toMatchObject({ status: "answered", degraded: [] });
          await context.engine.replay(id);
        }
        expect(made.length).toBeGreaterThan(1);
        expect(made.length).toBeLessThan(8);
        expect(made).toEqual([...made].sort((one, other) => one - other));
        const { opening } = await asking(context, "And now?", previous);
        expect(opening.history?.[0]).toMatchObject({ question: "", covers: made.at(-1) });
        expect(opening.history?.length).toBe(24 - (made.at(-1) ?? 0) + 1);
      }),
    60_000,
  );

  it.each([
    ["its context is known", { respondContext: 6_000 }],
    ["its context is unknown", {}],
  ])(
    "reads and asks no more for a late turn of a long conversation than for the first summaries: %s",
    (_, flags) =>
      using(flags, async (context) => {
        const cost = { reads: 0, calls: 0, prompt: 0 };
        const read = context.store.read.bind(context.store);
        Object.assign(context.store, {
          read: (...range: Parameters<typeof read>) => ((cost.reads += 1), read(...range)),
        });
        const costs: (typeof cost)[] = [];
        let previous: DeliberationId | undefined;
        for (let turn = 1; turn <= 48; turn += 1) {
          Object.assign(cost, { reads: 0, calls: 0, prompt: 0 });
          const question = `Remark ${turn}: ${"alpha beta gamma delta ".repeat(8)}. What is ${turn} + 1?`;
          const { entries, id } = await converse(context, { question, previous }, never);
          previous = id;
          const calls = entries.flatMap((entry) => callOf(entry) ?? []);
          costs.push({
            reads: cost.reads,
            calls: calls.length,
            prompt: Math.max(...calls.map(({ tokens }) => tokens.in ?? Infinity)),
          });
        }
        const most = (part: typeof costs) => ({
          reads: Math.max(...part.map(({ reads }) => reads)),
          calls: Math.max(...part.map(({ calls }) => calls)),
          prompt: Math.max(...part.map(({ prompt }) => prompt)),
        });
        // By then a summary has been made of another one, which is the longest prompt there is.
        const [early, late] = [most(costs.slice(0, 36)), most(costs.slice(36))];
        expect(late.reads).toBeLessThanOrEqual(early.reads + 2);
        expect(late.calls).toBeLessThanOrEqual(early.calls);
        expect(late.prompt).toBeLessThanOrEqual(early.prompt * 1.1);
      }),
    60_000,
  );

  it("compares two only where a judge grades them", async () => {
    const pinned = (flags: object) =>
      using({ ...flags }, async (context) => {
        const { opening } = await asking(context, "What is 17 * 23?");
        return Object.keys(opening.reactions ?? {}).sort();
      });
    expect(await pinned({ respondentB: true })).toEqual(["memory", "respondent-b"]);
    expect(await pinned({ judge: "sim/jo" })).toEqual(["critic", "memory"]);
    expect(await pinned({ judge: "sim/jo", respondentB: true })).toEqual([
      "critic",
      "memory",
      "pairwise",
      "respondent-b",
    ]);
    expect(await pinned({ memory: false })).toEqual([]);
    expect(await pinned({ memory: false, judge: "sim/jo" })).toEqual(["critic", "memory"]);
  });

  it("goes on from the answers of its own user's conversation, and keeps one question at each place", () =>
    using({ respondentB: true, judge: "sim/jo" }, async (context) => {
      const first = await converse(context, { question: "Who wrote Emma?" }, never);
      expect(typesBy(first.entries).filter((line) => line.includes(":"))).toEqual([
        "critic: grade-given",
        "critic: grade-given",
        "memory: engram-annotated",
        "memory: engram-annotated",
        "memory: engram-annotated",
        "memory: engram-annotated",
        "memory: engram-written",
        "memory: engram-written",
        "pairwise: preference-given",
        "pairwise: reply-received",
        "pairwise: reply-received",
        "respondent-b: answer-given",
        "respondent-b: engrams-recalled",
      ]);
      const { opening } = await asking(context, "When?", first.id);
      expect(opening.history).toMatchObject([
        { question: "Who wrote Emma?", answer: resultOf(first.entries)?.answer },
      ]);
      const { opened, fresh } = await openPrepared(context, { opening });
      expect(fresh).toBe(true);
      expect((await openPrepared(context, { opening })).fresh).toBe(false);
      const other = await asking(context, "Where?", first.id);
      await expect(openPrepared(context, other)).rejects.toThrow(
        `${opened.deliberation} is under way or was interrupted; resume or cancel it`,
      );
      const eve = { ...context, principal: { ...context.principal, user: UserId.parse("eve") } };
      await expect(asking(eve, "When?", first.id)).rejects.toThrow(/no run/);
      const acme = { ...context.principal, organization: OrganizationId.parse("acme") };
      const store = context.process.store.for(acme.organization);
      await expect(asking({ ...context, store, principal: acme }, "When?", first.id)).rejects.toThrow(
        /no run/,
      );
    }));

  it("counts what reactions spend: of five calls that would be made, a cap of two leaves out the last", () =>
    using({ respondentB: true, judge: "sim/jo", maxCalls: 2 }, async (context) => {
      const { entries } = await converse(context, { question: "What is 17 * 23?" }, never);
      // Two reactions may each have seen the second call still free.
      expect(resultOf(entries)?.calls).toBeLessThanOrEqual(3);
      expect(entries.filter(({ type }) => type === "preference-given")).toEqual([]);
    }));

  it("spends nothing on reactions beyond what a cap leaves, and the answer comes first", () =>
    using({ respondentB: true, judge: "sim/jo", maxCalls: 1 }, async (context) => {
      const { opening } = await asking(context, "What is 17 * 23?");
      const { opened } = await openPrepared(context, { opening });
      const run = follow(context, opened);
      await run.outcome();
      await run.reactions;
      const entries = await context.store.read(run.id);
      expect(resultOf(entries)).toMatchObject({ status: "answered", calls: 1, degraded: [] });
      const whys = entries.flatMap((entry) =>
        isEvent(entry, "grade-given")
          ? [entry.data.why]
          : isEvent(entry, "reaction-failed")
            ? [entry.data.why]
            : [],
      );
      expect(whys).toHaveLength(2);
      for (const why of whys) expect(why).toMatch(/^over-budget: /);
    }));
});
