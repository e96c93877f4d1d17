import { rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { liveAnswer } from "../src/app/live-answer.ts";
import { forest } from "../src/features/forest/protocol/index.ts";
import { defineModel, openParley, type OwnCall, type Run, type StartRequest } from "../src/index.ts";
import { stage } from "../src/testing/stage.ts";
import { cycleOpening, executorOf, twoTrees, willing } from "./support/forest-cycle.ts";

// What `run.answer()` yields is together `result.answer`, to the character, whatever becomes of the calls behind it.

type Reply = (call: OwnCall, nth: number) => Promise<string>;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Writes a reply word by word, slowly enough to be heard; after `failAfter` words the connection is lost. */
const writing =
  (reply: string, failAfter = Infinity): Reply =>
  async ({ onText }) => {
    for (const [index, word] of (reply.match(/\s*\S+|\s+$/g) ?? []).entries()) {
      if (index === failAfter) throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
      onText(word);
      if (index % 4 === 0) await pause(60);
    }
    return reply;
  };

/** A program with a model for drafts, one that writes for all, and one that takes its place. */
async function program(writer: Reply, store = ":memory:") {
  let [drafts, calls] = [0, 0];
  const write = (call: OwnCall) => writer(call, (calls += 1));
  const asks = (call: OwnCall, word: string) => JSON.stringify([call.messages, call.schema]).includes(word);
  // The judge of a debate has the model of one of its agents.
  const draft = defineModel((call) =>
    asks(call, "solutionMarkdown")
      ? write(call)
      : `Take ${["Kafka", "Postgres", "Redis"][(drafts += 1) % 3]} for ${drafts} reasons.`,
  );
  const models = {
    ...{ "my/a": draft, "my/b": draft },
    "my/chair": defineModel((call) => (asks(call, "contradictions") ? "{}" : write(call))),
    "my/second": defineModel((call) => writing("The second chair says: take neither of them.")(call, 1)),
  };
  return openParley({ store, env: {}, models });
}

const QUESTION = "Should we move the queue to Postgres?";
const chairs = ["my/chair", "my/second"];
const asked: { readonly [protocol: string]: StartRequest } = {
  respond: { protocol: "respond", question: QUESTION, models: ["my/chair"] },
  council: { protocol: "council", question: QUESTION, models: ["my/a", "my/b"], chair: chairs },
  ask: { protocol: "ask", question: QUESTION, models: ["my/a", "my/b"], chair: chairs },
  debate: { protocol: "debate", question: QUESTION, models: ["my/a", "my/b"] },
  vote: { protocol: "council", mode: "vote", question: QUESTION, models: ["my/a", "my/b"] },
};

async function hear(run: Pick<Run, "answer">, most = Infinity): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of run.answer()) {
    pieces.push(piece);
    if (pieces.length === most) break;
  }
  return pieces;
}

const solution = (text: string) => JSON.stringify({ solutionMarkdown: text, confidence: 70 });
const PLAIN = "Take Postgres, because it is one thing less to run, and because it is there.";
const TEXTS = [
  PLAIN,
  "\n\n  Take it.\n\nIt stands **alone**, and\n it is 😀 there.\n\n",
  "# Why\n\nTake it.\n\n```js\nconst a = { b: 1 };\n```\n\nFinal answer: yes",
  "Take it.\r\n\r\nIt is so, and it is so.  ",
  "Take it.\n\n## Dissent\n- A: it is slow\n\n```json\n" +
    '{"contributors": [{"id": "A", "weight": 1}]}\n```',
  solution('\n# Plan\n\n1. Take "Postgres".\r\n2. Drop the queue.\n'),
  `Here is my solution:\n\n\`\`\`json\n${solution("Take Postgres, at last.")}\n\`\`\``,
];

