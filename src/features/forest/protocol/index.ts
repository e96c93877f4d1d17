import { digestOf, phase, defineProtocol } from "../../../engine/index.ts";
import { Fault, StepKey, type Closing, type Failure, refusal } from "../../../kernel/index.ts";
import { takeTurns } from "../../../kernel/turns.ts";
import { stoppedByBudget } from "../../../protocols/phases/reply.ts";
import { growForest, underWeather, type TreeGrowth } from "./growth.ts";
import { forestTemplates } from "./asking.ts";
import { asLost, gardener, skeptic } from "./debate.ts";
import { evolving } from "./evolution.ts";
import { aligner, classifying, examiner } from "./examination.ts";
import { diverger, inspector, sowing } from "./selection.ts";
import { asJson, ForestSettings } from "./settings.ts";
import { cycleNumber, Forest, type GateDef, type Tree } from "./state.ts";
import {
  decide,
  defineRole,
  orderedStages,
  type RoleDesk,
  type ForestContext,
  type ForestRole,
  type TreeTable,
} from "./table.ts";
import { familyProblem, ForestValidationError, validateForest } from "./validation.ts";
import { routeWeather, type ForestWeather } from "./weather.ts";

const coordinator = defineRole({
  name: "coordinator",
  responsibility:
    "runs the cycle, decides when debates stop and in which order trees are merged; alone writes the forest",
  works: "rule",
  stages: [...sowing, ...classifying],
});

const meteorologist = defineRole({
  name: "meteorologist",
  responsibility: "routes attention to trees by the weather",
  works: "rule",
  // The weather is the whole forest's, not one tree's: the cycle begins with it.
  stages: [],
});

/** Who takes part in a cycle. To add somebody, add a registration. */
export const FOREST_ROLES: readonly ForestRole[] = [
  ...[coordinator, meteorologist, { ...gardener, stages: [...gardener.stages, ...evolving] }, inspector],
  ...[diverger, examiner, aligner, skeptic],
];

export { ForestSettings } from "./settings.ts";

// One cycle is one deliberation: what it starts from is pinned by its opening, and it writes nothing.
// A step that cannot be done without ends the cycle as failed: nobody answers in its place.

/** The names of the pinned texts beside the question. */
export const FOREST_TEXTS = { state: "forest-state", language: "language", rubric: "rubric" } as const;

/** A protocol of a forest with these roles; the shipped one has eight. */
export const createForest = (roles: readonly ForestRole[] = FOREST_ROLES) => {
  const stages = orderedStages(roles);
  return defineProtocol<ForestSettings>({
    name: "forest",
    version: 1,
    summary: "grow hypotheses under gates, one cycle at a time",
    seats: roles.flatMap(({ name, seat }) => (seat ? [{ name, filledBy: "judge" as const, ...seat }] : [])),
    settings: ForestSettings,
    templates: forestTemplates,
    view: () => import("./view.ts"),
    report: () => import("./report.ts"),
    async deliberate(context) {
      const text = (name: string) => context.context.find((one) => one.name === name)?.text ?? "";
      const { settings, run } = context;
      refuseOneFamily(context);
      const before = Forest.parse(JSON.parse(text(FOREST_TEXTS.state)));
      const spec: GateDef[] = settings.gates.map(({ name, hard, needs_handoff }) => ({
        name,
        hard,
        needs_handoff,
      }));
      checkForest(before);
      await note(context, "validate_pre", {
        reason: "the forest was checked before anything was done to it",
        body: { cycle_id: before.cycle_id, ok: true },
      });
      const weather = await routeForest(context, before);
      const forest = underWeather(before, weather);
      const trees = allocateTrees(forest, weather);
      const { max_concurrent, temperature_spread: spread } = settings.parallel_gardeners;
      const temperatureOf = (index: number) => spread[index % spread.length] ?? 1;
      await note(context, "gardener_parallel_dispatch", {
        reason: "one gardener for each tree that got slots",
        body: {
          trees: trees.map(({ tree_id }) => tree_id),
          max_concurrent,
          dispatch: Object.fromEntries(trees.map(({ tree_id }, index) => [tree_id, temperatureOf(index)])),
        },
      });
      const turn = takeTurns(max_concurrent);
      const members = trees.map((tree, index) => ({
        tree,
        key: treeKey(tree, index),
        temperature: temperatureOf(index),
      }));
      const done = await phase<TreeTable | { readonly lost: Failure }>(
        run,
        { name: "trees", work: { kind: "trees" }, members: members.map(({ key }) => key) },
        async (id, part) => {
          const member = members.find(({ key }) => key === id);
          if (!member) return { in: false, why: "it is not allocated" };
          const desk: RoleDesk = {
            ...{ context, run: part, forest, spec },
            ...{ language: text(FOREST_TEXTS.language), rubric: text(FOREST_TEXTS.rubric) },
          };
          const slots = slotsOf(forest, weather, member.tree);
          const table = emptyTable({ ...member, slots });
          // It is in even if a step was lost: a fork that asks that step anew finds this part incomplete.
          return { in: true, value: await turn(() => deliberateTree(table, desk)).catch(asLost) };
        },
      );
      const lost = done.in.flatMap(({ value }) => ("lost" in value ? [value.lost] : []));
      if (lost[0]) return failedClosing(lost[0]);
      const growths = done.in.flatMap(({ value }) => ("tree" in value ? [growthOf(value)] : []));
      const after = growForest(forest, growths);
      // Earlier results were measured by the gates of their own cycles.
      const fresh = growths.flatMap(({ results }) => results.map(({ record }) => record));
      checkForest({ ...after, results: fresh }, spec);
      checkForest(after);
      await note(context, "validate_post_save", {
        reason: "the forest was checked after the cycle",
        body: { cycle_id: after.cycle_id, ok: true, forest: forestDigest(after), summary: after.summary },
      });
      return { outcome: "answered", answer: StepKey.parse("validate_post_save"), control: null };
    },
  });

  async function deliberateTree(table: TreeTable, desk: RoleDesk): Promise<TreeTable> {
    let now = table;
    for (const stage of stages) now = await stage.run(now, desk);
    return now;
  }
};

