import type { VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { isEvent } from "../../kernel/index.ts";
import type { Result } from "../../views/result.ts";
import { address, hrefTo } from "../address.ts";
import { useShown, useNeededTexts } from "../folds.ts";
import { formatBill, formatCount, formatTime } from "../formats.ts";
import { openingDifferences } from "../opening-differences.ts";
import { Markdown } from "../parts/elements.tsx";
import { Empty, Failure, Loading } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { openRun, type ShownRun } from "../run.ts";
import { t, wordFor } from "../strings.ts";

// COMPARE-1. Two runs are compared by the folds that show each of them.

/** A short answer fits into a cell. */
const SHORT = 200;

/** Two runs beside each other: `/compare?a=ID&b=ID`. */
export function Compare(): VNode {
  const { query } = address.value;
  const [a, b] = [query.get("a") ?? "", query.get("b") ?? ""];
  return (
    <>
      <h1>{t.compare.title}</h1>
      {a === "" || b === "" ? (
        <Empty title={t.compare.choose} next={t.compare.chooseNext} to={["runs"]} />
      ) : (
        <Pair key={`${a} ${b}`} a={a} b={b} />
      )}
    </>
  );
}

function useRun(id: string): ShownRun {
  const { run, leave } = useMemo(() => openRun(id), [id]);
  useEffect(() => leave, [leave]);
  const shown = useShown(run);
  useNeededTexts(shown);
  return shown;
}

function Pair({ a, b }: { readonly a: string; readonly b: string }): VNode {
  const both = [useRun(a), useRun(b)] as const;
  const failed = both.find(({ run }) => run.state.value === "failed")?.run.error.value;
  if (failed) return <Failure error={failed} />;
  const [one, other] = both.map(({ result }) => result.value);
  if (!one || !other) return <Loading />;
  const isSame = one.question.trim() === other.question.trim();
  return (
    <>
      <p class={isSame ? undefined : "warning"} role="note">
        {isSame ? t.compare.sameQuestion : t.compare.otherQuestion}
      </p>
      <p class="quiet">{t.compare.oneEach}</p>
      <Figures results={[one, other]} />
      <h2>{t.compare.answers}</h2>
      <div class="pair">
        <Answer result={one} label={t.compare.first} />
        <Answer result={other} label={t.compare.second} />
      </div>
      <Settings both={both} />
    </>
  );
}

type Two<T> = readonly [T, T];

function Figures({ results }: { readonly results: Two<Result> }): VNode {
  const [one, other] = results;
  const row = (name: string, tell: (result: Result) => VNode | string) => [name, tell(one), tell(other)];
  return (
    <section>
      <h2>{t.compare.figures}</h2>
      <Table
        label={t.compare.figures}
        heads={[t.compare.aspect, t.compare.first, t.compare.second]}
        rows={[
          row(t.compare.question, ({ id, question }) => (
            <a class="run-link" href={hrefTo(["d", id])} dir="auto">
              {question}
            </a>
          )),
          row(t.runsPage.status, ({ status }) => (
            <span class={`state ${status}`}>{wordFor(t.run.status, status)}</span>
          )),
          row(t.run.final, ({ finalAnswer }) =>
            finalAnswer === null ? (
              <span class="quiet">{t.none}</span>
            ) : (
              <strong dir="auto">{finalAnswer}</strong>
            ),
          ),
          row(t.run.baseline, baselineWords),
          row(t.compare.grade, ({ grade }) =>
            grade?.score == null ? t.compare.notGraded : t.run.score(grade.score),
          ),
          row(t.run.callsHead, ({ calls }) => formatCount(calls)),
          row(t.compare.tokens, ({ tokens }) =>
            tokens.in === null || tokens.out === null ? t.unknown : t.tokens(tokens.in + tokens.out),
          ),
          row(t.run.cost, formatBill),
          row(t.run.wall, ({ wallMs }) => (wallMs === null ? t.run.notClosed : formatTime(wallMs))),
          row(t.run.criticalPath, ({ criticalPathMs }) => formatTime(criticalPathMs)),
          row(t.compare.participants, ({ participants }) => (
            <ul class="plain-list">
              {participants.map(({ id, name, model }) => (
                <li key={id} dir="auto">
                  {t.compare.participant({ name, model })}
                </li>
              ))}
            </ul>
          )),
        ]}
      />
    </section>
  );
}

function baselineWords({ control }: Result): string {
  if (!control) return t.none;
  const { kind, answer, agrees } = control;
  const words = answer === null || answer.length > SHORT ? wordFor(t.run.baselineKind, kind) : answer;
  if (agrees === null) return words;
  return agrees ? t.compare.baselineKept(words) : t.compare.baselineChanged(words);
}

const Answer = ({ result, label }: { readonly result: Result; readonly label: string }): VNode => (
  <section class="answer-text" aria-label={label}>
    <h3>{label}</h3>
    {result.answer === null ? (
      <p class="quiet">{t.run.noAnswer}</p>
    ) : (
      <Markdown text={result.answer} level={4} />
    )}
  </section>
);

/** What they were opened with, where that is not the same. */
function Settings({ both }: { readonly both: Two<ShownRun> }): VNode | null {
  const [one, other] = both.map(
    ({ entries }) => entries.value.find((entry) => isEvent(entry, "deliberation-opened"))?.data,
  );
  if (!one || !other) return null;
  const rows = openingDifferences(one, other);
  const cell = (value: string | null) =>
    value === null ? <span class="quiet">{t.compare.notSet}</span> : <span dir="auto">{value}</span>;
  return (
    <section>
      <h2>{t.compare.settings}</h2>
      {rows.length === 0 ? (
        <p>{t.compare.noSettings}</p>
      ) : (
        <Table
          label={t.compare.settings}
          heads={[t.compare.setting, t.compare.first, t.compare.second]}
          rows={rows.map(({ name, a, b }) => [name, cell(a), cell(b)])}
        />
      )}
    </section>
  );
}
