import { widthOf } from "../../src/reports/text-width.ts";
import type { Lifecycle } from "../../src/cli/terminal.ts";
import type { TerminalOutput } from "../../src/cli/terminal.ts";

/** A terminal that understands what Parley writes and throws at everything else, so that a test sees what a person would. */
export type FakeTerminal = TerminalOutput & {
  columns: number;
  rows: number;
  writableNeedDrain: boolean;
  /** What is on the screen, from its first line to the one of the cursor, without trailing spaces. */
  screen(): string[];
  /** What has been scrolled out of the screen. */
  readonly scrolled: readonly string[];
  readonly cursorVisible: boolean;
  readonly autowrap: boolean;
  /** Every write, as it came. */
  readonly writes: readonly string[];
};

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
// CSI sequences (ECMA-48), or one character.
const TOKEN = new RegExp(`${"\u001b"}\\[([?0-9;]*)([A-Za-z])`, "y");

export function fakeTerminal(columns: number, rows: number): FakeTerminal {
  let lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  const scrolled: string[] = [];
  const writes: string[] = [];
  const state = { cursorVisible: true, autowrap: true };

  const newline = () => {
    row += 1;
    if (row >= terminal.rows) {
      scrolled.push((lines.shift() ?? []).join("").trimEnd());
      row -= 1;
    }
    lines[row] ??= [];
  };
  const put = (character: string) => {
    const cells = widthOf(character);
    if (column + cells > terminal.columns) {
      if (state.autowrap) {
        column = 0;
        newline();
      } else column = terminal.columns - cells;
    }
    const line = lines[row] ?? [];
    while (line.length < column) line.push(" ");
    line.splice(column, cells, character, ...Array.from({ length: cells - 1 }, () => ""));
    lines[row] = line;
    column += cells;
  };
  const command = (parameters: string, name: string) => {
    const count = Number(parameters || "1");
    if (name === "m") return;
    if (name === "A") row = Math.max(0, row - count);
    else if (name === "K" && parameters === "") lines[row] = (lines[row] ?? []).slice(0, column);
    else if (name === "J" && parameters === "") {
      lines[row] = (lines[row] ?? []).slice(0, column);
      lines = lines.slice(0, row + 1);
    } else if (parameters === "?25") state.cursorVisible = name === "h";
    else if (parameters === "?7") state.autowrap = name === "h";
    else throw new Error(`the terminal was sent CSI ${parameters}${name}`);
  };

  const terminal: FakeTerminal = {
    columns,
    rows,
    writableNeedDrain: false,
    scrolled,
    writes,
    get cursorVisible() {
      return state.cursorVisible;
    },
    get autowrap() {
      return state.autowrap;
    },
    screen: () => lines.map((line) => line.join("").trimEnd()),
    write(text) {
      writes.push(text);
      let at = 0;
      while (at < text.length) {
        TOKEN.lastIndex = at;
        const sequence = TOKEN.exec(text);
        if (sequence) {
          command(sequence[1] ?? "", sequence[2] ?? "");
          at = TOKEN.lastIndex;
          continue;
        }
        const [first] = graphemes.segment(text.slice(at, at + 40));
        const character = first?.segment ?? "";
        if (character === "\n") {
          column = 0;
          newline();
        } else if (character === "\r") column = 0;
        else if (/\p{Cc}/u.test(character))
          throw new Error(`the terminal was sent ${JSON.stringify(character)}`);
        else put(character);
        at += character.length;
      }
      return true;
    },
  };
  return terminal;
}

type LifecycleEvent = Parameters<Lifecycle["on"]>[0];

/** A process whose end a test decides. `suspended` counts its Ctrl-Z. */
export type FakeLifecycle = Lifecycle & {
  emit(event: LifecycleEvent): void;
  listeners(): number;
  suspended: number;
};

export function fakeLifecycle(): FakeLifecycle {
  const listeners: { readonly event: LifecycleEvent; readonly run: () => void }[] = [];
  const lifecycle: FakeLifecycle = {
    suspended: 0,
    suspend: () => void (lifecycle.suspended += 1),
    on: (event, run) => listeners.push({ event, run }),
    off: (event, run) => {
      const at = listeners.findIndex((one) => one.event === event && one.run === run);
      if (at >= 0) listeners.splice(at, 1);
    },
    emit: (event) => {
      for (const one of [...listeners]) if (one.event === event) one.run();
    },
    listeners: () => listeners.length,
  };
  return lifecycle;
}
