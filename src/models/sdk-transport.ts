// What a package's model gives is read like any server's reply, and an abort ends the attempt whether the package heeds it or not.

import { setImmediate } from "node:timers/promises";
import type { ModelRequest, ToolCall } from "../kernel/model.ts";
import { readReference } from "../kernel/model-options.ts";
import { readSources } from "../kernel/sources.ts";
import { noUsage, type Attempt, type Transport, type Usage } from "../kernel/transport.ts";
import { nameLeftOut, refusedPart } from "./asking.ts";
import { systemClock, type Clock } from "./clock.ts";
import type { Variables } from "./proxy.ts";
import { failAttempt, finalProblem, networkProblem, problemFromBody, problemFromStatus } from "./failures.ts";
import type { CallProblem } from "./failures.ts";
import { firstCount, isObject, objectAt, toCount, toJsonText, toObject, toText } from "./loose.ts";
import type { LooseObject } from "./loose.ts";
import { cleanReply, createSecretFilter } from "./secret-filter.ts";
import {
  findSdkPackage,
  loadSdkModel,
  PackageError,
  readSdkReference,
  type SdkModel,
} from "./sdk-package.ts";
import { askedOf, callOptions, kindsIn, leaveOut, type LeftOut } from "./sdk-request.ts";
import { openaiCompatible, readUsage as readChatUsage } from "./wires/openai-compatible.ts";
import { Separator } from "./thinking.ts";
import { besideCall, thinkingOf, type Completion, type Hears, type WireFeature } from "./wires/wire.ts";

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
  /** Models that are of no package, by reference. */
  readonly own?: ReadonlyMap<string, SdkModel> | undefined;
  /** Stands in for the packages. */
  readonly load?: (ref: string) => Promise<SdkModel>;
};

