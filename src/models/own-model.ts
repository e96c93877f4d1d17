import { refusal } from "../kernel/fault.ts";
import { readReference } from "../kernel/model-options.ts";
import type { OwnCall, OwnModels, FunctionReply } from "./define-model.ts";
import { isObject, toCount, toItems, toObject, toText, type LooseObject } from "./loose.ts";
import { agentPrograms } from "./programs.ts";
import { findProvider, SDK } from "./providers.ts";
import { isSdkModel, PackageError, SPECIFICATIONS, type SdkModel } from "./sdk-package.ts";

/** What a function replies to a call's options, as a stream of parts of the AI SDK. */
export const streamReply = (
  reply: (call: OwnCall) => FunctionReply | void | Promise<FunctionReply | void>,
  options: LooseObject,
) => {
  // What comes when it has replied, or when nobody listens any longer, is heard by nobody.
  let isOver = false;
  const stream = new ReadableStream<LooseObject>({
    async start(parts) {
      let shown = "";
      const onText = (delta: string) => {
        if (isOver) return;
        shown += delta;
        parts.enqueue({ type: "text-delta", delta });
      };
      try {
        const given = await reply(callOf(options, onText));
        if (isOver) return;
        for (const part of finishOf(shown, given)) parts.enqueue(part);
        parts.close();
      } catch (error) {
        throw isFromOutside(error)
          ? error
          : new PackageError(toText(toObject(error)["message"]) || "it failed");
      } finally {
        isOver = true;
      }
    },
    cancel: () => void (isOver = true),
  });
  return { stream };
};

/** Whether an error says what a server or a network did; any other is the function's own, and comes again. */
function isFromOutside(error: unknown): boolean {
  const { status, statusCode, cause, code, name } = toObject(error);
  const isAnswered = [status, statusCode].some((one) => toCount(one) !== null);
  return (
    isAnswered || name === "AbortError" || [code, toObject(cause)["code"]].some((one) => toText(one) !== "")
  );
}

function callOf(options: LooseObject, onText: OwnCall["onText"]): OwnCall {
  const { prompt, temperature, maxOutputTokens, responseFormat, abortSignal } = options;
  return {
    messages: toItems(prompt).flatMap((message) => {
      const { role, content } = toObject(message);
      if (role !== "system" && role !== "user" && role !== "assistant") return [];
      const texts =
        typeof content === "string"
          ? [content]
          : toItems(content).map((part) => toText(toObject(part)["text"]));
      return [{ role, text: texts.filter(Boolean).join("\n\n") }];
    }),
    signal: abortSignal as AbortSignal, // All of it is what `callOptions` made.
    onText,
    maxTokens: Number(maxOutputTokens),
    temperature: temperature as number | undefined,
    schema: toObject(responseFormat)["schema"],
  };
}

/** What is left to stream of a reply. @throws for one that is none, or not the one that was shown */
function finishOf(shown: string, given: FunctionReply | void): LooseObject[] {
  const {
    text = shown,
    tokens = {},
    finish = "stop",
  } = typeof given === "string" ? { text: given } : (given ?? {});
  if (typeof text !== "string") throw new PackageError("the function returned no text");
  const isShown = text.startsWith(shown);
  if (!isShown && text.trim() !== shown.trim())
    throw new PackageError("the function returned another text than it gave to onText");
  return [
    ...(isShown && text !== shown ? [{ type: "text-delta", delta: text.slice(shown.length) }] : []),
    { type: "finish", finishReason: finish, usage: { inputTokens: tokens.in, outputTokens: tokens.out } },
  ];
}

/** @throws Fault `configuration` for a name that cannot be one, and for what is no model */
export function checkOwnModels(models: OwnModels): ReadonlyMap<string, SdkModel> {
  for (const [ref, model] of Object.entries(models)) {
    const [, provider = ""] = /^([a-z0-9-]+)\/[^\s?]+$/.exec(ref) ?? [];
    const isTaken = [SDK, "sim", "recorded", "human", "any", "compatible"].includes(provider);
    const named = `the model ${JSON.stringify(ref.slice(0, 100))}`;
    if (provider === "" || isTaken || findProvider(provider) || agentPrograms.has(provider))
      throw refusal(
        `${named} cannot be called so`,
        "write a name of your own and a slash before it: mine/echo",
      );
    if (
      !isObject(model) ||
      !isSdkModel(model) ||
      !SPECIFICATIONS.includes(toText(model.specificationVersion))
    )
      throw refusal(`${named} is none`, "give what defineModel returns, or a language model of the AI SDK");
  }
  return new Map(Object.entries(models));
}

const providerIn = (ref: string): string => ref.slice(0, ref.indexOf("/"));
export const providersIn = (models: ReadonlyMap<string, SdkModel>): string[] =>
  [...models.keys()].map(providerIn);

/** Whether a reference names one of these models; undefined where its provider has none of them. */
export function findOwnModel(
  models: ReadonlyMap<string, SdkModel>,
  ref: string,
):
  { readonly ok: true } | { readonly ok: false; readonly reason: string; readonly next: string } | undefined {
  const { model } = readReference(ref);
  if (models.has(model)) return { ok: true };
  const others = [...models.keys()].filter((one) => providerIn(one) === providerIn(model));
  if (others.length === 0) return undefined;
  return { ok: false, reason: `this program has no model ${model}`, next: others.join(", ") };
}
