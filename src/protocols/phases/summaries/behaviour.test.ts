import { describe, expect, it } from "vitest";
import type { Embeddings, Entry, ModelRequest } from "../../../kernel/index.ts";
import type { ScriptedLine } from "../../../testing/scripted-models.ts";
import { letterEmbeddings } from "../../../../test/support/summary-contract.ts";
import { nothingToSay, toyAsked, toyProtocol } from "../../../testing/kit.ts";
import { stage } from "../../../testing/stage.ts";
import { LOCAL } from "../../../testing/store-samples.ts";
import { findSummaryMethod, type Contribution, type SummaryTask } from "./index.ts";

// What each method does beyond the contract that methods.test.ts holds all of them to.

type Given = {
  readonly method: string;
  readonly contributions: readonly Contribution[];
  readonly embeddings?: Embeddings | null;
  readonly semanticThreshold?: number;
  readonly reply?: (prompt: string, nth: number) => ScriptedLine;
} & Partial<Pick<SummaryTask, "maxLength" | "purpose" | "round">>;

const KEY = "round-3/summary/ada";

const promptOf = ({ messages: [message] }: ModelRequest): string => message?.text ?? "";

function staged({
  method,
  contributions,
  embeddings = null,
  semanticThreshold = 0.8,
  reply,
  ...changes
}: Given) {
  const toy = toyProtocol(async ({ run, seats }) => {
    const [ada] = seats("member");
    if (!ada) throw new RangeError("somebody is needed");
    const task: SummaryTask = {
      key: KEY,
      for: ada,
      round: 3,
      contributions,
      charactersBefore: contributions.reduce((sum, { text }) => sum + text.length, 0),
      maxLength: 600,
      purpose: "",
      prompt: (text, maxLength) => [{ role: "user", text: `${maxLength}|${text}` }],
      maxOutputTokens: 500,
      timeoutMs: 60_000,
      ...changes,
    };
    const options = { semanticThreshold };
    await findSummaryMethod(method).summarize(run, task, { embeddings, options });
    return nothingToSay;
  });
  return stage({
    protocols: [toy],
    script: { ada: (request, nth) => reply?.(promptOf(request), nth) ?? `summary ${nth}` },
  });
}

async function held(given: Given) {
  const on = staged(given);
  const { opened } = await on.engine.open("r1", toyAsked("toy", { members: ["ada"] }));
  await on.drive(opened.deliberation);
  const entries = await on.store.for(LOCAL).read(opened.deliberation);
  return {
    on,
    id: opened.deliberation,
    entries,
    prompts: on.models.calls.map(({ request }) => promptOf(request)),
  };
}

/** The data of the one event of this step. */
const ended = (entries: readonly Entry[], step = KEY): Entry["data"] | undefined =>
  entries.find(({ origin }) => origin.by === "protocol" && origin.step === step)?.data;

const stepsOf = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap(({ type, origin }) =>
    origin.by === "protocol" ? [`${type} ${origin.step.replace(KEY, "…")}`] : [],
  );

const said = (round: number, kind: Contribution["kind"], text: string): Contribution => ({
  round,
  kind,
  step: `round-${round}/${kind}/ada`,
  text,
});

const long = (name: string): string => `${name} is said. `.repeat(100).trim();

it("asks the participant itself: its own model and temperature", async () => {
  const on = staged({ method: "length-based", contributions: [said(1, "proposal", "use a queue")] });
  const asked = toyAsked("toy", { members: ["ada"] });
  const participants = asked.participants.map((one) =>
    one.id === "ada" ? { ...one, temperature: 0.3 } : one,
  );
  const { opened } = await on.engine.open("r1", { ...asked, participants });
  await on.drive(opened.deliberation);
  expect(on.models.calls.map(({ request: { model, temperature } }) => [model, temperature])).toEqual([
    ["sim/ada", 0.3],
  ]);
});

