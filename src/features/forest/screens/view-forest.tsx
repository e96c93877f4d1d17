import type { VNode } from "preact";
import type { ForestSection } from "../protocol/view.ts";
import { hrefTo } from "../../../web/address.ts";
import type { ShownRun } from "../../../web/run.ts";
import { useWhole } from "../../../web/folds.ts";
import { formatCount, formatSetting } from "../../../web/formats.ts";
import { Points } from "../../../web/parts/elements.tsx";
import { Empty } from "../../../web/parts/states.tsx";
import { Table } from "../../../web/parts/table.tsx";
import { isServed } from "../../../web/served.ts";
import { amendmentsIn, gatesIn, shownSeqs, type LeafName } from "./forest-cycles.ts";
import { t } from "../../../web/strings.ts";
import { words } from "../words/index.ts";

/** A cycle of a forest: its weather, and what became of every candidate at every gate. */
export function Cycle({ shown }: { readonly shown: ShownRun }): VNode {
  const entries = shown.entries.value;
  useWhole(shown.run, shownSeqs(entries));
  const section = shown.result.value?.section as ForestSection | null | undefined; // the section of a run of this protocol
  if (!section) return <Empty title={words.noCycle} next={words.noCycleNext} />;
  const { summary, fruits, tested, cycle } = section;
  return (
    <>
      <p dir="auto">{summary ?? words.soFar({ fruits: formatCount(fruits), tested: formatCount(tested) })}</p>
      {isServed && (
        <p>
          <a href={hrefTo(["forest", shown.run.id])}>{words.all(formatCount(cycle))}</a>
        </p>
      )}
      <Weather section={section} />
      <Candidates section={section} />
      <Amendments entries={entries} />
    </>
  );
}

export const leafName = (kind: LeafName | null): string =>
  kind === null ? words.notClassified : words.kinds[kind];

/** How much attention each tree gets, and why. */
export function Weather({
  section: { weather },
  note,
}: {
  readonly section: ForestSection;
  /** Which cycle it is of, where that is not the one that is shown. */
  readonly note?: string | undefined;
}): VNode {
  return (
    <section>
      <h2>{words.weather}</h2>
      {note !== undefined && <p class="quiet">{note}</p>}
      {weather.length === 0 ? (
        <p class="quiet">{words.noWeather}</p>
      ) : (
        <Table
          label={words.weather}
          heads={[words.tree, words.weather, words.slots, t.runsPage.status, words.why]}
          figures={[2]}
          rows={weather.map(({ tree, weather: name, slots, status, reason }) => [
            <span key="tree" dir="auto">
              {tree}
            </span>,
            name,
            formatCount(slots),
            status,
            reason,
          ])}
        />
      )}
    </section>
  );
}

const outcomeOf = (passed: boolean | null | undefined): string =>
  passed === undefined ? "" : passed === null ? words.notJudged : passed ? words.passed : words.failed;

/** The outcome of every gate for every candidate; below it, what the gates and the skeptic say. */
function Candidates({ section }: { readonly section: ForestSection }): VNode {
  const { candidates } = section;
  const gates = gatesIn(section);
  return (
    <section>
      <h2>{words.candidates}</h2>
      {candidates.length === 0 ? (
        <p class="quiet">{words.noCandidates}</p>
      ) : (
        <>
          <Table
            label={words.candidates}
            heads={[words.candidate, words.tree, words.kind, ...gates, words.why]}
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
          <p class="quiet">{words.risks}</p>
          <Points texts={risks} />
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
      <h2>{words.amendments}</h2>
      <p class="quiet">{words.amendmentsNext}</p>
      <Table
        label={words.amendments}
        heads={[words.gate, words.threshold, words.value, words.why]}
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
