import { watch } from "../../app/watch.ts";
import { Duration } from "../../config/duration.ts";
import { Fault, OrganizationId, type Entry } from "../../kernel/index.ts";
import { withLocal2States } from "../../interop/local2/states.ts";
import type { WatchReport } from "../../views/reactor-state.ts";
import { styleOf } from "../../reports/style.ts";
import { reactorLine, watchErrors, watchHead, watchLine, watchTable } from "../../reports/watch.ts";
import type { CommandModule, Io } from "../command.ts";
import { EXIT } from "../exits.ts";
import { interruption } from "../interruption.ts";
import { listenKeys } from "../keys.ts";
import { withStore } from "../session.ts";
import { createWatchScreen } from "../watch-screen.ts";

type Flags = Readonly<Record<string, unknown>>;
type Watcher = Pick<Parameters<typeof watch>[1], "onBegin" | "onEntry" | "onState">;

/** How many of the newest deliberations are read at the start, unless a time is given. */
const DEFAULT_DELIBERATIONS = 200;
/** How many are read at most where a time is given. */
const MAX_DELIBERATIONS = 10_000;
const ONCE_EVENTS = 10;

/** `parley watch`: the status of every reactor, live, until `q` or Ctrl-C; `--once`: now. */
export const run: CommandModule["run"] = (io, _args, flags) => {
  const ageMs = sinceOf(flags);
  return withStore(io, async ({ whole: store, settings }) => {
    const once = flags["once"] === true;
    const live = !once && flags["json"] !== true && io.output.stdout.terminal;
    const stop = interruption();
    const quit = new AbortController();
    const leave = () => quit.abort();
    process.stdout.once("error", leave); // nobody reads any longer
    let exit: number = EXIT.answered;
    const interrupt = () => {
      exit = EXIT.interrupted;
      quit.abort();
    };
    stop.signal.addEventListener("abort", interrupt, { once: true });
    const unlisten = live ? listenKeys({ quit: leave, interrupt }) : () => undefined;
    const { watcher, end } = live
      ? onScreen(io, flags)
      : { watcher: once ? onceOn(io, flags) : inLines(io, flags), end: () => undefined };
    try {
      await watch(
        { store, organization: OrganizationId.parse(settings.organization) },
        {
          ...watcher,
          once,
          most: ageMs === undefined ? DEFAULT_DELIBERATIONS : MAX_DELIBERATIONS,
          since: ageMs === undefined ? undefined : Date.now() - ageMs,
          signal: quit.signal,
        },
      );
      return exit;
    } finally {
      end();
      unlisten();
      stop.release();
      process.stdout.off("error", leave);
    }
  });
};

function sinceOf(flags: Flags): number | undefined {
  if (flags["since"] === undefined) return undefined;
  const duration = Duration.safeParse(flags["since"]);
  if (duration.success) return duration.data;
  throw new Fault("configuration", {
    why: `--since must be a duration such as 90s, 30m or 12h (got ${JSON.stringify(flags["since"])})`,
    next: "correct it",
  });
}

const isQuiet = (flags: Flags): boolean => flags["quiet"] === true;

function onScreen({ output }: Io, flags: Flags): { readonly watcher: Watcher; end(): void } {
  const hint = process.stdin.isTTY === true ? "q or Ctrl-C quits" : "Ctrl-C quits";
  const screen = createWatchScreen({
    output: process.stdout,
    color: output.stdout.color,
    hint,
  });
  const entry = (one: Entry) => void (isQuiet(flags) || screen.entry(one));
  return {
    watcher: {
      onBegin(watched, recent) {
        recent.forEach(entry);
        screen.state(watched);
      },
      onEntry: entry,
      onState: screen.state,
    },
    end: screen.stop,
  };
}

function inLines({ output }: Io, flags: Flags): Watcher {
  const line = (text: string) => output.result(`${text}\n`);
  if (flags["json"] === true)
    return {
      onBegin: (watched) => line(JSON.stringify(withLocal2States(watched))),
      onEntry: () => undefined,
      onState: (watched, changed) =>
        changed.length > 0 ? line(JSON.stringify(withLocal2States(watched))) : undefined,
    };
  return {
    async onBegin(watched) {
      await line(watchHead(watched, { width: 400, style: styleOf(false) }));
      for (const state of watched.reactors) await line(reactorLine(state, watched.at));
    },
    onEntry: (entry) => (isQuiet(flags) ? undefined : line(watchLine(entry))),
    async onState({ at }, changed) {
      for (const state of changed) await line(reactorLine(state, at));
    },
  };
}

function onceOn({ output }: Io, flags: Flags): Watcher {
  const onBegin = (watched: WatchReport, recent: readonly Entry[]) => {
    if (flags["json"] === true)
      return output.result(`${JSON.stringify(withLocal2States(watched), undefined, 2)}\n`);
    const { color, columns: width } = output.stdout;
    const space = { width, style: styleOf(color) };
    const lines = [watchHead(watched, space), ...watchTable(watched, space), ...watchErrors(watched, space)];
    const events = isQuiet(flags) ? [] : recent.slice(-ONCE_EVENTS).map((entry) => watchLine(entry, width));
    return output.result([...lines, ...events].map((line) => `${line}\n`).join(""));
  };
  return { onBegin, onEntry: () => undefined, onState: () => undefined };
}
