import { describe, expect, it } from "vitest";
import { openConfigured } from "../../../../../test/support/opened.ts";
import { scratch } from "../../../../../test/support/scratch.ts";
import { createEngine } from "../../../../engine/index.ts";
import { isEvent, OrganizationId, UserId, type Models, type ModelRequest } from "../../../../kernel/index.ts";
import type { BenchTask } from "../../../../app/tasks.ts";
import { readBenchTasks } from "../../../../app/tasks.ts";
import { MemoryAblation } from "./report.ts";
import { prepareAblation, runAblation, type AblationOptions } from "./ablate.ts";
import type { AppContext } from "../../../../app/context.ts";
import { withReactors } from "../../../../app/registry.ts";
import { features } from "../../../../features.ts";

const LANDS = "Freedonia Sylvania Ruritania Genovia Elbonia Latveria Zubrowka Florin".split(" ");
const capital = (land: string) => `${land.slice(0, 4)}ville`;
const tasks: BenchTask[] = LANDS.map((land) => ({
  id: land,
  question: `What is the capital of ${land}?`,
  answer: capital(land),
}));

/** A line of an export: an answer that a person found good. */
const known = (land: string): string =>
  JSON.stringify({
    engram: {
      id: `known-${land}`,
      type: "episodic",
      organization: "else",
      user: "else",
      question: `What is the capital of ${land}?`,
      summary: `Final answer: ${capital(land)}`,
      intent: "fact",
      entities: [land],
      participant: null,
      respondent: "A",
      models: ["sim/wise"],
      temperature: null,
      deliberation: null,
      conversation: null,
      tools: false,
      at: "2026-01-01T00:00:00.000Z",
    },
    cluster: `known-${land}`,
    annotations: [
      {
        event: `good-${land}`,
        by: "ann",
        at: "2026-01-02T00:00:00.000Z",
        what: { kind: "grade", score: 5, feedback: "right", rubric: "answer-quality" },
      },
    ],
  });

type Watched = AsyncDisposable & {
  readonly parley: AppContext;
  readonly requests: ModelRequest[];
  /** The same store and memory under other flags. */
  again(flags: Readonly<Record<string, unknown>>, answer?: Models["complete"]): Promise<AppContext>;
};

/** Everything over a store of its own, the simulated models behind a count; `lands` are remembered. */
async function watched(lands: readonly string[], flags: Record<string, unknown> = {}): Promise<Watched> {
  const place = scratch({}, { OLLAMA_HOST: "127.0.0.1:1", LMSTUDIO_HOST: "127.0.0.1:1" });
  const requests: ModelRequest[] = [];
  const opened: AppContext[] = [];
  const again: Watched["again"] = async (own, answer) => {
    const all = { models: ["sim/ada?skill=0"], user: "eva", store: `${place.home}/store.db`, ...own };
    const { context: whole } = await openConfigured({ flags: all, env: place.env, cwd: place.cwd, features });
    opened.push(whole);
    const models: Models = {
      quote: whole.models.quote,
      complete(request, options) {
        requests.push(request);
        return (answer ?? whole.models.complete)(request, options);
      },
    };
    const { frames, memory, process, protocols, world } = whole;
    const { store } = process;
    const ports = { memory: await memory() };
    const engine = createEngine({
      store,
      models,
      frames,
      world,
      protocols,
      reactors: withReactors(features),
      ports,
    });
    return {
      ...whole,
      models: { ...whole.models, ...models },
      engine: engine.for(whole.principal.organization),
    };
  };
  const parley = await again(flags);
  await (await parley.memory()).imported(scope, lands.map(known));
  return {
    parley,
    requests,
    again,
    async [Symbol.asyncDispose]() {
      for (const one of opened) await one.close();
      place[Symbol.dispose]();
    },
  };
}

const scope = { organization: OrganizationId.parse("local"), user: UserId.parse("eva") };

async function ablate(
  parley: AppContext,
  {
    of = tasks,
    ...options
  }: Partial<AblationOptions> & { readonly of?: readonly BenchTask[] | undefined } = {},
) {
  const prepared = await prepareAblation(parley, { file: "tasks.jsonl", tasks: of });
  const ran = await runAblation(parley, prepared, {
    signal: new AbortController().signal,
    concurrency: 2,
    retryFailed: false,
    ...options,
  });
  return { ...ran, prepared };
}

