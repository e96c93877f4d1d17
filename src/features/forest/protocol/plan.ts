import type { CallCount, Plan, PlanContext, PlannedCall } from "../../../engine/index.ts";
import { personOf, type Message, type Participant } from "../../../kernel/index.ts";
import { UNWRITTEN } from "../../../protocols/phases/plan.ts";
import { modelParams } from "../../../protocols/phases/reply.ts";
import { backgroundPieces } from "./debate.ts";
import {
  alignTemplate,
  critiqueTemplate,
  divergeTemplate,
  forestMaterial,
  inspectTemplate,
  mineTemplate,
  styleOf,
} from "./prompts.ts";
import type { ForestSettings } from "./settings.ts";
import type { Forest, Tree } from "./state.ts";

/** A tree that gets a gardener in the planned cycle, and how many mechanisms and seeds it has. */
export type PlannedTree = { readonly tree: Tree; readonly slots: number };

type Planned = {
  readonly context: PlanContext<ForestSettings>;
  readonly forest: Forest;
  readonly language: string;
  readonly rubric: string;
  readonly trees: readonly PlannedTree[];
};

/** Every call once more: a reply that cannot be read is asked for again. */
const REPAIRS = 2;

const count = (low: number, expected: number, high: number): CallCount => ({
  low,
  expected,
  high: high * REPAIRS,
});

/** The calls of a cycle over these trees, by what they are for. Gates are no calls. */
export function planCycle({ context, forest, language, rubric, trees }: Planned): Plan {
  const { settings } = context;
  const { max_debate_rounds: rounds } = settings.deliberation;
  const { mutate, crossover } = settings.evolution;
  const tokens = settings.maxOutputTokens;
  const [gardener, skeptic, inspector, diverger, aligner] = [
    "gardener",
    "skeptic",
    "inspector",
    "diverger",
    "aligner",
  ].map((seat) => context.seats(seat)[0]);
  const calls = (
    by: Participant | undefined,
    make: (one: PlannedTree) => CallCount & { readonly messages: Message[]; readonly shows?: number },
  ): PlannedCall[] =>
    by === undefined || personOf(by.model) !== undefined
      ? [] // A person's answer costs nothing.
      : trees.flatMap((one) => {
          const { messages, shows = 0, ...many } = make(one);
          const request = { ...modelParams(by), messages, maxOutputTokens: tokens };
          return many.high === 0
            ? []
            : [{ ...many, request, shows: Array.from({ length: shows }, () => tokens) }];
        });
  const material = (tree: Tree) =>
    forestMaterial(context, [
      ...backgroundPieces({ forest, language }, { tree }),
      { kind: "mechanism", label: "", text: UNWRITTEN },
    ]);
  const mining = (tree: Tree, mechanisms: number) =>
    mineTemplate.render(context, {
      ...{ material: material(tree), count: String(mechanisms), style: styleOf(1), weaknesses: UNWRITTEN },
    });
  const attack = (tree: Tree, kind: string) =>
    critiqueTemplate.render(context, { material: material(tree), kind });
  const born = mutate + crossover;
  const isDebated = rounds > 0;
  const challenged = (slots: number) => count(0, 0, isDebated ? slots : 0);
  const phases = [
    {
      name: "mining",
      calls: calls(gardener, ({ tree, slots }) => ({ ...count(1, 1, 1), messages: mining(tree, slots) })),
    },
    {
      name: "debate",
      calls: [
        ...calls(skeptic, ({ tree, slots }) => ({
          ...count(isDebated ? slots : 0, isDebated ? slots : 0, slots * rounds),
          ...{ messages: attack(tree, "hypothesis"), shows: 1 },
        })),
        ...calls(gardener, ({ tree, slots }) => ({
          ...count(0, isDebated ? Math.ceil(slots / 2) : 0, slots * rounds),
          ...{ messages: mining(tree, 1), shows: 2 },
        })),
      ],
    },
    {
      name: "divergence",
      calls: calls(diverger, ({ tree, slots }) => ({
        ...count(0, 1, 1),
        messages: divergeTemplate.render(context, { material: material(tree), count: UNWRITTEN }),
        shows: slots,
      })),
    },
    {
      name: "inspection",
      calls: calls(inspector, ({ tree, slots }) => ({
        ...count(0, slots, slots),
        ...{ messages: inspectTemplate.render(context, { material: material(tree) }), shows: 1 },
      })),
    },
    {
      name: "evolution",
      calls: calls(gardener, ({ tree }) => ({ ...count(0, born, born), messages: mining(tree, 1) })),
    },
    {
      name: "challenge",
      calls: calls(skeptic, ({ tree, slots }) => ({
        ...challenged(slots),
        ...{ messages: attack(tree, "fruit candidate"), shows: 1 },
      })),
    },
    {
      name: "alignment",
      calls: calls(aligner, ({ tree, slots }) => ({
        ...count(0, 0, slots),
        ...{ messages: alignTemplate.render(context, { material: material(tree), rubric }), shows: 1 },
      })),
    },
  ];
  return phases.filter((phase) => phase.calls.length > 0);
}
