import type { NewDeliberation, Ports } from "../../src/engine/index.ts";
import { ModelRef, ParticipantId, type ModelRequest } from "../../src/kernel/index.ts";
import { FOREST_TEXTS, forest as protocol } from "../../src/features/forest/protocol/index.ts";
import { ForestCheck } from "../../src/features/forest/protocol/settings.ts";
import type { Forest } from "../../src/features/forest/protocol/state.ts";
import { readFenced } from "../../src/prompts/material.ts";
import { shippedTextsOf, toyAsked } from "../../src/testing/kit.ts";
import type { Script } from "../../src/testing/scripted-models.ts";
import { forest, tree } from "./sample-forest.ts";

/** A forest of two trees that have slots. */
export const twoTrees = (changes: Partial<Forest> = {}): Forest =>
  forest({
    trees: [tree("value"), tree("flow")],
    climate: { ...forest().climate, seed_slots: 2 },
    ...changes,
  });

const GATES = [
  { name: "G1", title: "sanity", hard: true, needs_handoff: false },
  { name: "G3", title: "better than chance", hard: true, needs_handoff: false },
  { name: "G7", title: "alignment", hard: false, needs_handoff: true },
].map((gate) => ({
  ...gate,
  by: gate.needs_handoff ? "aligner" : "domain",
  thresholds: {},
  provenance: "made up",
}));

const FAMILIES: { readonly [seat: string]: string } = { skeptic: "elm", inspector: "elm" };

const ROLES = ["gardener", "skeptic", "inspector", "diverger", "aligner"] as const;
export type ModelRole = (typeof ROLES)[number];

/** The opening of a cycle over a forest; `models` names other models for roles. */
export function cycleOpening(
  state: Forest,
  {
    settings = {},
    models = {},
    without = [],
    ...changes
  }: Partial<NewDeliberation> & {
    readonly models?: Partial<Record<ModelRole, { readonly model: string; readonly family: string | null }>>;
    readonly without?: readonly ModelRole[];
  } = {},
): NewDeliberation {
  const cycle = Number(state.cycle_id.split("_").at(-1)) + 1;
  return toyAsked("forest", {
    question: state.research_goal,
    context: [
      { name: FOREST_TEXTS.state, text: JSON.stringify(state) },
      { name: FOREST_TEXTS.language, text: "fields: close" },
      { name: FOREST_TEXTS.rubric, text: "Does the evidence fit?" },
    ],
    settings: { cycle, domain: { name: "made-up", soil: "s1" }, gates: GATES, ...settings },
    participants: ROLES.filter((role) => !without.includes(role)).map((role) => ({
      id: ParticipantId.parse(role),
      seat: role,
      persona: { name: role, instructions: "" },
      model: ModelRef.parse(models[role]?.model ?? `sim/${role}`),
      family: models[role] ? (models[role]?.family ?? null) : (FAMILIES[role] ?? "oak"),
    })),
    templates: shippedTextsOf(protocol),
    ...changes,
  });
}

const pieceOf = (request: ModelRequest, kind: string) =>
  readFenced(request.messages.map(({ text }) => text).join("\n")).find((piece) => piece.kind === kind);

const countIn = (request: ModelRequest): number =>
  Number(/Propose exactly (\d+)/.exec(request.messages.at(-1)?.text ?? "")?.[1] ?? 1);

export const verdict = (said: object = {}): string =>
  JSON.stringify({
    ...{ weaknesses: ["thin"], overfit_risk: "low", alt_explanations: ["chance"] },
    ...{ lookahead_suspicion: false, verdict: "proceed", severity: "low", ...said },
  });

/** Models that answer in form: mechanisms `f(tree.n)`, and verdicts that let everything pass. */
export const willing = (): Script => ({
  gardener(request) {
    const label = pieceOf(request, "tree")?.label ?? "";
    const replaced = pieceOf(request, "mechanism")?.text ?? "";
    const again =
      replaced === ""
        ? ""
        : `better-${(/"pseudocode": "(.*?)"/.exec(replaced)?.[1] ?? "").replaceAll(/[^a-z0-9-]/g, "")}`;
    const cycle = pieceOf(request, "explored")?.text.split("\n").length ?? 0;
    return JSON.stringify({
      mechanisms: Array.from({ length: countIn(request) }, (_, index) => ({
        name: `m${index}`,
        intuition: "it persists",
        pseudocode: `f(${again || `${label}${cycle}-${index}`})`,
        ...{ regime_suggestion: "calm", lookahead_risk: "none" },
      })),
    });
  },
  skeptic: () => verdict(),
  inspector: () =>
    JSON.stringify({
      ...{ logic_consistent: true, lookahead_detected: false, novelty_score: 0.6, alignment_score: 2 },
      ...{ validation_cost: "low", concerns: "few" },
    }),
  diverger: () => JSON.stringify({ candidates: [] }),
  aligner: () => JSON.stringify({ score: 2, reason: "it fits" }),
});

/** An executor whose gates pass what `passes` says, and that compiles everything but `?`. */
export const executorOf = (
  passes: (candidate: string, gate: string) => boolean = () => true,
): NonNullable<Ports["executor"]> => ({
  execute: (given) => {
    const check = ForestCheck.parse(given);
    if (check.check === "compile")
      return Promise.resolve({
        ok: true,
        metrics: check.texts.map((text) =>
          text.includes("?") ? { ok: false, why: "a question" } : { ok: true, text },
        ),
      });
    const passed = passes(check.candidate, check.gate.name);
    return Promise.resolve({
      ok: true,
      metrics: { passed, detail: passed ? "it holds" : "it does not hold" },
    });
  },
});
