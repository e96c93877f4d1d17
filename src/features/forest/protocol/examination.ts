import type * as z from "zod";
import type { StepOutcome } from "../../../engine/index.ts";
import type { Event } from "../../../kernel/index.ts";
import { ask, askExecutor, alignTemplate } from "./asking.ts";
import { classify, isFruitCandidate } from "./classification.ts";
import { candidatePieces, materialOf } from "./debate.ts";
import { Alignment } from "./replies.ts";
import { asJson, GateMetrics, type BoundGate } from "./settings.ts";
import { ResultRecord, type GateOutcome, type GateRecord } from "./state.ts";
import {
  aboutOf,
  decide,
  defineRole,
  eachCandidate,
  type RoleDesk,
  type ForestCandidate,
  type TreeTable,
} from "./table.ts";

// What gates gave is what the executor measured: no reply of a model changes a gate's outcome.

/** The forest's fruits, compiled. */
const acceptedIn = ({ forest }: RoleDesk): string[] => {
  const fruits = new Set(
    forest.results.flatMap(({ classification, task_id }) =>
      classification === "fruit" ? [`branch_${task_id}`] : [],
    ),
  );
  return forest.trees.flatMap(({ branches }) =>
    branches.flatMap(({ branch_id, hypothesis }) => (fruits.has(branch_id) ? [hypothesis] : [])),
  );
};

async function runGate(
  desk: RoleDesk,
  table: TreeTable,
  { gate, candidate }: { readonly gate: BoundGate; readonly candidate: ForestCandidate },
): Promise<GateOutcome> {
  const { settings } = desk.context;
  const check = {
    ...{ soil: settings.domain.soil, gate, candidate: candidate.formula },
    ...{ accepted: acceptedIn(desk), seed: settings.domain.seed },
  };
  const decided = (metrics: z.infer<typeof GateMetrics>): StepOutcome<"gate-decided"> => ({
    type: "gate-decided",
    data: {
      ...{ gate: gate.name, hard: gate.hard, mode: settings.execution, tool: gate.by },
      outcome: metrics.passed ? "passed" : "failed",
      metrics: asJson(metrics) as GateOutcome,
      because: metrics.cause === undefined ? metrics.detail : `${metrics.cause}: ${metrics.detail}`,
    },
  });
  const event: Event<"gate-decided"> = await desk.run.effect(
    {
      key: `${table.key}/evaluate/${candidate.key}/${gate.name.replaceAll(/[^A-Za-z0-9._-]/g, "-")}`,
      outcomes: ["gate-decided"],
      work: { kind: "gate", by: "examiner", of: aboutOf(candidate.task_id) },
      input: check,
      dry: ({ course }) => decided({ passed: course === "longest", detail: "" }),
    },
    async (signal) =>
      decided(GateMetrics.parse(await askExecutor(desk, { check: "gate", ...check }, signal))),
  );
  return { provenance: gate.provenance, ...event.data.metrics };
}

export const examiner = defineRole({
  name: "examiner",
  responsibility: "runs the whole battery of gates on a compiled candidate",
  works: "rule",
  stages: [
    {
      name: "evaluate",
      after: "sow",
      run(table, desk) {
        const { gates, execution } = desk.context.settings;
        const examined = execution === "plan_only" ? [] : gates.filter(({ needs_handoff }) => !needs_handoff);
        return eachCandidate(table, async (candidate) => {
          const outcomes: Record<string, GateOutcome> = {};
          for (const gate of examined) outcomes[gate.name] = await runGate(desk, table, { gate, candidate });
          return { ...candidate, record: { ...candidate.record, gates: outcomes } };
        });
      },
    },
  ],
});

async function alignCandidate(
  desk: RoleDesk,
  table: TreeTable,
  candidate: ForestCandidate,
): Promise<ForestCandidate> {
  const { record, task_id } = candidate;
  const [by] = desk.context.seats("aligner");
  const gate = desk.context.settings.gates.find(({ needs_handoff }) => needs_handoff);
  // A judgement could not promote what has failed a hard gate, so nobody is asked for one.
  if (!by || !gate || !isFruitCandidate(record, desk.spec)) return candidate;
  const event = await ask(desk, {
    ...{ key: `${table.key}/align/${candidate.key}`, by, schema: Alignment, event: "note-taken" },
    work: { kind: "alignment", by: by.id, of: aboutOf(task_id) },
    dry: {
      phase: "alignment",
      reply: ({ room, text }) => ({ score: 3, reason: text(Math.min(4_000, room)) }),
    },
    messages: alignTemplate.render(desk.context, {
      rubric: desk.rubric,
      material: materialOf(desk, table, candidatePieces(candidate)),
    }),
    ending: (said) => ({
      type: "note-taken",
      data: { topic: "alignment", reason: said.reason, body: asJson(said) },
    }),
  });
  const said = Alignment.parse(event.data.body);
  const outcome: GateOutcome = { ...said, passed: said.score >= 1 };
  return { ...candidate, record: { ...record, gates: { ...record.gates, [gate.name]: outcome } } };
}

export const aligner = defineRole({
  name: "aligner",
  responsibility: "judges how well the evidence fits the mechanism, from 0 to 3, before anything is promoted",
  works: "handoff",
  seat: { min: 0, max: 1 },
  stages: [
    {
      name: "align",
      after: "challenge",
      run: (table, desk) => eachCandidate(table, (candidate) => alignCandidate(desk, table, candidate)),
    },
  ],
});

/** What becomes of a candidate. Only gates that a tool executed are evidence: anything else is no fruit, whatever it says. */
function resultOf({ record, task_id, formula, risks }: ForestCandidate, desk: RoleDesk): ResultRecord {
  const { execution_mode } = record;
  const { spec } = desk;
  const common = { result_id: `result_${task_id}`, task_id, execution_mode, risks: [...risks] };
  const unclassified = (reason: string, gates: GateRecord | null) =>
    ResultRecord.parse({
      ...{ ...common, classification: null, classification_reason: reason, gate_record: gates },
      summary: `${formula} was not classified`,
    });
  if (execution_mode === "plan_only") return unclassified("planned, and not examined", null);
  if (execution_mode !== "tool_executed" && isFruitCandidate(record, spec))
    return unclassified(`every hard gate was passed, but by ${execution_mode}: that is no evidence`, record);
  const { classification, reason } = classify(record, spec);
  return ResultRecord.parse({
    ...{ ...common, classification, classification_reason: reason, gate_record: record },
    ...{ summary: `${formula}: ${classification}`, blocked_from_reuse: classification === "sick_leaf" },
  });
}

export const classifying = [
  {
    name: "classify",
    after: "align",
    run: (table: TreeTable, desk: RoleDesk): Promise<TreeTable> =>
      eachCandidate(table, async (candidate) => {
        const result = resultOf(candidate, desk);
        const { task_id, seed_id, formula } = candidate;
        const body = { tree_id: table.tree.tree_id, seed_id, formula, record: result };
        await decide(desk.run, {
          ...{ key: `${table.key}/classify/${candidate.key}`, topic: "classify", of: aboutOf(task_id) },
          ...{ reason: result.classification_reason, input: { result: asJson(body) }, body },
        });
        return { ...candidate, result };
      }),
  },
];
