import { useComputed } from "@preact/signals";
import type { VNode } from "preact";
import { deliberationHead, deliberationParts } from "../../reports/deliberation-parts.ts";
import { showResult } from "../../reports/shown.ts";
import type { ShownRun } from "../run.ts";
import { useReport, useWhole } from "../folds.ts";
import { Report } from "../parts/report.tsx";
import { Empty } from "../parts/states.tsx";
import { t } from "../strings.ts";
import { pictureAddress } from "./run-head.tsx";

/** The whole document about the run, as `parley show --details` and an export print it, at the seq of the address. */
export function Record({ shown }: { readonly shown: ShownRun }): VNode {
  const report = useReport(shown.protocol);
  const entries = shown.entries.value;
  useWhole(
    shown.run,
    entries.map(({ seq }) => seq),
  );
  const document = useComputed(() => {
    const result = shown.result.value;
    if (!result || !report.value) return undefined;
    const told = {
      ...showResult(result, report.value, { entries: shown.entries.value }),
      pictures: (digest: string) => pictureAddress(shown.run.id, digest),
    };
    return {
      head: deliberationHead(shown.entries.value, told),
      parts: deliberationParts(shown.entries.value, told),
    };
  });
  if (!document.value) return <Empty title={t.record.noRecord} next={t.loading} />;
  const { head, parts } = document.value;
  return (
    <>
      <p class="quiet" dir="auto">
        {head.summary}
      </p>
      {head.warnings.length > 0 && (
        <ul class="notice points">
          {head.warnings.map((warning, index) => (
            <li key={index} dir="auto">
              {warning}
            </li>
          ))}
        </ul>
      )}
      <Report parts={parts} level={2} />
    </>
  );
}
