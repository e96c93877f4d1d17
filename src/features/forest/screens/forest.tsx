import type { VNode } from "preact";
import type { Entry } from "../../../kernel/index.ts";
import type { Result } from "../../../views/result.ts";
import type { ForestSection } from "../protocol/view.ts";
import { address, hrefTo } from "../../../web/address.ts";
import { formatAgo, formatCount } from "../../../web/formats.ts";
import { fetchJson, withQuery } from "../../../web/http.ts";
import { useApi } from "../../../web/loaded.ts";
import { Figure } from "../../../web/parts/elements.tsx";
import { lineChart, type ChartLine } from "../../../web/parts/line-chart.ts";
import { Empty, Shown } from "../../../web/parts/states.tsx";
import { Table } from "../../../web/parts/table.tsx";
import type { Listed } from "../../../contract/runs.ts";
import { t, wordFor } from "../../../web/strings.ts";
import {
  countKind,
  cyclesOf,
  forestKey,
  LEAF_KINDS,
  leafLines,
  listForests,
  readCycle,
  slotLines,
  type ForestCycle,
} from "./forest-cycles.ts";
import { Weather } from "./view-forest.tsx";
import { WaitingForms } from "../../../web/screens/waiting.tsx";
import { words } from "../words/index.ts";

const PAGE = 200;
/** Of a long history, the newest cycles are told. */
const MAX_RUNS = 60;

/** All forests, or one of them over its cycles. */
export function Forest(): VNode {
  const [, id] = address.value.path;
  return id === undefined ? <Forests /> : <OneForest key={id} id={id} />;
}

const RUNS = withQuery("deliberations", { protocol: "forest", limit: PAGE });

