import type { ProtocolContext, StepRunner } from "../../../engine/index.ts";
import type { Failure, Json, Participant, StepKey } from "../../../kernel/index.ts";
import type { Alternative, InspectorJudgment, Mechanism } from "./replies.ts";
import { asJson, type ForestSettings } from "./settings.ts";
import type { Forest, ForestSeed, GateDef, GateRecord, ResultRecord, Tree } from "./state.ts";

export type ForestContext = ProtocolContext<ForestSettings>;

/** A hypothesis under deliberation; `id` names it within its tree. */
export type ProposedMechanism = Mechanism & { readonly id: string; readonly step: StepKey };

/** What earlier hypotheses of the tree have brought forth. */
export type EvolvedChild = {
  readonly mechanism: Mechanism;
  readonly operation: "mutation" | "crossover";
  /** The tasks of its parents. */
  readonly parents: readonly string[];
};

/** A compiled candidate on its way through the gates. */
export type ForestCandidate = {
  /** Part of the keys of its steps. */
  readonly key: string;
  readonly task_id: string;
  readonly seed_id: string;
  readonly mechanism: string;
  /** As the domain has compiled it. */
  readonly formula: string;
  readonly record: GateRecord;
  readonly risks: readonly string[];
  readonly result?: ResultRecord;
};

/** What lies before the roles that deliberate over one tree. */
export type TreeTable = {
  readonly tree: Tree;
  /** Part of every key of the tree's steps. */
  readonly key: string;
  readonly temperature: number;
  /** How many mechanisms are mined, and how many seeds sown. */
  readonly slots: number;
  readonly mechanisms: readonly ProposedMechanism[];
  readonly alternatives: readonly Alternative[];
  readonly children: readonly EvolvedChild[];
  readonly judgments: ReadonlyMap<string, InspectorJudgment>;
  readonly seeds: readonly ForestSeed[];
  readonly candidates: readonly ForestCandidate[];
};

/** What a step is about, as `work` can hold it. */
export const aboutOf = (...names: readonly string[]): string => names.join("/").slice(0, 100) || "-";

export type RoleDesk = {
  readonly context: ForestContext;
  readonly run: StepRunner;
  /** The forest under the cycle's weather: nobody writes to it. */
  readonly forest: Forest;
  readonly spec: readonly GateDef[];
  /** What the domain says about candidates. */
  readonly language: string;
  readonly rubric: string;
};

/** A part of a tree's deliberation, done by one role. */
export type ForestStage = {
  /** Its action in the event log. */
  readonly name: string;
  run(table: TreeTable, desk: RoleDesk): Promise<TreeTable>;
};

/**
 * A participant of a cycle. To add one, register it: its stages run after those that it names, and its steps are its own in
 * the event log.
 */
export type ForestRole = {
  readonly name: string;
  readonly responsibility: string;
  /** How it decides: by a rule, by a model, or by whoever its hand-offs go to. */
  readonly works: "rule" | "model" | "handoff";
  /** Its seat, where a participant fills it. */
  readonly seat?: { readonly min: number; readonly max?: number };
  /** Its stages; `after` names the one that they follow, and none the beginning. */
  readonly stages: readonly (ForestStage & { readonly after: string | null })[];
};

export const defineRole = (role: ForestRole): ForestRole => role;

/** A step that a cycle cannot do without has failed: the cycle ends, and nothing of the forest changes. */
export class StepLost extends Error {
  override readonly name = "StepLost";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(`${failure.code}: ${failure.message}`);
    this.failure = failure;
  }
}

/** Who has a role's seat. @throws StepLost where nobody has */
export function participantOf({ context }: Pick<RoleDesk, "context">, role: string): Participant {
  const [one] = context.seats(role);
  if (!one) throw new StepLost({ code: "refused", message: `nobody is the ${role}` });
  return one;
}

/** The stages of all roles, in their order. @throws RangeError for a stage that follows none that there is */
export function orderedStages(
  roles: readonly ForestRole[],
): readonly (ForestStage & { readonly role: string })[] {
  const waiting = roles.flatMap(({ name: role, stages }) => stages.map((stage) => ({ ...stage, role })));
  const ordered: (ForestStage & { readonly role: string })[] = [];
  const add = (after: string | null): void => {
    for (const stage of waiting.filter((one) => one.after === after)) {
      ordered.push(stage);
      add(stage.name);
    }
  };
  add(null);
  const lost = waiting.find(({ name }) => !ordered.some((stage) => stage.name === name));
  if (lost) throw new RangeError(`the stage ${lost.name} follows ${lost.after ?? ""}, which no role has`);
  return ordered;
}

export async function eachCandidate(
  table: TreeTable,
  work: (candidate: ForestCandidate) => ForestCandidate | Promise<ForestCandidate>,
): Promise<TreeTable> {
  const candidates: ForestCandidate[] = [];
  for (const candidate of table.candidates) candidates.push(await work(candidate));
  return { ...table, candidates };
}

/** A decision of the coordinator, or of whoever `by` names, as the step `key` records it. */
type ForestDecision = {
  readonly key: string;
  readonly topic: string;
  readonly reason: string;
  readonly body: object;
  /** What it rests on; by default what it says. */
  readonly input?: Json;
  readonly by?: string;
  readonly of?: string;
};

/** Records a decision. */
export async function decide(
  run: StepRunner,
  { key, topic, reason, body: said, by = "coordinator", of, input }: ForestDecision,
): Promise<void> {
  const body = asJson(said);
  const data = { topic, reason, body };
  const work = { kind: topic, by, ...(of === undefined ? {} : { of }) };
  await run.derive({ key, outcomes: ["note-taken"], work, input: input ?? data }, () => ({
    type: "note-taken",
    data,
  }));
}
