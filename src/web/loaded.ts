import { useComputed, useSignal, type ReadonlySignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiProblem, fetchJson } from "./http.ts";

/** Something that is fetched: nothing yet, what came, or why it did not. */
export type Fetched<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly error: Error };

type Load<T> = (path: string, options: { readonly signal: AbortSignal }) => Promise<T>;

/**
 * Fetches from the API, and again when the path changes or `again` is called. What was shown stays until the new comes, and
 * where it is fetched again in vain: the connection's own notice says that.
 */
export function useApi<T>(path: string | undefined, load: Load<T> = fetchJson) {
  const loaded = useSignal<Fetched<T>>({ state: "loading" });
  const turn = useSignal(0);
  const shown = useRef<string>(undefined);
  useEffect(() => {
    if (path === undefined) return;
    const end = new AbortController();
    load(path, { signal: end.signal }).then(
      (value) => {
        shown.current = path;
        loaded.value = { state: "ready", value };
      },
      (error: unknown) => {
        if (end.signal.aborted || (shown.current === path && isOffline(error))) return;
        shown.current = undefined;
        loaded.value = { state: "failed", error: error as Error }; // fetchJson throws errors
      },
    );
    return () => end.abort();
  }, [path, turn.value]);
  return { loaded, again: (): void => void (turn.value += 1) };
}

const isOffline = (error: unknown): boolean => error instanceof ApiProblem && error.status === 0;

/** Fetches again every so often, and when the reader comes back to the page; never while nobody looks. */
export function useAgain(again: () => void, everyMs: number): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") again();
    };
    const timer = setInterval(look, everyMs);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [everyMs]);
}

/** The pages of a list, one after another; begun anew when what is asked for changes. */
export type Pages<T> = {
  /** Undefined until the first page has come. */
  readonly rows: Signal<readonly T[] | undefined>;
  readonly failed: Signal<Error | undefined>;
  readonly hasMore: ReadonlySignal<boolean>;
  /** Loads the next page, or again the one that failed. */
  readonly more: () => void;
};

export function usePages<T>(path: (after?: string) => string): Pages<T> {
  const rows = useSignal<readonly T[] | undefined>(undefined);
  const next = useSignal<string | null>(null);
  const failed = useSignal<Error | undefined>(undefined);
  const hasMore = useComputed(() => next.value !== null);
  const turn = useRef(0);
  const load = async (after?: string) => {
    const own = (turn.current += 1);
    try {
      const page = await fetchJson<{ data: readonly T[]; next: string | null }>(path(after));
      if (own !== turn.current) return; // something else was asked for meanwhile
      rows.value = after === undefined ? page.data : [...(rows.value ?? []), ...page.data];
      next.value = page.next;
      failed.value = undefined;
    } catch (error) {
      if (own === turn.current) failed.value = error as Error; // fetchJson throws errors
    }
  };
  useEffect(() => {
    next.value = null;
    void load();
  }, [path()]);
  return { rows, failed, hasMore, more: () => void load(next.value ?? undefined) };
}

/** Sends a change once at a time, and keeps what came of it. */
export function useSaving(save: () => Promise<void>) {
  const isBusy = useSignal(false);
  const isSaved = useSignal(false);
  const failed = useSignal<Error | undefined>(undefined);
  const send = async (event: Event) => {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    isSaved.value = false;
    try {
      failed.value = undefined;
      await save();
      isSaved.value = true;
    } catch (error) {
      failed.value = error as Error; // fetchJson throws errors
    }
    isBusy.value = false;
  };
  return { isBusy, isSaved, failed, send };
}
