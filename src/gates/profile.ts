import * as z from "zod";
import { Fault, refusal } from "../kernel/index.ts";
import { findNearest, quoteValue } from "../text/words.ts";
import type { DeclaredGate } from "./tasks.ts";

// Every threshold says where it comes from.

const command = z.tuple([z.string().min(1)], z.string());

/** A gate as a forest's file binds it: other thresholds than the domain's, or a gate of one's own. */
const GateBinding = z.strictObject({
  hard: z.boolean().optional(),
  title: z.string().max(200).optional(),
  thresholds: z.record(z.string(), z.number()).optional(),
  /** Where the thresholds come from; asked for where they are set. */
  provenance: z.string().max(500).optional(),
  /** A file with a function `check(input)`, run in a sandbox. */
  script: z.string().min(1).optional(),
  /** A program and its arguments; it reads the candidate as JSON, and prints `{"passed": true, "detail": "…"}`. */
  command: command.optional(),
  /** Milliseconds that one run of it may take. */
  time_limit_ms: z.int().min(10).max(3_600_000).optional(),
});
type GateBinding = z.infer<typeof GateBinding>;

/** Gates by name; without a profile, all those that the domain declares. */
export const GateProfile = z.record(z.string().regex(/^[A-Za-z][\w-]{0,59}$/), GateBinding);
export type GateProfile = z.infer<typeof GateProfile>;

/** A gate that is bound: its thresholds are frozen with where they come from. */
export type BoundProfileGate = {
  readonly name: string;
  readonly title: string;
  readonly hard: boolean;
  readonly needs_handoff: boolean;
  readonly by: DeclaredGate["by"];
  readonly thresholds: { readonly [name: string]: number };
  readonly provenance: string;
  readonly script?: string;
  readonly command?: readonly string[];
  readonly time_limit_ms: number;
};

const TIME_LIMIT_MS = 60_000;

/** Binds a profile to a domain's gates, in the domain's order, then the profile's. @throws Fault `configuration` */
export function bindGates(
  gates: readonly DeclaredGate[],
  profile: GateProfile | undefined,
  readScript: (file: string) => string,
): BoundProfileGate[] {
  if (profile === undefined) return gates.map((gate) => bound(gate, {}, readScript));
  const known = gates.map(({ name }) => name);
  const own = Object.entries(profile).filter(([name]) => !known.includes(name));
  for (const [name, { script, command: words }] of own)
    if (script === undefined && words === undefined)
      throw refusal(
        `there is no gate ${quoteValue(name)}`,
        `the nearest is ${findNearest(name, known)}; a gate of your own has a script or a command`,
      );
  return [
    ...gates.flatMap((gate) =>
      profile[gate.name] ? [bound(gate, profile[gate.name] ?? {}, readScript)] : [],
    ),
    ...own.map(([name, binding]) =>
      bound(
        { name, title: name, hard: true, thresholds: {}, provenance: "the forest's file", by: "domain" },
        binding,
        readScript,
      ),
    ),
  ];
}

function bound(
  gate: DeclaredGate,
  binding: GateBinding,
  readScript: (file: string) => string,
): BoundProfileGate {
  const { thresholds: changed = {}, provenance, script, command: words } = binding;
  const problem = problemOf(gate, binding);
  if (problem) throw new Fault("configuration", problem);
  const by = script === undefined ? (words === undefined ? gate.by : "command") : "script";
  const source = script === undefined ? (by === "script" ? gate.script : undefined) : readScript(script);
  const argv = words ?? (by === "command" ? gate.command : undefined);
  return {
    ...{ name: gate.name, title: binding.title ?? gate.title, hard: binding.hard ?? gate.hard },
    ...{ needs_handoff: by === "aligner", by },
    thresholds: { ...gate.thresholds, ...changed },
    provenance: provenance ?? gate.provenance,
    ...(source === undefined ? {} : { script: source }),
    ...(argv === undefined ? {} : { command: [...argv] }),
    time_limit_ms: binding.time_limit_ms ?? TIME_LIMIT_MS,
  };
}

function problemOf(
  { name, by, thresholds: known, ranges = {} }: DeclaredGate,
  { thresholds = {}, provenance, script, command: words, hard }: GateBinding,
): { readonly why: string; readonly next: string } | undefined {
  const isOwn = script !== undefined || words !== undefined;
  const unknown = Object.keys(thresholds).find((one) => !Object.hasOwn(known, one));
  const names = Object.keys(known);
  if (unknown !== undefined && !isOwn)
    return {
      why: `the gate ${name} has no threshold ${quoteValue(unknown)}`,
      next: names.length === 0 ? "leave it out" : `did you mean ${findNearest(unknown, names)}?`,
    };
  for (const [threshold, value] of Object.entries(thresholds)) {
    const [least, most] = ranges[threshold] ?? [-Infinity, Infinity];
    if (!(value >= least && value <= most))
      return {
        why: `${threshold} of the gate ${name} must be from ${least} to ${most} (got ${value})`,
        next: `correct it under gates.${name}`,
      };
  }
  if (Object.keys(thresholds).length > 0 && provenance === undefined)
    return {
      why: `the thresholds of ${name} do not say where they come from`,
      next: `add provenance under gates.${name}`,
    };
  if (script !== undefined && words !== undefined)
    return { why: `the gate ${name} has a script and a command`, next: "keep one of them" };
  if (by === "aligner" && hard === true)
    return {
      why: `the gate ${name} is a judgement, and no condition that a model could bend may be hard`,
      next: "leave hard out",
    };
  return undefined;
}
