import type { Message, ReplySchema } from "../../kernel/index.ts";

/** A request as a wire brought it, not yet known to be answerable. */
export type Order = {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly maxOutputTokens: number;
  readonly temperature: number | undefined;
  readonly reply: ReplySchema | undefined;
  readonly stream: boolean;
  /** Whether a stream ends with what was used. */
  readonly usage: boolean;
};

export type OrderReading =
  { readonly ok: true; readonly order: Order } | { readonly ok: false; readonly reason: string };

/** A reply as it goes out: nothing in it depends on time or chance. */
export type Outgoing = {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly finish: "stop" | "length";
  readonly tokensIn: number;
  readonly tokensOut: number;
};

/** How one API is spoken from the server's side. Events of a stream come whole, with all that frames them. */
export type ServerWire = {
  /** The content type of a stream. */
  readonly streamType: string;
  readonly read: (body: unknown) => OrderReading;
  readonly whole: (reply: Outgoing) => string;
  readonly opening: (reply: Outgoing) => string;
  readonly piece: (reply: Outgoing, text: string) => string;
  readonly closing: (reply: Outgoing, order: Order) => string;
  /** `model` is what the request named, where it was read. */
  readonly error: (status: number, message: string, model?: string) => string;
  /** What this API answers with when it is overloaded. */
  readonly overloaded: number;
};

/** The longest reply when a request names no bound. */
export const usualTokens = 4_096;
