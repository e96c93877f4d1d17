import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openParley } from "../../test/support/opened.ts";
import { openFakeServer, refuse } from "../../test/support/fake-server.ts";
import { scratch } from "../../test/support/scratch.ts";
import { isEvent, type Message, type ModelRequest } from "../kernel/index.ts";
import { splitFenced } from "../prompts/material.ts";
import { scripted } from "../testing/scripted-models.ts";
import type { Parley } from "./parley.ts";
import type { StartRequest } from "./start.ts";

const MODELS = ["sim/ada", "sim/bob", "sim/cyd"];

/** What a scripted model says, by the task in its prompt: only drafts tell who wrote them. */
function reply({ model, messages, reply: asked }: ModelRequest): string {
  const text = messages.map((one) => one.text).join("\n");
  if (text.includes("From now on a summary stands")) return "SUMMARY of what was said";
  if (asked?.name === "review") {
    const labels = [...text.matchAll(/^\[BEGIN answer ([A-Z]) /gm)].map(([, label = ""]) => label);
    return JSON.stringify({ reviews: [], ranking: labels });
  }
  if (text.includes("You are the chair")) return "SYNTHESIS of it all";
  return `DRAFT by ${model}`;
}

async function talking(
  work: (parley: Parley, requests: (from?: number) => readonly ModelRequest[]) => Promise<void>,
): Promise<void> {
  const models = scripted({ ada: reply, bob: reply, cyd: reply });
  await using parley = await openParley({ store: ":memory:", env: {}, models });
  await work(parley, (from = 0) => models.calls.slice(from).map(({ request }) => request));
}

const asked = async (parley: Parley, request: StartRequest) => {
  const run = await parley.start({ models: MODELS, reactions: false, ...request });
  const outcome = await run.outcome();
  await run.reactions;
  return { ...outcome, opening: run.opening };
};

const textOf = ({ messages }: { readonly messages: readonly Message[] }) =>
  messages.map(({ text }) => text).join("\n");

describe("a follow-up", () => {
  it.each(["ask", "council", "debate", "respond"])(
    "by %s has the models of the turn before, unless it names its own",
    (protocol) =>
      talking(async (parley) => {
        const modelsIn = ({ opening }: Awaited<ReturnType<typeof asked>>) =>
          opening.participants.map(({ id, model }) => `${id} ${model}`);
        const first = await asked(parley, {
          protocol,
          question: "Which database?",
          models: ["sim/cyd", "sim/bob"],
        });
        const follow = { protocol, question: "And in five years?", models: undefined };
        const next = await asked(parley, { ...follow, previous: first.id });
        expect(modelsIn(next)).toEqual(modelsIn(first));
        const own = await asked(parley, { ...follow, previous: next.id, models: ["sim/ada", "sim/bob"] });
        expect(modelsIn(own)).toContainEqual(expect.stringMatching(/ sim\/ada$/));
        const other = protocol === "council" ? "debate" : "council";
        const request = { ...follow, protocol: other, previous: own.id, models: ["sim/bob", "sim/ada"] };
        expect(modelsIn(await asked(parley, request))).toContainEqual(expect.stringMatching(/ sim\/bob$/));
      }),
  );

  it.each(["ask", "council", "debate"])(
    "by %s shows every participant earlier questions and answers, and no earlier draft",
    (protocol) =>
      talking(async (parley, requests) => {
        const first = await asked(parley, { protocol: "council", question: "Which database?" });
        const before = requests().length;
        const next = await asked(parley, { protocol, question: "And in five years?", previous: first.id });
        const prompts = requests(before)
          .map(textOf)
          .filter((prompt) => !prompt.includes("It could not be read"));
        expect(prompts.length).toBeGreaterThan(3);
        for (const prompt of prompts) {
          const { pieces, outside } = splitFenced(prompt);
          expect(pieces.slice(0, 3).map(({ kind, label, text }) => `${kind} ${label}: ${text}`)).toEqual([
            "turn 1 question: Which database?",
            "turn 1 answer: SYNTHESIS of it all",
            "question : And in five years?",
          ]);
          expect(outside).not.toMatch(/Which database|SYNTHESIS/);
        }
        expect(prompts[0]).not.toContain("DRAFT by");
        expect(next.opening).toMatchObject({ previous: first.id, series: { id: first.id, index: 1 } });
        expect(await parley.replay(next.id)).toMatchObject({ closed: true });
      }),
  );

  it("follows the newest run of this user, and neither another user's nor a job's", () =>
    talking(async (parley) => {
      const first = await asked(parley, { protocol: "council", question: "Which database?" });
      const eve = { ...parley.context().principal, user: "eve" as never };
      const others = await parley.start(
        { protocol: "respond", models: MODELS, reactions: false, question: "Mine?" },
        { principal: eve },
      );
      await others.outcome();
      await asked(parley, { protocol: "council", question: "Of a job?", request: "key/digest/1" });
      const next = await asked(parley, { protocol: "ask", question: "Why?", previous: "last" });
      expect(next.opening.previous).toBe(first.id);
    }));

  it("of the newest takes a finished one of this folder, and else one of no folder, as earlier versions made", async () => {
    using place = scratch();
    const models = scripted({ ada: reply, bob: reply, cyd: reply });
    const within = async <T>(cwd: string | undefined, work: (parley: Parley) => Promise<T>): Promise<T> => {
      await using parley = await openParley({ store: join(place.home, "parley.db"), env: {}, models, cwd });
      return await work(parley);
    };
    const council = { protocol: "council", question: "Which database?" };
    const followed = (cwd: string | undefined, more: Partial<StartRequest> = {}) =>
      within(cwd, async (parley) => {
        const { opening } = await asked(parley, {
          protocol: "ask",
          ...more,
          question: "Why?",
          previous: "last",
        });
        return opening.previous;
      });
    await expect(followed("/a")).rejects.toThrow("there is no finished run of this folder to follow up on");
    await expect(followed(undefined)).rejects.toThrow("there is no finished run to follow up on");
    const earlier = await within(undefined, (parley) => asked(parley, council));
    expect(earlier.opening.folder).toBeUndefined();
    expect(await followed("/c")).toBe(earlier.id);
    const a = await within("/a", (parley) => asked(parley, council));
    const b = await within("/b", (parley) => asked(parley, council));
    expect(a.opening.folder).toMatch(/^[0-9a-f]{64}$/);
    expect(a.opening.folder).not.toBe(b.opening.folder);
    // Under way in another terminal of the same folder; and newer ones of none.
    await within("/a", (parley) => parley.open({ ...council, models: MODELS }));
    const later = await within(undefined, (parley) => asked(parley, council));
    await within("/f", (parley) => asked(parley, { ...council, protocol: "respond" }));
    expect(await followed("/e")).toBe(later.id);
    expect(await followed("/a", { protocol: "council" })).toBe(a.id);
    expect(await followed("/b", { protocol: undefined, member: "challenger" })).toBe(b.id);
    // A fork is of the folder in which it is made.
    const fork = await within("/d", async (parley) => {
      const run = await parley.fork(a.id, { mode: "vote" });
      await run.outcome();
      return run.id;
    });
    expect(await followed("/d")).toBe(fork);
    // The folder is no part of what a request's name stands for.
    const named = { ...council, models: MODELS, request: "r1", reactions: false };
    const one = await within("/a", (parley) => parley.open(named));
    const two = await within("/b", (parley) => parley.open(named));
    expect(two).toMatchObject({ fresh: false, opened: { deliberation: one.opened.deliberation } });
  });

  it("is summarized in a recorded step where it does not fit, once for all turns after it", () =>
    talking(async (parley, requests) => {
      let previous: string | undefined;
      const covers: number[] = [];
      for (let turn = 1; turn <= 8; turn += 1) {
        const question = `Question ${turn}: ${"alpha beta gamma ".repeat(40)}?`;
        const one = await asked(parley, {
          ...{ protocol: "council", question, respondContext: 4_000 },
          ...(previous === undefined ? {} : { previous }),
        });
        previous = one.id;
        for (const entry of await parley.read(one.id))
          if (isEvent(entry, "summary-made")) covers.push(entry.data.turns?.covers ?? 0);
        await parley.replay(one.id);
      }
      expect(covers.length).toBeGreaterThan(1);
      expect(covers.length).toBeLessThan(7);
      expect(covers).toEqual([...covers].sort((one, other) => one - other));
      const last = textOf(requests().at(-1) ?? { messages: [] });
      expect(splitFenced(last).pieces[0]).toMatchObject({
        kind: "summary",
        text: "SUMMARY of what was said",
      });
      expect(last).not.toContain("Question 1:");
      expect(last).toContain("Question 7:");
      const fitting = await asked(parley, { protocol: "council", question: "Short?", previous });
      expect((await parley.read(fitting.id)).filter(({ type }) => type === "summary-made")).toEqual([]);
    }));

  it("that asks the last question again leaves out the answer that it replaces, now and later", () =>
    talking(async (parley, requests) => {
      const first = await asked(parley, { protocol: "respond", question: "Which database?" });
      const again = { question: "Which database?", previous: first.id, again: true };
      const second = await asked(parley, { protocol: "council", ...again });
      expect(splitFenced(textOf(requests()[1] ?? { messages: [] })).pieces.map(({ kind }) => kind)).toEqual([
        "question",
      ]);
      const third = await asked(parley, { protocol: "respond", question: "Sure?", previous: second.id });
      const history = third.opening.history ?? [];
      expect(history).toHaveLength(1);
      const texts = (requests().at(-1)?.messages ?? []).map(({ text }) => text);
      expect(texts.slice(1, 3)).toEqual(["Which database?", "SYNTHESIS of it all"]);
    }));

  it("with the same question by another protocol is another turn, which is refused", () =>
    talking(async (parley) => {
      const { id: previous } = await asked(parley, { protocol: "council", question: "Which database?" });
      const next = { question: "Why?", previous };
      const one = await asked(parley, { protocol: "council", ...next });
      expect((await asked(parley, { protocol: "council", ...next })).id).toBe(one.id);
      await expect(parley.start({ protocol: "respond", models: MODELS, ...next })).rejects.toThrow(
        "this turn already has a follow-up",
      );
    }));
});

describe("one member that is asked after the answer", () => {
  it("is called once, with the question, the answer and its own draft, and sees no other's", () =>
    talking(async (parley, requests) => {
      const first = await asked(parley, { protocol: "council", question: "Which database?" });
      const before = requests().length;
      const turn = { question: "Why do you doubt it?", member: "Pragmatist", previous: "last" };
      const asking = await asked(parley, turn);
      expect(requests()).toHaveLength(before + 1);
      const [request] = requests(before);
      expect(request?.model).toBe("sim/bob");
      const messages = request?.messages ?? [];
      expect(messages.slice(1, 3).map(({ text }) => text)).toEqual([
        "Which database?",
        "SYNTHESIS of it all",
      ]);
      expect(textOf({ messages })).toContain("DRAFT by sim/bob");
      expect(textOf({ messages })).not.toMatch(/DRAFT by sim\/(ada|cyd)/);
      expect(request?.tools).toBeUndefined();
      expect(asking.opening).toMatchObject({
        protocol: { name: "respond" },
        series: { id: first.id, index: 1 },
        participants: [{ id: "pragmatist", model: "sim/bob" }],
      });
      const [own] = asking.opening.participants;
      const then = first.opening.participants.find(({ id }) => id === "pragmatist");
      expect(own?.persona).toEqual(then?.persona);
      expect(await parley.replay(asking.id)).toMatchObject({ steps: 1, calls: 1 });
      // The next one is found in the council, two turns back, and the panel goes on after both.
      const other = await asked(parley, { ...turn, question: "And you?", member: "challenger" });
      expect(other.opening.participants).toMatchObject([{ id: "challenger" }]);
      const panel = await asked(parley, { protocol: "council", question: "So?", previous: other.id });
      expect(panel.opening.history).toHaveLength(3);
    }));

  it("must be one of the members, who are named", () =>
    talking(async (parley, requests) => {
      const asking = { question: "Why?", member: "nobody", models: MODELS };
      await expect(parley.start(asking)).rejects.toThrow("a member is asked in a conversation");
      const alone = await asked(parley, { protocol: "respond", question: "Which?" });
      await expect(parley.start({ ...asking, previous: alone.id })).rejects.toThrow("has members");
      await asked(parley, { protocol: "council", question: "Which database?" });
      const before = requests().length;
      await expect(parley.start({ ...asking, previous: "last" })).rejects.toMatchObject({
        details: { next: "ask one of @analyst, @pragmatist, @challenger, @chair" },
      });
      expect(requests()).toHaveLength(before);
    }));
});

it("is fitted to the smallest window that is known of its models", async () => {
  await using server = await openFakeServer((response) => refuse(response, { status: 400, message: "no" }));
  const env = { OPENAI_BASE_URL: server.url, TOGETHER_BASE_URL: server.url };
  await using parley = await openParley({ store: ":memory:", env });
  const windowOf = async (models: readonly string[]) => {
    const history = [{ question: "Which database?", answer: "Postgres." }];
    const run = await parley.start({
      protocol: "council",
      question: "And later?",
      history,
      models: [...models],
    });
    await run.outcome();
    return run.opening.settings["conversation"];
  };
  const small = "together/meta-llama/Meta-Llama-3-8B-Instruct-Lite";
  expect(await windowOf(["openai/gpt-5.6", small])).toMatchObject({ contextTokens: 8_192 });
  expect(await windowOf(["openai/gpt-5.6", "openai/gpt-5"])).toMatchObject({ contextTokens: 400_000 });
  expect(await windowOf(["openai/unheard-of", "openai/gpt-5"])).toMatchObject({ contextTokens: 32_768 });
});
