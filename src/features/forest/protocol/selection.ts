import type * as z from "zod";
import { phase, type StepOutcome } from "../../../engine/index.ts";
import type { Failure } from "../../../kernel/index.ts";
import { ask, askExecutor, divergeTemplate, inspectTemplate } from "./asking.ts";
import { asLost, exploredIn, materialOf, mechanismPiece } from "./debate.ts";
import { Alternatives, InspectorJudgment, type Alternative } from "./replies.ts";
import {
  DIVERGED_SCORES,
  EVOLVED_SCORES,
  inspectedScores,
  nurseryCheck,
  rankAndRoute,
  type NurseryDecision,
} from "./seeds.ts";
import { asJson, CompiledTexts } from "./settings.ts";
import type { ForestSeed } from "./state.ts";
import {
  aboutOf,
  decide,
  defineRole,
  participantOf,
  StepLost,
  type RoleDesk,
  type TreeTable,
} from "./table.ts";

const MAX_ALTERNATIVES = 6;

export const diverger = defineRole({
  name: "diverger",
  responsibility: "finds other formulations of what has survived the debate",
  works: "handoff",
  seat: { min: 0, max: 1 },
  stages: [
    {
      name: "diverge",
      after: "debate",
      async run(table, desk) {
        const [by] = desk.context.seats("diverger");
        if (!by || table.mechanisms.length === 0) return table;
        const event = await ask(desk, {
          ...{ key: `${table.key}/diverge`, by, schema: Alternatives, event: "answer-given" },
          work: { kind: "divergence", by: by.id, of: aboutOf(table.tree.tree_id) },
          dry: {
            phase: "divergence",
            reply: ({ room, text }) => ({
              candidates: Array.from({ length: MAX_ALTERNATIVES }, () => ({
                formula: text(Math.min(40_000, room / MAX_ALTERNATIVES)),
              })),
            }),
          },
          messages: divergeTemplate.render(desk.context, {
            count: String(MAX_ALTERNATIVES),
            material: materialOf(desk, table, table.mechanisms.map(mechanismPiece)),
          }),
          ending: (said) => ({
            type: "answer-given",
            data: { by: by.id, kind: "proposal", round: 1, text: JSON.stringify(said), final: null },
          }),
        });
        return { ...table, alternatives: Alternatives.parse(JSON.parse(event.data.text)).candidates };
      },
    },
  ],
});

type Judged = { readonly judgment: InspectorJudgment } | { readonly lost: Failure };

export const inspector = defineRole({
  name: "inspector",
  responsibility: "judges logic, novelty and look-ahead before anything is tested",
  works: "model",
  seat: { min: 1, max: 1 },
  stages: [
    {
      name: "judge",
      after: "diverge",
      async run(table, desk) {
        if (table.mechanisms.length === 0) return table;
        const by = participantOf(desk, "inspector");
        const name = `${table.key}/judge`;
        const members = table.mechanisms.map(({ id }) => id);
        const done = await phase<Judged>(
          desk.run,
          { name, work: { kind: "judge" }, members },
          async (id, run) => {
            const mechanism = table.mechanisms.find((one) => one.id === id);
            if (!mechanism) return { in: false, why: "it did not survive the debate" };
            const judge = async (): Promise<Judged> => {
              const event = await ask(
                { ...desk, run },
                {
                  ...{ key: `${name}/${id}`, by, schema: InspectorJudgment, event: "note-taken" },
                  work: { kind: "judge", by: by.id, of: aboutOf(table.tree.tree_id, id) },
                  dry: {
                    phase: "inspection",
                    reply: ({ room, text }) => ({
                      logic_consistent: true,
                      lookahead_detected: false,
                      novelty_score: 1,
                      alignment_score: 3,
                      validation_cost: "low",
                      concerns: text(Math.min(4_000, room)),
                    }),
                  },
                  messages: inspectTemplate.render(desk.context, {
                    material: materialOf(desk, table, [mechanismPiece(mechanism)]),
                  }),
                  ending: (said) => ({
                    type: "note-taken",
                    data: {
                      topic: "judge",
                      reason: said.concerns,
                      body: asJson({ mechanism: mechanism.name, judgment: said }),
                    },
                  }),
                },
              );
              return {
                judgment: InspectorJudgment.parse((event.data.body as { judgment: unknown }).judgment),
              };
            };
            return { in: true, value: await judge().catch(asLost) };
          },
        );
        const judgments = new Map<string, InspectorJudgment>();
        for (const { id, value } of done.in) {
          if ("lost" in value) throw new StepLost(value.lost);
          judgments.set(id, value.judgment);
        }
        return { ...table, judgments };
      },
    },
  ],
});

