import type { Entry, ProtocolReport, ReportPart } from "../kernel/index.ts";
import type { Result } from "../views/result.ts";
import { veilEntries } from "../views/veil.ts";
import type { ShownResult } from "./answer.ts";

/** A result with what its protocol's report says about the section; the result alone where it has none. */
export function showResult(
  result: Result,
  report: ProtocolReport | undefined,
  { entries, earlier = [] }: Pick<ShownResult, "earlier"> & { readonly entries: readonly Entry[] },
): ShownResult {
  if (result.section === null || !report) return { result, parts: [], earlier };
  const { sectionParts, sectionLines, courseParts, agreement, cautions, dissent, isVerdict = false } = report;
  // A report knows the section that its own protocol's view folds.
  const section = result.section as never;
  const lines = (): ReportPart[] => {
    const texts = sectionLines?.(section) ?? [];
    return texts.length > 0 ? [{ heading: result.protocol.name, blocks: [{ kind: "points", texts }] }] : [];
  };
  return {
    ...{ result, earlier, isVerdict, agreement: agreement?.(section, result as never) },
    ...{ cautions: cautions?.(section, result as never), dissent: dissent?.(section, result as never) },
    course: courseParts && (() => courseParts(veilEntries(entries))),
    parts: sectionParts?.(section, result as never) ?? lines(),
  };
}
