import { describe, expect, it } from "vitest";
import { OrganizationId, isEvent, type Budget, type ModelRequest, type Quote } from "../kernel/index.ts";
import { answerOf, nothingToSay, toyAsked, toyParticipant, toyProtocol, toyRequest } from "../testing/kit.ts";
import { stage, type StageOptions } from "../testing/stage.ts";
import { thrifty } from "../../test/support/toys/thrifty.ts";
import { LOCAL } from "../testing/store-samples.ts";
import { fanOut, leaveRoomFor, reserveFor, phase, type StepRunner } from "./index.ts";

// DESIGN section 3, point 19; BUDGET-1 to BUDGET-5 of budget.ts.

const ada = toyParticipant("ada", "member");
type Asked = { readonly share?: string; readonly request?: ModelRequest };
const alone = new AbortController().signal;
const ask = (run: StepRunner, key: string, { share, request = toyRequest(ada, key) }: Asked = {}) =>
  run.call(
    { key, outcomes: ["answer-given", "degradation-noted"], request, ...(share ? { share } : {}) },
    answerOf(ada.id),
  );

async function opened(options: StageOptions, budget: Budget, protocol = "toy") {
  const on = stage(options);
  const { opened } = await on.engine.open("r1", toyAsked(protocol, { budget }));
  const id = opened.deliberation;
  const ends = async () =>
    (await on.store.for(LOCAL).read(id)).map((entry) =>
      isEvent(entry, "degradation-noted") ? `${entry.data.why}` : entry.type,
    );
  return { ...on, id, ends };
}

/** Asks `keys` one after the other. */
const sequence = (...keys: readonly string[]) =>
  toyProtocol(async ({ run }) => {
    for (const key of keys) await ask(run, key);
    return nothingToSay;
  });

const quoted =
  (quote: Quote) =>
  (_request: ModelRequest): Quote =>
    quote;

