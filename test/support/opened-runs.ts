import type { Parley } from "../../src/app/parley.ts";
import { prepareChild } from "../../src/features/evolution/app/breed.ts";
import { prepareTrial } from "../../src/features/evolution/app/trial.ts";
import { textDigest } from "../../src/engine/index.ts";
import { DeliberationId, ModelRef } from "../../src/kernel/index.ts";
import { debateRecord } from "../../src/features/debate/protocol/debate/view/debated.ts";
import { openAnonymityAudit } from "../../src/features/judging/commands/anonymity.ts";
import { openEvaluation } from "../../src/features/debate/app/evaluation.ts";
import { JUDGED_ONCE, openJudge, takeTexts } from "../../src/app/judge.ts";
import { cycleOpening, executorOf, twoTrees } from "./forest-cycle.ts";
import { isLong } from "./long.ts";

const question = "What is 17 * 23?";
const models = ["openai/ada?latency=30", "openai/bo?latency=40&seed=2", "openai/cy?latency=35&seed=3"];
const judged = { judge: ["openai/judy?skill=1&latency=20"] };
const answered = async (parley: Parley, protocol: string) => {
  const run = await parley.start({ protocol, question, models, seed: "s", reactions: false });
  await run.outcome();
  return parley.read(run.id);
};

/** Lets this process run the gates of the forests that `OPENED` opens. */
export const runsGates = (parley: Parley): void => parley.context().grounds.add("s1", executorOf());

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
  persona: async (parley) => {
    const parents = ["analyst", "historian"];
    const reading = { onUnreadable: () => undefined };
    const child = await prepareChild(parley.context({ models }), { parents, name: "Kid" }, reading);
    return (await child.open()).id;
  },
  trial: async (parley) => {
    const context = parley.context({ models });
    const parent = context.resources.persona("analyst");
    const digest = textDigest(parent.instructions);
    const made = { bred: DeliberationId.parse("kid"), prompt: digest, seed: digest };
    const parents = ["analyst", "historian"].map((id) => ({ id, version: digest, feedback: null }));
    const lineage = { ...made, parents, model: ModelRef.parse(models[0]) };
    const child = { ...parent, id: "kid", name: "Kid", instructions: "Answer at once.", lineage };
    const tasks = Array.from({ length: 14 }, (_, nth) => ({
      ...{ question: `What is 17 * ${nth}?`, answer: String(17 * nth) },
    }));
    return (await (await prepareTrial(context, { child, tasks })).open()).id;
  },
  forest: async (parley) => {
    const role = (name: string, family: string) => ({ model: `openai/${name}?latency=10`, family });
    const others = { skeptic: role("sam", "elm"), inspector: role("ina", "elm"), aligner: role("al", "oak") };
    const opening = cycleOpening(twoTrees(), {
      models: { gardener: role("gus", "oak"), diverger: role("dee", "oak"), ...others },
    });
    return (await parley.context().engine.open("cycle", opening)).opened.deliberation;
  },
};

/** Their names: `LONG=1` runs every one, and the gate one that discusses, one that measures and one that runs gates. */
export const KINDS = isLong ? Object.keys(OPENED) : ["council", "judge", "forest"];
