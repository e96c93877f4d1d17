import { useComputed, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { address, hrefWith, hrefTo } from "../address.ts";
import { useNeededTexts, useShown } from "../folds.ts";
import { Empty, Failure, Loading } from "../parts/states.tsx";
import { openRun, type RunStore, type ShownRun } from "../run.ts";
import { ApiProblem, withQuery } from "../http.ts";
import { isServed } from "../served.ts";
import { t, withMoreWords } from "../strings.ts";
import { AnswerView } from "./run-answer.tsx";
import { RunHead } from "./run-head.tsx";
import { Replay } from "./run-replay.tsx";
import type { RunView } from "../feature.ts";
import type { Listed } from "../../contract/runs.ts";
import { isEvent, timeOf, type Entry } from "../../kernel/index.ts";
import { useApi } from "../loaded.ts";
import { features } from "../../features-web.ts";
import { language } from "../language.ts";

/** A run: while it deliberates, and everything that can be asked of it afterwards. */
export function Run(): VNode {
  const id = address.value.path[1] ?? "";
  const { run, leave } = useMemo(() => openRun(id), [id]);
  useEffect(() => leave, [leave]);
  const error = run.error.value;
  if (run.state.value === "failed" && error)
    return error instanceof ApiProblem && error.status === 404 ? (
      <Empty title={t.run.missing} next={t.shell.notFoundNext} to={["runs"]} isScreen />
    ) : (
      <>
        <h1>{t.run.title}</h1>
        <Failure error={error} />
      </>
    );
  return <OpenRun key={id} run={run} />;
}

function OpenRun({ run }: { readonly run: RunStore }): VNode {
  const shown = useShown(run);
  return <RunArticle shown={shown} turns={useTurns(shown)} />;
}

type ArticleProps = { readonly shown: ShownRun; readonly turns?: Turns };

/** A run, and the other turns of its conversation where they are known. */
export function RunArticle({ shown, turns }: ArticleProps): VNode {
  const { run } = shown;
  useNeededTexts(shown);
  const result = shown.result.value; // read while it loads: each entry is folded when it comes
  const isLoading = run.state.value === "loading" || !shown.isWhole.value;
  if (!result || isLoading)
    return (
      <article class="run">
        <h1 class="question" dir="auto">
          {result?.question ?? t.run.title}
        </h1>
        <Loading />
      </article>
    );
  return (
    <article class="run">
      {isServed && turns && <EarlierTurns turns={turns} />}
      <RunHead shown={shown} result={result} />
      <AnswerView shown={shown} result={result} />
      {isServed && turns && <LaterTurns turns={turns} />}
      <Views shown={shown} />
      <Replay shown={shown} />
    </article>
  );
}

function Views({ shown }: { readonly shown: ShownRun }): VNode {
  const asked = address.value.query.get("view") ?? "";
  const { run, at } = shown;
  const since = useComputed(() => viewsSince(run.version.value >= 0 ? run.entries : []));
  const all = viewsOf(since.value, { at: at.value, asked });
  const open = all.find((name) => name === asked) ?? all[0] ?? "room";
  const view = VIEWS.get(open);
  const loaded = useSignal<{ readonly name: string; readonly view?: RunView; readonly error?: Error }>({
    name: "",
  });
  const turn = useSignal(0);
  useEffect(() => {
    let isCurrent = true;
    view?.load().then(
      (fetched) => {
        if (isCurrent) loaded.value = { name: open, view: fetched };
      },
      // Without the server, or after it has become another version.
      (error: unknown) => {
        if (isCurrent) loaded.value = { name: open, error: error as Error };
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [open, turn.value]);
  const { name, view: Fetched, error } = loaded.value;
  return (
    <>
      <nav class="tabs" aria-label={t.details}>
        {all.map((one) => (
          <a
            key={one}
            href={hrefWith({ view: one === all[0] ? undefined : one })}
            aria-current={one === open ? "page" : undefined}
          >
            {VIEWS.get(one)?.title()}
          </a>
        ))}
      </nav>
      <h2 class="hidden">{view?.title()}</h2>
      <section class="view" aria-label={view?.title()}>
        {Fetched && name === open ? <Fetched shown={shown} /> : null}
        {error && name === open ? <Failure error={error} again={() => (turn.value += 1)} /> : null}
      </section>
    </>
  );
}

type Turn = { readonly id: string; readonly question: string };

/** The other turns of a run's conversation, oldest first. */
export type Turns = { readonly earlier: readonly Turn[]; readonly later: readonly Turn[] };

/** Looks up the turns before and after a run. */
export function useTurns({ run, entries }: ShownRun): Turns {
  const opened = entries.value.find((entry) => isEvent(entry, "deliberation-opened"));
  const path = withQuery("deliberations", { series: opened?.data.series?.id ?? run.id, limit: 200 });
  const page = useApi<Listed>(opened ? path : undefined).loaded.value;
  if (!opened || page.state !== "ready") return { earlier: [], later: [] };
  const others = page.value.data.filter(({ id }) => id !== run.id).toReversed();
  const isEarlier = ({ openedAt }: (typeof others)[number]) => Date.parse(openedAt) < timeOf(opened);
  return { earlier: others.filter(isEarlier), later: others.filter((turn) => !isEarlier(turn)) };
}

type TurnsProps = { readonly turns: Turns };

/** What was asked before, above the question. */
export const EarlierTurns = ({ turns: { earlier } }: TurnsProps): VNode | null =>
  earlier.length === 0 ? null : (
    <nav class="turns" aria-label={t.run.earlierTurns}>
      <p class="quiet">{t.run.earlierTurns}</p>
      <TurnList turns={earlier} />
    </nav>
  );

/** What was asked next, below the answer. */
export const LaterTurns = ({ turns: { later } }: TurnsProps): VNode | null =>
  later.length === 0 ? null : (
    <nav class="turns" aria-label={t.run.laterTurns}>
      <p class="quiet">{t.run.laterTurns}</p>
      <TurnList turns={later} />
    </nav>
  );

const TurnList = ({ turns }: { readonly turns: readonly Turn[] }): VNode => (
  <ol>
    {turns.map(({ id, question }) => (
      <li key={id}>
        <a class="run-link" href={hrefTo(["d", id])} dir="auto">
          {question}
        </a>
      </li>
    ))}
  </ol>
);

/** A way to look at a run, loaded when it is opened. */
type View = { readonly title: () => string; readonly load: () => Promise<RunView> };

const room = async () => (await import("./view-room.tsx")).Room;

const BROUGHT = features.flatMap(({ views = [] }) => views);

/** What a run can be looked at as, in the order of the tabs. */
export const VIEWS: ReadonlyMap<string, View> = new Map<string, View>([
  ["room", { title: () => t.run.views.room, load: room }],
  [
    "reviews",
    { title: () => t.run.views.reviews, load: async () => (await import("./view-reviews.tsx")).Reviews },
  ],
  ...BROUGHT.map(({ path, title, load }): [string, View] => [path, { title: () => title[language], load }]),
  ["steps", { title: () => t.run.views.steps, load: async () => (await import("./view-steps.tsx")).Steps }],
  [
    "record",
    {
      title: () => t.run.views.record,
      load: async () => (await withMoreWords(import("./view-record.tsx"))).Record,
    },
  ],
  [
    "events",
    {
      title: () => t.run.views.events,
      load: async () => (await withMoreWords(import("./view-events.tsx"))).Events,
    },
  ],
  [
    "fork",
    {
      title: () => t.run.views.fork,
      load: isServed ? async () => (await import("./view-fork.tsx")).Fork : room,
    },
  ],
]);

/** From which seq on a run has something to show in each view; of no seq, it has nothing. */
export function viewsSince(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const since = new Map(["room", "steps", "record", "events"].map((name) => [name, 0]));
  for (const entry of entries) {
    const brought = BROUGHT.flatMap((view) => (view.begins(entry) ? view.path : []));
    for (const name of [...viewsBegunBy(entry), ...brought]) if (!since.has(name)) since.set(name, entry.seq);
  }
  return since;
}

/** The views that this entry gives something to show. */
function viewsBegunBy(entry: Entry): readonly string[] {
  if (isEvent(entry, "standing-reached") || isEvent(entry, "review-given")) return ["reviews"];
  // A view of one protocol has its name.
  return isEvent(entry, "deliberation-opened") ? [entry.data.protocol.name] : [];
}

/** The views of which a run has something to show at a seq; running it again is among them while it is asked for. */
export const viewsOf = (
  since: ReadonlyMap<string, number>,
  { at = Number.MAX_SAFE_INTEGER, asked }: { readonly at: number | undefined; readonly asked: string },
): readonly string[] =>
  [...VIEWS.keys()].filter((name) =>
    name === "fork" ? isServed && asked === name : (since.get(name) ?? Infinity) <= at,
  );
