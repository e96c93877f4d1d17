import type { VNode } from "preact";
import type { Bench as BenchReply, ListedBench } from "../../contract/bench.ts";
import { MIN_BENCH_TASKS } from "../../reports/bench-words.ts";
import { address, hrefTo } from "../address.ts";
import { formatAgo, formatCount, formatMoney } from "../formats.ts";
import { withQuery } from "../http.ts";
import { useApi, usePages } from "../loaded.ts";
import { Empty, Failure, Loading, More, Shown } from "../parts/states.tsx";
import { t } from "../strings.ts";
import { ArmFigures } from "./bench-arms.tsx";
import { ArmRuns } from "./bench-runs.tsx";
import { Flips, JudgedArms, Pairs } from "./bench-tests.tsx";

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
      <h1>{t.nav.bench}</h1>
      {failed.value && <Failure error={failed.value} again={more} />}
      {rows.value === undefined ? (
        failed.value === undefined && <Loading />
      ) : rows.value.length === 0 && !hasMore.value ? (
        <Empty title={t.bench.empty} next={t.bench.emptyNext} />
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
    t.bench.tasks(tasks),
    arms.join(", "),
    t.bench.finished(formatCount(finished), formatCount(total)),
    ...(simulated ? [t.bench.simulated] : []),
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
        <a href={hrefTo(["bench"])}>{t.nav.bench}</a>
      </p>
      <Shown of={bench}>{(reply) => <Report reply={reply} />}</Shown>
    </>
  );
}

function Report({ reply: { openedAt, report } }: { readonly reply: BenchReply }): VNode {
  const { tasks, seed, spent, arms, pairs, judged, rows } = report;
  const scored = tasks.count - tasks.open;
  const facts = [
    t.bench.tasks(tasks.count),
    seed === null ? t.bench.noSeed : t.bench.seed(seed),
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
      {simulated && <p class="notice">{t.bench.simulatedNote}</p>}
      {open > 0 && <p class="notice warn">{t.bench.openNote(formatCount(all - open), formatCount(all))}</p>}
      {failed > 0 && <p class="notice warn">{t.bench.failedNote(failed)}</p>}
      {scored > 0 && scored < MIN_BENCH_TASKS && (
        <p class="notice warn">{t.bench.tooFewTasks(formatCount(MIN_BENCH_TASKS))}</p>
      )}
    </>
  );
}