describe("an ablation", () => {
  it("answers each question twice, and shows what memory changes", async () => {
    await using one = await watched(LANDS.slice(0, 6));
    const { report, stop, judging } = await ablate(one.parley);
    expect([stop, judging]).toEqual([null, null]);
    expect(MemoryAblation.parse(report)).toMatchObject({
      simulated: true,
      complete: true,
      model: "sim/ada?skill=0",
      user: "eva",
      tasks: { file: "tasks.jsonl", count: 8, known: 8 },
      recalled: { n: 8, engrams: 6, facts: 0, any: 6, how: ["full text alone: no embedding model is set"] },
      with: { finished: 8, calls: 8, accuracy: { value: 0.75 } },
      without: { finished: 8, calls: 8, accuracy: { value: 0 } },
      right: {
        all: { n: 8, both: 0, onlyWith: 6, onlyWithout: 0, neither: 2, p: expect.closeTo(2 / 2 ** 6, 9) },
        recalled: { n: 6, onlyWith: 6, neither: 0 },
      },
      grades: { all: { n: 0, difference: null } },
      judge: null,
    });
    expect(one.requests).toHaveLength(16);
    expect(report.rows.map(({ recalled }) => recalled?.engrams.map(({ id }) => id))).toEqual(
      LANDS.map((land, index) => (index < 6 ? [`known-${land}`] : [])),
    );
  });

  it("asks both sides alike, under one seed, but for what is recalled", async () => {
    await using one = await watched(LANDS.slice(0, 1));
    const { report } = await ablate(one.parley, { of: tasks.slice(0, 2) });
    const seeds = await Promise.all(
      report.rows.map(({ with: a, without: b }) =>
        Promise.all(
          [a, b].map(async (side) => {
            const entries = await one.parley.store.read((side?.deliberations[0] ?? "") as never); // as stored
            const [opened] = entries;
            return opened && isEvent(opened, "deliberation-opened") ? opened.data.seed : "none";
          }),
        ),
      ),
    );
    expect(seeds.map(([a, b]) => a === b)).toEqual([true, true]);
    expect(seeds[0]?.[0]).not.toBe(seeds[1]?.[0]);
    const of = (land: string) =>
      one.requests
        .filter(({ messages }) => JSON.stringify(messages.at(-1)).includes(land))
        .map(({ messages, ...rest }) => JSON.stringify([messages, rest]));
    expect(new Set(of("Freedonia")).size).toBe(2);
    expect(of("Sylvania")).toHaveLength(2);
    expect(new Set(of("Sylvania")).size).toBe(1);
  });

  it("leaves memory as it was", async () => {
    await using one = await watched(LANDS.slice(0, 2), { judge: "sim/eve", critic: "on" });
    const lines = async () => {
      const all = [];
      for await (const line of (await one.parley.memory()).exported(scope)) all.push(line);
      return all;
    };
    const before = await lines();
    const { report } = await ablate(one.parley, { of: tasks.slice(0, 3) });
    for (const { with: a, without: b } of report.rows)
      for (const id of [...(a?.deliberations ?? []), ...(b?.deliberations ?? [])])
        await one.parley.engine.drain(id as never, { worker: "w", signal: new AbortController().signal }); // as stored
    expect(await lines()).toEqual(before);
    expect(before).toHaveLength(2);
  });

  it("asks nothing a second time, whatever is remembered by then; another seed asks afresh", async () => {
    await using one = await watched(LANDS.slice(0, 4));
    const first = await ablate(one.parley);
    await (await one.parley.memory()).imported(scope, LANDS.map(known));
    const asked = one.requests.length;
    const second = await ablate(one.parley);
    expect(second.report).toEqual(first.report);
    expect([first.prepared.begun, second.prepared.begun, one.requests.length]).toEqual([0, 8, asked]);
    const fresh = await ablate(await one.again({ seed: "2" }));
    expect(fresh.report.recalled.any).toBe(8);
    expect(one.requests).toHaveLength(2 * asked);
  });

  it("goes on where it was interrupted, also between the sides of a question", async () => {
    await using one = await watched(LANDS);
    const stop = new AbortController();
    let rows = 0;
    const onRow = (_: unknown, fresh: boolean) => {
      if (fresh && (rows += 1) === 3) stop.abort();
    };
    const broken = await ablate(one.parley, { signal: stop.signal, concurrency: 1, onRow });
    expect(broken.stop).toBe("interrupted");
    expect(broken.report).toMatchObject({ complete: false, with: { finished: 2 }, without: { finished: 1 } });
    expect(broken.report.right.all.n).toBe(1);
    const { report } = await ablate(one.parley);
    expect(report).toMatchObject({ complete: true, right: { all: { n: 8, onlyWith: 8 } } });
    expect(one.requests).toHaveLength(16);
    const seeds = await Promise.all(
      [report.rows[1]?.with, report.rows[1]?.without].map(async (side) => {
        const [opened] = await one.parley.store.read((side?.deliberations[0] ?? "") as never); // as stored
        return opened && isEvent(opened, "deliberation-opened") ? opened.data.seed : null;
      }),
    );
    expect(seeds[0]).toBe(seeds[1]);
  });

  it("keeps to its caps, sides and judge together, and goes on under higher ones", async () => {
    await using one = await watched(LANDS);
    const small = await ablate(await one.again({ maxTotalTokens: 6_000, respondTokens: 500 }));
    expect(small.stop).toBe("budget");
    expect(small.report.complete).toBe(false);
    const tokensOf = ({ with: a, without: b }: MemoryAblation) =>
      [a, b].reduce((sum, { tokens }) => sum + (tokens.in ?? 0) + (tokens.out ?? 0), 0);
    expect(tokensOf(small.report)).toBeLessThanOrEqual(6_000);
    const whole = await ablate(await one.again({ maxTotalTokens: 100_000, respondTokens: 500 }));
    expect(whole).toMatchObject({ stop: null, report: { complete: true } });
    const spent = tokensOf(whole.report);
    const asked = one.requests.length;
    const judge = { judge: "sim/eve?skill=1", respondTokens: 500 };
    const none = await ablate(await one.again({ ...judge, maxTotalTokens: spent }));
    expect(none).toMatchObject({ stop: "budget", judging: null, report: { complete: true, judge: null } });
    expect(one.requests).toHaveLength(asked);
    const some = await ablate(await one.again({ ...judge, maxTotalTokens: spent + 12_000 }));
    expect(some.report.judge?.status).toBe("stopped-by-budget");
    const { tokens } = some.report.judge ?? { tokens: { in: null, out: null } };
    expect((tokens.in ?? Infinity) + (tokens.out ?? Infinity)).toBeLessThanOrEqual(12_000);
  });
});

