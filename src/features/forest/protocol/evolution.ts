import { mineMechanisms } from "./debate.ts";
import { isPassed, type Forest, type LeafKind, type ResultRecord } from "./state.ts";
import type { RoleDesk, EvolvedChild, TreeTable } from "./table.ts";

/** One hypothesis from its idea to what became of it. */
export type Trajectory = {
  readonly id: string;
  readonly tree_id: string;
  readonly formula: string;
  readonly idea: string;
  readonly classification: LeafKind | null;
  readonly reason: string;
  readonly reward: number;
};

const BASE: { readonly [K in LeafKind]: number } = {
  fruit: 1,
  golden_leaf: 0.5,
  normal_leaf: 0.2,
  dead_leaf: 0,
  sick_leaf: -1,
};
const PER_GATE = 0.05;
const PER_CHARACTER = 0.001;

/** What a trajectory was worth: by its kind, the gates that it passed, and how short its formula is. */
export const rewardOf = (
  { classification, gate_record }: Pick<ResultRecord, "classification" | "gate_record">,
  formula: string,
): number =>
  (classification === null ? 0 : BASE[classification]) +
  PER_GATE * Object.values(gate_record?.gates ?? {}).filter((gate) => isPassed(gate)).length -
  PER_CHARACTER * formula.length;

function trajectoriesOf({ trees, results, seeds }: Forest): readonly Trajectory[] {
  const byTask = new Map(results.map((result) => [`branch_${result.task_id}`, result]));
  const ideas = new Map(seeds.map(({ validation_plan, idea }) => [validation_plan, idea]));
  return trees.flatMap(({ tree_id, branches }) =>
    branches.flatMap(({ branch_id, hypothesis }): Trajectory[] => {
      const result = byTask.get(branch_id);
      if (!result) return [];
      const { classification, classification_reason: reason, task_id: id } = result;
      const idea = ideas.get(hypothesis) ?? hypothesis;
      return [
        {
          ...{ id, tree_id, formula: hypothesis, idea, classification, reason },
          reward: rewardOf(result, hypothesis),
        },
      ];
    }),
  );
}

/** The best by reward, then by id; sick ones never. */
export const selectParents = (pool: readonly Trajectory[], most: number): readonly Trajectory[] =>
  pool
    .filter(({ classification }) => classification !== "sick_leaf")
    .toSorted((one, other) => other.reward - one.reward || (one.id < other.id ? -1 : 1))
    .slice(0, most);

const CROSSED = 2;

async function bear(
  desk: RoleDesk,
  table: TreeTable,
  {
    key,
    parents,
    operation,
  }: {
    readonly key: string;
    readonly parents: readonly Trajectory[];
    readonly operation: EvolvedChild["operation"];
  },
): Promise<EvolvedChild> {
  const [child] = await mineMechanisms(desk, table, {
    ...{ key, kind: operation, count: 1, round: 1 },
    task:
      operation === "mutation"
        ? "Change the parent above so that what it failed by no longer holds of it, and keep what is sound in it."
        : "Combine what is best in the parents above into one mechanism.",
    shown: parents.map(({ id, idea, formula, reason }) => ({
      kind: "parent",
      label: id,
      text: `${idea}\n${formula}\n${reason}`,
    })),
  });
  if (!child) throw new RangeError("the gardener has proposed nothing");
  return { mechanism: child, operation, parents: parents.map(({ id }) => id) };
}

/** The stage in which earlier hypotheses of the tree have children. */
export const evolving = [
  {
    name: "evolve",
    after: "judge",
    async run(table: TreeTable, desk: RoleDesk): Promise<TreeTable> {
      const { mutate, crossover } = desk.context.settings.evolution;
      if (mutate === 0 && crossover === 0) return table;
      const pool = trajectoriesOf(desk.forest).filter(({ tree_id }) => tree_id === table.tree.tree_id);
      const children: EvolvedChild[] = [];
      for (const [index, parent] of selectParents(pool, mutate).entries()) {
        const key = `${table.key}/evolve/mutation-${index + 1}`;
        children.push(await bear(desk, table, { key, parents: [parent], operation: "mutation" }));
      }
      const crossed = selectParents(pool, crossover * CROSSED);
      for (let from = 0; from + CROSSED <= crossed.length; from += CROSSED) {
        const key = `${table.key}/evolve/crossover-${from / CROSSED + 1}`;
        const parents = crossed.slice(from, from + CROSSED);
        children.push(await bear(desk, table, { key, parents, operation: "crossover" }));
      }
      return { ...table, children };
    },
  },
];
