import type { SdkModel } from "./sdk-package.ts";

/** What the function behind a model is given. */
export type OwnCall = {
  /** The prompt, oldest first; the answers of tools and what is no text are left out. */
  readonly messages: readonly { readonly role: "system" | "user" | "assistant"; readonly text: string }[];
  /** Aborts when nobody waits for the reply any more: a call that has not ended by then counts as cancelled. */
  readonly signal: AbortSignal;
  /** Shows the next piece of the reply while it is written. */
  readonly onText: (piece: string) => void;
  /** The longest reply, in tokens. */
  readonly maxTokens: number;
  readonly temperature?: number | undefined;
  /** The JSON Schema that the reply should fit, where one is asked for. */
  readonly schema?: unknown;
};

/** A reply: its text, or with it the tokens that it took (unknown where absent) and why it ended (`stop` where absent). */
export type FunctionReply =
  | string
  | {
      readonly text: string;
      readonly tokens?: { readonly in?: number; readonly out?: number };
      readonly finish?: "stop" | "length";
    };

/**
 * Makes a model of a function. What it throws fails the call: an HTTP `status` or `statusCode` of the error says whether it is made again.
 * Without a price among the settings (`prices`) what it costs is unknown.
 * @example
 * ```ts
 * const echo = defineModel(async ({ messages }) => messages.at(-1)?.text ?? "");
 * const parley = await openParley({ models: { "mine/echo": echo } });
 * ```
 */
export const defineModel = (
  reply: (call: OwnCall) => FunctionReply | void | Promise<FunctionReply | void>,
): SdkModel => ({
  specificationVersion: "v4",
  doStream: async (options) => (await import("./own-model.ts")).streamReply(reply, options),
});

/** Models of a program's own, by reference: functions, or language models of the AI SDK. */
export type OwnModels = { readonly [ref: string]: SdkModel };
