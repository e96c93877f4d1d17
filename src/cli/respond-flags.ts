/** A respondent's flags as settings are named: one model instead of a list of members'. */
export function respondFlags(flags: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { model, ...rest } = flags;
  return typeof model === "string" ? { ...rest, models: [model] } : rest;
}
