import { describe, expect, it } from "vitest";
import { openParley } from "../../test/support/opened.ts";
import { LOCAL_PRINCIPAL, Principal } from "../kernel/index.ts";
import { readInbox } from "./seats.ts";
import type { Parley } from "./parley.ts";
import type { StartRequest } from "./start.ts";

const MODELS = ["sim/ada?seed=1", "sim/bo?seed=2"];
const DRAFT = "Use both.\n\nFinal answer: both";
const REVIEW = (labels: readonly string[]) => JSON.stringify({ reviews: [], ranking: labels });

const principalOf = (user: string) => Principal.parse({ ...LOCAL_PRINCIPAL, user });
const ana = { principal: principalOf("ana") };

async function opened(request: Partial<StartRequest>, work: (parley: Parley, id: string) => Promise<void>) {
  await using parley = await openParley({ store: ":memory:", settings: { models: MODELS, memory: false } });
  const run = await parley.start(
    {
      question: "Which queue fits?",
      protocol: "council",
      seats: [{ name: "me", seat: "member" }],
      ...request,
    },
    ana,
  );
  await run.outcome();
  await work(parley, run.id);
}

const goOn = async (parley: Parley, id: string) => (await parley.resume(id, ana)).outcome();
const textOf = (seat: { readonly messages: readonly { readonly text: string }[] } | undefined) =>
  seat?.messages.map(({ text }) => text).join("\n") ?? "";

