import { PanelSection, panelSection } from "../../src/views/panel.ts";
import { openParley } from "./opened.ts";
import { DeliberationId, isEvent, type Entry } from "../../src/kernel/index.ts";
import type { StartRequest } from "../../src/app/start.ts";
import { createEvaluationContext, evaluation } from "../../src/features/debate/protocol/evaluation/index.ts";
import * as evaluationView from "../../src/features/debate/protocol/evaluation/view.ts";
import { judge } from "../../src/features/judging/protocol/judge/index.ts";
import * as judgeView from "../../src/features/judging/protocol/judge/view.ts";
import { forest } from "../../src/features/forest/protocol/index.ts";
import * as forestView from "../../src/features/forest/protocol/view.ts";
import * as askView from "../../src/features/ask/protocol/view.ts";
import * as debateView from "../../src/features/debate/protocol/debate/view/index.ts";
import * as respondView from "../../src/features/respond/protocol/view.ts";
import { trial } from "../../src/features/evolution/protocol/trial/index.ts";
import * as trialView from "../../src/features/evolution/protocol/trial/view.ts";
import { openingFor, toyAsked, toyParticipant } from "../../src/testing/kit.ts";
import { stage } from "../../src/testing/stage.ts";
import { LOCAL } from "../../src/testing/store-samples.ts";
import type { SectionView } from "../../src/views/result.ts";
import { cycleOpening, executorOf, twoTrees, willing } from "./forest-cycle.ts";
import { climbed } from "./sample-climb.ts";
import { degradedCouncil, stepKey, type Sample } from "./sample-council.ts";
import { sampleDebate } from "./sample-debate.ts";
import { council as toyCouncil } from "./toys/council.ts";
import { answering, preferring, trialAsked } from "./trial-table.ts";

/** All entries of a run, and the view of its protocol. */
export type SampleRun = {
  readonly name: string;
  readonly entries: readonly Entry[];
  readonly view: SectionView;
};

const councilView = { sectionSchema: PanelSection, sectionOf: panelSection };
const ASKED: { readonly [name: string]: { readonly request: StartRequest; readonly view: SectionView } } = {
  ask: { request: { protocol: "ask", question: "What is 17 * 23?" }, view: askView },
  council: { request: { protocol: "council", question: "Which queue fits?" }, view: councilView },
  debate: {
    request: { protocol: "debate", question: "Design a queue. It must lose no job.", rounds: 2 },
    view: debateView,
  },
  respond: { request: { protocol: "respond", question: "What is 17 * 23?" }, view: respondView },
};

/** Runs of the protocols that answer questions, by simulated models, and made-up ones in which much is missing. */
export async function sampleRuns(): Promise<readonly SampleRun[]> {
  const made = [
    { name: "a degraded council", entries: graded(degradedCouncil()), view: councilView },
    { name: "a made-up debate", entries: sampleDebate().entries, view: debateView },
    { name: "a climb", entries: climbed(), view: askView },
  ];
  return [
    ...made,
    ...(await played()),
    await waiting(),
    await tried(),
    await grown(),
    await judged(),
    await evaluated(),
  ];
}

/** The same with what a critic made of the answer. */
function graded(sample: Sample): readonly Entry[] {
  const answer = sample.entries.find((entry) => isEvent(entry, "synthesis-given"));
  if (!answer || !("digest" in answer.origin)) throw new Error("nobody wrote an answer");
  sample.add(
    {
      type: "grade-given",
      data: { of: answer.id, score: 4, feedback: "It is right, and short.", rubric: "knowledge" },
    },
    {
      ...{ by: "reactor", reactor: "critic", event: answer.id, step: stepKey("grade") },
      ...{ digest: answer.origin.digest, after: [] },
    },
  );
  return sample.entries;
}

async function played(): Promise<readonly SampleRun[]> {
  const settings = { models: ["sim/ada", "sim/bob", "sim/cyd"] };
  await using parley = await openParley({ store: ":memory:", env: {}, settings });
  const runs: SampleRun[] = [];
  for (const [name, { request, view }] of Object.entries(ASKED)) {
    const run = await parley.start(request);
    await run.outcome();
    runs.push({ name, entries: run.recorded(), view });
  }
  return runs;
}

/** A person is asked, nobody answers, and the run is cancelled. */
async function waiting(): Promise<SampleRun> {
  const on = stage({ protocols: [toyCouncil], script: { ada: "her draft", chair: "all" } });
  const ana = { ...toyParticipant("ana", "member"), model: "human/ana" as never };
  const participants = [toyParticipant("ada", "member"), ana, toyParticipant("chair", "chair")];
  const { opened } = await on.engine.open("r1", toyAsked("toy-council", { participants }));
  const id = DeliberationId.parse(opened.deliberation);
  await on.drive(id);
  await on.engine.cancel(id, "enough");
  return { name: "a person's seat", entries: await on.store.for(LOCAL).read(id), view: councilView };
}

async function tried(): Promise<SampleRun> {
  const script = { ...answering, "judge-1": preferring(0.7) };
  const { entries } = await stage({ protocols: [trial], script }).play(trialAsked({ questions: 12 }));
  return { name: "a trial", entries, view: trialView };
}

async function grown(): Promise<SampleRun> {
  const on = stage({ protocols: [forest], script: willing(), ports: { executor: executorOf() } });
  const { entries } = await on.play(cycleOpening(twoTrees()));
  return { name: "a forest", entries, view: forestView };
}

const RUBRIC = {
  ...{ name: "right", criteria: "Is it right?" },
  anchors: { 1: "No.", 2: "Hardly.", 3: "In part.", 4: "Mostly.", 5: "Yes." },
};

/** A judge that prefers what is shown first, and one reply of which cannot be read. */
async function judged(): Promise<SampleRun> {
  const items = ["item-1", "item-2", "item-3"];
  const eve = (_request: unknown, nth: number) =>
    nth === 2 ? "I would rather not say." : JSON.stringify({ reason: "so it seems to me", winner: "A" });
  const opening = openingFor(judge, {
    judge: ["eve"],
    context: items.flatMap((name) =>
      ["question", "a", "b"].map((part) => ({ name: `${name}/${part}`, text: `the ${part} of ${name}` })),
    ),
    settings: {
      ...{ kind: "preference", form: "json", rubric: RUBRIC },
      items: items.map((name) => ({ name, lengths: { a: 4, b: 3 } })),
    },
  });
  const { entries } = await stage({ protocols: [judge], script: { eve } }).play(opening);
  return { name: "a judge", entries, view: judgeView };
}

async function evaluated(): Promise<SampleRun> {
  const row = { reasoning: "Because it keeps them.", score: 8 };
  const said = JSON.stringify({
    evaluation: { functional_completeness: row, non_functional: { security: row } },
    overall_summary: { strengths: "It is short.", weaknesses: "It is thin.", overall_score: 8 },
  });
  const opening = openingFor(evaluation, {
    participants: ["eva", "eli"].map((id) => toyParticipant(id, "evaluator")),
    context: createEvaluationContext({
      ...{ problem: "Build a queue.", solution: "A log on two disks." },
      ...{ clarifications: [], coverage: [] },
    }),
    settings: {
      debate: { id: "deb-1", simulated: false },
      ...{ debaters: [], requirements: { major: [], minor: [] }, unfulfilled: [] },
    },
  });
  const script = { eva: () => said, eli: () => ({ fail: "network" as const }) };
  const { entries } = await stage({ protocols: [evaluation], script }).play(opening);
  return { name: "an evaluation", entries, view: evaluationView };
}
