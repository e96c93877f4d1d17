import * as z from "zod";
import { ReplyLimit, type Json } from "../../../kernel/index.ts";
import { ExecutionMode } from "./state.ts";

/** The seed's block `deliberation`, as it stands in a forest's file. */
export const DeliberationRules = z.strictObject({
  /** 0 is the single pass: nobody debates, and no skeptic is called. */
  max_debate_rounds: z.int().min(0).max(20).default(2),
  skeptic_model: z.string().min(1).optional(),
  gardener_model: z.string().min(1).optional(),
  /** A rejection of this severity, or a higher one, culls. */
  cull_severity: z.enum(["low", "medium", "high"]).default("high"),
});

/** The seed's block `parallel_gardeners`. */
export const GardenerRules = z.strictObject({
  max_concurrent: z.int().min(1).max(64).default(4),
  /** The gardeners' sampling temperatures, in the order of the allocated trees. */
  temperature_spread: z.array(z.number().min(0).max(2)).min(1).default([0.7, 1, 1.3]),
});

/** A gate as a cycle's profile binds it. */
export const BoundGate = z.strictObject({
  name: z.string().min(1).max(60),
  title: z.string(),
  hard: z.boolean(),
  /** Whether the aligner's judgement decides it. */
  needs_handoff: z.boolean(),
  /** What decides it. */
  by: z.enum(["domain", "aligner", "script", "command"]),
  thresholds: z.record(z.string(), z.number()),
  /** Where the thresholds come from. */
  provenance: z.string(),
  /** A script's source, or a command with its arguments. */
  script: z.string().max(100_000).optional(),
  command: z.array(z.string()).min(1).optional(),
  /** Bounds one run of it. */
  time_limit_ms: z.int().positive().default(60_000),
});
export type BoundGate = z.infer<typeof BoundGate>;

export const ForestSettings = z.strictObject({
  cycle: z.int().positive(),
  deliberation: DeliberationRules.prefault({}),
  parallel_gardeners: GardenerRules.prefault({}),
  /** The field of research: its name, the digest of what its gates measure on, and what decides whatever they draw by lot. */
  domain: z.strictObject({ name: z.string(), soil: z.string(), seed: z.string().default("forest") }),
  gates: z.array(BoundGate).min(1),
  /** How candidates are executed. Only `tool_executed` runs gates that can support a fruit. */
  execution: ExecutionMode.default("tool_executed"),
  /** Other figures for the weather, the weights of seeds' scores, and above which risk of leakage a seed is quarantined. */
  weather: z.record(z.string(), z.number()).default({}),
  seed_scoring_weights: z.record(z.string(), z.number()).default({}),
  quarantine_threshold: z.number().default(0.8),
  /** How many children of earlier hypotheses a cycle adds; off by default. */
  evolution: z
    .strictObject({ mutate: z.int().min(0).max(20), crossover: z.int().min(0).max(20) })
    .default({ mutate: 0, crossover: 0 }),
  /** How often a step is asked anew, by its key: a fork of a cycle that failed asks the failed ones again. */
  again: z.record(z.string(), z.int().positive()).default({}),
  maxOutputTokens: ReplyLimit,
  callTimeoutMs: z.int().positive().default(180_000),
});
export type ForestSettings = z.infer<typeof ForestSettings>;

/** What a gate's executor is asked, and what it gives: a finding as the domain's gate says it. */
const GateCheck = z.strictObject({
  check: z.literal("gate"),
  soil: z.string(),
  gate: BoundGate,
  candidate: z.string(),
  accepted: z.array(z.string()),
  seed: z.string(),
});
const CompileCheck = z.strictObject({
  check: z.literal("compile"),
  soil: z.string(),
  texts: z.array(z.string()),
});
/** What a forest asks of its process's executor. */
export const ForestCheck = z.discriminatedUnion("check", [GateCheck, CompileCheck]);
export type ForestCheck = z.infer<typeof ForestCheck>;

/** A gate's finding, and the cause where it could not be run to its end. */
export const GateMetrics = z.looseObject({
  passed: z.boolean(),
  detail: z.string(),
  /** `time-limit`, `memory`, `output`, `exit`, `error`. */
  cause: z.string().optional(),
});
export const CompiledTexts = z.array(
  z.discriminatedUnion("ok", [
    z.strictObject({ ok: z.literal(true), text: z.string() }),
    z.strictObject({ ok: z.literal(false), why: z.string() }),
  ]),
);

export const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;
