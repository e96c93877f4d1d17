import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";

/** The longest that one event may be, in UTF-16 units. */
const longestEvent = 4 * 2 ** 20;

export type EventStream = {
  /** Takes bytes as they arrive, cut anywhere, also within a character. */
  feed(bytes: Buffer): void;
  /** Gives out a last event that lacks its blank line. */
  end(): void;
};

/** The `data` of server-sent events (HTML Living Standard, 9.2) out of bytes; nothing more after an event that is too long. */
export const createEventStream = (to: {
  readonly onData: (data: string) => void;
  readonly onTooLong: () => void;
}): EventStream => {
  const decoder = new StringDecoder("utf8");
  let first = true;
  let tooLong = false;
  const parser = createParser({
    maxBufferSize: longestEvent,
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
};
