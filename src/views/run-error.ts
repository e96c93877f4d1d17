import * as z from "zod";
import { callOf, workOf, type Entry, type Opening } from "../kernel/index.ts";

/** Why a run has no full answer, for programs. */
export const RunError = z.strictObject({
  /** The failed call's code (`unauthorised`, `out-of-credit`, `rate-limited`, `timed-out`, …), or the run's status where no call failed. */
  code: z.string(),
  /** Whose call failed, by id; null where no call did. */
  participant: z.string().nullable(),
  /** The part of the model's reference before the slash. */
  provider: z.string().nullable(),
  model: z.string().nullable(),
  /** The HTTP status of the last answer; null where there was none. */
  http: z.int().nullable(),
});
export type RunError = z.infer<typeof RunError>;

/** Why a run that ended has no full answer, from the first of its own calls that failed for good; null for a run that is answered or open. */
export function errorOf(status: string, opening: Opening, failed: Entry | undefined): RunError | null {
  if (["answered", "open", "waiting"].includes(status)) return null;
  const call = failed && callOf(failed);
  if (!failed || call?.ok !== false)
    return { code: status, participant: null, provider: null, model: null, http: null };
  const participant = workOf(failed)?.by ?? null;
  const model = opening.participants.find(({ id }) => id === participant)?.model ?? null;
  const provider = model?.split("/", 1)[0] ?? null;
  return { code: call.failure.code, participant, provider, model, http: call.failure.http ?? null };
}
