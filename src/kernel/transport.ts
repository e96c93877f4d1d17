import type { Failure, ModelRequest, Tokens, ToolCall } from "./model.ts";

/** The API protocols that providers are reached by. */
export const WIRE_NAMES = ["openai", "anthropic", "ollama"] as const;
export type WireName = (typeof WIRE_NAMES)[number];

/** What one attempt used, as the other side reported it; `usd` is the other side's own figure, null where it gave none. */
export type Usage = { readonly tokens: Tokens; readonly usd: number | null };

/** Nothing was reported. */
export const noUsage: Usage = Object.freeze({
  tokens: Object.freeze({ in: null, out: null, cached: null, reasoning: null }),
  usd: null,
});

/**
 * How one attempt ended. `retry` says what may be done about a failure: nothing, another attempt `later`
 * (not before `waitMs`, where the other side named a time), or one at once because the attempt taught the
 * transport to ask differently. `crowded` means that too much was in flight.
 */
export type Attempt =
  | {
      readonly ok: true;
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
      /** Normalised as `Call.finish` is. */
      readonly finish: string;
      readonly usage: Usage;
    }
  | {
      readonly ok: false;
      readonly failure: Failure;
      readonly retry: "never" | "later" | "now";
      readonly waitMs: number | null;
      readonly crowded: boolean;
      readonly usage: Usage;
    };

export type SendContext = {
  /** Counts from 1 within one call. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Receives the reply's text, piece by piece and in order, before `send` settles. */
  readonly onText: (text: string) => void;
};

/**
 * Makes one attempt at one model call, over a wire or inside this process. It does not retry, queue, count
 * or price: the caller in `models` does that, alike for all. `send` settles soon after `signal` aborts,
 * with any outcome, and rejects only for its own bugs and for what `onText` throws.
 */
export interface Transport {
  send(request: ModelRequest, sending: SendContext): Promise<Attempt>;
}