describe("what a run's answer yields is together the result's answer", () => {
  describe.each(Object.keys(asked))("%s", (protocol) => {
    const request = { ...asked[protocol], question: QUESTION, reactions: false };

    it.each(TEXTS)("of %j", async (text) => {
      await using parley = await program(writing(text));
      const run = await parley.start(request);
      const pieces = await hear(run);
      expect(pieces.join("")).toBe((await run.outcome()).result?.answer);
    });

    it("for who comes late, for who comes too late, and for several", async () => {
      await using parley = await program(writing(protocol === "debate" ? solution(PLAIN) : PLAIN));
      const run = await parley.start(request);
      const [first] = [hear(run), await hear(run, 2)];
      const late = await hear(run);
      const [whole, over] = [await first, await hear(run)];
      const answer = (await run.outcome()).result?.answer;
      expect([whole, late, over].map((pieces) => pieces.join(""))).toEqual([answer, answer, answer]);
      if (protocol !== "vote") expect(whole.length).toBeGreaterThan(3);
    });

    it("where its writer's connection is lost, and the same is written again", async () => {
      const text = protocol === "debate" ? solution(PLAIN) : PLAIN;
      await using parley = await program((call, nth) => writing(text, nth === 1 ? 6 : Infinity)(call, nth));
      const run = await parley.start(request);
      const pieces = await hear(run);
      expect(pieces.join("")).toBe((await run.outcome()).result?.answer);
    });
  });

  const WRITERS = ["respond", "council", "ask", "debate"] as const;
  it.each(WRITERS)("of %s, or it is told to begin again, where its writer begins again", async (protocol) => {
    const form = protocol === "debate" ? solution : (text: string) => text;
    await using parley = await program((call, nth) =>
      nth === 1 ? writing(form(PLAIN), 6)(call, nth) : writing(form("Keep it as it is."))(call, nth),
    );
    const request = { ...asked[protocol], question: QUESTION, reactions: false };
    const run = await parley.start(request);
    const unheard = hear(run).catch((error: unknown) => error);
    let text = "";
    let restarts = 0;
    const onRestart = () => {
      expect(PLAIN.startsWith(text)).toBe(true);
      [text, restarts] = ["", restarts + 1];
    };
    for await (const piece of run.answer({ onRestart })) text += piece;
    expect([text, restarts]).toEqual([(await run.outcome()).result?.answer, 1]);
    expect(text).toBe("Keep it as it is.");
    expect(await unheard).toMatchObject({ code: "answer-differs", details: { id: run.id } });
  });

  it("of the second chair, where the first one fails after its first words", async () => {
    await using parley = await program(async ({ onText }) => {
      onText("The first chair says: take");
      await pause(300);
      throw new Error("broken");
    });
    const run = await parley.start({ ...asked["council"], question: QUESTION, reactions: false });
    let text = "";
    for await (const piece of run.answer({ onRestart: () => (text = "") })) text += piece;
    expect(text).toBe((await run.outcome()).result?.answer);
    expect(text).toContain("The second chair");
  });

  it("is nothing where a run comes to no answer, and says so where something was shown", async () => {
    await using parley = await program(async ({ onText }, nth) => {
      if (nth === 2) onText("I would say that it is");
      if (nth === 2) await pause(300);
      throw new Error("broken");
    });
    const request = { ...asked["respond"], question: QUESTION, reactions: false };
    expect(await hear(await parley.start(request))).toEqual([]);
    await expect(hear(await parley.start(request))).rejects.toMatchObject({ code: "answer-differs" });
  });

  it("after a resume, of a run that was interrupted while its answer was written", async () => {
    const folder = mkdtempSync(join(tmpdir(), "parley-answer-"));
    try {
      const store = join(folder, "parley.db");
      let id = "";
      {
        await using parley = await program(writing(PLAIN), store);
        const run = await parley.start({ ...asked["council"], question: QUESTION, reactions: false });
        ({ id } = run);
        await hear(run, 2);
        run.interrupt();
        expect(await run.outcome()).toMatchObject({ status: "interrupted" });
      }
      await using parley = await program(writing("Keep it as it is, and think again."), store);
      const run = await parley.resume(id);
      const pieces = await hear(run);
      expect(pieces.join("")).toBe("Keep it as it is, and think again.");
      expect(pieces.length).toBeGreaterThan(1);
      expect((await run.outcome()).result?.answer).toBe(pieces.join(""));
      expect((await hear(await parley.resume(id))).join("")).toBe(pieces.join(""));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("whether or not it is written in a form later", async () => {
    await using parley = await program(writing(PLAIN));
    const run = await parley.start({ ...asked["respond"], question: QUESTION, reactions: false });
    const pieces = await hear(run);
    await parley.writeInForm(run.id, { type: "string" });
    expect((await hear(await parley.resume(run.id))).join("")).toBe(pieces.join(""));
  });

  it("of a forest, which no model writes", async () => {
    const on = stage({ protocols: [forest], script: willing(), ports: { executor: executorOf() } });
    const live = liveAnswer(() => undefined);
    on.frames.listen(live.take);
    await on.play(cycleOpening(twoTrees()));
    expect(live.sent()).toBe("");
  });
});
