import { expectTypeOf, it } from "vitest";
import type { Failure, FailureCode, Outcome, Problem, Result, RunStatus } from "../src/index.ts";

// Types are checked by the compiler (npm run types): a word that becomes any text is an error of this file.

type Ended = "answered" | "answered-degraded" | "stopped-by-budget" | "inconclusive" | "failed" | "cancelled";

it("says what a run can come to word by word, so that a switch over it is known to be whole", () => {
  expectTypeOf<RunStatus>().toEqualTypeOf<Ended | "open" | "waiting">();
  expectTypeOf<Result["status"]>().toEqualTypeOf<RunStatus>();
  expectTypeOf<Outcome["status"]>().toEqualTypeOf<Ended | "waiting" | "interrupted">();
  expectTypeOf<NonNullable<Outcome["result"]>>().toEqualTypeOf<Result>();
  expectTypeOf<Problem["status"]>().toEqualTypeOf<RunStatus>();
  expectTypeOf<Problem["failures"][number]>().toEqualTypeOf<Failure>();
  expectTypeOf<Failure["code"]>().toEqualTypeOf<FailureCode>();
  expectTypeOf<FailureCode>().extract<"rate-limited" | "over-budget">().not.toBeNever();
  expectTypeOf<string>().not.toExtend<FailureCode>();
  expectTypeOf<Problem["caps"][number]>().toEqualTypeOf<"usd" | "tokens" | "calls" | "time">();
});
