import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openParley, Principal, type Parley } from "../src/index.ts";
import { ModelRef, ParticipantId, UserId } from "../src/kernel/index.ts";
import { debateWith, defineProtocol, summaryMethods, type SummaryMethod } from "../src/protocol-kit.ts";
import type { AgentConfig } from "../src/features/debate/protocol/debate/seats.ts";
import { Summarization } from "../src/features/debate/protocol/debate/settings.ts";
import { sectionSchema } from "../src/features/respond/protocol/view.ts";

// The package's root, as a program uses it: plain strings and objects, no ids to brand.

const folder = mkdtempSync(join(tmpdir(), "parley-library-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MODELS = ["sim/ada?skill=1&family=a", "sim/bo?skill=1&family=b"];
const opened = <T>(work: (parley: Parley) => Promise<T>, options: Parameters<typeof openParley>[0] = {}) =>
  openParley({ store: ":memory:", env: {}, ...options }).then(async (parley) => {
    await using all = parley;
    return await work(all);
  });

const acme = Principal.parse({ organization: "acme", user: "ada", scopes: ["read", "write"] });

describe("a program", () => {
  it("asks, follows the events and the tokens, and reads the outcome", () =>
    opened(async (parley) => {
      const run = await parley.start({ protocol: "council", question: "What is 17 * 23?", models: MODELS });
      let text = "";
      const tokens = (async () => {
        for await (const token of run.tokens()) if (token.kind === "text") text += token.delta.text;
      })();
      const seqs: number[] = [];
      for await (const { seq } of run.events()) seqs.push(seq);
      await tokens;
      const { status, result } = await run.outcome();
      expect({ status, answer: result?.finalAnswer }).toEqual({ status: "answered", answer: "391" });
      expect(text).toContain("391");
      expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => index + 1));
      expect(await run.reactions).toEqual({ failed: null });
      const rest: number[] = [];
      for await (const { seq } of run.events({ after: 3 })) rest.push(seq);
      expect(rest).toEqual(seqs.slice(3));
      expect((await parley.list()).map(({ id }) => id)).toEqual([run.id]);
      expect(await parley.resolveId(run.id.slice(0, 6))).toBe(run.id);
      expect(await parley.replay(run.id)).toMatchObject({ closed: true });
      expect(await parley.cancel(run.id)).toBe(false);
      const { events, texts } = await parley.export(run.id);
      expect(events).toHaveLength(seqs.length);
      expect(Object.keys(texts).length).toBeGreaterThan(3);
    }));

  it.each(["ask", "council", "debate", "respond"])(
    "reads the answer of %s while it is written, and nothing else",
    (protocol) =>
      opened(async (parley) => {
        const models = protocol === "respond" ? ["sim/ada"] : ["sim/ada", "sim/bo", "sim/cy"];
        const run = await parley.start({
          protocol,
          question: "Should we move the queue to Postgres?",
          models,
        });
        const pieces: string[] = [];
        for await (const piece of run.answer()) pieces.push(piece);
        const { result } = await run.outcome();
        expect(result?.answer?.length).toBeGreaterThan(20);
        expect(pieces.join("").trim()).toBe(result?.answer);
        expect(pieces.length).toBeGreaterThan(1);
      }),
  );

  it("reads nothing where there is no answer", () =>
    opened(async (parley) => {
      const run = await parley.start({ protocol: "respond", question: "Why?", models: ["sim/ada?fail=1"] });
      const pieces: string[] = [];
      for await (const piece of run.answer()) pieces.push(piece);
      expect([pieces, (await run.outcome()).status]).toEqual([[], "failed"]);
    }));

  it("holds one caller's settings, which a request's own go before, and sees what is that caller's", () =>
    opened(async (parley) => {
      const me = parley.as(acme, { models: MODELS, maxCalls: 9 });
      expect((await me.estimate({ question: "What is 2 + 2?" })).total?.calls.high).toBeGreaterThan(1);
      const { opening, ...run } = await me.start({ question: "What is 2 + 2?", models: ["sim/ada?skill=1"] });
      expect(opening).toMatchObject({ organization: "acme", budget: { calls: 9 } });
      expect(opening.participants.filter(({ seat }) => seat === "member")).toHaveLength(1);
      await run.outcome();
      expect((await (await me.resume(run.id)).outcome()).status).toBe("answered");
      expect([(await me.list()).length, (await parley.list()).length]).toEqual([1, 0]);
      expect(() => parley.as(acme, { maxCals: 1 } as object)).toThrow(
        /unknown key "maxCals"; did you mean maxCalls/,
      );
    }));

  it("is interrupted without loss, and resumes what is recorded (RUN-4)", async () => {
    const store = join(folder, "interrupted.db");
    const models = MODELS.map((ref) => `${ref}&latency=400`);
    const id = await opened(
      async (parley) => {
        const run = await parley.start({ protocol: "council", question: "What is 17 * 23?", models });
        for await (const event of run.events()) if (event.type === "answer-given") run.interrupt();
        expect(await run.outcome()).toMatchObject({ status: "interrupted" });
        return run.id;
      },
      { store },
    );
    await opened(
      async (parley) => {
        const before = (await parley.read(id)).length;
        const run = await parley.resume(id);
        expect(await run.outcome()).toMatchObject({ status: "answered" });
        expect(run.recorded().length).toBeGreaterThan(before);
      },
      { store },
    );
  });

  it("of one organization sees nothing of another's, and a principal without a scope may not use it", () =>
    opened(async (parley) => {
      const run = await parley.start(
        { protocol: "respond", question: "What is 2 + 2?", models: MODELS },
        { principal: acme },
      );
      await run.outcome();
      await run.reactions;
      expect(await parley.list()).toEqual([]);
      expect(await parley.list({}, { principal: acme })).toHaveLength(1);
      for (const call of [
        () => parley.read(run.id),
        () => parley.result(run.id),
        () => parley.replay(run.id),
        () => parley.export(run.id),
        () => parley.cancel(run.id),
        () => parley.fork(run.id),
        () => parley.resume(run.id),
        () => parley.feedback(run.id, { thumb: "up" }),
        () => parley.answer(run.id, {}),
      ])
        await expect(call()).rejects.toMatchObject({ code: "deliberation-missing" });
      const reader = { principal: { ...acme, scopes: ["read"] as const } };
      expect(await parley.result(run.id, reader)).toMatchObject({ finalAnswer: "4" });
      await expect(parley.fork(run.id, {}, reader)).rejects.toMatchObject({ code: "authentication" });
    }));

  it("recalls its own user's memory, whatever a request says", () =>
    opened(async (parley) => {
      const eve = { principal: { ...acme, user: UserId.parse("eve") } };
      const ask = async (call: { principal: Principal }, more: object = {}) => {
        const question = "What is the capital of France?";
        const run = await parley.start({ protocol: "respond", question, models: MODELS, ...more }, call);
        await run.outcome();
        await run.reactions;
        return sectionSchema.parse((await parley.result(run.id, call)).section).recalled?.engrams;
      };
      expect(await ask({ principal: acme })).toBe(0);
      expect(await ask({ principal: acme })).toBe(1);
      expect(await ask(eve)).toBe(0);
      expect(await ask(eve)).toBe(1); // eve's own first one, not ada's two
      await expect(ask(eve, { user: "ada" })).rejects.toThrow(/unknown key "user"/);
      await expect(ask(eve, { organization: "acme" })).rejects.toThrow(/unknown key "organization"/);
    }));

  it("is given the same deliberation for the same request, and told in which fields another differs", () =>
    opened(async (parley) => {
      const question = "What is 2 + 2?";
      const ask = (more: object) =>
        parley.start({ protocol: "council", question, models: MODELS, request: "one", ...more });
      const first = await ask({ seed: "1" });
      await first.outcome();
      const again = await ask({});
      expect({ id: again.id, fresh: again.fresh }).toEqual({ id: first.id, fresh: false });
      expect((await again.outcome()).status).toBe("answered");
      await expect(ask({ question: "What is 3 + 3?" })).rejects.toThrow(
        /already belongs to \w+, which differs in its question/,
      );
      await expect(ask({ protocol: "ask" })).rejects.toThrow(/which differs in its .*protocol/);
      await expect(ask({ models: ["sim/dee", "sim/eve"] })).rejects.toThrow(
        /which differs in its participants/,
      );
      await expect(ask({ mode: "vote" })).rejects.toThrow(/which differs in its settings/);
      await expect(ask({ seed: "2" })).rejects.toThrow(/which differs in its seed/);
      await expect(ask({ maxCalls: 9 })).rejects.toThrow(/which differs in its budget/);
      expect(await parley.list()).toHaveLength(1);
    }));

  describe("is refused before anything is recorded", () => {
    let parley: Parley;
    beforeAll(async () => {
      parley = await openParley({ store: ":memory:", env: {} });
    });
    afterAll(() => parley.close());
    const tooLong = /the question has more than 1 MB; shorten it/;
    const notFile = /strategy must be a name, not a file/;
    const refused: readonly (readonly [wrong: object, why: RegExp])[] = [
      [{ question: " " }, /the question is empty/],
      [{ question: "x".repeat(5_000_000) }, tooLong],
      [{ question: "why?\n".repeat(1_000_000) }, tooLong],
      [{ question: "ü".repeat(500_001) }, tooLong],
      [{ question: "x".repeat(1_000_001) }, tooLong],
      [{ question: "\ud800".repeat(400_000) }, tooLong],
      [{ protocol: "counsil" }, /the nearest is council/],
      [{ protocol: undefined, models: ["gpt"] }, /no model that can be reached is called/],
      [{ protocol: undefined, models: ["simm/bo"] }, /simm/],
      [{ protocol: undefined, maxCostUsd: -1 }, /max-cost-usd|maxCostUsd/],
      [{ protocol: undefined, strategy: "bold" }, /strategy/],
      [{ protocol: undefined, strategy: "/etc/hostname.md" }, notFile],
      [{ strategy: "./plan.yaml" }, notFile],
      [{ protocol: undefined, previous: "nosuch" }, /nosuch/],
      [{ maxCostUSD: 0.01 }, /unknown key "maxCostUSD"; did you mean maxCostUsd\?/],
      [{ quorumm: 1 }, /unknown key "quorumm"; did you mean quorum\?/],
      [{ settings: { quorum: 1 } }, /unknown key "settings"/],
      [{ topology: "star" }, /unknown key "topology"/],
      [{ protocol: "debate", topology: "moon" }, /topology must be/],
      [{ protocol: "debate", agents: "architect" }, /agents must be/],
      [
        { protocol: "debate", protocolSettings: { rounds: 99 } },
        /the settings of debate cannot be used: rounds/,
      ],
      [{ protocol: "respond", protocolSettings: { temperature: 9 } }, /respond has no setting "temperature"/],
      [{ protocolSettings: { quorumm: 9 } }, /council has no setting "quorumm"/],
      [{ question: 5 }, /question must be/],
      [{ protocol: 5 }, /protocol must be/],
      [{ context: "x" }, /context must be/],
      [{ context: ["x"] }, /context\.0 must be/],
      [{ previous: 5 }, /previous must be/],
      [{ request: "" }, /request must/],
    ];
    const named = refused.map((row) => [JSON.stringify(row[0]).slice(0, 80), ...row] as const);
    it.each(named)("%s", async (_, wrong, why) => {
      const asked = { protocol: "council", question: "What is 2 + 2?", models: MODELS, ...wrong };
      // What TypeScript would refuse, too, as a program in JavaScript passes it.
      await expect(parley.start(asked as never)).rejects.toThrow(why);
      expect(await parley.list()).toEqual([]);
    });
  });

  it("is refused misspelled settings of the process and of a fork", () =>
    opened(async (parley) => {
      await expect(openParley({ settings: { maxcalls: 1 } as never })).rejects.toThrow(
        /unknown key "maxcalls"/,
      );
      const run = await parley.start({ protocol: "respond", question: "What is 2 + 2?", models: MODELS });
      await run.outcome();
      await expect(parley.fork(run.id, { strategyy: "x" } as never)).rejects.toThrow(
        /unknown key "strategyy"/,
      );
      expect(await (await parley.fork(run.id)).outcome()).toMatchObject({ status: "answered" });
    }));

  it("spends a cap on the answer before any reaction (RUN-3)", () =>
    opened(async (parley) => {
      const run = await parley.start({
        protocol: "respond",
        question: "What is 17 * 23?",
        models: MODELS,
        respondentB: true,
        judge: ["sim/jo"],
        maxCalls: 1,
      });
      expect(await run.outcome()).toMatchObject({ status: "answered" });
      await run.reactions;
      expect((await parley.result(run.id)).calls).toBe(1);
    }));

  it("adds a summary method to the debate, which a configuration names", () => {
    const counting: SummaryMethod = {
      name: "counting",
      summarize: (run, { key, for: { id }, contributions, charactersBefore }) =>
        run.derive({ key, outcomes: ["summary-made"], input: { texts: contributions.length } }, () => {
          const text = `${contributions.length} texts of mine`;
          const lengths = { charactersBefore, charactersAfter: text.length };
          return { type: "summary-made", data: { for: id, method: "counting", ...lengths, text } };
        }),
    };
    const own = { debate: () => Promise.resolve(debateWith([...summaryMethods, counting])) };
    const builtIn = { source: "built-in" } as const;
    const agent = (id: string, method: string): AgentConfig => ({
      ...{ id: ParticipantId.parse(id), name: id, role: "architect", model: ModelRef.parse("sim/ada") },
      ...{ temperature: null, tools: [], toolCallLimit: undefined },
      summarization: Summarization.parse({ method, threshold: 1, maxLength: 100 }),
      prompts: { instructions: builtIn, clarification: builtIn, summary: builtIn },
    });
    const debated = async (parley: Parley, method: string) => {
      const agents = ["a", "b"].map((id) => agent(id, method));
      const config = { agents, judge: agent("j", method), rules: { rounds: 2 }, warnings: [] };
      const run = await parley.start({
        protocol: "debate",
        question: "Design a queue.",
        models: MODELS,
        config,
      });
      await run.outcome();
      return run.recorded().flatMap((entry) => (entry.type === "summary-made" ? [entry.data.text] : []));
    };
    return opened(
      async (parley) => {
        expect(await debated(parley, "counting")).toContain("3 texts of mine");
        await expect(debated(parley, "countin")).rejects.toThrow(/"countin".*counting/s);
      },
      { protocols: own },
    );
  });

  it("joins a protocol of its own by one option", () => {
    const echo = defineProtocol({
      name: "echo",
      version: 1,
      summary: "repeats the question",
      seats: [{ name: "member", filledBy: "models", min: 1, max: 1 }],
      settings: z.strictObject({ times: z.int().positive().default(1) }),
      templates: [],
      async deliberate({ question, run, seats, settings }) {
        const [by] = seats("member");
        if (!by) return { outcome: "failed", why: "nobody" };
        const answer = await run.derive(
          { key: "echo", outcomes: ["answer-given"], input: { question, times: settings.times } },
          () => ({
            type: "answer-given",
            data: { by: by.id, kind: "draft", round: 1, text: question.repeat(settings.times), final: null },
          }),
        );
        return "step" in answer.origin
          ? { outcome: "answered", answer: answer.origin.step, control: null }
          : { outcome: "failed", why: "no step" };
      },
    });
    return opened(
      async (parley) => {
        const run = await parley.start({
          protocol: "echo",
          question: "hm",
          models: MODELS,
          protocolSettings: { times: 2 },
        });
        expect((await run.outcome()).result).toMatchObject({ status: "answered", answer: "hmhm" });
        await expect(
          parley.start({ protocol: "echo", question: "hm", models: MODELS, protocolSettings: { times: 0 } }),
        ).rejects.toThrow("times");
      },
      { protocols: { echo: () => Promise.resolve(echo) } },
    );
  });
});
