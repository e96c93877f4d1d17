import { describe, expect, it } from "vitest";
import { scratch } from "../config/scratch.ts";
import { isEvent, type Entry } from "../kernel/index.ts";
import { resultOf } from "../projections/index.ts";
import { converse } from "./converse.ts";
import { openParley, type Parley } from "./parley.ts";
import { conveneRespond, openRespond } from "./respond.ts";

const never = new AbortController().signal;

/** A Parley over a store in memory, with simulated models. */
const place = (flags: Record<string, unknown> = {}) => {
  const folder = scratch();
  return openParley({
    ...folder,
    flags: { store: ":memory:", models: ["sim/ada"], ...flags },
  });
};

const using = async <T>(flags: Record<string, unknown>, work: (parley: Parley) => Promise<T>): Promise<T> => {
  const parley = await place(flags);
  try {
    return await work(parley);
  } finally {
    await parley.close();
  }
};

const typesBy = (entries: readonly Entry[]) =>
  entries.map(({ type, origin }) => (origin.by === "reactor" ? `${origin.reactor}: ${type}` : type)).sort();

describe("a turn with a respondent", () => {
  it("pins what comes after it: nothing but memory, unless a judge or a second respondent is asked for", () =>
    using({}, async (parley) => {
      const { asked } = await conveneRespond(parley, { question: "What is 17 * 23?" });
      expect(Object.keys(asked.reactions ?? {})).toEqual(["memory"]);
      expect(Object.keys(asked.templates)).toEqual(["respond"]);
      expect(asked.participants.map(({ id, seat }) => [id, seat])).toEqual([["A", "respondent"]]);
    }));

  it("compares two only where a judge grades them", async () => {
    const pinned = (flags: object) =>
      using({ ...flags }, async (parley) => {
        const { asked } = await conveneRespond(parley, { question: "What is 17 * 23?" });
        return Object.keys(asked.reactions ?? {}).sort();
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
    using({ respondentB: true, judge: "sim/jo" }, async (parley) => {
      const first = await converse(parley, { question: "Who wrote Emma?" }, never);
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
      const { asked } = await conveneRespond(parley, { question: "When?", previous: first.id });
      expect(asked.history).toMatchObject([
        { question: "Who wrote Emma?", answer: resultOf(first.entries)?.answer },
      ]);
      const { opened, fresh } = await openRespond(parley, asked);
      expect(fresh).toBe(true);
      expect((await openRespond(parley, asked)).fresh).toBe(false);
      const other = await conveneRespond(parley, { question: "Where?", previous: first.id });
      await expect(openRespond(parley, other.asked)).rejects.toThrow(
        `parley resume ${opened.deliberation}, or parley cancel ${opened.deliberation}`,
      );
      const users = { ...parley, settings: { ...parley.settings, user: "eve" as never } };
      await expect(conveneRespond(users, { question: "When?", previous: first.id })).rejects.toThrow(
        /no deliberation/,
      );
      const elsewhere = { ...parley, settings: { ...parley.settings, organization: "acme" as never } };
      await expect(conveneRespond(elsewhere, { question: "When?", previous: first.id })).rejects.toThrow(
        /no deliberation/,
      );
    }));

  it("counts what reactions spend: of five calls that would be made, a cap of two leaves out the last", () =>
    using({ respondentB: true, judge: "sim/jo", maxCalls: 2 }, async (parley) => {
      const { entries } = await converse(parley, { question: "What is 17 * 23?" }, never);
      // Two reactions may each have seen the second call still free.
      expect(resultOf(entries)?.calls).toBeLessThanOrEqual(3);
      expect(entries.filter(({ type }) => type === "preference-given")).toEqual([]);
    }));

  it("spends nothing on reactions beyond what a cap leaves, and the answer comes first", () =>
    using({ respondentB: true, judge: "sim/jo", maxCalls: 1 }, async (parley) => {
      const { asked } = await conveneRespond(parley, { question: "What is 17 * 23?" });
      const { opened } = await openRespond(parley, asked);
      await parley.engine.drive(opened.deliberation, { signal: never });
      await parley.engine.drain(opened.deliberation, { worker: parley.worker, signal: never });
      const entries = await parley.store.read(opened.deliberation);
      expect(resultOf(entries)).toMatchObject({ status: "answered", calls: 1, degraded: [] });
      const whys = entries.flatMap((entry) =>
        isEvent(entry, "grade-given")
          ? [entry.data.why]
          : isEvent(entry, "note-taken")
            ? [entry.data.reason]
            : [],
      );
      expect(whys).toHaveLength(2);
      for (const why of whys) expect(why).toMatch(/^over-budget: /);
    }));
});
