import type { VNode } from "preact";
import { callOf, workOf, type Entry } from "../../kernel/index.ts";
import type { Result } from "../../views/result.ts";
import { speakerOf, spending, type Spent } from "../../views/spending.ts";
import { hrefWith } from "../address.ts";
import type { ShownRun } from "../run.ts";
import { useAbove, useWhole, seqsOf } from "../folds.ts";
import { formatBill, formatCount, formatTime } from "../formats.ts";
import { isolatedNamesOf } from "../parts/isolated-names.ts";
import { Empty } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { rostersIn, spendingByWork } from "../../views/spending.ts";
import { t } from "../strings.ts";
import { nameOfStage, nameOfWork } from "./event-rows.ts";
import { criticalPathSeqs } from "../../views/critical-path.ts";

type NameOf = (id: string) => string;
type PartProps = { readonly entries: readonly Entry[]; readonly result: Result; readonly nameOf: NameOf };

/** What the protocol adds, what each part of a run took, and who took part. */
export function Steps({ shown }: { readonly shown: ShownRun }): VNode | null {
  useWhole(
    shown.run,
    seqsOf(shown.entries.value, ({ type }) => type === "roster-fixed"),
  );
  const Above = useAbove("steps", shown);
  const result = shown.result.value;
  if (!result || !Above) return null;
  const part = { entries: shown.entries.value, result, nameOf: isolatedNamesOf(result.participants) };
  return (
    <>
      <Above shown={shown} />
      <Rosters {...part} />
      <Usage {...part} />
      <Time {...part} />
    </>
  );
}

/** Who was in each phase, and who was left out of it and why. */
function Rosters({ entries, nameOf }: PartProps): VNode | null {
  const rosters = rostersIn(entries);
  if (rosters.length === 0) return null;
  return (
    <section>
      <h2>{t.run.rosterTitle}</h2>
      <Table
        label={t.run.rosterTitle}
        heads={[t.run.phase, t.run.tookPart, t.run.leftOut]}
        rows={rosters.map(({ seq, phase, round, isAdmission, present, out }) => {
          const work = nameOfStage(phase);
          const name = isAdmission ? t.run.admission(work) : work;
          return [
            <a href={hrefWith({ at: seq })}>
              {round === null ? name : t.run.phaseRound({ phase: name, round: formatCount(round) })}
            </a>,
            <span dir="auto">{present.map(nameOf).join(", ") || t.run.nobody}</span>,
            out.length === 0 ? (
              <span class="quiet">{t.run.nobody}</span>
            ) : (
              <span dir="auto">
                {out.map(({ id, why }) => t.run.leftOutWhy({ name: nameOf(id), why })).join("; ")}
              </span>
            ),
          ];
        })}
      />
    </section>
  );
}

/** The figures of what was spent, in the order of the heads below; without a column for what no provider spoke of. */
const spentCells = (
  { tokens, ...spent }: Spent,
  { cached, thinking }: Spent["tokens"],
): readonly string[] => [
  formatCount(spent.calls),
  formatCount(tokens.in),
  ...(cached === null ? [] : [formatCount(tokens.cached)]),
  formatCount(tokens.out),
  ...(thinking === null ? [] : [formatCount(tokens.thinking)]),
  formatBill(spent),
];

function Usage({ entries, result: { participants }, nameOf }: PartProps): VNode {
  const { total, participants: rows } = spending(entries);
  if (total.calls + total.unknown === 0)
    return <Empty title={t.run.usageEmpty} next={t.run.usageEmptyNext} />;
  const { tokens } = total;
  const heads = [
    ...[t.run.callsHead, t.run.tokensIn, ...(tokens.cached === null ? [] : [t.run.tokensCached])],
    ...[t.run.tokensOutHead, ...(tokens.thinking === null ? [] : [t.run.tokensThought]), t.run.cost],
  ];
  const modelOf = (id: string) => participants.find((one) => one.id === id)?.model ?? "";
  return (
    <>
      <section>
        <h2>{t.run.usageByParticipant}</h2>
        <Table
          label={t.run.usageByParticipant}
          heads={[t.run.contributor, t.run.model, ...heads]}
          figures={heads.map((_, index) => index + 2)}
          rows={[
            ...rows.map(({ id, spent }) => [
              <span dir="auto">{nameOf(id)}</span>,
              <span class="model">{modelOf(id)}</span>,
              ...spentCells(spent, tokens),
            ]),
            [t.run.total, "", ...spentCells(total, tokens)],
          ]}
        />
      </section>
      <section>
        <h2>{t.run.usageByWork}</h2>
        <Table
          label={t.run.usageByWork}
          heads={[t.run.step, ...heads, t.run.callTime, t.run.wallTime]}
          figures={[...heads, t.run.callTime, t.run.wallTime].map((_, index) => index + 1)}
          rows={spendingByWork(entries).map(({ kind, spent, callMs, wallMs }) => [
            nameOfStage(kind),
            ...spentCells(spent, tokens),
            formatTime(callMs),
            formatTime(wallMs),
          ])}
        />
      </section>
    </>
  );
}

function Time({ entries, result: { wallMs, criticalPathMs }, nameOf }: PartProps): VNode {
  const path = criticalPathSeqs(entries);
  const steps = entries.filter((entry) => path.has(entry.seq) && callOf(entry));
  return (
    <section>
      <h2>{t.run.time}</h2>
      <dl class="facts">
        <div>
          <dt>{t.run.wall}</dt>
          <dd>{wallMs === null ? t.run.notClosed : formatTime(wallMs)}</dd>
        </div>
        <div>
          <dt>{t.run.criticalPath}</dt>
          <dd>{formatTime(criticalPathMs)}</dd>
        </div>
      </dl>
      {steps.length > 0 && (
        <>
          <h3>{t.run.criticalSteps}</h3>
          <ol class="points">
            {steps.map((entry) => (
              <li key={entry.seq}>
                <a href={hrefWith({ at: entry.seq })}>{nameOfWork(workOf(entry)?.kind ?? null)}</a>{" "}
                <span dir="auto">{nameOf(speakerOf(entry))}</span>{" "}
                <span class="quiet">{formatTime(callOf(entry)?.latencyMs ?? 0)}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}