describe("a budget", () => {
  it.each([
    ["BUDGET-1: is reserved durably before each call", { calls: 9 }, { tokens: 110, usd: 0.001 }],
    ["BUDGET-8: has its row before each call without caps, too", {}, { tokens: 0, usd: 0 }],
  ])("%s", async (_title, caps, { tokens, usd }) => {
    const on = await opened({ protocols: [sequence("a")], script: { ada: { hang: true } } }, caps);
    const log: string[] = [];
    const doomed = on.start();
    const part = doomed.store.for(OrganizationId.parse("local"));
    const { reserve } = part;
    const { complete } = doomed.models;
    part.reserve = async (id, origin, amount) => {
      await reserve(id, origin, amount);
      log.push(`reserved ${origin} ${JSON.stringify(amount)}`);
    };
    doomed.models.complete = (request, options) => {
      log.push("called");
      return complete(request, options);
    };
    void doomed.engine.drive(on.id, { signal: alone });
    await on.clock.advance(10);
    const row = { calls: 1, tokens, model: "sim/ada", usd };
    expect(log).toEqual([`reserved protocol/a ${JSON.stringify(row)}`, "called"]);
    expect(await on.store.for(LOCAL).reservations(on.id)).toMatchObject([{ ...row, recorded: null }]);
    doomed.kill();
  });

  it.each([
    ["calls", { calls: 2 }, 2],
    ["tokens, at their worst until they are known", { tokens: 170 }, 3],
    ["money, at its worst until it is known", { usd: 0.0021 }, 3],
  ] satisfies [string, Budget, number][])(
    "BUDGET-2: holds for %s; what does not fit is recorded, and nothing is sent",
    async (_what, budget, fit) => {
      const keys = ["a", "b", "c", "d"];
      const on = await opened({ protocols: [sequence(...keys)], script: { ada: () => "!" } }, budget);
      await on.drive(on.id);
      const ends = keys.map((_, index) => (index < fit ? "answer-given" : "over-budget"));
      expect(await on.ends()).toEqual(["deliberation-opened", ...ends, "deliberation-closed"]);
      expect(on.models.count()).toBe(fit);
      expect((await on.store.for(LOCAL).read(on.id)).at(-2)?.data).toMatchObject({
        call: { ok: false, failure: { code: "over-budget" }, attempts: 0 },
      });
    },
  );

  it("BUDGET-2: counts concurrent calls at their worst before any of them has answered", async () => {
    const protocol = toyProtocol(async ({ run }) => {
      await Promise.all(["a", "b", "c", "d", "e"].map((key) => ask(run, key)));
      return nothingToSay;
    });
    const on = await opened(
      { protocols: [protocol], script: { ada: () => ({ text: "!", latencyMs: 100 }) } },
      { tokens: 330 },
    );
    await on.drive(on.id);
    expect(on.models.count()).toBe(3);
  });

  it("BUDGET-2: refuses a call of unknown price under a money cap, and only there", async () => {
    const quote = quoted({ tokensIn: 1, tokensOut: 1, usd: null });
    const capped = await opened({ protocols: [sequence("a")], script: {}, quote }, { usd: 100 });
    await capped.drive(capped.id);
    expect(await capped.ends()).toContain("over-budget");
    const free = await opened(
      { protocols: [sequence("a")], script: { ada: "!" }, quote },
      { tokens: 100, calls: 1 },
    );
    await free.drive(free.id);
    expect(await free.ends()).not.toContain("over-budget");
    expect(await free.store.for(LOCAL).reservations(free.id)).toMatchObject([
      { recorded: 2, calls: 1, tokens: 2, usd: 0 },
    ]);
  });

  it("ends in time: a call gets what is left, and none begins after", async () => {
    const on = await opened(
      { protocols: [sequence("a", "b", "c")], script: { ada: () => ({ text: "!", latencyMs: 600 }) } },
      { timeMs: 1_000 },
    );
    const given: (number | undefined)[] = [];
    const { complete } = on.models;
    on.models.complete = (request, options) => {
      given.push(options.timeoutMs);
      return complete(request, options);
    };
    await on.drive(on.id);
    expect(given).toEqual([1_000, 400]);
    expect(await on.ends()).toContain("over-budget");
  });

  it("BUDGET-2: keeps the chair's share back from everybody else, and gives way member by member, recorded", async () => {
    const on = await opened(
      { protocols: [thrifty], script: { ada: "a", bob: "b", chair: "d" } },
      { calls: 3 },
      "toy-thrifty",
    );
    expect(await on.drive(on.id)).toMatchObject({ closing: { data: { outcome: "answered-degraded" } } });
    expect(await on.lines(on.id)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "roster-fixed < protocol/draft/admitted",
        "answer-given < protocol/draft/ada",
        "answer-given < protocol/draft/bob",
        "roster-fixed < protocol/draft/roster",
        "answer-given < protocol/chair",
        "degradation-noted < protocol/clerk",
        "deliberation-closed < close",
      ]
    `);
    expect((await on.store.for(LOCAL).read(on.id))[1]?.data).toEqual({
      phase: "draft/admitted",
      in: ["ada", "bob"],
      out: [
        {
          id: "cyd",
          why: "skipped: budget exhausted",
          cap: "calls",
          needs: { usd: expect.anything() as unknown, tokens: expect.any(Number) as unknown, calls: 4 },
        },
      ],
    });
    on.models.done();
    await on.engine.replay(on.id);
  });

  it("decides nothing at a boundary, and records nothing of it, without a cap", async () => {
    const on = await opened(
      { protocols: [thrifty], script: { ada: "a", bob: "b", cyd: "c", chair: ["d", "e"] } },
      {},
      "toy-thrifty",
    );
    await on.drive(on.id);
    expect((await on.lines(on.id)).filter((line) => line.includes("admitted"))).toEqual([]);
  });
});

describe("on a resume", () => {
  it("BUDGET-3: what a dead process had reserved counts as spent", async () => {
    const on = await opened(
      { protocols: [sequence("a", "b", "c")], script: { ada: () => "!" } },
      { calls: 3 },
    );
    const doomed = on.start({ at: "call", nth: 2, when: "after" });
    await on.clock.settle(Promise.race([doomed.died, doomed.engine.drive(on.id, { signal: alone })]));
    await on.drive(on.id);
    expect(await on.ends()).toEqual([
      "deliberation-opened",
      "answer-given",
      "answer-given",
      "over-budget",
      "deliberation-closed",
    ]);
    expect(on.models.count()).toBe(3);
  });

  it("BUDGET-4: recorded calls count, and at their worst where the provider did not say", async () => {
    const script = { ada: () => ({ text: "!", tokens: { in: null, out: null }, usd: null }) };
    const protocols = [
      toyProtocol(async ({ run }) => {
        await ask(run, "a");
        await run.awaits("word");
        await ask(run, "b");
        return nothingToSay;
      }),
    ];
    const on = await opened({ protocols, script }, { tokens: 200 });
    await on.drive(on.id);
    await on.store
      .for(LOCAL)
      .append(on.id, [{ type: "clarification-answered", data: { answers: [] } }], {
        by: "client",
        request: "word",
      });
    await on.drive(on.id);
    expect(await on.ends()).toContain("over-budget");
    expect(on.models.count()).toBe(1);
  });

  it("BUDGET-4: a rival's calls count once they are met", async () => {
    const protocols = [
      toyProtocol(async ({ run }) => {
        for (const key of ["a", "b"]) await ask(run, key);
        await run.awaits("word");
        await ask(run, "c");
        return nothingToSay;
      }),
    ];
    const on = await opened(
      { protocols, script: { ada: (_, nth) => (nth === 1 ? { hang: true } : "!") } },
      { calls: 3 },
    );
    const late = on.start().engine.drive(on.id, { signal: alone });
    await on.clock.advance(1);
    const [one] = await Promise.all([on.drive(on.id), on.clock.advance(1_000)]);
    expect(one).toMatchObject({ status: "waiting" });
    await on.store
      .for(LOCAL)
      .append(on.id, [{ type: "clarification-answered", data: { answers: [] } }], {
        by: "client",
        request: "word",
      });
    await on.clock.settle(late);
    await on.drive(on.id);
    expect(on.models.calls.map(({ outcome }) => outcome)).toEqual(["aborted", "answered", "answered"]);
    expect(await on.ends()).toContain("over-budget");
  });

  it("BUDGET-5: nothing is held back any more for a call that has recorded", async () => {
    const protocols = [
      toyProtocol(async ({ run }) => {
        reserveFor(run, "chair", () => toyRequest(ada, "chair"));
        await ask(run, "chair", { share: "chair" });
        await run.awaits("word");
        await ask(run, "clerk");
        return nothingToSay;
      }),
    ];
    const on = await opened({ protocols, script: { ada: () => "!" } }, { calls: 2 });
    await on.drive(on.id);
    await on.store
      .for(LOCAL)
      .append(on.id, [{ type: "clarification-answered", data: { answers: [] } }], {
        by: "client",
        request: "word",
      });
    await on.drive(on.id);
    expect(await on.ends()).not.toContain("over-budget");
  });

  it("BUDGET-3, BUDGET-4: an aborted straggler counts at its worst, in this process and in the next", async () => {
    const protocols = [
      toyProtocol(async ({ run }) => {
        await phase(
          run,
          { name: "p", members: ["quick", "straggler"], quorum: 1, patienceMs: 10 },
          async (id, part) => {
            await ask(part, id);
            return { in: true, value: id };
          },
        );
        await ask(run, "after");
        return nothingToSay;
      }),
    ];
    const script = {
      ada: (request: ModelRequest) =>
        JSON.stringify(request).includes("straggler") ? ({ hang: true } as const) : "!",
    };
    const on = await opened({ protocols, script }, { usd: 0.002 }); // 0.0005 + 0.001 for the straggler + 0.001 > 0.002
    await on.drive(on.id);
    expect(await on.ends()).toContain("over-budget");
  });
});

describe("the room for a reply under a cap", () => {
  // $1 for 1,000 tokens; a reply is worth its call from 100 tokens on.
  const quote = ({ maxOutputTokens }: ModelRequest): Quote => ({
    ...{ tokensIn: 0, tokensOut: maxOutputTokens, usd: maxOutputTokens / 1_000 },
    least: { tokensOut: Math.min(100, maxOutputTokens), usd: Math.min(100, maxOutputTokens) / 1_000 },
  });
  const members = ["ada", "bob", "cyd"];
  const request = (id: string): ModelRequest => ({
    ...toyRequest(toyParticipant(id, "member"), id),
    maxOutputTokens: 1_000,
  });

  /** A phase of three, then a chair for whom the same is held back; `later`: a phase for which room is left. */
  const panel = (later = false) =>
    toyProtocol(async ({ run }) => {
      reserveFor(run, "chair", () => request("chair"));
      if (later) leaveRoomFor(run, "review", () => members.map(request));
      const spec = { name: "draft", work: { kind: "draft" }, patienceMs: null };
      await fanOut(
        run,
        { ...spec, members: members.map((id) => ({ id, request: request(id) })) },
        async ({ id }, part) => {
          await ask(part, `draft/${id}`, { request: request(id) });
          return { in: true, value: id };
        },
      );
      await ask(run, "chair", { share: "chair", request: request("chair") });
      return nothingToSay;
    });
  const played = async (budget: Budget, later?: boolean) => {
    const script = { ...Object.fromEntries(members.map((id) => [id, "!"])), chair: "!" };
    const on = await opened({ protocols: [panel(later)], script, quote }, budget);
    await on.drive(on.id);
    return on.models.calls.map(({ name, limit }) => [name, limit]);
  };

  it("is the whole where the cap reaches for it", async () => {
    const all = [...members, "chair"].map((name) => [name, undefined]);
    expect(await played({ usd: 4 })).toEqual(all);
    expect(await played({})).toEqual(all);
  });

  it("is an equal part of what is left, whoever comes first, and the chair's part is kept", async () => {
    // $2.20 less four times $0.10 is $1.80, of $3.60 that all could use more: half of it.
    expect((await played({ usd: 2.2 })).slice(0, 3)).toEqual(members.map((name) => [name, 550]));
    expect((await played({ tokens: 2_200 })).slice(0, 3)).toEqual(members.map((name) => [name, 550]));
    // What drafts did not use is the chair's.
    expect((await played({ usd: 2.2 })).at(-1)).toEqual(["chair", undefined]);
  });

  it("leaves room for a phase that can be left out as long as there is any", async () => {
    // Seven times $0.10 from $2.50 leaves $1.80 of $6.30 that all could use more.
    const parts = await played({ usd: 2.5 }, true);
    expect(parts.slice(0, 3)).toEqual(members.map((name) => [name, 100 + Math.floor((900 * 1.8) / 6.3)]));
    // Four calls and not seven fit: nobody is cut for the sake of that phase.
    expect((await played({ usd: 0.4 }, true)).map(([name]) => name)).toEqual([...members, "chair"]);
  });

  it("is never less than is worth the call: then it is refused with the sum that would do", async () => {
    const on = await opened(
      { protocols: [panel()], script: { ada: "!", bob: "!", chair: "!" }, quote },
      { usd: 0.35 },
    );
    await on.drive(on.id);
    const [roster] = (await on.store.for(LOCAL).read(on.id)).filter((entry) =>
      isEvent(entry, "roster-fixed"),
    );
    expect(roster?.data).toMatchObject({
      in: ["ada", "bob"],
      out: [{ id: "cyd", cap: "usd", needs: { usd: 0.4 } }],
    });
  });
});
