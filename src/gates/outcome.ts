import type { Json } from "../kernel/index.ts";

/** What running a gate's script or command gave. */
export type Executed =
  | { readonly ok: true; readonly value: Json }
  | {
      readonly ok: false;
      /** What stopped it, or that it failed by itself (`exit`, `error`). */
      readonly cause: "time-limit" | "memory" | "output" | "exit" | "error";
      /** One clause for a person, bounded in length. */
      readonly detail: string;
      /** Of a command that ended by itself. */
      readonly exitCode?: number;
    };

export type FailedRun = Extract<Executed, { ok: false }>;

/** The most of an untrusted message that a detail quotes. */
export const MAX_DETAIL = 2_000;

export function failedRun(cause: FailedRun["cause"], detail: string): FailedRun {
  return { ok: false, cause, detail };
}

/** Deeper than data is nested that says something, and less deep than what the recursion of any reader bears. */
const MAX_DEPTH = 500;

/** The value of a JSON text; undefined where it is none. A key `__proto__` becomes a property of its own, as any other. */
export function parseJson(text: string): Executed | undefined {
  let value: Json;
  try {
    value = JSON.parse(text) as Json; // what JSON.parse gives is Json
  } catch {
    return undefined;
  }
  if (measureDepth(value) > MAX_DEPTH)
    return failedRun("output", `its result is nested more than ${MAX_DEPTH} levels deep`);
  return { ok: true, value };
}

/** How many levels of lists and objects a value has, without recursion, as far as the limit and one more. */
function measureDepth(value: Json): number {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    const nested = level.filter((each): each is object => typeof each === "object" && each !== null);
    if (nested.length === 0) return depth;
    level = nested.flatMap((each) => Object.values(each) as unknown[]);
  }
  return MAX_DEPTH + 1;
}