function Forests(): VNode {
  const runs = useApi<Listed>(RUNS);
  return (
    <>
      <h1>{words.title}</h1>
      <Shown of={runs}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={words.empty} next={words.emptyNext} />
          ) : (
            <ul class="runs forests">
              {listForests(data).map(({ goal, newest, runs: count, waiting }) => (
                <li key={newest.id}>
                  <a class="run-link" href={hrefTo(["forest", newest.id])} dir="auto">
                    {goal}
                  </a>
                  <p class="quiet">
                    {waiting > 0 && <strong class="state waiting">{t.run.status.waiting} · </strong>}
                    {t.runs(count)} · <time dateTime={newest.openedAt}>{formatAgo(newest.openedAt)}</time>
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  );
}

type ForestHistory = {
  readonly goal: string;
  readonly cycles: readonly ForestCycle[];
  /** Runs of this forest that were not looked at. */
  readonly left: number;
};

const openedOf = async (id: string): Promise<readonly Entry[]> =>
  (
    await fetchJson<{ data: Entry[] }>(
      withQuery(`deliberations/${encodeURIComponent(id)}/events`, { only: "1" }),
    )
  ).data;

/** The runs of the forest that a run is of, each folded by the server. */
async function loadForest(id: string): Promise<ForestHistory> {
  const [first, { data: all }] = await Promise.all([openedOf(id), fetchJson<Listed>(RUNS)]);
  const key = forestKey(first);
  const [opened] = first;
  const question = opened?.type === "deliberation-opened" ? opened.data.question : "";
  const { goal } = readCycle(question);
  const same = all.filter((run) => readCycle(run.question).goal === goal);
  const looked = same.slice(0, MAX_RUNS);
  const cycles = await Promise.all(
    looked.map(async (run): Promise<readonly ForestCycle[]> => {
      if (forestKey(await openedOf(run.id)) !== key) return [];
      const { section } = await fetchJson<Result>(`deliberations/${encodeURIComponent(run.id)}`);
      return section === null ? [] : [{ run, section: section as ForestSection }]; // the section of a forest's run
    }),
  );
  return { goal, cycles: cyclesOf(cycles.flat()), left: same.length - looked.length };
}

function OneForest({ id }: { readonly id: string }): VNode {
  const forest = useApi(id, loadForest);
  return (
    <>
      <p class="kicker">
        <a href={hrefTo(["forest"])}>{words.title}</a>
      </p>
      <Shown of={forest} title={words.title}>
        {(history) => <History history={history} />}
      </Shown>
    </>
  );
}

function History({ history: { goal, cycles, left } }: { readonly history: ForestHistory }): VNode {
  const newest = cycles.at(-1);
  if (!newest) return <Empty title={words.noCycle} next={words.emptyNext} isScreen />;
  // That of a cycle that waits for a person is hidden with all else that it found.
  const sky = cycles.findLast(({ section }) => section.weather.length > 0) ?? newest;
  const waiting = cycles.filter(({ run }) => run.status === "waiting");
  const fruits = cycles.reduce((sum, { section }) => sum + section.fruits, 0);
  const tested = cycles.reduce((sum, { section }) => sum + section.tested, 0);
  return (
    <>
      <h1 dir="auto">{goal}</h1>
      <p class="quiet">
        {newest.section.domain} · {words.cycles(cycles.length)} ·{" "}
        {words.fruitsOf({ fruits: formatCount(fruits), tested: formatCount(tested) })}
      </p>
      {left > 0 && <p class="notice">{words.left(formatCount(left))}</p>}
      {waiting.map(({ run }) => (
        <section key={run.id} aria-label={words.handoffs}>
          <h2>{words.handoffs}</h2>
          <p class="quiet">
            {words.handoffsNext} {words.veiled}
          </p>
          <WaitingForms id={run.id} />
        </section>
      ))}
      <CycleCharts cycles={cycles} />
      <CycleTable cycles={cycles} />
      <Weather
        section={sky.section}
        note={sky === newest ? undefined : words.weatherOf(formatCount(sky.section.cycle))}
      />
    </>
  );
}

/** Fruits and leaves over the cycles, and the slots of the trees. */
function CycleCharts({ cycles }: { readonly cycles: readonly ForestCycle[] }): VNode {
  if (cycles.length < 2) return <p class="quiet">{words.oneCycle}</p>;
  const labels = cycles.map(({ section }) => formatCount(section.cycle));
  const chart = (heading: string, lines: readonly ChartLine[]) => (
    <section>
      <h2>{heading}</h2>
      <Figure tree={lineChart({ title: heading, labels, lines })} />
    </section>
  );
  return (
    <div class="charts">
      {chart(
        words.leavesChart,
        leafLines(cycles, (kind) => words.kinds[kind]),
      )}
      {chart(words.slotsChart, slotLines(cycles))}
    </div>
  );
}

/** A row a cycle: the figures of the charts, and where each cycle stands. */
function CycleTable({ cycles }: { readonly cycles: readonly ForestCycle[] }): VNode {
  const slots = slotLines(cycles);
  return (
    <section>
      <h2>{words.cyclesHead}</h2>
      <Table
        label={words.cyclesHead}
        heads={[
          words.cycle,
          t.workers.state,
          words.tested,
          ...LEAF_KINDS.map((kind) => words.kinds[kind]),
          ...slots.map(({ name }) => words.slotsOf(name)),
        ]}
        figures={[2, ...LEAF_KINDS.map((_, index) => index + 3), ...slots.map((_, index) => index + 8)]}
        rows={cycles.map(({ run, section }, index) => [
          <a key="cycle" href={hrefTo(["d", run.id], { view: "forest" })}>
            {formatCount(section.cycle)}
          </a>,
          wordFor(t.run.status, run.status),
          ...[section.tested, ...LEAF_KINDS.map((kind) => countKind(section, kind))].map((count) =>
            run.status === "waiting" ? t.unknown : formatCount(count),
          ),
          ...slots.map(({ values }) => {
            const value = values[index] ?? null;
            return value === null ? t.unknown : formatCount(value);
          }),
        ])}
      />
    </section>
  );
}
