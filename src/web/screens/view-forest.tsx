import type { VNode } from "preact";
import type { ForestSection } from "../../protocols/forest/view.ts";
import { hrefTo } from "../address.ts";
import { useWhole, type ShownRun } from "../folds.ts";
import { formatCount, formatSetting } from "../formats.ts";
import { Empty } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { isServed } from "../served.ts";
import { t } from "../strings.ts";
import { amendmentsIn, gatesIn, shownSeqs, type LeafName } from "./forest-cycles.ts";
import { Weather } from "./forest-weather.tsx";

/** A cycle of a forest: its weather, and what became of every candidate at every gate. */
export function Cycle({ shown }: { readonly shown: ShownRun }): VNode {
  const entries = shown.entries.value;
  useWhole(shown.run, shownSeqs(entries));
  const section = shown.result.value?.section as ForestSection | null | undefined; // the section of a run of this protocol
  if (!section) return <Empty title={t.forest.noCycle} next={t.forest.noCycleNext} />;
  const { summary, fruits, tested, cycle } = section;
  return (
    <>
      <p dir="auto">{summary ?? t.forest.soFar(formatCount(fruits), formatCount(tested))}</p>
      {isServed && (
        <p>
          <a href={hrefTo(["forest", shown.run.id])}>{t.forest.all(formatCount(cycle))}</a>
        </p>
      )}
      <Weather section={section} />
      <Candidates section={section} />
      <Amendments entries={entries} />
    </>
  );
}

export const leafName = (kind: LeafName | null): string =>
  kind === null ? t.forest.notClassified : t.forest.kinds[kind];

const outcomeOf = (passed: boolean | null | undefined): string =>
  passed === undefined
    ? ""
    : passed === null
      ? t.forest.notJudged
      : passed
        ? t.forest.passed
        : t.forest.failed;

/** The outcome of every gate for every candidate; below it, what the gates and the skeptic say. */
function Candidates({ section }: { readonly section: ForestSection }): VNode {
  const { candidates } = section;
  const gates = gatesIn(section);
  return (
    <section>
      <h2>{t.forest.candidates}</h2>
      {candidates.length === 0 ? (
        <p class="quiet">{t.forest.noCandidates}</p>
      ) : (
        <>
          <Table
            label={t.forest.candidates}
            heads={[t.forest.candidate, t.forest.tree, t.forest.kind, ...gates, t.forest.why]}
            rows={candidates.map(({ formula, tree, classification, gates: own, reason }) => [
              <code key="formula">{formula}</code>,
              tree,
              leafName(classification),
              ...gates.map((gate) => {
                const passed = own.find((one) => one.gate === gate)?.passed;
                return (
                  <span key={gate} class={passed === false ? "gate-failed" : undefined}>
                    {outcomeOf(passed)}
                  </span>
                );
              }),
              reason,
            ])}
          />
          {candidates.map((one) => (
            <CandidateDetails key={`${one.tree} ${one.seed}`} candidate={one} />
          ))}
        </>
      )}
    </section>
  );
}

function CandidateDetails({
  candidate: { formula, gates, risks, classification },
}: {
  readonly candidate: ForestSection["candidates"][number];
}): VNode {
  return (
    <details class="step">
      <summary>
        <code>{formula}</code> <span class="quiet">{leafName(classification)}</span>
      </summary>
      <dl class="facts">
        {gates.map(({ gate, passed, detail }) => (
          <div key={gate}>
            <dt>
              {gate}: {outcomeOf(passed)}
            </dt>
            <dd dir="auto">{detail}</dd>
          </div>
        ))}
      </dl>
      {risks.length > 0 && (
        <>
          <p class="quiet">{t.forest.risks}</p>
          <ul class="points">
            {risks.map((risk, index) => (
              <li key={index} dir="auto">
                {risk}
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  );
}

/** Changes of gates that the skeptic proposes; the forest's file has what was decided. */
function Amendments({ entries }: { readonly entries: Parameters<typeof amendmentsIn>[0] }): VNode | null {
  const proposed = amendmentsIn(entries);
  if (proposed.length === 0) return null;
  return (
    <section>
      <h2>{t.forest.amendments}</h2>
      <p class="quiet">{t.forest.amendmentsNext}</p>
      <Table
        label={t.forest.amendments}
        heads={[t.forest.gate, t.forest.threshold, t.forest.value, t.forest.why]}
        figures={[2]}
        rows={proposed.map(({ gate, threshold, value, why }) => [
          gate,
          threshold,
          formatSetting(value),
          <span key="why" dir="auto">
            {why}
          </span>,
        ])}
      />
    </section>
  );
}