describe("a person at the table", () => {
  it("drafts and reviews as a member does, and the run ends as it would", () =>
    opened({}, async (parley, id) => {
      const [draft] = await parley.seats(id, ana);
      expect(draft).toMatchObject({ step: "draft/ana", work: "draft", person: "ana", until: null });
      expect(await parley.answerSeat(id, { text: DRAFT }, ana)).toMatchObject({ status: "recorded" });
      expect(await goOn(parley, id)).toMatchObject({
        status: "waiting",
        waiting: { seats: [{ work: "review" }] },
      });
      const [review] = await parley.seats(id, ana);
      expect(textOf(review)).not.toContain("Use both");
      const labels = [...textOf(review).matchAll(/\[BEGIN answer (\w+) /g)].map(([, label = ""]) => label);
      expect(labels).toHaveLength(2);
      await parley.answerSeat(id, { text: REVIEW(labels) }, ana);
      expect(await goOn(parley, id)).toMatchObject({ status: "answered" });
      const { participants, calls, tokens } = await parley.result(id);
      expect(participants.find((one) => one.id === "ana")).toMatchObject({
        model: "human/ana",
        finalAnswer: "both",
      });
      expect(calls).toBe(5);
      expect(tokens.in).toBeGreaterThan(0);
      expect(await parley.replay(id)).toMatchObject({ calls: 5 });
    }));

  it("shows nobody else's text before the run has ended (VEIL-1)", () =>
    opened({}, async (parley, id) => {
      const texts = async () =>
        (await parley.read(id)).flatMap((entry) =>
          entry.type === "answer-given" && entry.data.by !== "ana" ? [entry.data.text] : [],
        );
      expect(await texts()).toHaveLength(2);
      for (const seat of await parley.seats(id, ana))
        for (const text of await texts()) expect(textOf(seat)).not.toContain(text.slice(0, 60));
      const hidden = JSON.stringify(await parley.result(id));
      expect(hidden).toContain('"status":"waiting"');
      for (const text of await texts()) expect(hidden).not.toContain(JSON.stringify(text).slice(1, 60));
      await parley.answerSeat(id, { text: DRAFT }, ana);
      await goOn(parley, id);
      expect(JSON.stringify(await parley.result(id))).not.toContain("Use both");
      await parley.cancel(id, ana);
      expect(JSON.stringify(await parley.result(id))).toContain("Use both");
    }));

  it("refuses an answer with its reason and records nothing", () =>
    opened({ seats: [{ name: "ana", seat: "reviewer" }] }, async (parley, id) => {
      const before = await parley.read(id);
      expect(await parley.answerSeat(id, { text: "I like A" }, ana)).toMatchObject({
        status: "refused",
        why: "there is neither a final ranking marker nor a JSON ranking",
      });
      expect(await parley.answerSeat(id, { text: REVIEW(["A"]) }, ana)).toMatchObject({ status: "refused" });
      expect(await parley.read(id)).toEqual(before);
      await parley.answerSeat(id, { text: REVIEW(["B", "A"]) }, ana);
      expect(await goOn(parley, id)).toMatchObject({ status: "answered" });
    }));

  it("lets the first answer stand, and keeps everybody else out (INBOX-1)", () =>
    opened({}, async (parley, id) => {
      const bo = { principal: principalOf("bo") };
      expect(await parley.seats(id, bo)).toEqual([]);
      await expect(parley.answerSeat(id, { text: "mine" }, bo)).rejects.toThrow(
        "this seat is ana's, and you are bo",
      );
      expect(await parley.inbox(bo)).toEqual([]);
      expect(await parley.inbox(ana)).toMatchObject([
        { id, kind: "seat", asked: ["draft"], step: "draft/ana" },
      ]);
      const both = await Promise.all(
        [1, 2].map((nth) => parley.answerSeat(id, { text: `draft ${nth}` }, ana)),
      );
      expect(both.map(({ status }) => status).sort()).toEqual(["late", "recorded"]);
      expect(await parley.inbox(ana)).toEqual([]);
      expect(await parley.answerSeat(id, { text: "again" }, ana)).toMatchObject({ status: "late" });
    }));

  it("leaves a reviewer who abstains out, in the run and in a replay", () =>
    opened({ seats: [{ name: "ana", seat: "reviewer" }] }, async (parley, id) => {
      const bo = { principal: principalOf("bo") };
      await expect(parley.answerSeat(id, { abstain: true }, bo)).rejects.toThrow("this seat is ana's");
      expect(await parley.answerSeat(id, { abstain: true }, ana)).toMatchObject({ status: "recorded" });
      const late = { status: "late", why: "ana abstained before, and that stands" };
      expect(await parley.answerSeat(id, { text: REVIEW(["B", "A"]) }, ana)).toMatchObject(late);
      expect(await goOn(parley, id)).toMatchObject({ status: "answered-degraded" });
      const { degraded } = await parley.result(id);
      expect(degraded).toMatchObject([{ what: "the review by ana", why: "refused: ana abstained" }]);
      const calls = (await parley.result(id)).calls;
      expect(await parley.replay(id)).toMatchObject({ calls });
    }));

  it("is the judge of a debate, or the chair of a council, before the models", () =>
    opened({ protocol: "debate", rounds: 1, seats: [{ name: "me", seat: "judge" }] }, async (parley, id) => {
      const [seat] = await parley.seats(id, ana);
      expect(seat).toMatchObject({ step: "synthesis/ana", work: "synthesis" });
      await parley.cancel(id, ana);
      expect(await parley.inbox(ana)).toEqual([]);
    }));

  it.each([
    [
      { protocol: "debate", seats: [{ name: "me", seat: "reviewer" }] },
      "the seats of debate are member, judge",
    ],
    [{ seats: [{ name: "me", seat: "membr" }] }, "nearest: member"],
    [{ seats: [{ name: "a b", seat: "member" }] }, "is not a user name"],
    [{ protocol: "respond", seats: [{ name: "me", seat: "member" }] }, "respond has no seat for a person"],
  ])("refuses a seat that there is not: %j", async (request, why) => {
    await expect(opened(request as Partial<StartRequest>, () => Promise.resolve())).rejects.toThrow(why);
  });

  it("reads the journals of open runs alone for an inbox", async () => {
    await using parley = await openParley({ store: ":memory:", settings: { models: MODELS, memory: false } });
    for (let nth = 0; nth < 3; nth += 1)
      await (await parley.start({ question: "1 + 1?", effort: 1 }, ana)).outcome();
    const run = await parley.start({ question: "Why?", seats: [{ name: "me", seat: "member" }] }, ana);
    await run.outcome();
    const { store } = parley.context({}, ana);
    const read: string[] = [];
    const counting = { ...store, read: (id: typeof run.id) => (read.push(id), store.read(id)) };
    expect(await readInbox({ principal: ana.principal, store: counting })).toMatchObject([{ id: run.id }]);
    expect(read).toEqual([run.id]);
  });

  it("takes a person among the models", () =>
    opened({ models: ["human/ana", ...MODELS], seats: [] }, async (parley) => {
      expect(await parley.inbox(ana)).toMatchObject([{ step: "draft/ana" }]);
    }));
});
