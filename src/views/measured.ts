import { callOf, isEvent, workOf, type Entry, type Failure, type Work } from "../kernel/index.ts";
import { parsePreference, type Preference } from "../replies/preference.ts";

/**
 * What each prompt of a measurement ended in; what was asked again replaces what had failed. `promptOf` names the prompt that
 * a step was about, and gives undefined for any other step.
 */
export function measuredEnds(
  entries: readonly Entry[],
  promptOf: (work: Work) => string | undefined,
): ReadonlyMap<string, Entry> {
  const ends = new Map<string, Entry>();
  for (const entry of entries) {
    const work = workOf(entry);
    const prompt = work && promptOf(work);
    if (prompt === undefined) continue;
    const before = ends.get(prompt);
    if (!before || before.type === "degradation-noted" || entry.type !== "degradation-noted")
      ends.set(prompt, entry);
  }
  return ends;
}

/** How calls failed that have no reply; asking again may bring one. */
export const lostCalls = (ends: Iterable<Entry>): readonly Failure[] =>
  [...ends].flatMap((entry) => {
    const call = callOf(entry);
    return call?.ok === false ? [call.failure] : [];
  });

/** Why a prompt has no verdict. */
export const whyUnread = (end: Entry | undefined): string =>
  end && isEvent(end, "degradation-noted") ? end.data.why : "not asked yet";

/** The preference in a recorded reply, by the order in which the answers were shown. */
export function preferenceIn(end: Entry | undefined): Preference {
  const call = end && isEvent(end, "reply-received") ? end.data.call : undefined;
  return call?.ok ? parsePreference(call.reply) : { ok: false, reason: whyUnread(end) };
}