export const forest = createForest();

/** @throws Fault `configuration` for a forest that breaks an invariant */
function checkForest(forest: Forest, spec?: readonly GateDef[]): void {
  try {
    validateForest(forest, spec);
  } catch (error) {
    if (!(error instanceof ForestValidationError)) throw error;
    throw refusal(`the forest is not valid: ${error.message}`, "correct the archive");
  }
}

/** The skeptic is of another family than the gardener, or no call is made. @throws Fault `configuration` */
function refuseOneFamily(context: ForestContext): void {
  if (context.settings.deliberation.max_debate_rounds === 0) return;
  const [gardener] = context.seats("gardener");
  const [skeptic] = context.seats("skeptic");
  const problem = gardener && familyProblem(gardener, skeptic);
  if (problem) throw new Fault("configuration", problem);
}

/** Records a decision about the whole forest under its topic. */
const note = (
  { run }: ForestContext,
  topic: string,
  said: { readonly reason: string; readonly body: object; readonly by?: string },
): Promise<void> => decide(run, { key: topic, topic, ...said });

const weatherOver = (before: Forest, { weather: config }: ForestSettings): ForestWeather =>
  routeWeather(before, cycleNumber(before.cycle_id), { config });

/** How many mechanisms a tree's gardener mines, and how many of its seeds are sown. */
const slotsOf = ({ climate }: Forest, { trees }: ForestWeather, { tree_id }: Tree): number =>
  climate.seed_slots * Math.max(1, trees[tree_id]?.allocation ?? 1);

async function routeForest(context: ForestContext, before: Forest): Promise<ForestWeather> {
  const weather = weatherOver(before, context.settings);
  const reason = "the weather gave each tree its slots";
  await note(context, "route", { reason, body: weather, by: "meteorologist" });
  return weather;
}

/** The trees that got slots, by their ids; where none did, all that are active. */
function allocateTrees({ trees }: Forest, weather: ForestWeather): readonly Tree[] {
  const given = trees.filter(({ tree_id }) => (weather.trees[tree_id]?.allocation ?? 0) > 0);
  const chosen = given.length > 0 ? given : trees.filter(({ status }) => status === "active");
  return chosen.toSorted((one, other) => (one.tree_id < other.tree_id ? -1 : 1));
}

/** A tree's name in the keys of its steps. */
const treeKey = ({ tree_id }: Tree, index: number): string =>
  `tree-${index + 1}-${tree_id.replaceAll(/[^A-Za-z0-9._-]/g, "-").slice(0, 60)}`;

const emptyTable = (own: Pick<TreeTable, "tree" | "key" | "temperature" | "slots">): TreeTable => ({
  ...own,
  ...{ mechanisms: [], alternatives: [], children: [], judgments: new Map(), seeds: [], candidates: [] },
});

const growthOf = ({ tree, seeds, candidates }: TreeTable): TreeGrowth => ({
  tree_id: tree.tree_id,
  seeds,
  results: candidates.flatMap(({ seed_id, formula, result }) =>
    result ? [{ seed_id, formula, record: result }] : [],
  ),
});

export const forestDigest = (forest: Forest): string => digestOf(asJson(forest));

function failedClosing(failure: Failure): Closing {
  if (failure.code === "over-budget") return stoppedByBudget(failure.message, failure.cap, null);
  return { outcome: "failed", why: `${failure.code}: ${failure.message}` };
}
