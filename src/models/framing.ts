import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";

export type EventStream = {
  /** Takes bytes as they arrive, cut anywhere, also within a character. */
  feed(bytes: Buffer): void;
  /** Gives out a last event that lacks its end. */
  end(): void;
};

const MAX_KEEP_ALIVE_LENGTH = 200;

/** Whether an event says only that the connection is alive: no data, `{}`, `null`, or a word such as ping, in any dress. */
export function isKeepAlive(data: string): boolean {
  if (data.length > MAX_KEEP_ALIVE_LENGTH) return false;
  const words = data.replaceAll(/\P{L}+/gu, " ").trim();
  return /^(?:null|(?:(?:type|event|object|status|message|comment) )?(?:ping|pong|keep ?alive|heart ?beat|no ?op)(?: (?:ts|time|timestamp|created)\b.*)?)?$/i.test(
    words,
  );
}

export type EventSink = {
  readonly onData: (data: string) => void;
  /** An event was longer than any may be; nothing more comes after it. */
  readonly onTooLong: () => void;
};

/** How an API cuts a reply into events. */
export type Framing = {
  /**
   * What a body is that begins so: a stream, or a reply in one piece, JSON or a page of HTML, whatever its content type
   * says. `begin` holds one byte a character, at least one, and no white space before it.
   */
  formOf(begin: string): "undecided" | "stream" | "whole";
  open(sink: EventSink): EventStream;
};

/** The longest that one event may be, in UTF-16 units. */
export const MAX_EVENT_LENGTH = 4 * 2 ** 20;

/** The `data` of server-sent events (HTML Living Standard, 9.2) out of bytes; nothing more after an event that is too long. */
function createEventStream(to: EventSink): EventStream {
  const decoder = new StringDecoder("utf8");
  let first = true;
  let tooLong = false;
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent: ({ data }) => to.onData(data),
    onError: ({ type }) => {
      if (type !== "max-buffer-size-exceeded") return;
      tooLong = true;
      to.onTooLong();
    },
  });
  const feed = (text: string): void => {
    if (text === "" || tooLong) return;
    // The parser knows a byte-order mark only in text that was decoded byte by byte.
    parser.feed(first && text.startsWith("\uFEFF") ? text.slice(1) : text);
    first = false;
  };
  return {
    feed: (bytes) => feed(decoder.write(bytes)),
    end: () => {
      feed(decoder.end());
      if (!first) feed("\n\n");
    },
  };
}

export const serverSentEvents: Framing = {
  formOf: (begin) => (/^[[{<]/.test(begin) ? "whole" : "stream"),
  open: createEventStream,
};

/** Lines that are not blank, out of bytes, each without its end (LF or CR LF); nothing more after one that is too long. */
function createLineStream(to: EventSink): EventStream {
  const decoder = new StringDecoder("utf8");
  /** What has come of a line whose end has not. */
  let begun = "";
  let tooLong = false;
  const isTooLong = (length: number): boolean => {
    if (length <= MAX_EVENT_LENGTH) return false;
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
}

/** One JSON object a line (NDJSON). An object that is alone on its first line with its brace is printed over several. */
export const jsonLines: Framing = {
  formOf: (begin) =>
    /^\{\r?$/.test(begin) ? "undecided" : /^(?:[[<]|\{\r?\n)/.test(begin) ? "whole" : "stream",
  open: createLineStream,
};
