import { Fault } from "../kernel/index.ts";
import type { EffectiveSettings } from "../app/context.ts";

type Flags = Readonly<Record<string, unknown>>;

/** A respondent's flags as settings are named: one model instead of a list of members'. */
export function respondFlags(flags: Flags): Flags {
  const { model, ...rest } = flags;
  return typeof model === "string" ? { ...rest, models: [model] } : rest;
}

const SECOND = { modelB: "--model-b", temperatureB: "--temperature-b" } as const;

/** @throws Fault `configuration` for a second respondent that flags describe, and nobody asks for */
export function refuseUnaskedSecond(
  flags: Flags,
  { respondentB }: Pick<EffectiveSettings, "respondentB">,
): void {
  for (const [key, flag] of Object.entries(SECOND)) {
    if (respondentB || flags[key] === undefined) continue;
    const why = `${flag} says how a second respondent answers, and none is asked for`;
    throw new Fault("configuration", { why, next: `add --respondent-b, or leave ${flag} out` });
  }
}
