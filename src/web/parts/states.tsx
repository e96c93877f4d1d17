import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { hrefTo } from "../address.ts";
import { ApiProblem } from "../http.ts";
import type { Fetched } from "../loaded.ts";
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

/** An empty screen says what would fill it. */
export const Empty = ({
  title,
  next,
  to,
}: {
  readonly title: string;
  readonly next: string;
  readonly to?: readonly string[];
}): VNode => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    <p>{to ? <a href={hrefTo(to)}>{next}</a> : next}</p>
  </div>
);

type LoadedProps<T> = {
  readonly of: { readonly loaded: ReadonlySignal<Fetched<T>>; readonly again?: () => void };
  readonly children: (value: T) => ComponentChildren;
};

/** Shows what was fetched; until then that it is loading, or why it could not be. */
export function Shown<T>({ of: { loaded, again }, children }: LoadedProps<T>): VNode {
  const now = loaded.value;
  if (now.state === "ready") return <>{children(now.value)}</>;
  if (now.state === "failed") return <Failure error={now.error} again={again} />;
  return (
    <p class="quiet" role="status">
      {t.loading}
    </p>
  );
}
