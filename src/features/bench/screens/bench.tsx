import type { VNode } from "preact";
import type { Bench as BenchReply, ListedBench, BenchArmResult, BenchRow } from "../contract.ts";
import { MIN_BENCH_TASKS, CHANGES, rowsOf, verdictOf } from "../protocol/report-words.ts";
import { address, hrefTo, hrefWith } from "../../../web/address.ts";
import { formatAgo, formatCount, formatMoney } from "../../../web/formats.ts";
import { withQuery } from "../../../web/http.ts";
import { useApi, usePages } from "../../../web/loaded.ts";
import { Empty, Failure, Loading, More, Shown } from "../../../web/parts/states.tsx";
import { t, wordFor } from "../../../web/strings.ts";
import { words } from "../words/index.ts";
import { ArmFigures, Flips, JudgedArms, Pairs } from "./arms.tsx";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { AddressChoice } from "../../../web/parts/filter.tsx";
import { Table } from "../../../web/parts/table.tsx";

const PAGE = 50;

/** All benches on record, or one of them. */
export function Bench(): VNode {
  const [, id] = address.value.path;
  return id === undefined ? <Benches /> : <OneBench key={id} id={id} />;
}

function Benches(): VNode {
  const pages = usePages<ListedBench>((after) => withQuery("benches", { limit: PAGE, after }));
  const { rows, failed, hasMore, more } = pages;
  return (
    <>
      <h1>{words.title}</h1>
      {failed.value && <Failure error={failed.value} again={more} />}
      {rows.value === undefined ? (
        failed.value === undefined && <Loading />
      ) : rows.value.length === 0 && !hasMore.value ? (
        <Empty title={words.empty} next={words.emptyNext} />
      ) : (
        <ul class="runs benches">
          {rows.value.map((one) => (
            <ListedRow key={one.id} bench={one} />
          ))}
        </ul>
      )}
      <More pages={pages} />
    </>
  );
}

function ListedRow({
  bench: { id, file, arms, tasks, finished, total, simulated, openedAt },
}: {
  readonly bench: ListedBench;
}): VNode {
  const facts = [
    words.tasks(tasks),
    arms.join(", "),
    words.finished({ done: formatCount(finished), all: formatCount(total) }),
    ...(simulated ? [words.simulated] : []),
  ];
  return (
    <li>
      <a class="run-link" href={hrefTo(["bench", id])} dir="auto">
        {file}
      </a>
      <p class="quiet">
        {facts.join(" · ")} · <time dateTime={openedAt}>{formatAgo(openedAt)}</time>
      </p>
    </li>
  );
}

function OneBench({ id }: { readonly id: string }): VNode {
  const bench = useApi<BenchReply>(withQuery(`benches/${encodeURIComponent(id)}`, { texts: "head" }));
  return (
    <>
      <p class="kicker">
        <a href={hrefTo(["bench"])}>{words.title}</a>
      </p>
      <Shown of={bench}>{(reply) => <Report reply={reply} />}</Shown>
    </>
  );
}

function Report({ reply: { openedAt, report } }: { readonly reply: BenchReply }): VNode {
  const { tasks, seed, spent, arms, pairs, judged, rows } = report;
  const scored = tasks.count - tasks.open;
  const facts = [
    words.tasks(tasks.count),
    seed === null ? words.noSeed : words.seed(seed),
    t.calls(spent.calls),
    formatMoney(spent.usd),
  ];
  return (
    <>
      <h1 dir="auto">{tasks.file}</h1>
      <p class="quiet">
        {facts.join(" · ")} · <time dateTime={openedAt}>{formatAgo(openedAt)}</time>
      </p>
      <Notes report={report} />
      <ArmFigures arms={arms} isScored={scored > 0} />
      <ArmRuns arms={arms} rows={rows} />
      {scored > 0 && <Flips arms={arms} />}
      {scored > 0 && <Pairs pairs={pairs} isTooFew={scored < MIN_BENCH_TASKS} />}
      {judged && <JudgedArms judged={judged} />}
    </>
  );
}

/** What must be known before the figures. */
function Notes({ report: { simulated, tasks, arms } }: Pick<BenchReply, "report">): VNode {
  const all = arms.length * tasks.count;
  const open = arms.reduce((sum, { unfinished }) => sum + unfinished, 0);
  const failed = arms.reduce((sum, one) => sum + one.failed, 0);
  const scored = tasks.count - tasks.open;
  return (
    <>
      {simulated && <p class="notice">{words.simulatedNote}</p>}
      {open > 0 && (
        <p class="notice warn">{words.openNote({ done: formatCount(all - open), all: formatCount(all) })}</p>
      )}
      {failed > 0 && <p class="notice warn">{words.failedNote(failed)}</p>}
      {scored > 0 && scored < MIN_BENCH_TASKS && (
        <p class="notice warn">{words.tooFewTasks(formatCount(MIN_BENCH_TASKS))}</p>
      )}
    </>
  );
}

const MAX_RUNS = 100;

type ArmRunsProps = { readonly arms: readonly BenchArmResult[]; readonly rows: readonly BenchRow[] };

/** The runs of the arm that the address names, each a link; none without one. */
export function ArmRuns({ arms, rows }: ArmRunsProps): VNode | null {
  const { query } = address.value;
  const arm = arms.find(({ name }) => name === query.get("arm"))?.name;
  const change = CHANGES.find((one) => one === query.get("change"));
  const shown = useSignal(MAX_RUNS);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    shown.value = MAX_RUNS;
    // Whoever chose a point, a row or a number is led to what it shows.
    heading.current?.focus();
    heading.current?.scrollIntoView();
  }, [arm, change]);
  if (arm === undefined) return null;
  const own = rowsOf(rows, arm, change);
  return (
    <section>
      <h2 ref={heading} tabIndex={-1}>
        {words.rows(arm)}
      </h2>
      <div class="filters">
        <AddressChoice
          name="change"
          label={words.change}
          none={words.everyRow}
          options={CHANGES.map((one) => [one, words.changes[one]])}
        />
        <a href={hrefWith({ arm: undefined, change: undefined })}>{words.closeRows}</a>
      </div>
      {own.length === 0 ? <p>{words.noRows}</p> : <RunTable arm={arm} rows={own.slice(0, shown.value)} />}
      {own.length > shown.value && (
        <button type="button" onClick={() => (shown.value += MAX_RUNS)}>
          {t.more}
        </button>
      )}
    </section>
  );
}

const Answer = ({ of }: { readonly of: Pick<BenchRow, "answer" | "right"> }): VNode => (
  <>
    {of.answer !== null && <span dir="auto">{of.answer} </span>}
    <span class="quiet">{words.results[verdictOf(of)]}</span>
  </>
);

const RunTable = ({ arm, rows }: { readonly arm: string; readonly rows: readonly BenchRow[] }): VNode => (
  <Table
    label={words.rows(arm)}
    heads={[...[words.task, words.result, words.draftsElect, words.outcome, t.run.callsHead, t.run.cost]]}
    figures={[4, 5]}
    rows={rows.map((row) => [
      <a href={hrefTo(["d", row.deliberations.at(-1) ?? ""])} dir="auto">
        {row.task}
      </a>,
      row.finished ? <Answer of={row} /> : "",
      row.control ? <Answer of={row.control} /> : "",
      wordFor(t.run.status, row.outcome),
      formatCount(row.calls),
      formatMoney(row.usd),
    ])}
  />
);
