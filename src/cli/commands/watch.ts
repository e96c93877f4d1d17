import * as z from "zod";
import { withReactors } from "../../app/registry.ts";
import { resolve } from "node:path";
import { mostWatched, watch } from "../../app/watch.ts";
import { runWorker } from "../../app/worker.ts";
import { OrganizationId, type Entry } from "../../kernel/index.ts";
import { jsonLine, jsonText, oneLine } from "../../reports/printable.ts";
import { styleOf } from "../../reports/style.ts";
import {
  reactorLine,
  unreadableLine,
  watchErrors,
  watchHead,
  watchLine,
  watchTable,
  createWatchScreen,
} from "../watch-text.ts";
import { pluralize } from "../../text/format.ts";
import { ReactorState, WatchReport } from "../../views/reactor-state.ts";
import type { Io, Values } from "../command.ts";
import { EXIT } from "../exits.ts";
import type { WATCH, WORKER } from "../options.ts";
import { interruptible, withParley, withStore } from "../session.ts";
import { listenKeys } from "../keys.ts";

type WatchFlags = Values<typeof WATCH>;
type Watcher = Pick<Parameters<typeof watch>[1], "onBegin" | "onEntry" | "onState" | "onUnreadable">;

const ONCE_EVENTS = 10;

export const watchWorkers = (io: Io, options: WatchFlags): Promise<number> =>
  withStore(io, ({ whole: store, settings }) =>
    interruptible(async (interrupted) => {
      const { once, json, since } = options;
      const live = !once && !json && io.output.stdout.terminal;
      const quit = new AbortController();
      const leave = () => quit.abort();
      process.stdout.once("error", leave); // nobody reads any longer
      let exit: number = EXIT.answered;
      const interrupt = () => {
        exit = EXIT.interrupted;
        quit.abort();
      };
      interrupted.addEventListener("abort", interrupt, { once: true });
      const unlisten = live ? listenKeys({ q: leave, interrupt }) : () => undefined;
      const { watcher, end } = live
        ? onScreen(io, options)
        : { watcher: once ? onceOn(io, options) : inLines(io, options), end: () => undefined };
      try {
        await watch(
          {
            ...{ store, organization: OrganizationId.parse(settings.organization) },
            reactors: withReactors(io.features ?? []),
          },
          {
            onUnreadable: noteUnreadable(io),
            ...watcher,
            once,
            most: mostWatched(since),
            since: since === undefined ? undefined : Date.now() - since,
            signal: quit.signal,
          },
        );
        return exit;
      } finally {
        end();
        unlisten();
        process.stdout.off("error", leave);
      }
    }),
  );

const noteUnreadable =
  ({ output }: Io) =>
  (...[id, fault]: Parameters<typeof unreadableLine>): void =>
    output.note(unreadableLine(id, fault));

function onScreen({ output }: Io, { quiet }: WatchFlags): { readonly watcher: Watcher; end(): void } {
  const hint = process.stdin.isTTY === true ? "q or Ctrl-C quits" : "Ctrl-C quits";
  const screen = createWatchScreen({ output: process.stdout, color: output.stdout.color, hint });
  const entry = (one: Entry) => void (quiet || screen.entry(one));
  return {
    watcher: {
      onBegin(watched, recent) {
        recent.forEach(entry);
        screen.state(watched);
      },
      onEntry: entry,
      onState: screen.state,
      onUnreadable: (id, fault) => screen.line(unreadableLine(id, fault)),
    },
    end: screen.stop,
  };
}

function inLines({ output }: Io, { json, quiet }: WatchFlags): Watcher {
  const line = (text: string) => output.result(`${text}\n`);
  if (json)
    return {
      onBegin: (watched) => output.result(jsonLine(withLocal2States(watched))),
      onEntry: () => undefined,
      onState: (watched, changed) =>
        changed.length > 0 ? output.result(jsonLine(withLocal2States(watched))) : undefined,
    };
  return {
    async onBegin(watched) {
      await line(watchHead(watched, { width: 400, style: styleOf(false) }));
      for (const state of watched.reactors) await line(reactorLine(state, watched.at));
    },
    onEntry: (entry) => (quiet ? undefined : line(watchLine(entry))),
    async onState({ at }, changed) {
      for (const state of changed) await line(reactorLine(state, at));
    },
  };
}

function onceOn({ output }: Io, { json, quiet }: WatchFlags): Watcher {
  const onBegin = (watched: WatchReport, recent: readonly Entry[]) => {
    if (json) return output.result(jsonText(withLocal2States(watched)));
    const { color, columns: width } = output.stdout;
    const space = { width, style: styleOf(color) };
    const lines = [watchHead(watched, space), ...watchTable(watched, space), ...watchErrors(watched, space)];
    const events = quiet ? [] : recent.slice(-ONCE_EVENTS).map((entry) => watchLine(entry, width));
    return output.result([...lines, ...events].map((line) => `${line}\n`).join(""));
  };
  return { onBegin, onEntry: () => undefined, onState: () => undefined };
}

export const worker = (io: Io, options: Values<typeof WORKER>): Promise<number> =>
  withParley(io, {}, ({ process }) =>
    interruptible(async (signal) => {
      const { quiet, backfill } = options;
      for (const folder of options.folder) process.folders.add(resolve(io.cwd, folder));
      const note = (text: string) => (quiet ? undefined : io.output.note(text));
      const location = oneLine(process.store.location, 300);
      const from = backfill ? ", from the start of the journal where no worker has run before" : "";
      note(
        `A worker for ${location}${from}. Other commands leave grading and memory to it. Press Ctrl-C to stop.`,
      );
      const count = await runWorker(process, {
        signal,
        backfill,
        onUnreadable: noteUnreadable(io),
        ...(quiet ? {} : { onReaction: (entry) => io.output.note(watchLine(entry)) }),
      });
      note(
        `Ended after ${pluralize(count, "reaction")}; the next worker finishes what was in progress. Try: parley worker`,
      );
      return signal.aborted ? EXIT.interrupted : EXIT.answered;
    }),
  );

/**
 * LoCAL2's state for each word of our reactors. Three of its states have no word here: PUBLISHING is the instant of an append, and
 * shown as the last thing said; RETRIEVING and EXECUTING are steps of whoever generates, and events of their own.
 */
export const LOCAL2_STATES: Readonly<Record<string, string>> = {
  idle: "IDLE",
  receiving: "RECEIVING",
  generating: "GENERATING",
  grading: "GRADING",
  "pairwise-grading": "PAIRWISE_GRADING",
  ingesting: "INGESTING",
  "updating-score": "UPDATING_SCORE",
  // A person's feedback is annotated, too; there a service without states does that.
  annotating: "ANNOTATING_PAIRWISE",
  error: "ERROR",
};

/** The state of every reactor, and what LoCAL2 calls it. */
export const Local2WatchReport = z.strictObject({
  ...WatchReport.shape,
  reactors: z.array(
    z.strictObject({
      ...ReactorState.shape,
      /** What LoCAL2 calls the state; null where it has none. */
      local2: z.string().nullable(),
    }),
  ),
});
export type Local2WatchReport = z.infer<typeof Local2WatchReport>;

/** Adds LoCAL2's name for every state. */
export function withLocal2States(report: WatchReport): Local2WatchReport {
  return {
    ...report,
    reactors: report.reactors.map((reactor) => ({
      ...reactor,
      local2: LOCAL2_STATES[reactor.state] ?? null,
    })),
  };
}
