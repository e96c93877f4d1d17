import type { Entry } from "../../src/kernel/index.ts";
import { sectionParts as askParts } from "../../src/features/ask/protocol/report.ts";
import { sectionOf as askSection } from "../../src/features/ask/protocol/view.ts";
import type { ShownResult } from "../../src/reports/answer.ts";
import { panelParts } from "../../src/reports/panel.ts";
import { panelSection, type PanelSection } from "../../src/views/panel.ts";
import { resultOf, type Result } from "../../src/views/result.ts";

/** The result of a panel's entries with its report, changed as a test wants it. */
export function shownPanel(
  entries: readonly Entry[],
  changes: Partial<Result> = {},
  section: Partial<PanelSection> = {},
): ShownResult {
  const result = { ...resultIn(entries), ...changes };
  const whole = { ...panelSection(entries), ...section };
  return { result: { ...result, section: whole }, parts: panelParts(whole, result) };
}

/** The result of a climb's entries with its report. */
export function shownClimb(entries: readonly Entry[]): ShownResult {
  const result = { ...resultIn(entries), section: askSection(entries) };
  return { result, parts: askParts(result.section, result) };
}

function resultIn(entries: readonly Entry[]): Result {
  const result = resultOf(entries);
  if (!result) throw new Error("the sample was not opened");
  return result;
}
