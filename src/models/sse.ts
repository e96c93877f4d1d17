import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";
import { longestEvent, type EventSink, type EventStream, type Framing } from "./framing.ts";

/** The `data` of server-sent events (HTML Living Standard, 9.2) out of bytes; nothing more after an event that is too long. */
const createEventStream = (to: EventSink): EventStream => {
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

export const serverSentEvents: Framing = {
  formOf: (begin) => (/^[[{<]/.test(begin) ? "whole" : "stream"),
  open: createEventStream,
};
