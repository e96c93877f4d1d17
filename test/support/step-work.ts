import { Digest, StepKey, type Origin } from "../../src/kernel/index.ts";
import { upcast } from "../../src/kernel/upcast.ts";

/** A protocol's step, with the work that its key stood for before steps named their work. */
export function stepOrigin(key: string, type = "answer-given"): Origin {
  const origin: Origin = {
    by: "protocol",
    step: StepKey.parse(key),
    digest: Digest.parse("0".repeat(64)),
    after: [],
  };
  return upcast({ type, data: {}, origin }).origin;
}
