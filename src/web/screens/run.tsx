import { useComputed, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { address, hrefWith } from "../address.ts";
import { useNeededTexts, useShown } from "../folds.ts";
import { Empty, Failure, Loading } from "../parts/states.tsx";
import { openRun, type RunStore, type ShownRun } from "../run.ts";
import { ApiProblem } from "../http.ts";
import { isServed } from "../served.ts";
import { t } from "../strings.ts";
import { AnswerView } from "./run-answer.tsx";
import { EarlierTurns, LaterTurns, useTurns, type Turns } from "./run-conversation.tsx";
import { RunHead } from "./run-head.tsx";
import { Replay } from "./run-replay.tsx";
import type { RunView } from "../feature.ts";
import { VIEWS, viewsOf, viewsSince } from "./run-views.tsx";

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
