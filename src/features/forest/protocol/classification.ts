import {
  isComplete,
  isPassed,
  type GateDef,
  type GateOutcome,
  type GateRecord,
  type LeafKind,
} from "./state.ts";

// Gates decide, in one order: what leaks is sick whatever else it has passed.
// A fruit has a complete record of gates that a tool executed; nothing else can be built as one.

/** Why a candidate is what it is, in a word: `unaligned` passed every hard gate and lacks the alignment with its mechanism. */
export type Finding = "leaks" | "promoted" | "ensemble" | "unaligned" | "boundary" | "weak" | "partial";

/** A record that supports a fruit: complete, and executed by a tool. Only `classify` makes one. */
export type FruitRecord = GateRecord & {
  readonly execution_mode: "tool_executed";
  readonly [complete]: true;
};
declare const complete: unique symbol;

export type Classified =
  | {
      readonly classification: "fruit";
      readonly finding: "promoted" | "ensemble";
      readonly reason: string;
      readonly record: FruitRecord;
    }
  | {
      readonly classification: Exclude<LeafKind, "fruit">;
      readonly finding: Exclude<Finding, "promoted" | "ensemble">;
      readonly reason: string;
    };

const FLAGS = ["lookahead", "leakage", "invalid_data"];
const SICK_STATUSES = new Set([...FLAGS, "sick"]);

/**
 * What becomes of a candidate by its gates.
 * @throws RangeError for a record that would be a fruit and was not executed by a tool: a stub is never taken for evidence
 */
export function classify(record: GateRecord, spec: readonly GateDef[]): Classified {
  const sick = sickReason(record);
  if (sick !== undefined)
    return { classification: "sick_leaf", finding: "leaks", reason: `${sick}; blocked_from_reuse` };
  const hard = spec
    .filter((gate) => gate.hard)
    .map(({ name }) => ({ name, passed: isPassed(record.gates[name]) }));
  const passed = hard.filter((gate) => gate.passed);
  const isWhole = hard.length > 0 && passed.length === hard.length;
  const score = alignmentOf(record, spec);
  if (isWhole && score !== null && score >= 1 && isComplete(record, spec)) {
    if (!isExecuted(record))
      throw new RangeError(`a fruit requires execution_mode tool_executed (got ${record.execution_mode})`);
    return score >= 2
      ? {
          classification: "fruit",
          finding: "promoted",
          reason: "all hard gates passed; alignment 2 or more: promoted",
          record,
        }
      : {
          classification: "fruit",
          finding: "ensemble",
          reason: "all hard gates passed; alignment 1: for an ensemble",
          record,
        };
  }
  if (isWhole) {
    const missing = spec.filter(({ name }) => record.gates[name] === undefined).map(({ name }) => name);
    const why =
      missing.length > 0
        ? `no record of ${missing.join(", ")}`
        : score === null
          ? "nobody has judged the alignment"
          : "the evidence does not fit the mechanism (alignment 0)";
    return { classification: "golden_leaf", finding: "unaligned", reason: `all hard gates passed; ${why}` };
  }
  const failed = hard.filter((gate) => !gate.passed).map(({ name }) => name);
  if (isBoundary(record, passed.length > 0))
    return {
      classification: "golden_leaf",
      finding: "boundary",
      reason: `failed ${failed.join(", ")}, and tells where the boundary is`,
    };
  if (passed.length === 0 && !Object.values(record.gates).some(hasSignal))
    return {
      classification: "dead_leaf",
      finding: "weak",
      reason: "weak everywhere: no hard gate was passed",
    };
  return {
    classification: "normal_leaf",
    finding: "partial",
    reason: `partial evidence; failed ${failed.join(", ") || "no gate that is hard"}`,
  };
}

/** Whether every hard gate was passed: what a skeptic challenges once more, and an aligner judges. */
export const isFruitCandidate = ({ gates }: GateRecord, spec: readonly GateDef[]): boolean => {
  const hard = spec.filter((gate) => gate.hard);
  return hard.length > 0 && hard.every(({ name }) => isPassed(gates[name]));
};

const isExecuted = (record: GateRecord): record is FruitRecord => record.execution_mode === "tool_executed";

function sickReason({ gates }: GateRecord): string | undefined {
  for (const [name, gate] of Object.entries(gates)) {
    const flag = FLAGS.find((one) => Boolean(gate[one]));
    if (flag !== undefined) return `${name} flags ${flag}`;
    const status = typeof gate["status"] === "string" ? gate["status"].toLowerCase() : "";
    if (SICK_STATUSES.has(status)) return `${name} flags ${status}`;
  }
  return undefined;
}

/** 0 to 3; null where nobody has judged it. */
function alignmentOf({ gates }: GateRecord, spec: readonly GateDef[]): number | null {
  const waiting = spec.find(({ needs_handoff }) => needs_handoff)?.name;
  const gate = gates["G7"] ?? gates["g7"] ?? (waiting === undefined ? undefined : gates[waiting]);
  const { score, passed } = gate ?? {};
  if (typeof score === "number") return score;
  return typeof passed === "boolean" ? Number(passed) : null;
}

function isBoundary({ gates }: GateRecord, anyHard: boolean): boolean {
  const all = Object.values(gates);
  if (all.some((gate) => Boolean(gate["boundary_informative"]) || Boolean(gate["sub_regime"]))) return true;
  if (!anyHard) return false;
  return (
    all.some((gate) => Boolean(gate["weak_signal"])) ||
    isPassed(gates["sanity"] ?? gates["G3"] ?? gates["g3"])
  );
}

const hasSignal = (gate: GateOutcome): boolean =>
  gate["passed"] === true || (typeof gate["score"] === "number" && gate["score"] > 0);
