import { describe, expect, it } from "vitest";
import { callOf, Participant, StepKey, type DeliberationId } from "../kernel/index.ts";
import { council } from "../../test/support/toys/council.ts";
import { answerOf, nothingToSay, toyAsked, toyParticipant, toyProtocol, toyRequest } from "../testing/kit.ts";
import type { Script } from "../testing/scripted-models.ts";
import { LOCAL } from "../testing/store-samples.ts";
import { crashPoints, eventsOf, stage } from "../testing/stage.ts";
import { canAfford, phase, type NewDeliberation } from "./index.ts";

const HOUR = 3_600_000;
const STEP = StepKey.parse("draft/ana");
const ana = { ...toyParticipant("ana", "member"), model: Participant.shape.model.parse("human/ana") };
const asked = (changes: Partial<NewDeliberation> = {}) =>
  toyAsked("toy-council", {
    participants: [toyParticipant("ada", "member"), ana, toyParticipant("chair", "chair")],
    ...changes,
  });
const script: Script = {
  ada: () => "ada's own draft",
  chair: ({ messages }) => `in short: ${messages[0]?.role === "user" ? messages[0].text : ""}`,
};

async function table(changes: Partial<NewDeliberation> = {}) {
  const on = stage({ protocols: [council], script });
  const { opened } = await on.engine.open("r1", asked(changes));
  const id = opened.deliberation;
  const answer = (text = "mine", step = STEP) => answerAt(on, id, { text, step });
  return { ...on, id, answer, read: () => on.store.for(LOCAL).read(id) };
}

const answerAt = (
  { store }: Pick<ReturnType<typeof stage>, "store">,
  id: DeliberationId,
  { text, step }: { readonly text: string; readonly step: StepKey },
) =>
  store
    .for(LOCAL)
    .append(id, [{ type: "seat-answered", data: { step, person: ana.id as never, text } }], {
      by: "client",
      request: `seat/${step}`,
    });

