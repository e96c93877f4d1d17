import { StringDecoder } from "node:string_decoder";
import { longestEvent, type EventSink, type EventStream, type Framing } from "./framing.ts";

/** Lines that are not blank, out of bytes, each without its end (LF or CR LF); nothing more after one that is too long. */
const createLineStream = (to: EventSink): EventStream => {
  const decoder = new StringDecoder("utf8");
  /** What has come of a line whose end has not. */
  let begun = "";
  let tooLong = false;
  const isTooLong = (length: number): boolean => {
    if (length <= longestEvent) return false;
    tooLong = true;
    to.onTooLong();
    return true;
  };
  const give = (line: string): void => {
    if (line.trim() !== "") to.onData(line.endsWith("\r") ? line.slice(0, -1) : line);
  };
  const feed = (text: string): void => {
    if (tooLong) return;
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      const line = begun === "" ? text.slice(from, end) : begun + text.slice(from, end);
      if (isTooLong(line.length)) return;
      begun = "";
      from = end + 1;
      give(line);
    }
    begun += from === 0 ? text : text.slice(from);
    isTooLong(begun.length);
  };
  return {
    feed: (bytes) => feed(decoder.write(bytes)),
    end: () => {
      feed(decoder.end());
      if (!tooLong) give(begun);
      begun = "";
    },
  };
};

/** One JSON object a line (NDJSON). An object that is alone on its first line with its brace is printed over several. */
export const jsonLines: Framing = {
  formOf: (begin) =>
    /^\{\r?$/.test(begin) ? "undecided" : /^(?:[[<]|\{\r?\n)/.test(begin) ? "whole" : "stream",
  open: createLineStream,
};