describe("length-based", () => {
  it("asks once, for the whole text in order, each under its heading", async () => {
    const contributions = [
      { ...said(1, "proposal", "use a queue"), label: "System Architect" },
      said(1, "critique", "queues fill up"),
    ];
    const { entries, prompts } = await held({
      method: "length-based",
      contributions,
      reply: () => " in short \n",
    });
    expect(prompts).toEqual([
      "600|Round 1, proposal by System Architect:\nuse a queue\n\nRound 1, critique:\nqueues fill up",
    ]);
    expect(ended(entries)).toEqual({
      for: "ada",
      method: "length-based",
      charactersBefore: 25,
      charactersAfter: 8,
      text: "in short",
      round: 3,
      temperature: null,
      call: expect.objectContaining({ ok: true, reply: " in short \n" }),
    });
  });

  it("leaves the round out of a judge's summary, which is of none", async () => {
    const contributions = [said(1, "proposal", "use a queue")];
    const { entries } = await held({ method: "length-based", contributions, round: undefined });
    expect(ended(entries)).not.toHaveProperty("round");
  });
});

describe("hierarchical", () => {
  const contributions = [
    said(1, "proposal", long("proposal 1")),
    said(1, "critique", "too short to be summarized"),
    said(1, "refinement", long("refinement 1")),
    said(2, "critique", long("critique 2")),
  ];

  it("summarizes contributions, then rounds and phases, then the whole, and records each", async () => {
    const { entries } = await held({ method: "hierarchical", contributions });
    expect([...stepsOf(entries)].sort()).toEqual([
      "summary-made …",
      "summary-made …/contribution/round-1/critique/ada",
      "summary-made …/contribution/round-1/proposal/ada",
      "summary-made …/contribution/round-1/refinement/ada",
      "summary-made …/contribution/round-2/critique/ada",
      "summary-made …/phase/critiques",
      "summary-made …/phase/proposals",
      "summary-made …/phase/refinements",
      "summary-made …/round/round-1",
      "summary-made …/round/round-2",
    ]);
    expect(ended(entries, `${KEY}/phase/critiques`)).toEqual({
      for: "ada",
      method: "hierarchical",
      charactersBefore: 26 + long("critique 2").length,
      charactersAfter: 75,
      text: "Round 1, critique:\ntoo short to be summarized\n\nRound 2, critique:\nsummary 3",
      round: 3,
      part: { level: "phase", of: "critiques" },
    });
    expect(ended(entries, `${KEY}/round/round-2`)).toMatchObject({ part: { level: "round", of: "round-2" } });
  });

  it("asks for what is longer than its share alone, with less room for each the more there are", async () => {
    const { entries, prompts } = await held({ method: "hierarchical", contributions });
    expect(prompts.map((prompt) => prompt.slice(0, 30))).toEqual([
      "600|proposal 1 is said. propos",
      "600|refinement 1 is said. refi",
      "600|critique 2 is said. critiq",
      "600|Round 1:\nRound 1, proposal",
    ]);
    expect(prompts[3]).toContain("All critiques:\nRound 1, critique:\ntoo short to be summarized");
    const verbatim = ended(entries, `${KEY}/contribution/round-1/critique/ada`);
    expect(verbatim).toMatchObject({ text: "too short to be summarized", part: { level: "contribution" } });
    expect(verbatim).not.toHaveProperty("call");
    const many = Array.from({ length: 8 }, (_, index) => said(index + 1, "proposal", long(`p${index}`)));
    const crowded = await held({ method: "hierarchical", contributions: many });
    const rooms = crowded.prompts.map((prompt) => prompt.slice(0, prompt.indexOf("|")));
    expect(rooms).toEqual([...Array<string>(8).fill("300"), "600"]);
    const tight = await held({ method: "hierarchical", contributions: many, maxLength: 150 });
    expect(new Set(tight.prompts.map((prompt) => prompt.slice(0, 4)))).toEqual(new Set(["150|"]));
  });

  it("runs a level at once", async () => {
    const reply = (_prompt: string, nth: number) => ({ text: `summary ${nth}`, latencyMs: 1_000 });
    const on = staged({ method: "hierarchical", contributions, reply });
    const { opened } = await on.engine.open("r1", toyAsked("toy", { members: ["ada"] }));
    const startMs = on.clock.now();
    await on.drive(opened.deliberation);
    expect(on.clock.now() - startMs).toBe(2_000);
  });

  it("lets the beginning of a text stand in for a part's summary that failed", async () => {
    const reply = (prompt: string): ScriptedLine =>
      prompt.includes("|critique 2") ? { fail: "overloaded", message: "busy" } : "fine";
    const { entries, prompts } = await held({ method: "hierarchical", contributions, reply });
    expect(ended(entries, `${KEY}/contribution/round-2/critique/ada`)).toMatchObject({
      what: "the summary of round-2/critique/ada for ada",
      why: "overloaded: busy",
      weakens: "its beginning stands in the summary of the whole",
      participant: "ada",
    });
    expect(prompts.at(-1)).toContain("Round 2, critique:\ncritique 2 is said. critique 2 is said.");
    expect(ended(entries)).toMatchObject({ method: "hierarchical", text: "fine" });
  });

  it("fails when the whole's summary does, whatever its parts came to", async () => {
    const reply = (prompt: string): ScriptedLine =>
      prompt.includes("All proposals") ? { fail: "context-too-long" } : "fine";
    const { entries } = await held({ method: "hierarchical", contributions, reply });
    expect(ended(entries)).toMatchObject({
      what: "the summary for ada",
      weakens: "its prompts carry the whole history",
    });
  });
});

