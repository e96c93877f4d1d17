import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import * as z from "zod";
import { checkedFile } from "../../../config/named-files.ts";
import { displayPath, refuse } from "../../../config/text-file.ts";
import { readYaml } from "../../../config/yaml.ts";
import { Json } from "../../../kernel/index.ts";
import { cycleIdOf, Forest, NEW_CLIMATE, Tree, type Climate } from "../protocol/state.ts";
import { validateForest } from "../protocol/validation.ts";
import { latestCycle, readForest, writeForest } from "./archive.ts";
import { FOREST_FILE } from "./file.ts";

const text = z.string().trim().max(4_000);
const lines = z.array(text.min(1)).max(40).default([]);

/** The answers to the eight questions that a forest starts from. */
export const Grounding = z.strictObject({
  research_goal: text.min(1),
  /** What is searched: `factors`, `functions`, or a folder of your own. */
  domain: z.string().min(1).default("factors"),
  /** The data, tools or task that candidates are measured on; as the domain asks for it. */
  soil: Json.optional(),
  constraints: lines,
  /** The mistake that worries most. */
  worry: z.enum(["missing", "overfitting", "scattering", "drilling", "none"]).default("none"),
  /** Directions to begin with, `name: why it should hold`; each becomes a tree. */
  boost: lines,
  avoid: lines,
  approval: text.default("Ask before anything that spends money or uses an account."),
  /** `exploration`, `validation` of candidates, or `repair` of results that are not stable. */
  mode: z.enum(["exploration", "validation", "repair"]).default("exploration"),
  seed: z.string().min(1).max(200).optional(),
});
export type Grounding = z.infer<typeof Grounding>;

/** @throws Fault `configuration` with the place of what is wrong */
export const readGrounding = (path: string): Grounding =>
  checkedFile(readYaml(path, "file of answers"), Grounding, "correct the answer");

/** Small and complete: what `init` plants where nobody is asked. */
export const EXAMPLE_GROUNDING = {
  research_goal: "Find signals that tell which prices rise tomorrow",
  boost: [
    "Reversal: what has risen too far in a few days falls back, as `neg(ts_return(close, 5))` says",
    "Volume: prices that move on high volume keep moving",
  ],
} as const;

const USUAL_SOIL: ReadonlyMap<string, Json> = new Map([
  ["factors", { generate: { seed: "forest", days: 250, instruments: 100, signal: 0.3 } }],
  ["functions", { task: "longest-run" }],
]);

/** How the climate follows from what worries, and from what the forest is for. */
function climateOf({ mode, worry }: Grounding): Climate {
  const modes = {
    exploration: {},
    validation: { temperature: 0.8, seed_budget: 0.15 },
    repair: { temperature: 0.8, seed_budget: 0.15, max_consecutive_depth: 3 },
  } satisfies Record<Grounding["mode"], Partial<Climate>>;
  const worries = {
    missing: { seed_slots: NEW_CLIMATE.seed_slots + 1, novelty_weight: 0.45, max_tree_share: 0.25 },
    overfitting: { temperature: 0.9 },
    scattering: { seed_slots: 2 },
    drilling: { max_tree_share: 0.25, max_consecutive_depth: 1 },
    none: {},
  } satisfies Record<Grounding["worry"], Partial<Climate>>;
  return { ...NEW_CLIMATE, mode, ...modes[mode], ...worries[worry] };
}

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, 40) || "tree";

function treesOf({ boost, research_goal }: Grounding): Tree[] {
  const directions = boost.length > 0 ? boost : [research_goal];
  const ids = new Set<string>();
  return directions.map((direction) => {
    const [, name = direction, logic = direction] = /^([^:]{1,60}):\s*([^]+)$/.exec(direction) ?? [];
    const short = name.slice(0, 60);
    let id = slug(short);
    for (let nth = 2; ids.has(id); nth += 1) id = `${slug(short)}_${nth}`;
    ids.add(id);
    return Tree.parse({
      ...{ tree_id: id, name: short, core_logic: logic, status: "active" },
      weather_priors: boost.length > 0 ? { solid_direction: true } : {},
    });
  });
}

/** A forest before its first cycle. */
export function plantedForest(grounding: Grounding): Forest {
  const { research_goal, domain, constraints, avoid, approval, worry, mode } = grounding;
  const forest = Forest.parse({
    ...{ forest_id: slug(research_goal), cycle_id: cycleIdOf(0), research_goal, domain },
    constraints: [...constraints, ...avoid.map((direction) => `Avoid: ${direction}`)],
    ...{ approval_policy: approval, climate: climateOf(grounding), data_soil: { ready: true } },
    trees: treesOf(grounding),
    summary: `The forest starts in ${mode} mode${worry === "none" ? "" : `, and guards against ${worry}`}. Nothing was tested yet.`,
  });
  validateForest(forest);
  return forest;
}

/** Writes a forest's file, and its first folder unless there is an archive. @throws Fault `configuration` where there is a file */
export function plantForest(
  folder: string,
  grounding: Grounding,
): { readonly file: string; readonly archive: string } {
  const file = join(folder, FOREST_FILE);
  const archive = join(folder, "archive");
  if (existsSync(file)) throw refuse(`${displayPath(file)} is there already`, "plant in another folder");
  mkdirSync(folder, { recursive: true });
  if (existsSync(archive)) readForest(latestCycle(archive));
  else writeForest(archive, plantedForest(grounding));
  writeFileSync(file, fileText(grounding), { flag: "wx" });
  return { file, archive };
}

const HEAD = `# How this forest is deliberated over: docs/forest.md. After a change, what runs code or costs money is asked for again.
`;

/** What candidates are measured on: what was answered, or what ships with the domain. */
export const soilOf = ({ domain, soil }: Pick<Grounding, "domain" | "soil">): Json =>
  soil ?? USUAL_SOIL.get(domain) ?? {};

function fileText({ domain, soil, seed, worry }: Grounding): string {
  const own = {
    ...{ domain, soil: soilOf({ domain, soil }), seed: seed ?? "forest" },
    deliberation: { max_debate_rounds: 2, cull_severity: "high" },
    parallel_gardeners: { max_concurrent: 4, temperature_spread: [0.7, 1, 1.3] },
    ...(worry === "overfitting" ? { quarantine_threshold: 0.6 } : {}),
  };
  const models = `# Without these, the first of your models is the gardener, and the first of another family the skeptic.
# deliberation: {gardener_model: kimi, skeptic_model: deepseek}
# models: {kimi: openrouter/moonshotai/kimi-k2, deepseek: openrouter/deepseek/deepseek-chat}
`;
  return `${HEAD}${stringify(own, { lineWidth: 0 })}${models}`;
}
