import { useComputed } from "@preact/signals";
import type { VNode } from "preact";
import { useReport, type ShownRun } from "../folds.ts";
import { Report } from "../parts/report.tsx";

type ViewProps = { readonly shown: ShownRun };

/** What the protocol's own report says of its section. */
export function Section({ shown }: ViewProps): VNode {
  const report = useReport(shown.protocol);
  const parts = useComputed(() => {
    const result = shown.result.value;
    if (!result || result.section === null) return [];
    return report.value?.sectionParts?.(result.section as never, result as never) ?? []; // a report knows its protocol's section
  });
  return <Report parts={parts.value} />;
}

/** What was said, round by round. */
export function Course({ shown }: ViewProps): VNode {
  const report = useReport(shown.protocol);
  const parts = useComputed(() => report.value?.courseParts?.(shown.entries.value) ?? []);
  return (
    <>
      <Section shown={shown} />
      <Report parts={parts.value} />
    </>
  );
}

/** The whole document about the run. */
export const Record = ({ shown }: ViewProps): VNode => <Course shown={shown} />;
