import { effect, useComputed, useSignal, type ReadonlySignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { features } from "../features-web.ts";
import { isEvent, type Entry, type ProtocolReport } from "../kernel/index.ts";
import { neededTexts } from "../views/needed-texts.ts";
import { resultFold, type SectionView } from "../views/result.ts";
import type { AddedTo, RunView } from "./feature.ts";
import { address } from "./address.ts";
import { indexOf, type RunStore, type ShownRun } from "./run.ts";

// What the page shows at a seq is what the server and the command line show of the journal cut there: by the same folds.

const REST_MS = 60;

const brought = features.flatMap(({ runs = {} }) => Object.entries(runs));

/** How a protocol's own part is folded, and told; loaded when a run of that protocol is looked at. */
const SECTIONS: { readonly [protocol: string]: () => Promise<SectionView> } = Object.fromEntries(
  brought.map(([protocol, { section }]) => [protocol, section]),
);

const REPORTS: { readonly [protocol: string]: () => Promise<ProtocolReport> } = Object.fromEntries(
  brought.map(([protocol, { report }]) => [protocol, report]),
);

const addedTo = (view: AddedTo) =>
  Object.fromEntries(
    brought.flatMap(([protocol, { above }]) => {
      const load = above?.[view];
      return load ? [[protocol, async () => ({ View: await load() })] as const] : [];
    }),
  );
const ABOVE = { room: addedTo("room"), steps: addedTo("steps") };

const protocolIn = (entries: readonly Entry[]): string | undefined =>
  entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data.protocol.name;

/** The seq that the address points at; undefined for the newest. */
const pointedAt = (): number | undefined => {
  const at = Number(address.value.query.get("at"));
  return Number.isInteger(at) && at > 0 ? at : undefined;
};

/** The entries up to a seq; all of them without one. */
export const entriesUpTo = (entries: readonly Entry[], at: number | undefined): readonly Entry[] =>
  at === undefined ? entries : entries.slice(0, countUpTo(entries, at));

const countUpTo = (entries: readonly Entry[], at: number | undefined): number =>
  at === undefined ? entries.length : indexOf(entries, at + 1);

type RunFold<T> = { take(entry: Entry): void; read(count: number): T };

/** Takes each entry of a run once, and reads the fold at any number of them; begins anew where an entry that was taken has changed. */
export function foldReader<T>(run: RunStore, begin: () => RunFold<T>): (count: number) => T {
  let fold = begin();
  let edition = run.edition();
  let taken = 0;
  return (count) => {
    if (edition !== run.edition()) {
      fold = begin();
      edition = run.edition();
      taken = 0;
    }
    for (; taken < run.entries.length; taken += 1) {
      const entry = run.entries[taken];
      if (entry) fold.take(entry);
    }
    return fold.read(count);
  };
}

/** Folds a run at the seq of the address, again with each change of either. */
export function useShown(run: RunStore): ShownRun {
  const view = useSignal<SectionView | undefined>(undefined);
  const at = useComputed(pointedAt);
  const entries = useComputed(() => {
    // A list of its own for each version: signals tell values apart by identity.
    return run.version.value >= 0 ? run.entries.slice(0, countUpTo(run.entries, at.value)) : [];
  });
  const protocol = useComputed(() => protocolIn(entries.value));
  const read = useComputed(() => foldReader(run, () => resultFold(view.value)));
  const result = useComputed(() => read.value(entries.value.length));
  const isWhole = useLoaded(protocol, SECTIONS, view);
  return { run, at, entries, result, protocol, isWhole };
}

/** The words for a protocol's own part, once they are loaded. */
export function useReport(
  protocol: ReadonlySignal<string | undefined>,
): ReadonlySignal<ProtocolReport | undefined> {
  const report = useSignal<ProtocolReport | undefined>(undefined);
  useLoaded(protocol, REPORTS, report);
  return report;
}

const nothing: RunView = () => null;

/** What the run's protocol adds to a view; undefined until it is there, so that nothing moves when it comes. */
export function useAbove(view: AddedTo, { protocol }: ShownRun): RunView | undefined {
  const loaded = useSignal<{ readonly View: RunView } | undefined>(undefined);
  const isDone = useLoaded(protocol, ABOVE[view], loaded).value;
  const isAdded = Object.hasOwn(ABOVE[view], protocol.value ?? "");
  return loaded.value?.View ?? (isAdded && !isDone ? undefined : nothing);
}

/** Loads the whole texts of these entries, where they came cut; what is shown is folded again once they are there. */
export function useWhole(
  run: RunStore,
  seqs: readonly number[],
  options: { readonly digests?: boolean } = {},
): void {
  const wanted = seqs.join(",");
  useEffect(() => {
    if (seqs.length > 0) run.complete(seqs, options);
  }, [run, wanted]);
}

/** Loads the texts that the result needs whole, once what is shown has rested: while scrubbing, heads do. */
export function useNeededTexts({ run, entries }: ShownRun): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = effect(() => {
      clearTimeout(timer);
      const shown = entries.value;
      if (run.state.value !== "loading") timer = setTimeout(() => run.complete(neededTexts(shown)), REST_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [run]);
}

/** Loads what the protocol has of these; true once that is there, or is not to be had. */
function useLoaded<T>(
  protocol: ReadonlySignal<string | undefined>,
  modules: { readonly [name: string]: () => Promise<T> },
  into: Signal<T | undefined>,
): ReadonlySignal<boolean> {
  const name = protocol.value;
  const isDone = useSignal(false);
  useEffect(() => {
    if (name === undefined) return;
    let isCurrent = true;
    const load = Object.hasOwn(modules, name) ? modules[name] : undefined;
    const finish = (module?: T) => {
      if (!isCurrent) return;
      if (module) into.value = module;
      isDone.value = true;
    };
    if (load) load().then(finish, () => finish());
    else finish();
    return () => {
      isCurrent = false;
    };
  }, [name]);
  return isDone;
}

/** The seqs of the entries that a view tells. */
export const seqsOf = (entries: readonly Entry[], isTold: (entry: Entry) => boolean): readonly number[] =>
  entries.filter(isTold).map(({ seq }) => seq);
