import { callOf, isEvent, type Entry } from "../kernel/index.ts";

/** How every text of a simulated model begins, whatever wire it came over. */
const BANNER = /^\[simulated [0-9a-f]{6}\]/;

/** Whether any part of a deliberation was said, or was to be said, by a simulated model. */
export const isSimulated = (entries: readonly Entry[]): boolean => entries.some(showsSimulation);

export function showsSimulation(entry: Entry): boolean {
  if (isEvent(entry, "deliberation-opened"))
    return entry.data.participants.some(({ model }) => model.startsWith("sim/"));
  const call = callOf(entry);
  return call?.ok === true && BANNER.test(call.reply);
}

/** A text without the mark of a simulated model, which is no part of what it says. */
export const withoutBanner = (text: string): string => text.replace(BANNER, "");
