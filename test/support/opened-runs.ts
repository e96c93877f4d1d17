import type { Parley } from "../../src/app/parley.ts";
import { debateRecord } from "../../src/protocols/debate/view/debated.ts";
import { openAnonymityAudit } from "../../src/lab/audit.ts";
import { openEvaluation } from "../../src/lab/eval/evaluation.ts";
import { JUDGED_ONCE, openJudge } from "../../src/lab/judge/judge.ts";
import { takeTexts } from "../../src/lab/judge/tasks.ts";

const question = "What is 17 * 23?";
const models = ["openai/ada?latency=30", "openai/bo?latency=40&seed=2", "openai/cy?latency=35&seed=3"];
const judged = { judge: ["openai/judy?skill=1&latency=20"] };
const answered = async (parley: Parley, protocol: string) => {
  const run = await parley.start({ protocol, question, models, seed: "s", reactions: false });
  await run.outcome();
  return parley.read(run.id);
};

/** A run of every kind that calls models, by the protocol: opened, and driven by nobody. */
export const OPENED: { readonly [kind: string]: (parley: Parley) => Promise<string> } = {
  ...Object.fromEntries(
    [
      { protocol: "ask", models, ...judged },
      { protocol: "council", models, ...judged },
      { protocol: "debate", models, rounds: 2 },
      { protocol: "respond", models: models.slice(0, 1), ...judged, respondentB: true, modelB: models[1] },
    ].map((request) => [
      request.protocol,
      async (parley: Parley) => (await parley.open({ question, seed: "s", ...request })).opened.deliberation,
    ]),
  ),
  judge: async (parley) => {
    const items = [1, 2, 3].map((nth) => ({
      ...{ name: `item-${nth}`, lengths: { a: 3, b: 3 } },
      texts: { question, a: "391", b: `39${nth + 1}` },
    }));
    const task = { question: "Which is better?", kind: "preference" as const, ...takeTexts(items) };
    const call = { model: "openai/judy?latency=30", ...JUDGED_ONCE };
    return (await openJudge(parley.context(), task, call)).id;
  },
  evaluation: async (parley) => {
    const record = debateRecord(await answered(parley, "debate"));
    const place = { cwd: "/", env: {} };
    const asked = { record, place, models: ["openai/eva?latency=30", "openai/eli?latency=30"], again: false };
    return (await openEvaluation(parley.context(), asked)).id;
  },
  authorship: async (parley) => {
    const entries = await answered(parley, "council");
    const asked = { entries, model: "openai/eva?latency=30", again: false };
    return (await openAnonymityAudit(parley.context(), asked)).id;
  },
};