type Sprout = {
  readonly seed: Pick<ForestSeed, "seed_id" | "idea" | "source_type" | "related_trees" | "scores" | "reason">;
  readonly text: string;
};

/** The tree's hypotheses as seeds that are not compiled yet, under ids that no seed of the forest has. */
function sproutsOf(
  { forest }: RoleDesk,
  { tree, mechanisms, alternatives, children, judgments }: TreeTable,
): Sprout[] {
  const used = new Set(forest.seeds.map(({ seed_id }) => seed_id));
  const fresh = (id: string): string => {
    let free = id;
    for (let nth = 2; used.has(free); nth += 1) free = `${id}_${nth}`;
    used.add(free);
    return free;
  };
  const common = { related_trees: [tree.tree_id] };
  const name = `seed_${forest.cycle_id}_${tree.tree_id}`;
  return [
    ...mechanisms.flatMap((mechanism, index): Sprout[] => {
      const judgment = judgments.get(mechanism.id);
      if (!judgment) return [];
      const seed = {
        ...{ ...common, seed_id: fresh(`${name}_${index + 1}`), idea: mechanism.intuition },
        ...{ source_type: "gardener", scores: inspectedScores(judgment) },
        reason: `${mechanism.name}: ${judgment.concerns}`,
      };
      return [{ seed, text: mechanism.pseudocode }];
    }),
    ...alternatives.map(({ name: title, reason, formula }: Alternative, index): Sprout => {
      const idea = title ?? formula;
      const seed = {
        ...{ ...common, seed_id: fresh(`${name}_div_${index + 1}`), idea, source_type: "handoff_divergence" },
        ...{ scores: { ...DIVERGED_SCORES }, reason: reason ?? "another formulation" },
      };
      return { seed, text: formula };
    }),
    ...children.map(({ mechanism, operation, parents }, index): Sprout => {
      const cross_tree_potential = parents.length > 1 ? 0.6 : 0.3;
      const seed = {
        ...{ ...common, seed_id: fresh(`${name}_${operation}_${index + 1}`), idea: mechanism.intuition },
        ...{ source_type: `trajectory_${operation}`, scores: { ...EVOLVED_SCORES, cross_tree_potential } },
        reason: `evolved from ${parents.join(", ")} by ${operation}`,
      };
      return { seed, text: mechanism.pseudocode };
    }),
  ];
}

/** Compiles what was proposed. What does not compile has no plan, and what was tried before is redundant. */
async function compileSeeds(desk: RoleDesk, table: TreeTable): Promise<readonly ForestSeed[]> {
  const sprouts = sproutsOf(desk, table);
  if (sprouts.length === 0) return [];
  const { soil } = desk.context.settings.domain;
  const texts = sprouts.map(({ text }) => text);
  const noted = (results: z.infer<typeof CompiledTexts>): StepOutcome<"note-taken"> => ({
    type: "note-taken",
    data: { topic: "compile", reason: "candidates are compiled before they are sown", body: asJson(results) },
  });
  const event = await desk.run.effect(
    {
      key: `${table.key}/compile`,
      outcomes: ["note-taken"],
      work: { kind: "compile", by: "examiner", of: aboutOf(table.tree.tree_id) },
      input: { soil, texts },
      dry: () => noted(texts.map((text) => ({ ok: true, text }))),
    },
    async (signal) =>
      noted(CompiledTexts.parse(await askExecutor(desk, { check: "compile", soil, texts }, signal))),
  );
  const results = CompiledTexts.parse(event.data.body);
  const tried = new Set(exploredIn(desk.forest));
  return sprouts.map(({ seed }, index): ForestSeed => {
    const result = results[index];
    const plan = result?.ok ? result.text : "";
    const isRepeated = plan !== "" && tried.has(plan);
    tried.add(plan);
    return {
      ...{ ...seed, seed_score: null, status: "hold", validation_plan: plan },
      reason: result?.ok === false ? `${seed.reason}; it does not compile: ${result.why}` : seed.reason,
      ...(isRepeated ? { scores: { ...seed.scores, redundancy: 1 } } : {}),
    };
  });
}

