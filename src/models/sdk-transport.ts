// What a package's model gives is read like any server's reply, and an abort ends the attempt whether the package heeds it or not.

import { setImmediate } from "node:timers/promises";
import type { ModelRequest, ToolCall } from "../kernel/model.ts";
import { readReference } from "../kernel/model-options.ts";
import { noUsage, type Attempt, type Transport, type Usage } from "../kernel/transport.ts";
import { nameLeftOut, refusedPart, wantedBy } from "./asking.ts";
import { systemClock, type Clock } from "./clock.ts";
import type { Variables } from "./proxy.ts";
import {
  finalProblem,
  networkProblem,
  problemFromBody,
  problemFromStatus,
  type CallProblem,
} from "./failures.ts";
import {
  firstCount,
  isObject,
  objectAt,
  toCount,
  toJsonText,
  toObject,
  toText,
  type LooseObject,
} from "./loose.ts";
import { cleanMessage, createSecretFilter } from "./secret-filter.ts";
import { findSdkPackage, loadSdkModel, readSdkReference, type SdkModel } from "./sdk-package.ts";
import { callOptions } from "./sdk-request.ts";
import { openaiCompatible } from "./wires/openai-compatible.ts";
import { Separator } from "./thinking.ts";
import { extraOf, thinkingOf, type WireFeature } from "./wires/wire.ts";

/** More UTF-16 units, or tool calls, than this are no answer to a prompt. */
const MAX_REPLY_LENGTH = 64 * 2 ** 20;
const MAX_TOOL_CALLS = 1_000;
/** Parts that are read before timers get their turn: a stream that is never empty would keep the deadline from passing. */
const PARTS_AT_ONCE = 256;

export type SdkOptions = {
  readonly env: Variables;
  /** The user's folder, where packages are looked for first. */
  readonly home: string;
  readonly clock?: Clock;
  /** Stands in for the packages. */
  readonly load?: (ref: string) => Promise<SdkModel>;
};

/** Calls the models of AI SDK provider packages that are installed in the user's folder or beside Parley. */
export function createSdkTransport({
  env,
  home,
  clock = systemClock,
  load = (ref) => loadModel(ref, home, env),
}: SdkOptions): Transport {
  const filter = createSecretFilter(secretsIn(env));
  const models = new Map<string, Promise<SdkModel>>();
  const learned = new Map<string, Set<WireFeature>>();

  const modelOf = (ref: string): Promise<SdkModel> => {
    const known = models.get(ref) ?? load(ref);
    models.set(ref, known);
    known.catch(() => models.delete(ref));
    return known;
  };

  const fail = (problem: CallProblem, usage = noUsage): Extract<Attempt, { ok: false }> => {
    const { code, retry, waitMs, crowded, advice, http } = problem;
    const words = cleanMessage(problem.words, filter);
    const message = advice === undefined ? words : `${words}; ${advice}`;
    const failure = { code, message, ...(http === undefined ? {} : { http }) };
    return { ok: false, failure, retry, waitMs, crowded, usage };
  };

  /** What was thrown or streamed as an error. The request is sent again at once where it can do without what is complained about. */
  const refuse = (request: ModelRequest, error: unknown, usage: Usage): Attempt => {
    const problem = problemOf(error, clock.now());
    const attempted = fail(problem, usage);
    if (problem.http !== 400 && problem.http !== 422) return attempted;
    const known = learned.get(request.model) ?? new Set();
    const sent = askedOf(request).filter((feature) => !known.has(feature));
    const feature = refusedPart(problem.words, { sent }, openaiCompatible.complaints(problem.words));
    if (feature === null) return attempted;
    learned.set(request.model, known.add(feature));
    return { ...attempted, retry: "now" };
  };

  return {
    async send(request, { signal, onText, onThinking = () => {}, onRetract = () => {} }) {
      const { model: ref } = request;
      const without: ReadonlySet<WireFeature> = new Set(learned.get(ref));
      const cancelled = () => fail(finalProblem("cancelled", "given up"));
      const reading = createReading();
      const cleaning = filter.open();
      const give = (piece: string): void => void (piece !== "" && onText(piece));
      const separator = new Separator({
        onText: (piece) => give(cleaning.push(piece)),
        onThinking,
        onRetract,
      });
      let reader: PartReader | null = null;

      const exchange = async (): Promise<Attempt> => {
        try {
          const model = await modelOf(readReference(ref).model);
          if (signal.aborted) return cancelled();
          reader = readerOf(await model.doStream(callOptions(request, signal, without)));
        } catch (error) {
          return refuse(request, error, noUsage);
        }
        for (let parts = 1; ; parts += 1) {
          let part: unknown;
          try {
            if (parts % PARTS_AT_ONCE === 0) await setImmediate();
            part = await readPart(reader);
          } catch (error) {
            return refuse(request, error, reading.usage());
          }
          if (signal.aborted) return cancelled();
          if (toObject(part)["type"] === "error")
            return refuse(request, toObject(part)["error"], reading.usage());
          const { piece, thought, over } =
            part === undefined ? { piece: "", over: true } : reading.take(toObject(part));
          separator.push(piece);
          if (thought) onThinking(filter.clean(thought));
          if (over) break;
        }
        const separated = separator.end();
        give(cleaning.end());
        const completion = reading.end();
        if (!completion.ok) return fail(completion.problem, reading.usage());
        const { clean } = filter;
        const thought = [completion.thought, separated.thinking].filter((one) => one !== "").join("\n\n");
        return {
          ok: true,
          text: clean(separated.text),
          thinking: thinkingOf(clean(thought), completion.sealed),
          toolCalls: completion.toolCalls.map((call) => ({
            ...{ ...call, id: clean(call.id), name: clean(call.name) },
            arguments: clean(call.arguments),
          })),
          finish: cleanMessage(completion.finish, filter).slice(0, 64),
          usage: reading.usage(),
        };
      };

      const given = new AbortController();
      const stopped = new Promise<Attempt>((resolve) => {
        const stop = () => resolve(cancelled());
        if (signal.aborted) return stop();
        signal.addEventListener("abort", stop, { once: true, signal: given.signal });
      });
      try {
        const attempted = await Promise.race([exchange(), stopped]);
        const leftOut = nameLeftOut(askedOf(request), without);
        return leftOut.length === 0 ? attempted : { ...attempted, without: leftOut };
      } finally {
        given.abort();
        void stopReading(reader);
      }
    },
  };
}