describe("semantic", () => {
  const [durable, again, cats] = [
    "The queue has to be durable, because workers die at any time and no message may be lost with them.",
    "The queue has to be durable because workers die at any time, and no message may be lost with them!",
    "Cats sleep for most of the day, which nobody in this debate has asked about until the present round.",
  ];
  const contributions = [said(1, "proposal", `${durable}\n\n${cats}`), said(1, "refinement", again)];

  it("asks for a summary of one passage for all that say alike, the newest of equals, in order", async () => {
    const { entries, prompts } = await held({
      method: "semantic",
      contributions,
      embeddings: letterEmbeddings(),
      semanticThreshold: 0.98,
    });
    expect(prompts).toEqual([`600|Round 1, proposal:\n${cats}\n\nRound 1, refinement:\n${again}`]);
    expect(ended(entries, `${KEY}/clusters`)).toEqual({
      topic: "clusters",
      reason: "2 of 3 passages stand for all, compared by embeddings",
      body: {
        by: "embeddings",
        model: "sim/letters",
        why: null,
        passages: 3,
        chosen: [
          { step: "round-1/proposal/ada", start: 100, end: 200, standsFor: 1 },
          { step: "round-1/refinement/ada", start: 0, end: 98, standsFor: 2 },
        ],
      },
    });
    expect(ended(entries)).toMatchObject({ method: "semantic", text: "summary 1", charactersBefore: 298 });
  });

  it("compares words where there are no embeddings, and says so", async () => {
    const embed = () => Promise.reject(new Error("no such model"));
    const { entries, prompts } = await held({
      method: "semantic",
      contributions,
      embeddings: { model: "sim/broken", embed },
    });
    expect(prompts).toEqual([`600|Round 1, proposal:\n${cats}\n\nRound 1, refinement:\n${again}`]);
    expect(ended(entries, `${KEY}/clusters`)).toMatchObject({
      body: { by: "words", model: null, why: "no such model" },
    });
    expect(ended(entries)).toMatchObject({ method: "semantic (by words)" });
  });

  it("keeps everything apart at a threshold that nothing reaches", async () => {
    const { prompts } = await held({ method: "semantic", contributions, semanticThreshold: 1.1 });
    expect(prompts).toEqual([
      `600|Round 1, proposal:\n${durable}\n\n${cats}\n\nRound 1, refinement:\n${again}`,
    ]);
  });

  it("records nothing when it is interrupted, and asks the embeddings once in the end", async () => {
    let calls = 0;
    const embed: Embeddings["embed"] = (texts, signal) =>
      (calls += 1) > 1
        ? letterEmbeddings().embed(texts, signal)
        : new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    const on = staged({ method: "semantic", contributions, embeddings: { model: "sim/slow", embed } });
    const { opened } = await on.engine.open("r1", toyAsked("toy", { members: ["ada"] }));
    const interrupt = new AbortController();
    const driving = on.engine.drive(opened.deliberation, { signal: interrupt.signal });
    await on.clock.advance(10);
    interrupt.abort();
    await on.clock.settle(driving);
    expect((await on.store.for(LOCAL).read(opened.deliberation)).map(({ type }) => type)).toEqual([
      "deliberation-opened",
    ]);
    await on.drive(opened.deliberation);
    const entries = await on.store.for(LOCAL).read(opened.deliberation);
    expect(ended(entries)).toMatchObject({ method: "semantic" });
    await on.drive(opened.deliberation);
    expect(calls).toBe(2);
  });
});