describe("a person's step", () => {
  it("waits while models work, and goes on with the answer at no cost", async () => {
    const on = await table({ budget: { calls: 2, tokens: 10_000 } });
    expect(await on.drive(on.id)).toEqual({ status: "waiting", requests: ["seat/draft/ana"] });
    expect(await on.lines(on.id)).toEqual([
      "deliberation-opened < open",
      "seat-opened < protocol/draft/ana/seat",
      "answer-given < protocol/draft/ada",
    ]);
    await on.answer();
    expect(await on.drive(on.id)).toMatchObject({ closing: { data: { outcome: "answered" } } });
    const entries = await on.read();
    expect(eventsOf(entries, "answer-given").map(callOf)[1]).toMatchObject({
      ok: true,
      reply: "mine",
      attempts: 0,
      latencyMs: 0,
      cost: { source: "free", usd: 0 },
    });
    expect(JSON.stringify(eventsOf(entries, "synthesis-given")[0]?.data.text)).toContain("ana: mine");
    expect(on.models.calls.map(({ name }) => name)).toEqual(["ada", "chair"]);
    expect(await on.engine.replay(on.id)).toMatchObject({ calls: 2 });
  });

  it("uses the first answer, also of two that come at once (SEAT-2)", async () => {
    const on = await table();
    await on.drive(on.id);
    const both = await Promise.all([on.answer("one"), on.answer("two")]);
    expect(both.map((one) => one.ok && one.fresh)).toEqual([true, false]);
    await Promise.all([on.drive(on.id), on.drive(on.id, on.start().engine)]);
    const texts = eventsOf(await on.read(), "answer-given").map(({ data }) => data.text);
    expect(texts).toEqual(["ada's own draft", "one"]);
  });

  it("takes an answer while the models are still at work", async () => {
    const on = stage({
      protocols: [council],
      script: { ...script, ada: () => ({ text: "late", latencyMs: 60_000 }) },
    });
    const { opened } = await on.engine.open("r1", asked());
    const driving = on.engine.drive(opened.deliberation, { signal: new AbortController().signal });
    await on.clock.advance(1_000);
    await answerAt(on, opened.deliberation, { text: "mine", step: STEP });
    expect(await on.clock.settle(driving)).toMatchObject({ status: "closed" });
  });

  it("takes an answer that came while the last step was ending, and no drive ends without it", async () => {
    const late = stage({
      protocols: [council],
      script: {
        ...script,
        ada: () => (void answerAt(late, id, { text: "mine", step: STEP }), "ada's own draft"),
      },
    });
    const { opened } = await late.engine.open("r1", asked());
    const id = opened.deliberation;
    expect(await late.drive(id)).toMatchObject({ closing: { data: { outcome: "answered" } } });
  });

  it("is out by name when its time is up, counted from its opening", async () => {
    const on = await table({ seatTimeoutMs: 48 * HOUR });
    expect(await on.drive(on.id)).toMatchObject({ status: "waiting" });
    await on.clock.advance(47 * HOUR);
    expect(await on.drive(on.id)).toMatchObject({ status: "waiting" });
    await on.clock.advance(2 * HOUR);
    expect(await on.drive(on.id)).toMatchObject({ closing: { data: { outcome: "answered-degraded" } } });
    expect(eventsOf(await on.read(), "seat-expired")[0]?.data.why).toBe("ana did not answer within 2 days");
    expect(await on.answer()).toMatchObject({ ok: true, fresh: false });
    await on.engine.replay(on.id);
  });

  it("is out in a drive that runs when its time is up", async () => {
    const on = stage({
      protocols: [council],
      script: { ...script, ada: () => ({ text: "a", latencyMs: 20_000 }) },
    });
    const { opened } = await on.engine.open("r1", asked({ seatTimeoutMs: 10_000 }));
    const driven = await on.drive(opened.deliberation);
    expect(driven).toMatchObject({ closing: { data: { outcome: "answered-degraded" } } });
    const [, , expired] = await on.store.for(LOCAL).read(opened.deliberation);
    expect(expired?.type).toBe("seat-expired");
  });

  it("is adopted by a fork, and asked again where its prompt has changed (SEAT-4)", async () => {
    const on = await table();
    await on.drive(on.id);
    await on.answer();
    const same = await on.engine.fork(on.id, { request: "f1", changes: {} });
    expect(await on.drive(same.opened.deliberation)).toMatchObject({ requests: ["seat/draft/ana"] });
    await on.drive(on.id);
    const { opened } = await on.engine.fork(on.id, {
      request: "f2",
      changes: { settings: { strategy: "bold" } },
    });
    expect(await on.drive(opened.deliberation)).toMatchObject({ status: "closed" });
    expect(await on.lines(opened.deliberation)).toContain("answer-given < adopted: protocol/draft/ana");
    await on.engine.replay(opened.deliberation);
  });

  it("ends the same wherever a process dies", async () => {
    const whole = await table();
    await whole.drive(whole.id);
    await whole.answer();
    await whole.drive(whole.id);
    const facts = await whole.facts(whole.id);
    for (const point of crashPoints({ calls: 2, appends: 6 })) {
      const on = await table();
      const doomed = on.start(point);
      const driving = async () => {
        await doomed.engine.drive(on.id, { signal: new AbortController().signal });
        await answerAt(doomed, on.id, { text: "mine", step: STEP });
        await doomed.engine.drive(on.id, { signal: new AbortController().signal });
      };
      await on.clock.settle(Promise.race([doomed.died, driving()]));
      await on.drive(on.id);
      await on.answer();
      await on.drive(on.id);
      expect(await on.facts(on.id), JSON.stringify(point)).toEqual(facts);
    }
  });

  it("is not cut by patience, and models are", async () => {
    const protocol = toyProtocol(async ({ run }) => {
      const members = [toyParticipant("ada", "member"), toyParticipant("bob", "member"), ana];
      const roster = await phase<string>(
        run,
        {
          name: "draft",
          members: members.map(({ id }) => id),
          people: ["ana"],
          quorum: 1,
          patienceMs: 1_000,
        },
        async (id, part) => {
          const who = members.find((one) => one.id === id) ?? ana;
          const outcomes = ["answer-given", "degradation-noted"] as const;
          const event = await part.call(
            { key: `draft/${id}`, outcomes, request: toyRequest(who, "why?"), timeoutMs: 30_000 },
            answerOf(who.id),
          );
          return event.type === "answer-given"
            ? { in: true, value: event.data.text }
            : { in: false, why: event.data.why };
        },
      );
      return { ...nothingToSay, why: roster.in.map(({ id }) => id).join() };
    });
    const on = stage({ protocols: [protocol], script: { ada: "a", bob: { hang: true } } });
    const { opened } = await on.engine.open("r1", toyAsked("toy"));
    const driving = on.engine.drive(opened.deliberation, { signal: new AbortController().signal });
    await on.clock.advance(5_000);
    await answerAt(on, opened.deliberation, { text: "mine", step: STEP });
    expect(await on.clock.settle(driving)).toMatchObject({ closing: { data: { why: "ada,ana" } } });
  });

  it("is within every budget", async () => {
    const protocol = toyProtocol(async ({ run }) => {
      const calls = () => [{ step: "draft/ana", request: toyRequest(ana, "why?") }];
      const { ok } = await canAfford(run, { name: "draft", calls });
      return { ...nothingToSay, why: String(ok) };
    });
    const on = stage({ protocols: [protocol], script: {} });
    const { driven } = await on.play(toyAsked("toy", { budget: { tokens: 1 } }));
    expect(driven).toMatchObject({ closing: { data: { why: "true" } } });
  });
});

describe("a look at a seat", () => {
  it("gives the prompt and no other member's text, and records nothing", async () => {
    const on = await table();
    await on.drive(on.id);
    const before = await on.lines(on.id);
    const seat = await on.engine.lookAtSeat(on.id, STEP);
    expect(seat?.messages).toEqual([{ role: "user", text: "why?" }]);
    expect(await on.lines(on.id)).toEqual(before);
    expect(on.models.count()).toBe(1);
  });

  it("refuses what the step's reader cannot read, with its reason", async () => {
    const on = await table();
    await on.drive(on.id);
    const seat = await on.engine.lookAtSeat(on.id, STEP);
    expect(seat?.read("???")).toEqual({ ok: false, why: "it does not begin with a letter" });
    expect(seat?.read("mine")).toEqual({ ok: true });
    const tooLong = seat?.read("x".repeat(2_200_000));
    expect(tooLong).toMatchObject({ ok: false });
    expect(JSON.stringify(tooLong)).toContain("over the limit");
  });

  it("finds none where the step is recorded", async () => {
    const on = await table();
    await on.drive(on.id);
    await on.answer();
    await on.drive(on.id);
    expect(await on.engine.lookAtSeat(on.id, STEP)).toBeUndefined();
  });
});
