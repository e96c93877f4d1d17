import { describe, expect, it } from "vitest";
import type { RecordedTurn } from "../../../engine/index.ts";
import {
  DeliberationId,
  EventId,
  isEvent,
  originKey,
  type DeliberationId as Id,
} from "../../../kernel/index.ts";
import { respondAsked, RESPONDENT_SETTINGS } from "../../../../test/support/respond-table.ts";
import { stage, type StageOptions } from "../../../testing/stage.ts";
import { responding } from "../../../../test/support/respond-protocol.ts";
import { LOCAL } from "../../../testing/store-samples.ts";
import { respondentB } from "./index.ts";

const alone = new AbortController().signal;
const both = { reactions: { "respondent-b": RESPONDENT_SETTINGS } };

function staged(options: Partial<StageOptions> = {}) {
  const on = stage({
    protocols: [responding],
    reactors: [respondentB],
    script: { first: "It is 391.", second: "I make it 391." },
    ...options,
  });
  return {
    ...on,
    open: async (request: string, changes = {}) =>
      (await on.engine.open(request, respondAsked(changes))).opened.deliberation,
    run: async (id: Id, engine = on.engine) => {
      const driven = engine.drive(id, { signal: alone });
      await on.clock.settle(engine.drain(id, { worker: "w", signal: alone, until: driven }));
      return driven;
    },
    answers: async (id: Id) =>
      (await on.store.for(LOCAL).read(id)).flatMap((entry) =>
        isEvent(entry, "answer-given")
          ? [`${entry.data.respondent} ${entry.data.by}: ${entry.data.text} < ${originKey(entry.origin)}`]
          : [],
      ),
  };
}

describe("a second respondent", () => {
  it("answers the same question for itself, and is not the answer", async () => {
    const on = staged();
    const id = await on.open("r1", both);
    expect(await on.run(id)).toMatchObject({
      closing: { data: { outcome: "answered", answer: "answer/A" } },
    });
    expect((await on.answers(id)).sort()).toEqual([
      "A A: It is 391. < protocol/answer/A",
      `B B: I make it 391. < reactor/respondent-b/${id}/open#0/answer/B`,
    ]);
    const prompts = on.models.calls.map(({ request }) => JSON.stringify(request.messages));
    expect(new Set(prompts).size).toBe(1); // the same question, the same way
  });

  it("is not there without its settings: the same prompts, calls and events as if it did not exist", async () => {
    const facts = async (reactors: StageOptions["reactors"]) => {
      const on = staged({ reactors: reactors ?? [] });
      const id = await on.open("r1");
      await on.run(id);
      return { facts: await on.facts(id), requests: on.models.calls.map(({ request }) => request) };
    };
    expect(await facts([respondentB])).toEqual(await facts([]));
  });

  it("keeps nobody waiting: the answer is there while it hangs", async () => {
    const on = staged({ script: { first: "It is 391.", second: { hang: true } } });
    const id = await on.open("r1", both);
    const stop = new AbortController();
    const driven = on.engine.drive(id, { signal: alone });
    const drained = on.engine.drain(id, { worker: "w", signal: stop.signal, until: driven });
    expect(await on.clock.settle(driven)).toMatchObject({ status: "closed" });
    stop.abort();
    await on.clock.settle(drained);
    expect(await on.answers(id)).toHaveLength(1);
  });

  it("leaves a note when it fails, which weakens nothing", async () => {
    const on = staged({ script: { first: "It is 391.", second: { fail: "overloaded", message: "busy" } } });
    const id = await on.open("r1", both);
    await on.run(id);
    const entries = await on.store.for(LOCAL).read(id);
    expect(entries.filter(({ type }) => type === "degradation-noted")).toEqual([]);
    expect(
      entries.flatMap((entry) =>
        isEvent(entry, "reaction-failed") ? [entry.data.code, entry.data.why] : [],
      ),
    ).toEqual(["no-second-answer", "overloaded: busy"]);
  });

  it("goes on from its own earlier answers, as they were when it was first asked", async () => {
    const previous = DeliberationId.parse("earlier");
    const turn = (answer: string): RecordedTurn => ({
      question: "Who wrote Emma?",
      answer,
      deliberation: previous,
      of: EventId.parse(`earlier/${answer}`),
    });
    let known = [turn("Austen, says B.")];
    const on = staged({ ports: { turns: (_, by) => Promise.resolve(by === "B" ? known : []) } });
    const history = [{ question: "Who wrote Emma?", answer: "Austen, says A." }];
    const id = await on.open("r1", { ...both, previous, history });
    const dying = on.start({ at: "call", nth: 1, when: "before" });
    void dying.engine.drain(id, { worker: "dying", signal: alone });
    await on.clock.settle(dying.died);
    known = [turn("Austen, says B."), turn("and that came later")];
    await on.run(id);
    const prompts = on.models.calls.map(
      ({ name, request }) => [name, JSON.stringify(request.messages)] as const,
    );
    for (const [name, prompt] of prompts) {
      expect(prompt).toContain(name === "second" ? "says B." : "says A.");
      expect(prompt).not.toContain(name === "second" ? "says A." : "says B.");
      expect(prompt).not.toContain("came later");
    }
    expect(prompts).toHaveLength(2);
    const notes = (await on.store.for(LOCAL).read(id)).filter((entry) => isEvent(entry, "turns-chosen"));
    expect(notes.map(({ data }) => data)).toMatchObject([{ answers: ["earlier/Austen, says B."] }]);
  });
});