/** Calls the models of AI SDK provider packages that are installed in the user's folder or beside Parley, and a program's own. */
export function createSdkTransport({
  env,
  home,
  clock = systemClock,
  own,
  load = async (ref) => own?.get(ref) ?? loadModel(ref, home, env),
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

  const fail = (problem: CallProblem, usage = noUsage) => failAttempt(problem, filter, usage);

  /** What was thrown or streamed as an error. The request is sent again at once where it can do without what is complained about. */
  const refuse = (request: ModelRequest, error: unknown, usage: Usage): Attempt => {
    const problem = problemOf(error, clock.now());
    const attempted = fail(problem, usage);
    // Packages check their own options, of which only an effort is ours, before they send anything.
    const isOption = toObject(error)["name"] === "AI_InvalidArgumentError";
    if (problem.http !== 400 && problem.http !== 422 && !isOption) return attempted;
    const known = learned.get(request.model) ?? new Set();
    const sent = askedOf(request).filter((feature) => !known.has(feature));
    const complaints = isOption ? ["effort" as const] : openaiCompatible.complaints(problem.words);
    const feature = refusedPart(problem.words, { sent }, complaints);
    if (feature === null) return attempted;
    learned.set(request.model, known.add(feature));
    return { ...attempted, retry: "now" };
  };

  return {
    async send(request, { signal, onText, onThinking = () => {}, onRetract = () => {} }) {
      const { model: ref } = request;
      const without = new Set<LeftOut>(learned.get(ref));
      const cancelled = () => fail(finalProblem("cancelled", "given up"));
      const cleaning = filter.open();
      const give = (piece: string): void => void (piece !== "" && onText(piece));
      const separator = new Separator({
        onText: (piece) => give(cleaning.push(piece)),
        onThinking,
        onRetract,
      });
      const reading = createReading(
        (piece) => separator.push(piece),
        (piece) => onThinking(filter.clean(piece)),
      );
      let reader: PartReader | null = null;
      const open = async (): Promise<PartReader> => {
        const model = await modelOf(readReference(ref).model);
        signal.throwIfAborted();
        return readerOf(await model.doStream(callOptions(request, { model, signal, without })));
      };

      const exchange = async (): Promise<Attempt> => {
        for (let parts = 1; ; parts += 1) {
          let part: LooseObject | undefined;
          try {
            reader ??= await open();
            if (parts % PARTS_AT_ONCE === 0) await setImmediate();
            part = await readPart(reader);
          } catch (error) {
            return refuse(request, error, reading.usage());
          }
          if (signal.aborted) return cancelled();
          if (part?.["type"] === "error") return refuse(request, part["error"], reading.usage());
          if (part?.["type"] === "stream-start") leaveOut(part, request, without);
          if (part === undefined || reading.take(part)) break;
        }
        const completion = reading.end();
        const whole = completion.ok ? separator.conclude(completion) : completion;
        give(cleaning.end());
        return whole.ok ? cleanReply(whole, filter) : fail(whole.problem, whole.usage);
      };

      const given = new AbortController();
      const stopped = new Promise<Attempt>((resolve) => {
        const stop = () => resolve(cancelled());
        if (signal.aborted) return stop();
        signal.addEventListener("abort", stop, { once: true, signal: given.signal });
      });
      try {
        const attempted = await Promise.race([exchange(), stopped]);
        const leftOut = nameLeftOut([...askedOf(request), ...kindsIn(request)], without);
        return leftOut.length === 0 ? attempted : { ...attempted, without: leftOut };
      } finally {
        given.abort();
        void stopReading(reader);
      }
    },
  };
}

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
  const {
    statusCode,
    status: own,
    responseHeaders,
    responseBody,
    isRetryable,
    name,
    cause,
  } = toObject(error);
  const status = toCount(statusCode ?? own);
  if (status !== null && status >= 300 && status < 600) {
    const header = (wanted: string) => toText(toObject(responseHeaders)[wanted]);
    return problemFromStatus({ status, header }, toText(responseBody) || words, nowMs);
  }
  const [, kind] = /^file part media type (\w+)\//.exec(toText(toObject(error)["functionality"])) ?? [];
  if (kind !== undefined)
    return finalProblem(
      "refused",
      `the package does not support ${kind === "image" ? "pictures" : "documents"}`,
    );
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
async function readPart(reader: PartReader): Promise<LooseObject | undefined> {
  const step = toObject(await reader.read());
  return step["done"] === true ? undefined : toObject(step["value"]);
}

async function stopReading(reader: PartReader | null): Promise<void> {
  try {
    await reader?.cancel();
  } catch {
    // It has ended, or does not end well; nothing of it is read any longer.
  }
}

/** Reads the parts of a stream. The text is what came as text, in the order in which it came, whatever blocks it was in. */
function createReading(onText: Hears, onThinking: Hears) {
  const thoughts = new Map<string, { type: "reasoning"; text: string; providerOptions?: unknown }>();
  const toolCalls: ToolCall[] = [];
  let size = 0;
  let finish: { readonly unified: string; readonly raw: string } | null = null;
  let usage = noUsage;
  const named: LooseObject[] = [];
  const isTooLong = () => size > MAX_REPLY_LENGTH || toolCalls.length > MAX_TOOL_CALLS;

  /** Takes the next part; true when nothing more needs to be read. */
  const take = (part: LooseObject): boolean => {
    const piece = toText(part["delta"]);
    switch (part["type"]) {
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end": {
        const id = toText(part["id"]);
        const thought = thoughts.get(id) ?? { type: "reasoning", text: "" };
        thought.text += piece;
        if (isObject(part["providerMetadata"])) thought.providerOptions = part["providerMetadata"];
        thoughts.set(id, thought);
        size += piece.length;
        if (piece !== "") onThinking(piece);
        break;
      }
      case "text-delta":
        size += piece.length;
        onText(piece);
        break;
      case "source":
        named.push(part);
        break;
      case "tool-call": {
        // What the provider ran itself is no call of ours.
        if (part["providerExecuted"] === true) break;
        const { input, providerMetadata: providerOptions } = part;
        const extra = besideCall({ providerOptions });
        toolCalls.push({
          id: toText(part["toolCallId"]) || `call-${toolCalls.length + 1}`,
          name: toText(part["toolName"]),
          arguments: isObject(input) ? toJsonText(input) : toText(input),
          ...(extra && { extra }),
        });
        break;
      }
      case "finish": {
        const reason = part["finishReason"];
        const unified = toText(reason) || toText(toObject(reason)["unified"]);
        finish = { unified, raw: toText(toObject(reason)["raw"]) };
        usage = readUsage(part);
        return true;
      }
      default:
    }
    return isTooLong();
  };

  const end = (): Completion => {
    const fails = (problem: CallProblem): Completion => ({ ok: false, problem, usage });
    if (isTooLong()) return fails(finalProblem("unreadable", "the reply is longer than any answer"));
    if (finish === null) return fails(networkProblem("the stream ended early"));
    const { unified, raw } = finish;
    if (unified === "content-filter")
      return fails(finalProblem("refused", "the provider's content filter stopped the reply"));
    if (unified === "error") return fails(problemFromBody({ message: "the reply ended in an error" }));
    const isUsual = ["stop", "length", "tool-calls"].includes(unified);
    const word = isUsual ? unified : raw || "stop";
    const called = toolCalls.length > 0;
    const said = [...thoughts.values()];
    const words = said.map((one) => one.text).filter((one) => one !== "");
    // Beside calls of tools some providers want all of it back, whether they signed it or not.
    const sealed = said.filter((one) => one.providerOptions !== undefined || called);
    return {
      ...{ ok: true, text: "", thinking: thinkingOf(words.join("\n\n"), sealed), toolCalls, usage },
      sources: readSources(named),
      finish: word === "stop" && called ? "tool-calls" : word,
    };
  };
  return { take, end, usage: () => usage };
}

/**
 * Tokens as versions 3 and 4 group them, or version 2 lists them: there Google's package leaves what was thought out of the reply,
 * and Anthropic's what is cached out of the prompt. OpenRouter's adds what it charged.
 */
function readUsage(part: LooseObject): Usage {
  const { inputTokens: sent, outputTokens: answered, ...listed } = objectAt(part, "usage");
  const metadata = toObject(part["providerMetadata"]);
  const cache = isObject(sent) ? {} : objectAt(metadata["anthropic"], "usage");
  const [read, written] = [cache["cache_read_input_tokens"], cache["cache_creation_input_tokens"]].map(
    toCount,
  );
  const prompt = firstCount(toObject(sent)["total"], sent);
  return readChatUsage({
    prompt_tokens: prompt === null ? null : prompt + (read ?? 0) + (written ?? 0),
    completion_tokens: firstCount(toObject(answered)["total"], answered),
    total_tokens: listed["totalTokens"],
    prompt_tokens_details: {
      cached_tokens: firstCount(toObject(sent)["cacheRead"], listed["cachedInputTokens"]),
      cache_write_tokens: firstCount(toObject(sent)["cacheWrite"], written),
    },
    completion_tokens_details: {
      reasoning_tokens: firstCount(toObject(answered)["reasoning"], listed["reasoningTokens"]),
    },
    cost: objectAt(metadata["openrouter"], "usage")["cost"],
  });
}