const askedOf = (request: ModelRequest): WireFeature[] => [
  ...wantedBy(request),
  ...(readReference(request.model).effort === undefined ? [] : (["effort"] as const)),
];

async function loadModel(ref: string, home: string, env: Variables): Promise<SdkModel> {
  const found = findSdkPackage(ref, home);
  if (!found.ok) throw new PackageError(`${found.reason}; ${found.next}`);
  try {
    return await loadSdkModel(found, readSdkReference(ref)?.model ?? "", env);
  } catch (error) {
    const named = isObject(error) && /^AI_Load/.test(toText(error["name"]));
    if (named) throw error;
    throw new PackageError(`the package ${found.name} cannot be used: ${messageOf(error)}`);
  }
}

/** A package that is missing or cannot be used. */
class PackageError extends Error {}

/** Values of variables that hold keys, whichever of them a package reads. */
const secretsIn = (env: Variables): string[] =>
  Object.entries(env)
    .filter(([name]) => /(?:KEY|TOKEN|SECRET|PASSWORD)$/.test(name))
    .map(([, value]) => value?.trim() ?? "")
    .filter((value) => value.length >= 8)
    .slice(0, 100);

const messageOf = (error: unknown): string =>
  toText(toObject(error)["message"]) || (typeof error === "string" ? error : "an error without words");

/** Classes of what packages throw without having been answered (`@ai-sdk/provider`), by the beginning of the name. */
const THROWN: readonly (readonly [RegExp, CallProblem["code"]])[] = [
  [/^AI_Load(?:APIKey|Setting)/, "unauthorised"],
  [/^AI_(?:NoSuchModel|NoSuchProvider|Unsupported|InvalidPrompt|InvalidArgument)/, "refused"],
  [/^AI_(?:TypeValidation|JSONParse|InvalidResponseData|EmptyResponseBody|NoContentGenerated)/, "unreadable"],
];

/** An error of a package's, by the same table as a server's answers. */
function problemOf(error: unknown, nowMs: number): CallProblem {
  const words = messageOf(error);
  if (error instanceof PackageError) return finalProblem("refused", words);
  const { statusCode, responseHeaders, responseBody, isRetryable, name, cause } = toObject(error);
  const status = toCount(statusCode);
  if (status !== null && status >= 300 && status < 600) {
    const header = (wanted: string) => toText(toObject(responseHeaders)[wanted]);
    return problemFromStatus({ status, header }, toText(responseBody) || words, nowMs);
  }
  const row = THROWN.find(([pattern]) => pattern.test(toText(name)));
  if (row !== undefined) return finalProblem(row[1], words);
  if (isRetryable === true || name === "AbortError" || toText(toObject(cause)["code"]) !== "")
    return networkProblem(words);
  return problemFromBody(error instanceof Error || !isObject(error) ? { message: words } : error);
}

type PartReader = { read(): unknown; cancel(): unknown };

function isPartReader(value: unknown): value is PartReader {
  return isObject(value) && typeof value["read"] === "function" && typeof value["cancel"] === "function";
}

function readerOf(result: unknown): PartReader {
  const stream = objectAt(result, "stream");
  const getReader = stream["getReader"];
  const reader: unknown = typeof getReader === "function" ? Reflect.apply(getReader, stream, []) : null;
  if (!isPartReader(reader)) throw new PackageError("the package gave no stream");
  return reader;
}

