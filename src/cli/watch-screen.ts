import type { Entry } from "../kernel/index.ts";
import type { WatchReport } from "../views/reactor-state.ts";
import { styleOf, type Style } from "../reports/style.ts";
import { cutTo } from "../reports/text-width.ts";
import { watchErrors, watchHead, watchLine, watchTable } from "./watch-text.ts";
import { createLive, type Lifecycle, type ScreenTime, type TerminalOutput } from "./terminal.ts";

export type WatchScreenOptions = {
  readonly output: TerminalOutput;
  readonly color: boolean;
  /** What a person may press. */
  readonly hint: string;
  readonly time?: Pick<ScreenTime, "every">;
  readonly lifecycle?: Lifecycle;
};

/** More stand on no screen. */
const MAX_LINES = 200;

/** The reactors' states, live, with the last events below them. Nothing is written before the first state. */
export function createWatchScreen({ output, color, hint, time, lifecycle }: WatchScreenOptions) {
  const style = styleOf(color);
  const events: WatchEvent[] = [];
  let latest: WatchReport | undefined;
  const live = createLive({
    ...{ output, lifecycle, redrawMs: 100, every: time?.every },
    lines: (cells) => (latest ? watchLines({ watched: latest, events, hint }, { ...cells, style }) : []),
    closing: () => [],
  });
  const push = (event: WatchEvent): void => {
    events.push(event);
    if (events.length > MAX_LINES) events.shift();
  };
  return {
    state(watched: WatchReport): void {
      latest = watched;
      live.start();
    },
    entry: (entry: Entry): void => push(watchEvent(entry)),
    /** A printable line among the events. */
    line: (text: string): void => push((width) => cutTo(text, width)),
    stop: live.stop,
  };
}

/** An event as it stands on a line of any width. */
export type WatchEvent = (width: number) => string;

const NARROW_CELLS = 59;

/** Keeps two lines of the entry, and not the entry, which may be large. */
export function watchEvent(entry: Entry): WatchEvent {
  const [wide, narrow] = [watchLine(entry), watchLine(entry, NARROW_CELLS)];
  return (width) => cutTo(width > NARROW_CELLS ? wide : narrow, width);
}

/** The whole screen as lines; `events` are oldest first. Where the space is short, events go first, then errors, then reactors. */
export function watchLines(
  {
    watched,
    events,
    hint,
  }: { readonly watched: WatchReport; readonly events: readonly WatchEvent[]; readonly hint: string },
  { columns, rows, style }: { readonly columns: number; readonly rows: number; readonly style: Style },
): string[] {
  const space = { width: columns, style };
  const table = [watchHead(watched, space), ...watchTable(watched, space)];
  const last = style.dim(cutTo(hint, columns));
  const left = rows - table.length - 1;
  if (left < 0) return table.slice(0, Math.max(0, rows));
  const errors = watchErrors(watched, space);
  const shown = errors.slice(Math.max(0, errors.length - Math.ceil(left / 2)));
  const lines = left - shown.length;
  const below = lines > 0 ? events.slice(-lines).map((event) => event(columns)) : [];
  return [...table, ...shown, ...below, last];
}
