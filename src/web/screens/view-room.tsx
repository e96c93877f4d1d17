import { useComputed, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { parseJson } from "../../kernel/canonical.ts";
import { groupBy } from "../../stats/numbers.ts";
import { oneLine } from "../../reports/printable.ts";
import { formatOptions } from "../../reports/words.ts";
import { progressView, type ProgressRow, type StepView } from "../../views/progress.ts";
import type { Result } from "../../views/result.ts";
import { foldReader, useAbove } from "../folds.ts";
import { formatTime } from "../formats.ts";
import { Markdown } from "../parts/elements.tsx";
import { Folded } from "../parts/folded.tsx";
import type { LiveStep, RunStore, ShownRun } from "../run.ts";
import { formatCount } from "../formats.ts";
import { t } from "../strings.ts";
import { nameOfSeat, nameOfStage, nameOfWork } from "./event-rows.ts";

// ROOM-1. A column appends what comes to one text node, and only while it can be seen: the rest waits until it is.
// ROOM-2. So many columns as fit on a screen are made at once, and the others after them, a block a picture: no task is long.

/** So many columns are made at once. */
const BLOCK = 16;

/** Of a run's stages, so many of the newest are told; the events tell all. */
const MAX_STAGES = 12;

/** Of a column's steps, so many of the newest are shown at first, and so many more at a time. */
const MORE_STEPS = 4;

/** The seat of the second of two respondents, whose answer nobody sees unasked. */
const SECOND = "respondent-b";

type RoomProps = { readonly shown: ShownRun };

const progressFold = () => {
  const { event: take, read } = progressView();
  return { take, read };
};

/** The participants beside each other, each with what it has written and writes now. */
export function Room({ shown }: RoomProps): VNode {
  const { run, entries, at } = shown;
  const read = useMemo(() => foldReader(run, progressFold), [run]);
  const progress = useComputed(() => read(entries.value.length));
  const running = useComputed(() => {
    const _changes = run.liveVersion.value;
    return at.value === undefined ? [...run.live] : [];
  });
  // The same elements while nothing changes: those that come in later blocks draw none of the others anew.
  const columns = useComputed(() => {
    const { rows } = progress.value;
    const ids = new Set(rows.map(({ id }) => id));
    const written = groupBy(running.value, ([, { by = "" }]) => (ids.has(by) ? by : ""));
    const asked = new Map(shown.result.value?.participants.map((one) => [one.id, askedWords(one)]));
    const column = (row: ProgressRow) => (
      <Column key={row.id} row={row} run={run} live={written.get(row.id) ?? []} asked={asked.get(row.id)} />
    );
    const stray = { id: "", name: t.unknown, seat: "", model: "", steps: [] };
    const [second = [], first = []] = [true, false].map((isSecond) =>
      [...rows, ...(written.has("") ? [stray] : [])]
        .filter(({ seat }) => (seat === SECOND) === isSecond)
        .map(column),
    );
    return { first, second };
  });
  const underWay = useComputed(() => groupBy(running.value, ([step, { kind }]) => kind ?? step));
  const { phases } = progress.value;
  const made = useGrowing(columns.value.first.length);
  const Above = useAbove("room", shown);
  if (!Above) return <div role="status" />;
  return (
    <>
      <div role="status">
        <ol class="stages" aria-label={t.run.views.room}>
          {phases.length > MAX_STAGES && <li>{t.run.earlierStages(phases.length - MAX_STAGES)}</li>}
          {phases.slice(-MAX_STAGES).map(({ phase, in: present, out }, index) => (
            <li key={index}>
              {out === 0
                ? t.run.stage({ name: nameOfStage(phase), n: present })
                : t.run.stageLess({ name: nameOfStage(phase), n: present, out: formatCount(out) })}
            </li>
          ))}
          {[...underWay.value].map(([kind, all]) => (
            <li key={kind}>{t.run.stageNow({ name: nameOfStage(kind), n: all.length })}</li>
          ))}
        </ol>
      </div>
      <Above shown={shown} />
      <div class="columns">{columns.value.first.slice(0, made)}</div>
      {columns.value.second.length > 0 && (
        <Folded heading={t.run.secondAnswer}>
          {() => <div class="columns">{columns.value.second}</div>}
        </Folded>
      )}
    </>
  );
}

/** A count that grows to `most` by a block a picture. */
function useGrowing(most: number): number {
  const made = useSignal(BLOCK);
  const isDone = made.value >= most;
  useEffect(() => {
    if (isDone) return;
    const request = requestAnimationFrame(() => (made.value += BLOCK));
    return () => cancelAnimationFrame(request);
  }, [isDone, made.value]);
  return made.value;
}

type ColumnProps = {
  readonly row: ProgressRow;
  readonly run: RunStore;
  readonly live: readonly (readonly [string, LiveStep])[];
  /** What its model is asked with, and without. */
  readonly asked: string | undefined;
};

const askedWords = ({ options, without }: Result["participants"][number]): string =>
  (options ? ` · ${t.run.askedWith(oneLine(formatOptions(options)))}` : "") +
  (without.length > 0 ? ` · ${t.run.askedWithout(without.join(", "))}` : "");

function Column({ row, run, live, asked }: ColumnProps): VNode {
  const { name, seat, model, steps } = row;
  const shown = useSignal(MORE_STEPS);
  const last = steps.at(-1);
  const state =
    live.length > 0
      ? live.some(([, { text }]) => text !== "")
        ? "writing"
        : "calling"
      : (last?.state ?? "idle");
  const waiting = state === "calling" ? live.find(([, { doing }]) => doing)?.[1].doing : undefined;
  return (
    <section class={`column ${state}`} aria-label={t.run.column(name)}>
      <header>
        <h3 dir="auto">{name}</h3>
        <p class="quiet">
          {nameOfSeat(seat)} · <span class="model">{model}</span>
          {asked}
        </p>
        {waiting ? <DoingText doing={waiting} /> : <p class={`column-state ${state}`}>{t.run[state]}</p>}
      </header>
      {live.map(([step, { kind }]) => (
        <LiveText key={step} run={run} step={step} label={nameOfWork(kind ?? step)} />
      ))}
      {steps
        .slice(-shown.value)
        .reverse()
        .map((step) => (
          <StepText key={step.step} step={step} open={live.length === 0 && step === last} />
        ))}
      {steps.length > shown.value && (
        <button type="button" onClick={() => (shown.value += MORE_STEPS)}>
          {t.run.earlierSteps(steps.length - shown.value)}
        </button>
      )}
    </section>
  );
}

type ShownDoing = NonNullable<LiveStep["doing"]>;

/** What a step does before it writes, told anew every second. */
function DoingText({ doing }: { readonly doing: ShownDoing }): VNode {
  const now = useSignal(performance.now());
  useEffect(() => {
    const timer = setInterval(() => (now.value = performance.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  // A new state may be younger than the last tick.
  return <p class="column-state calling">{doingWords(doing, Math.max(0, now.value - doing.atMs))}</p>;
}

function doingWords({ doing, forMs, sentMs, expectedMs, again }: ShownDoing, passedMs: number): string {
  const seconds = (ms: number) => formatCount(Math.max(0, Math.round(ms / 1_000)));
  const since = seconds(sentMs + passedMs);
  if (again) {
    const { code, inMs, attempt, of } = again;
    const reason = code === "rate-limited" ? t.run.doing.rateLimited : t.run.doing.failed(code);
    const numbers = { attempt: formatCount(attempt), of: formatCount(of) };
    return t.run.doing.again({ reason, seconds: seconds(inMs - passedMs), ...numbers });
  }
  if (doing === "place") return t.run.doing.place(seconds(forMs + passedMs));
  if (doing === "loading") return t.run.doing.loading(since);
  const words = doing === "thinking" ? t.run.doing.thinking : t.run.doing.asked;
  if (expectedMs === null) return words(seconds((doing === "thinking" ? forMs : sentMs) + passedMs));
  return t.run.doing.ofAbout({ words: words(since), seconds: seconds(expectedMs) });
}

function StepText({ step, open }: { readonly step: StepView; readonly open: boolean }): VNode {
  const { work, text, thinking, why, tokensOut, tokensThought, latencyMs } = step;
  const facts = [
    tokensOut === null ? "" : t.tokens(tokensOut),
    tokensThought === null || tokensThought === 0 ? "" : t.run.ofThemThinking(tokensThought),
    latencyMs === null ? "" : formatTime(latencyMs),
  ];
  return (
    <Folded heading={nameOfWork(work)} facts={facts.filter(Boolean).join(" · ")} isOpen={open}>
      {() => (
        <>
          {why !== null && <p class="warning">{why}</p>}
          {thinking !== null && (
            <Folded heading={t.run.thinking} isOpen={false}>
              {() => <Markdown text={thinking} level={4} scrolls />}
            </Folded>
          )}
          <Reply text={text} />
        </>
      )}
    </Folded>
  );
}

/** What a model replied: read as Markdown, or as the JSON that it was asked for. */
function Reply({ text }: { readonly text: string }): VNode {
  const json = useMemo(() => indentJson(text), [text]);
  if (json === undefined) return <Markdown text={text} level={4} scrolls />;
  return (
    <pre class="text" tabIndex={0} dir="auto">
      {json}
    </pre>
  );
}

/** Deeper JSON is shown as it came: each level indents all that it holds. */
const MAX_DEPTH = 16;

/** JSON with a line for each of its values; undefined for what is no JSON, or too deep. */
function indentJson(text: string): string | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  let [depth, deepest] = [0, 0];
  for (const [bracket] of text.matchAll(/[{}[\]]/g)) {
    depth += bracket === "{" || bracket === "[" ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  if (deepest > MAX_DEPTH) return undefined;
  // Of what is no JSON, there is no text.
  return JSON.stringify(parseJson(text), null, 2);
}

/** The text of a running step. Its letters never pass through a component: only through its one text node. */
function LiveText({
  run,
  step,
  label,
}: {
  readonly run: RunStore;
  readonly step: string;
  readonly label: string;
}): VNode {
  const place = useRef<HTMLPreElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const node = document.createTextNode(run.live.get(step)?.text ?? "");
    element.replaceChildren(node);
    let isSeen = true;
    let isBehind = false;
    const showEnd = () => {
      element.scrollTop = element.scrollHeight;
    };
    const unlisten = run.listen(step, ({ text }, added) => {
      if (!isSeen) {
        isBehind = true;
        return;
      }
      if (added === undefined || isBehind) node.data = text;
      else node.appendData(added);
      isBehind = false;
      pinnedColumns.add(showEnd);
      schedulePins();
    });
    const unwatch = watchSight(element, (isInSight) => {
      isSeen = isInSight;
      if (!isSeen || !isBehind) return;
      node.data = run.live.get(step)?.text ?? node.data;
      isBehind = false;
    });
    return () => {
      unlisten();
      unwatch();
      pinnedColumns.delete(showEnd);
    };
  }, [run, step]);
  return (
    <div class="live">
      <p class="quiet">{label}</p>
      <pre ref={place} role="group" dir="auto" tabIndex={0} aria-label={label} />
    </div>
  );
}

/** By element, who is told whether it is in sight; one observer for all. */
const sightListeners = new WeakMap<Element, (isInSight: boolean) => void>();
let watcher: IntersectionObserver | undefined;
function watchSight(element: Element, tell: (isInSight: boolean) => void): () => void {
  watcher ??= new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) sightListeners.get(target)?.(isIntersecting);
  });
  sightListeners.set(element, tell);
  watcher.observe(element);
  return () => watcher?.unobserve(element);
}

/** Columns whose end has to be shown, once a picture for all of them. */
const pinnedColumns = new Set<() => void>();
let isDue = false;
function schedulePins(): void {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    for (const show of pinnedColumns) show();
    pinnedColumns.clear();
  });
}