/** Puts what is sown through the nursery's seven checks. */
function checkInNursery(
  seeds: readonly ForestSeed[],
  desk: RoleDesk,
): { seeds: ForestSeed[]; decisions: NurseryDecision[] } {
  const { quarantine_threshold } = desk.context.settings;
  const decisions: NurseryDecision[] = [];
  const after = seeds.map((seed): ForestSeed => {
    if (seed.status !== "sow_now") return seed;
    const decided = nurseryCheck(seed, desk.forest, { quarantine_threshold });
    decisions.push(decided);
    const { decision, reason } = decided;
    // The plan stays: what is held may be sown in another cycle.
    return decision === "sprout" ? seed : { ...seed, status: decision, reason };
  });
  return { seeds: after, decisions };
}

/** A share of the slots is the bank's: the best that waits there is sown, though fresh ideas are ranked above it. */
function withReserve(
  ranked: readonly ForestSeed[],
  {
    banked,
    slots,
    share,
  }: { readonly banked: readonly ForestSeed[]; readonly slots: number; readonly share: number },
): readonly ForestSeed[] {
  const isBanked = ({ seed_id }: ForestSeed) => banked.some((one) => one.seed_id === seed_id);
  const able = ranked.filter(({ status }) => status === "sow_now" || status === "hold");
  const reserved = able
    .filter((seed) => isBanked(seed) && seed.validation_plan !== "")
    .slice(0, Math.ceil(share * slots));
  const sown = new Set(
    [...reserved, ...able.filter((seed) => !reserved.includes(seed))]
      .slice(0, slots)
      .map(({ seed_id }) => seed_id),
  );
  return ranked.map((seed) =>
    able.includes(seed) ? { ...seed, status: sown.has(seed.seed_id) ? "sow_now" : "hold" } : seed,
  );
}

/** The coordinator's rules for a tree: which seeds are sown, and which of them are tested. */
export const sowing = [
  {
    name: "sow",
    after: "evolve",
    async run(table: TreeTable, desk: RoleDesk): Promise<TreeTable> {
      const { tree, slots } = table;
      const { settings } = desk.context;
      const fresh = await compileSeeds(desk, table);
      const banked = desk.forest.seeds.filter(
        ({ related_trees, status, evaluated_cycle }) =>
          related_trees[0] === tree.tree_id &&
          evaluated_cycle === undefined &&
          (status === "sow_now" || status === "hold"),
      );
      const ranked = rankAndRoute([...banked, ...fresh], {
        slots,
        quarantine_threshold: settings.quarantine_threshold,
        weights: settings.seed_scoring_weights,
      });
      const kept = withReserve(ranked, { banked, slots, share: desk.forest.climate.seed_budget });
      const { seeds, decisions } = checkInNursery(kept, desk);
      await decide(desk.run, {
        ...{ key: `${table.key}/sow`, topic: "sow", of: aboutOf(tree.tree_id) },
        reason: "seeds were scored, routed and put through the seven checks",
        input: { seeds: asJson(seeds) },
        body: { tree_id: tree.tree_id, seeds, decisions },
      });
      const sown = seeds.filter(({ status }) => status === "sow_now");
      const candidates = sown.map(({ seed_id, idea, validation_plan }, index) => ({
        ...{ key: `candidate-${index + 1}`, seed_id, mechanism: idea, formula: validation_plan, risks: [] },
        task_id: `task_${desk.forest.cycle_id}_${tree.tree_id}_${String(index + 1).padStart(3, "0")}`,
        record: {
          ...{ domain: settings.domain.name, factor_id: seed_id, gates: {} },
          execution_mode: settings.execution,
        },
      }));
      return { ...table, seeds, candidates };
    },
  },
];
