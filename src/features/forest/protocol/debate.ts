import { phase } from "../../../engine/index.ts";
import { StepKey, type Failure } from "../../../kernel/index.ts";
import { fence, type Fenced } from "../../../prompts/material.ts";
import { ask, critiqueTemplate, mineTemplate, styleOf } from "./asking.ts";
import { isFruitCandidate } from "./classification.ts";
import { exactly, Mechanisms, SkepticVerdict, type Mechanism } from "./replies.ts";
import { asJson, type ForestSettings } from "./settings.ts";
import type { Forest } from "./state.ts";
import {
  aboutOf,
  defineRole,
  eachCandidate,
  participantOf,
  StepLost,
  type ForestCandidate,
  type RoleDesk,
  type ProposedMechanism,
  type TreeTable,
} from "./table.ts";

const taboosOf = ({ sick_leaf_warnings }: Forest): string =>
  sick_leaf_warnings
    .map(({ reason, summary }) =>
      typeof reason === "string" ? reason : typeof summary === "string" ? summary : "",
    )
    .filter((text) => text !== "")
    .slice(-20)
    .join("\n");

/** What was tried already, the newest last. */
export const exploredIn = ({ trees, seeds }: Forest): readonly string[] => [
  ...new Set([
    ...trees.flatMap(({ branches }) =>
      branches.filter(({ status }) => status === "classified").map(({ hypothesis }) => hypothesis),
    ),
    ...seeds
      .filter(({ evaluated_cycle }) => evaluated_cycle !== undefined)
      .map(({ validation_plan }) => validation_plan),
  ]),
];

const MAX_EXPLORED = 60;

export const mechanismPiece = ({ id, step: _, ...mechanism }: ProposedMechanism) => ({
  kind: "mechanism",
  label: id,
  text: JSON.stringify(mechanism, undefined, 1),
});

export const candidatePieces = ({ task_id, mechanism, formula, record }: ForestCandidate) => [
  { kind: "candidate", label: task_id, text: `${mechanism}\n${formula}` },
  { kind: "evidence", label: "", text: JSON.stringify(asJson(record.gates), undefined, 1) },
];

/** What is shown of a forest to whoever proposes or judges, with these pieces; those without text are left out. */
export const materialOf = (
  { context, forest, language }: RoleDesk,
  { tree }: Pick<TreeTable, "tree">,
  shown: readonly Fenced[],
): string =>
  [
    { kind: "goal", label: "", text: forest.research_goal },
    { kind: "constraints", label: "", text: forest.constraints.join("\n") },
    { kind: "tree", label: tree.tree_id, text: `${tree.name}\n${tree.core_logic}` },
    { kind: "language", label: "", text: language },
    { kind: "explored", label: "", text: exploredIn(forest).slice(-MAX_EXPLORED).join("\n") },
    ...shown,
  ]
    .filter(({ text }) => text !== "")
    .map((piece) => fence(context, piece))
    .join("\n\n");

type Mining = { readonly key: string; readonly kind: string; readonly count: number; readonly round: number };

/** Has the tree's gardener propose mechanisms; `task` says what about what is `shown` beside the tree. */
export async function mineMechanisms(
  desk: RoleDesk,
  table: TreeTable,
  {
    key,
    kind,
    count,
    round,
    shown = [],
    task,
  }: Mining & { readonly shown?: readonly Fenced[]; readonly task?: string },
): Promise<readonly Mechanism[]> {
  const by = participantOf(desk, "gardener");
  const { tree, temperature } = table;
  const taboos = { kind: "taboos", label: "", text: taboosOf(desk.forest) };
  const material = materialOf(desk, table, [taboos, ...shown]);
  const event = await ask(desk, {
    ...{ key, by, temperature, schema: exactly(count), event: "answer-given" },
    work: { kind, by: by.id, of: aboutOf(tree.tree_id), round },
    dry: {
      phase: kind === "mine" ? "mining" : kind === "revise" ? "debate" : "evolution",
      reply: ({ room, text }) => ({
        mechanisms: Array.from({ length: count }, () => ({
          name: "x",
          intuition: "x",
          regime_suggestion: "",
          lookahead_risk: "",
          pseudocode: text(Math.min(40_000, room / count)),
        })),
      }),
    },
    messages: mineTemplate.render(desk.context, {
      ...{ material, count: String(count), style: styleOf(temperature) },
      weaknesses: task ?? "Each stands on its own.",
    }),
    ending: (mined) => ({
      type: "answer-given",
      data: {
        ...{ by: by.id, round, text: JSON.stringify(mined), final: null },
        kind: kind === "revise" ? "refinement" : "proposal",
      },
    }),
  });
  return Mechanisms.parse(JSON.parse(event.data.text)).mechanisms;
}

