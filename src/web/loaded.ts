import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { fetchJson } from "./http.ts";

/** Something that is fetched: nothing yet, what came, or why it did not. */
export type Fetched<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly error: Error };

/** Fetches from the API, and again when the path changes or `again` is called. What was shown stays until the new comes. */
export function useApi<T>(path: string | undefined): {
  readonly loaded: Signal<Fetched<T>>;
  readonly again: () => void;
} {
  const loaded = useSignal<Fetched<T>>({ state: "loading" });
  const turn = useSignal(0);
  useEffect(() => {
    if (path === undefined) return;
    const end = new AbortController();
    fetchJson<T>(path, { signal: end.signal }).then(
      (value) => {
        loaded.value = { state: "ready", value };
      },
      (error: unknown) => {
        if (!end.signal.aborted) loaded.value = { state: "failed", error: error as Error }; // callApi throws errors
      },
    );
    return () => end.abort();
  }, [path, turn.value]);
  return { loaded, again: () => (turn.value += 1) };
}
