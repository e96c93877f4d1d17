export type EventStream = {
  /** Takes bytes as they arrive, cut anywhere, also within a character. */
  feed(bytes: Buffer): void;
  /** Gives out a last event that lacks its end. */
  end(): void;
};

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
export const longestEvent = 4 * 2 ** 20;
