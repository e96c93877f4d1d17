import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { hrefTo } from "../address.ts";
import { ApiProblem } from "../http.ts";
import type { Fetched, Pages } from "../loaded.ts";
import { t } from "../strings.ts";

/** What failed, with what to do about it. */
export const Failure = ({
  error,
  again,
}: {
  readonly error: Error;
  readonly again?: (() => void) | undefined;
}): VNode => (
  <div class="notice bad" role="alert">
    <p>
      <strong>{t.shell.failed}</strong> {error.message}
    </p>
    {error instanceof ApiProblem && error.next !== undefined && <p>{t.tryThis(error.next)}</p>}
    {again && (
      <button type="button" onClick={again}>
        {t.retry}
      </button>
    )}
  </div>
);

/** An empty screen says what would fill it. `isScreen`: nothing else stands on the screen, so that the title is its heading. */
export const Empty = ({
  title,
  next,
  to,
  isScreen = false,
}: {
  readonly title: string;
  readonly next: string;
  readonly to?: readonly string[];
  readonly isScreen?: boolean;
}): VNode => (
  <div class="empty">
    {isScreen ? <h1 class="empty-title">{title}</h1> : <p class="empty-title">{title}</p>}
    <p>{to ? <a href={hrefTo(to)}>{next}</a> : next}</p>
  </div>
);

export const Loading = (): VNode => (
  <p class="quiet" role="status">
    {t.loading}
  </p>
);

/** Asks for the next page of a list that has one. */
export const More = ({
  pages: { hasMore, more },
}: {
  readonly pages: Pick<Pages<unknown>, "hasMore" | "more">;
}): VNode | null =>
  hasMore.value ? (
    <button type="button" onClick={more}>
      {t.more}
    </button>
  ) : null;

type LoadedProps<T> = {
  /** Heads the screen until what is loaded has a heading of its own. */
  readonly title?: string;
  readonly of: { readonly loaded: ReadonlySignal<Fetched<T>>; readonly again?: () => void };
  readonly children: (value: T) => ComponentChildren;
};

/** Shows what was fetched; until then that it is loading, or why it could not be. */
export function Shown<T>({ title, of: { loaded, again }, children }: LoadedProps<T>): VNode {
  const now = loaded.value;
  if (now.state === "ready") return <>{children(now.value)}</>;
  return (
    <>
      {title !== undefined && <h1>{title}</h1>}
      {now.state === "failed" ? <Failure error={now.error} again={again} /> : <Loading />}
    </>
  );
}

/** Why a change was not made, and what to do. What is shown beside it stays as it is. */
export function Refusal({ error }: { readonly error: Error }): VNode {
  const mayNot = error instanceof ApiProblem && error.status === 403;
  return (
    <div class={mayNot ? "notice" : "notice bad"} role="alert">
      <p>
        <strong>{mayNot ? t.shell.mayNot : t.shell.notSaved}</strong> <span dir="auto">{error.message}</span>
      </p>
      {error instanceof ApiProblem && error.next !== undefined && <p dir="auto">{t.tryThis(error.next)}</p>}
    </div>
  );
}