export const gardener = defineRole({
  name: "gardener",
  responsibility: "mines hypotheses for one tree",
  works: "model",
  seat: { min: 1, max: 1 },
  stages: [
    {
      name: "mine",
      after: null,
      async run(table, desk) {
        const key = `${table.key}/mine`;
        const mined = await mineMechanisms(desk, table, { key, kind: "mine", count: table.slots, round: 1 });
        const step = StepKey.parse(key);
        return { ...table, mechanisms: mined.map((one, index) => ({ ...one, id: `m${index + 1}`, step })) };
      },
    },
  ],
});

const SEVERITIES = ["low", "medium", "high"] as const;

/** What becomes of a mechanism by a verdict. */
function verdictAction(
  { verdict, severity }: Pick<SkepticVerdict, "verdict" | "severity">,
  { cull_severity }: Pick<ForestSettings["deliberation"], "cull_severity">,
): "cull" | "revise" | "proceed" {
  if (verdict === "proceed") return "proceed";
  const isSevere = SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(cull_severity);
  return verdict === "reject" && isSevere ? "cull" : "revise";
}

type Challenge = {
  readonly key: string;
  readonly kind: "hypothesis" | "fruit candidate";
  readonly of: StepKey;
  readonly what: string;
  readonly round?: number;
  readonly pieces: readonly Fenced[];
};

/** Has the skeptic attack a hypothesis, or a candidate that has passed every hard gate. */
async function challenge(desk: RoleDesk, table: TreeTable, asked: Challenge): Promise<SkepticVerdict> {
  const by = participantOf(desk, "skeptic");
  const { key, kind, of, what, round, pieces: shown } = asked;
  const isEveryOther = round === 1 && /[13579]$/.test(what);
  const usual = isEveryOther ? "revise" : "proceed";
  const verdicts = { shortest: "reject", usual, longest: "revise" } as const;
  const event = await ask(desk, {
    ...{ key, by, schema: SkepticVerdict, event: "critique-given" },
    work: {
      ...{ kind: kind === "hypothesis" ? "critique" : "challenge", by: by.id, of: what },
      ...(round === undefined ? {} : { round }),
    },
    dry: {
      phase: kind === "hypothesis" ? "debate" : "challenge",
      reply: ({ course, room, text }): SkepticVerdict => ({
        overfit_risk: "low",
        alt_explanations: [],
        lookahead_suspicion: false,
        severity: "high",
        weaknesses: Array.from({ length: Math.min(20, Math.ceil(room / 2_000)) }, () => text(2_000)),
        verdict: verdicts[course],
      }),
    },
    messages: critiqueTemplate.render(desk.context, { kind, material: materialOf(desk, table, shown) }),
    ending: (said) => ({
      type: "critique-given",
      data: { by: by.id, of, text: JSON.stringify(said), verdict: said.verdict, severity: said.severity },
    }),
  });
  return SkepticVerdict.parse(JSON.parse(event.data.text));
}

type Debated =
  | { readonly lost: Failure }
  | { readonly action: "cull" | "proceed" }
  | { readonly action: "revise"; readonly replacement: ProposedMechanism };

