import { printable } from "../reports/printable.ts";

// L1. What is written is the printable form of a beginning of what came: a sequence that is cut by a chunk's end waits for its rest.

/** A control but tab and newline may begin what `printable` takes out as a whole; at the end a character may be half of one. */
const UNSETTLED = /[^\P{Cc}\n\t\r]|[\r\p{Cs}]$/u;
/** Whatever waits longer than this is no sequence. */
const LONGEST_WAIT = 256;

/** Turns pieces of foreign text into what may be written to a terminal as they come. */
export function liveText() {
  let waiting = "";
  return {
    /** What can be written now. */
    add(piece: string): string {
      waiting += piece;
      const start = waiting.search(UNSETTLED);
      const cut = start < 0 || waiting.length - start > LONGEST_WAIT ? waiting.length : start;
      const settled = waiting.slice(0, cut);
      waiting = waiting.slice(cut);
      return printable(settled);
    },
    /** What is left. */
    end(): string {
      const rest = printable(waiting);
      waiting = "";
      return rest;
    },
  };
}