describe("a judged ablation", () => {
  it("grades each different answer once, also of questions without a known answer", async () => {
    await using one = await watched(LANDS.slice(0, 2), { judge: "sim/eve?skill=1" });
    const open = tasks.slice(0, 3).map(({ answer: _, ...task }) => task);
    const sums: BenchTask[] = [{ id: "sum", question: "What is 17 * 23?", answer: "391" }];
    let announced = 0;
    const { report, judging } = await ablate(one.parley, {
      of: [...open, ...sums],
      onJudging: (answers) => ((announced = answers), () => undefined),
    });
    expect(report.tasks).toEqual({ file: "tasks.jsonl", count: 4, known: 1 });
    expect(report.rows.map(({ with: a, without: b }) => [a?.right, b?.right])).toEqual([
      [null, null],
      [null, null],
      [null, null],
      [false, false],
    ]);
    expect(report.right.all.n).toBe(1);
    const texts = new Set(
      report.rows.flatMap((row) => [row.with, row.without].map((side) => `${row.task} ${side?.text}`)),
    );
    expect(texts.size).toBe(6);
    expect(report.judge).toMatchObject({
      model: "sim/eve?skill=1",
      answers: 6,
      read: 6,
      calls: 6,
      why: null,
    });
    expect(announced).toBe(6);
    expect(judging?.entries.length).toBeGreaterThan(0);
    expect(report.grades.all).toMatchObject({ n: 4 });
    expect(report.grades.recalled).toMatchObject({ n: 2 });
    const grades = report.rows.map((row) => [row.with?.grade, row.without?.grade]);
    expect(grades.flat().every((grade) => typeof grade === "number")).toBe(true);
    expect(grades[2]?.[0]).toBe(grades[2]?.[1]);
    const asked = one.requests.length;
    let repeated = false;
    const again = await ablate(one.parley, {
      of: [...open, ...sums],
      onJudging: () => ((repeated = true), () => undefined),
    });
    expect([again.report, one.requests.length, repeated]).toEqual([report, asked, false]);
  });

  it("is asked for where no answer is known, and its price where money is capped", async () => {
    await using one = await watched([]);
    const open = tasks.map(({ answer: _, ...task }) => task);
    await expect(ablate(one.parley, { of: open })).rejects.toThrow(
      /no judge is configured; set judge to provider\/model/,
    );
    const capped = await one.again({ judge: "openrouter/nobody/knows", maxCostUsd: 1 });
    await expect(ablate(capped)).rejects.toThrow(/openrouter|price/i);
    expect(one.requests).toEqual([]);
  });
});

describe("a file of questions", () => {
  it("is what bench reads, and may leave answers out", () => {
    using place = scratch({
      "project/t.jsonl": '{"question": "Why?"}\n{"question": "What is 2 + 2?", "answer": 4, "id": "sum"}\n',
      "project/bad.jsonl": '{"question": "Why?"}\n{"question": "Why?"}\n',
    });
    expect(readBenchTasks("t.jsonl", place, { open: true })).toEqual([
      { id: "line 1", question: "Why?" },
      { id: "sum", question: "What is 2 + 2?", answer: "4" },
    ]);
    expect(() => readBenchTasks("bad.jsonl", place, { open: true })).toThrow(
      /bad\.jsonl:2 has the same question/,
    );
  });
});