/** One round: every mechanism is criticized, and those that are to be revised are mined anew, all at once. */
async function debateRound(
  desk: RoleDesk,
  table: TreeTable,
  { round, active }: { readonly round: number; readonly active: readonly ProposedMechanism[] },
) {
  const name = `${table.key}/round-${round}`;
  const { deliberation } = desk.context.settings;
  const done = await phase<Debated>(
    desk.run,
    { name, work: { kind: "debate", round }, members: active.map(({ id }) => id) },
    async (id, run) => {
      const mechanism = active.find((one) => one.id === id);
      if (!mechanism) return { in: false, why: "it is not under debate" };
      const own = { ...desk, run };
      const debate = async (): Promise<Debated> => {
        const verdict = await challenge(own, table, {
          ...{ key: `${name}/critique/${id}`, kind: "hypothesis", of: mechanism.step, round },
          ...{ what: aboutOf(table.tree.tree_id, id), pieces: [mechanismPiece(mechanism)] },
        });
        const action = verdictAction(verdict, deliberation);
        if (action !== "revise") return { action };
        const key = `${name}/revise/${id}`;
        const [replacement] = await mineMechanisms(own, table, {
          ...{ key, kind: "revise", count: 1, round },
          shown: [
            mechanismPiece(mechanism),
            { kind: "weaknesses", label: "", text: verdict.weaknesses.join("\n") },
          ],
          task: "Replace the mechanism above by one that does not have the weaknesses that a skeptic has found.",
        });
        if (!replacement) return { lost: { code: "unreadable", message: "no replacement" } };
        return { action, replacement: { ...replacement, id, step: StepKey.parse(key) } };
      };
      return { in: true, value: await debate().catch(asLost) };
    },
  );
  const failed = done.in.map(({ value }) => value).find((value) => "lost" in value);
  if (failed && "lost" in failed) throw new StepLost(failed.lost);
  const of = (action: string) =>
    done.in.filter(({ value }) => "action" in value && value.action === action).map(({ id }) => id);
  const { tree_id } = table.tree;
  await desk.run.derive(
    {
      key: `${name}/closed`,
      outcomes: ["round-closed"],
      work: { kind: "debate_round", by: "skeptic", of: aboutOf(tree_id), round },
      input: { active: active.map(({ id }) => id), actions: [of("cull"), of("revise"), of("proceed")] },
    },
    () => ({
      type: "round-closed",
      data: {
        ...{ round, in: active.map(({ id }) => id), agreement: null },
        ...{ culled: of("cull"), revised: of("revise"), proceeded: of("proceed") },
      },
    }),
  );
  return {
    settled: active.filter(({ id }) => of("proceed").includes(id)),
    active: done.in.flatMap(({ value }) => ("replacement" in value ? [value.replacement] : [])),
  };
}

/** A lost step as the value of a phase's part, so that a fork can ask it anew. */
export const asLost = (error: unknown): { readonly lost: Failure } => {
  if (error instanceof StepLost) return { lost: error.failure };
  throw error;
};

export const skeptic = defineRole({
  name: "skeptic",
  responsibility: "attacks hypotheses and candidates for fruits; of another family than the gardener",
  works: "model",
  seat: { min: 0, max: 1 },
  stages: [
    {
      name: "debate",
      after: "mine",
      async run(table, desk) {
        let active = table.mechanisms;
        const settled: ProposedMechanism[] = [];
        const { max_debate_rounds: most } = desk.context.settings.deliberation;
        for (let round = 1; round <= most && active.length > 0; round += 1) {
          const after = await debateRound(desk, table, { round, active });
          settled.push(...after.settled);
          active = after.active;
        }
        return { ...table, mechanisms: [...settled, ...active] };
      },
    },
    {
      name: "challenge",
      after: "evaluate",
      async run(table, desk) {
        if (desk.context.settings.deliberation.max_debate_rounds === 0) return table;
        return eachCandidate(table, (candidate) => challengeCandidate(desk, table, candidate));
      },
    },
  ],
});

/** A candidate with the skeptic's risks, where it has passed every hard gate. Its record stays as it is. */
async function challengeCandidate(
  desk: RoleDesk,
  table: TreeTable,
  candidate: ForestCandidate,
): Promise<ForestCandidate> {
  const { record, task_id } = candidate;
  if (!isFruitCandidate(record, desk.spec)) return candidate;
  const key = `${table.key}/challenge/${candidate.key}`;
  const verdict = await challenge(desk, table, {
    ...{ key, kind: "fruit candidate", of: StepKey.parse(`${table.key}/compile`), what: aboutOf(task_id) },
    pieces: candidatePieces(candidate),
  });
  return { ...candidate, risks: [...verdict.weaknesses, ...verdict.alt_explanations] };
}