describe("retrieval", () => {
  const texts = [
    "Storage uses a write-ahead log, and it is synced to the disk before a message is acknowledged to anybody.",
    "Latency stays below 40 ms, because the broker keeps the head of every queue in memory for its readers.",
    "Security rests on mutual TLS between the workers, with certificates that are renewed every single day.",
    "The latency of the broker was measured at 38 ms for reads of a queue whose head was held in memory.",
  ];
  const contributions = [
    said(1, "proposal", `${texts[0]}\n\n${texts[1]}`),
    said(1, "critique", texts[2] ?? ""),
    said(2, "refinement", texts[3] ?? ""),
  ];
  const purpose = "What is the latency of the broker with a queue in memory?";

  it("gives the nearest passages word for word, oldest first, each with its round and kind, and calls nobody", async () => {
    const { on, entries } = await held({ method: "retrieval", contributions, purpose, maxLength: 300 });
    const text = `Round 1, proposal:\n${texts[1]}\n\nRound 2, refinement:\n${texts[3]}`;
    expect(on.models.count()).toBe(0);
    expect(ended(entries)).toEqual({
      for: "ada",
      method: "retrieval (by words)",
      charactersBefore: contributions.reduce((sum, one) => sum + one.text.length, 0),
      charactersAfter: text.length,
      text,
      round: 3,
    });
  });

  it("compares by embeddings where there are some", async () => {
    const meaning = (text: string) => [text.includes("TLS") || text === purpose ? 1 : 0, text.length / 1_000];
    const embed: Embeddings["embed"] = (given) => Promise.resolve(given.map(meaning));
    const embeddings = { model: "sim/meaning", embed };
    const { entries } = await held({
      method: "retrieval",
      contributions,
      purpose,
      embeddings,
      maxLength: 150,
    });
    expect(ended(entries)).toMatchObject({ method: "retrieval", text: `Round 1, critique:\n${texts[2]}` });
  });

  it("takes the newest where nothing is nearer than the rest, and a text only once", async () => {
    const twice = [
      ...contributions,
      { ...said(3, "proposal", texts[3] ?? ""), label: "Performance Engineer" },
    ];
    const { entries } = await held({
      method: "retrieval",
      contributions: twice,
      purpose: "",
      maxLength: 290,
    });
    expect(ended(entries)).toMatchObject({
      text: `Round 1, critique:\n${texts[2]}\n\nRound 3, proposal by Performance Engineer:\n${texts[3]}`,
    });
  });

  it("fills what is left with what still fits, to the last character", async () => {
    const short = said(3, "critique", "ok");
    const nearest = `Round 2, refinement:\n${texts[3]}`;
    const room = nearest.length + "\n\nRound 3, critique:\nok".length;
    const all = [...contributions, short];
    const { entries } = await held({ method: "retrieval", contributions: all, purpose, maxLength: room });
    expect(ended(entries)).toMatchObject({
      text: `${nearest}\n\nRound 3, critique:\nok`,
      charactersAfter: room,
    });
    const less = await held({ method: "retrieval", contributions: all, purpose, maxLength: room - 1 });
    expect(ended(less.entries)).toMatchObject({ text: nearest });
  });

  it("gives the beginning of the nearest where none fits", async () => {
    const { entries } = await held({ method: "retrieval", contributions, purpose, maxLength: 40 });
    expect(ended(entries)).toMatchObject({ text: "Round 2, refinement:\nThe latency of …" });
  });
});
