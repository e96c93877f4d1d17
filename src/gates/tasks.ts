import type { Json } from "../kernel/index.ts";
import type { Compiled, DomainGate, GateFinding, Thresholds } from "./domain.ts";
import type { Executed, FailedRun } from "./outcome.ts";

/** Where a domain's code and soil are. `domain`: the name of one that ships, or the absolute path of an index. */
export type DomainPlace = {
  readonly domain: string;
  readonly folder: string;
  /** What the forest's file has under `soil`. */
  readonly soil: Json;
};

/** A gate as its domain declares it, without what decides it. */
export type DeclaredGate = Pick<DomainGate, "name" | "title" | "hard" | "ranges"> & {
  readonly thresholds: Thresholds;
  readonly provenance: string;
  readonly by: "domain" | "aligner" | "script" | "command";
  readonly script?: string;
  readonly command?: readonly [string, ...string[]];
};

/** A domain as whoever proposes and binds needs it. */
export type DomainDescription = {
  readonly name: string;
  /** Tells one soil from another. */
  readonly soil: string;
  /** What a candidate is made of, in words. */
  readonly language: string;
  readonly rubric: string;
  readonly gates: readonly DeclaredGate[];
};

/** What is given to a worker thread. */
export type GateTask = { readonly place: DomainPlace } & (
  | { readonly kind: "describe" }
  | { readonly kind: "compile"; readonly texts: readonly string[] }
  | {
      readonly kind: "check";
      readonly gate: string;
      readonly candidate: string;
      readonly thresholds: Thresholds;
      readonly accepted: readonly string[];
      readonly seed: string;
      /** The digest that the soil must have. */
      readonly soil: string;
      /** A sandboxed script's source, in place of the domain's own gate. */
      readonly script?: string | undefined;
      readonly timeMs: number;
    }
);

/** Why a gate was not run to its end. */
export type GateCause = FailedRun["cause"];

/** What a gate gave, or the cause for which it failed without deciding anything. */
export type GateRun = GateFinding & { readonly cause?: GateCause };

export const failedBy = (cause: GateCause, detail: string): GateRun => ({
  ...{ passed: false, value: null, threshold: null, cause, detail },
});

export type TaskResult = {
  readonly describe: DomainDescription;
  readonly compile: readonly Compiled[];
  readonly check: GateRun;
};

/** What a script or a command gave, as a gate's outcome: `{ passed, detail, … }`. A command that prints nothing has passed. */
export function readExecuted(executed: Executed): GateRun {
  if (!executed.ok) return failedBy(executed.cause, executed.detail);
  return executed.value === null ? { passed: true, detail: "exit code 0" } : readFinding(executed.value);
}

/** What a gate's code returned; anything but a finding is a failure of the gate. What is recorded is JSON: a figure that is none is null. */
export function readFinding(value: unknown): GateRun {
  if (typeof value !== "object" || value === null || typeof (value as GateFinding).passed !== "boolean")
    return failedBy("error", "the gate did not say whether it was passed");
  const said = value as GateFinding;
  const detail = typeof said.detail === "string" ? said.detail.slice(0, 2_000) : "";
  return JSON.parse(JSON.stringify({ ...said, detail })) as GateRun;
}