/** The next part; undefined at the end. */
async function readPart(reader: PartReader): Promise<unknown> {
  const step = toObject(await reader.read());
  return step["done"] === true ? undefined : (step["value"] ?? null);
}

async function stopReading(reader: PartReader | null): Promise<void> {
  try {
    await reader?.cancel();
  } catch {
    // It has ended, or does not end well; nothing of it is read any longer.
  }
}

type Completed =
  | {
      readonly ok: true;
      readonly thought: string;
      /** Parts of reasoning with what the provider hung on them. */
      readonly sealed: readonly unknown[];
      readonly toolCalls: readonly ToolCall[];
      readonly finish: string;
    }
  | { readonly ok: false; readonly problem: CallProblem };

const NO_FIELDS: ReadonlySet<string> = new Set();

/** Reads the parts of a stream. The text is what came as text, in the order in which it came, whatever blocks it was in. */
function createReading() {
  let text = "";
  const thoughts = new Map<string, { type: "reasoning"; text: string; providerOptions?: unknown }>();
  let finish: { readonly unified: string; readonly raw: string } | null = null;
  let usage = noUsage;
  const toolCalls: ToolCall[] = [];

  const end = (): Completed => {
    const fails = (problem: CallProblem): Completed => ({ ok: false, problem });
    if (text.length > MAX_REPLY_LENGTH || toolCalls.length > MAX_TOOL_CALLS)
      return fails(finalProblem("unreadable", "the reply is longer than any answer"));
    if (finish === null) return fails(networkProblem("the stream ended early"));
    const { unified, raw } = finish;
    if (unified === "content-filter")
      return fails(finalProblem("refused", "the provider's content filter stopped the reply"));
    if (unified === "error") return fails(problemFromBody({ message: "the reply ended in an error" }));
    const isUsual = ["stop", "length", "tool-calls"].includes(unified);
    const word = isUsual ? unified : raw || "stop";
    const said = [...thoughts.values()];
    return {
      ok: true,
      thought: said.flatMap((part) => (part.text === "" ? [] : [part.text])).join("\n\n"),
      sealed: said.filter((part) => part.providerOptions !== undefined),
      toolCalls,
      finish: word === "stop" && toolCalls.length > 0 ? "tool-calls" : word,
    };
  };
  return {
    usage: () => usage,
    end,
    take: (
      part: LooseObject,
    ): { readonly piece: string; readonly thought?: string; readonly over: boolean } => {
      switch (part["type"]) {
        case "reasoning-start":
        case "reasoning-delta":
        case "reasoning-end": {
          const id = toText(part["id"]);
          const thought = thoughts.get(id) ?? { type: "reasoning", text: "" };
          const piece = toText(part["delta"]);
          thought.text += piece;
          if (isObject(part["providerMetadata"])) thought.providerOptions = part["providerMetadata"];
          thoughts.set(id, thought);
          return { piece: "", thought: piece, over: thought.text.length > MAX_REPLY_LENGTH };
        }
        case "text-delta": {
          const piece = toText(part["delta"]);
          text += piece;
          return { piece, over: text.length > MAX_REPLY_LENGTH };
        }
        case "tool-call": {
          // What the provider ran itself is no call of ours.
          if (part["providerExecuted"] === true) break;
          const { input, providerMetadata: providerOptions } = part;
          const extra = extraOf({ providerOptions }, NO_FIELDS);
          toolCalls.push({
            id: toText(part["toolCallId"]) || `call-${toolCalls.length + 1}`,
            name: toText(part["toolName"]),
            arguments: isObject(input) ? toJsonText(input) : toText(input),
            ...(extra && { extra }),
          });
          return { piece: "", over: toolCalls.length > MAX_TOOL_CALLS };
        }
        case "finish": {
          const reason = part["finishReason"];
          const unified = toText(reason) || toText(toObject(reason)["unified"]);
          finish = { unified, raw: toText(toObject(reason)["raw"]) };
          usage = readUsage(part);
          return { piece: "", over: true };
        }
        default:
      }
      return { piece: "", over: false };
    },
  };
}

/** Tokens as version 3 groups them or version 2 lists them; OpenRouter's package adds what it charged. */
function readUsage(part: LooseObject): Usage {
  const usage = objectAt(part, "usage");
  const [sent, answered] = [objectAt(usage, "inputTokens"), objectAt(usage, "outputTokens")];
  const charged = objectAt(objectAt(part["providerMetadata"], "openrouter"), "usage")["cost"];
  return {
    tokens: {
      in: firstCount(sent["total"], usage["inputTokens"]),
      out: firstCount(answered["total"], usage["outputTokens"]),
      cached: firstCount(sent["cacheRead"], usage["cachedInputTokens"]),
      written: firstCount(sent["cacheWrite"]) || undefined,
      reasoning: firstCount(answered["reasoning"], usage["reasoningTokens"]),
    },
    usd: typeof charged === "number" && Number.isFinite(charged) && charged >= 0 ? charged : null,
  };
}
