import { widthOf } from "../reports/text-width.ts";

// T1. Between two draws the cursor rests at the beginning of the line below the region.
// T2. A drawn line never wraps: autowrap is off while drawing, whatever width the terminal gives a character.
// T3. After `release`, the cursor is visible and autowrap is on.
// T4. The region is at most as high as the terminal, less the line of the cursor, so that it can be reached again.

/** The part of a terminal's stream that a region uses. */
export type TerminalOutput = {
  write(text: string): boolean;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /** The terminal is behind: a draw now would only queue. */
  readonly writableNeedDrain?: boolean | undefined;
};

/** Lines at the end of a terminal's output that are drawn again in place. */
export type Region = {
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Replaces what is drawn; each line fits into the size. Nothing is written when nothing has changed. */
  draw(lines: readonly string[]): void;
  /** Erases the region, leaves `lines` in its place for good, and gives the terminal back. */
  leave(lines: readonly string[]): void;
  /** Gives the terminal back as it is (T3); a later draw takes it again. */
  release(): void;
  /** Takes what is drawn for lost, and draws anew below whatever is there now. */
  forget(): void;
};

// ECMA-48 and DEC private modes.
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const AUTOWRAP_OFF = "\u001b[?7l";
const AUTOWRAP_ON = "\u001b[?7h";
const ERASE_TO_END_OF_LINE = "\u001b[K";
const ERASE_BELOW = "\u001b[J";
const written = (lines: readonly string[]): string =>
  lines.map((line) => `${line}${ERASE_TO_END_OF_LINE}\n`).join("");
const up = (lines: number): string => (lines > 0 ? `\u001b[${lines}A` : "");

export function createRegion(output: TerminalOutput): Region {
  let drawn: readonly string[] = [];
  let drawnAt = 0;
  let held = false;

  const size = () => ({ columns: output.columns || 80, rows: Math.max(2, output.rows || 24) });
  /** Lines that the region takes now: a terminal that became narrower has wrapped those that no longer fit. */
  const height = (): number => {
    const { columns, rows } = size();
    const taken = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
    return Math.min(taken, rows - 1);
  };
  const home = () => `\r${up(height())}`;
  const release = () => {
    if (!held) return;
    held = false;
    output.write(AUTOWRAP_ON + SHOW_CURSOR);
  };

  return {
    size,
    draw(lines) {
      const { columns, rows } = size();
      const next = lines.slice(0, rows - 1); // T4
      const same =
        held &&
        columns === drawnAt &&
        next.length === drawn.length &&
        next.every((line, at) => line === drawn[at]);
      if (same || output.writableNeedDrain) return;
      output.write(HIDE_CURSOR + AUTOWRAP_OFF + home() + written(next) + ERASE_BELOW + AUTOWRAP_ON); // T1, T2
      held = true;
      drawn = next;
      drawnAt = columns;
    },
    leave(lines) {
      // Over the old lines, not after erasing all: tmux keeps a copy of a screen that is erased from its top.
      output.write(home() + written(lines) + ERASE_BELOW);
      drawn = [];
      release();
    },
    release,
    forget() {
      drawn = [];
      held = false;
    },
  };
}
