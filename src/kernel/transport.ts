import type { Attachment, Failure, ModelRequest, WebSource, Thinking, Tokens, ToolCall } from "./model.ts";

/** The supported provider APIs. */
export const WIRE_NAMES = ["openai", "responses", "anthropic", "ollama"] as const;
export type WireName = (typeof WIRE_NAMES)[number];

/** The usage of one attempt as the provider reports it; `usd` is null if it reports no cost. */
export type Usage = {
  readonly tokens: Tokens;
  /** How often the provider searched the web for it, where it says so. */
  readonly searches?: number | undefined;
  readonly usd: number | null;
};

export const noUsage: Usage = Object.freeze({
  tokens: Object.freeze({ in: null, out: null, cached: null, reasoning: null }),
  usd: null,
});

/**
 * The result of one attempt. A failure may be retried `never`, `later` (not before `waitMs`, if the provider named a
 * time), or `now`, because the transport learned how to change its request. `crowded`: too many requests in flight. `without`:
 * as in `Call`.
 */
export type Attempt =
  | {
      readonly ok: true;
      readonly text: string;
      readonly thinking?: Thinking | undefined;
      readonly toolCalls: readonly ToolCall[];
      readonly sources?: readonly WebSource[] | undefined;
      /** Normalized like `Call.finish`. */
      readonly finish: string;
      readonly without?: readonly string[] | undefined;
      readonly usage: Usage;
    }
  | {
      readonly ok: false;
      readonly failure: Failure;
      readonly retry: "never" | "later" | "now";
      readonly waitMs: number | null;
      readonly crowded: boolean;
      /** Whether the provider may charge for it; by default if text came, or if a failure of this kind may be charged. */
      readonly charged?: boolean;
      readonly without?: readonly string[] | undefined;
      readonly usage: Usage;
    };

/** An attachment of a request as a transport gets it: with its bytes in base64. One without is not shown to the model. */
export type SentAttachment = Attachment & { readonly data: string };

export const isSent = (attachment: Attachment): attachment is SentAttachment => "data" in attachment;

export type SendContext = {
  /** The attempt's number within one call, from 1. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Receives the reply's text in pieces and in order, before `send` settles. */
  readonly onText: (text: string) => void;
  /** Receives what the model thinks, in pieces. */
  readonly onThinking?: ((text: string) => void) | undefined;
  /** All text so far was thinking. */
  readonly onRetract?: (() => void) | undefined;
};

/**
 * Makes one attempt at a model call, over the network or in this process. The caller in `models` retries, queues, counts
 * and prices. `send` settles soon after `signal` aborts, with any outcome. It rejects only for its own bugs and for
 * errors of `onText`.
 */
export interface Transport {
  send(request: ModelRequest, sending: SendContext): Promise<Attempt>;
}
