import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isLong } from "../../../test/support/long.ts";
import { createReply } from "../http-transport.ts";
import { anthropic } from "./anthropic.ts";
import { ollama } from "./ollama.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { Completion, Wire } from "./wire.ts";

type Row = {
  readonly uri: string;
  readonly file: string;
  readonly n: number;
  readonly response_body: string;
};
type Kind = "chat" | "messages" | "ollama" | "completions" | "responses" | "other";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const folder = "../shared/data/wire";

const lines = (name: string): Row[] =>
  readFileSync(`${folder}/${name}`, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    // The recordings have this shape; a row without it fails its test.
    .map((line) => JSON.parse(line) as Row);

const kindOf = ({ uri }: Row): Kind => {
  const path = uri.replace(/[?#].*$/, "");
  if (path.endsWith("/chat/completions")) return "chat";
  if (path.endsWith("/messages")) return "messages";
  if (path.endsWith("/api/chat")) return "ollama";
  if (path.endsWith("/completions")) return "completions";
  return path.endsWith("/responses") ? "responses" : "other";
};

const wires: { readonly [kind: string]: Wire } = {
  chat: openaiCompatible,
  messages: anthropic,
  responses: openaiResponses,
  ollama,
};
const wireOf = (kind: Kind): Wire | null => wires[kind] ?? null;

/** Feeds bytes in pieces of `size` through everything between the socket and the caller. */
const replay = (
  wire: Wire,
  bytes: Buffer,
  size = bytes.length,
): { completion: Completion; streamed: string } => {
  let streamed = "";
  const reply = createReply(wire, { onText: (text) => void (streamed += text), onFirstByte: () => {} });
  reply.receiver.head({ status: 200, header: () => "" });
  for (let from = 0; from < bytes.length; from += size) {
    if (reply.receiver.bytes(bytes.subarray(from, from + size))) break;
  }
  return { completion: reply.completion(null), streamed };
};

type Reading = {
  readonly text: string;
  readonly thought: string;
  readonly calls: readonly string[];
  readonly finish: string;
  readonly sent: number | null;
  readonly answered: number | null;
};

// What follows reads the recordings a second time, on its own and without care for speed or broken input.

type Part = { readonly type: string; readonly text: string; readonly thinking?: string | readonly Part[] };
type Content = string | readonly Part[] | null | undefined;
type Piece = {
  readonly index: number;
  readonly function?: { readonly name?: string; readonly arguments?: string };
};
type ChatUsage = {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
};
type Spoken = {
  readonly content?: Content;
  readonly tool_calls?: readonly Piece[] | null;
  readonly reasoning?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning_details?: readonly { readonly text?: string; readonly summary?: string }[] | null;
};
type Choice = { readonly delta?: Spoken; readonly message?: Spoken; readonly finish_reason?: string | null };
type Chat = {
  readonly choices?: readonly Choice[];
  readonly usage?: ChatUsage | null;
  readonly x_groq?: { readonly usage?: ChatUsage };
};
type MessagesUsage = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
};
type MessagesEvent = {
  readonly type: string;
  readonly index?: number;
  readonly message?: { readonly usage: MessagesUsage };
  readonly content_block?: { readonly type: string; readonly name?: string };
  readonly delta?: {
    readonly text?: string;
    readonly thinking?: string;
    readonly partial_json?: string;
    readonly stop_reason?: string;
  };
  readonly usage?: Partial<MessagesUsage>;
};
type OllamaLine = {
  readonly message: { readonly content: string; readonly thinking?: string };
  readonly done_reason?: string;
  readonly prompt_eval_count?: number;
  readonly eval_count?: number;
};
type Messages = { readonly content?: readonly Part[]; readonly stop_reason?: string };

const dataOf = <T>(body: string): T[] =>
  body
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:") && !line.includes("[DONE]"))
    // The recordings have these shapes; one without fails its test.
    .map((line) => JSON.parse(line.slice(5)) as T);

const words = (content: Content): string =>
  typeof content === "string"
    ? content
    : (content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");

const thoughtIn = ({ content, reasoning, reasoning_content: named, reasoning_details }: Spoken): string =>
  named ??
  reasoning ??
  reasoning_details?.map(({ text, summary }) => text ?? summary ?? "").join("") ??
  (typeof content === "string" ? [] : (content ?? []))
    .map(({ thinking }) => (typeof thinking === "string" ? thinking : words(thinking?.map((one) => one))))
    .join("");

const naiveChat = (body: string): Reading => {
  const chunks = dataOf<Chat>(body);
  const deltas = chunks.map((chunk) => chunk.choices?.[0]?.delta ?? {});
  const pieces = deltas.flatMap((delta) => delta.tool_calls ?? []);
  const calls = [...new Set(pieces.map((piece) => piece.index))].map((index) => {
    const own = pieces.filter((piece) => piece.index === index).map((piece) => piece.function);
    const name = own.map((piece) => piece?.name ?? "").find((text) => text !== "");
    return `${name}(${own.map((piece) => piece?.arguments ?? "").join("")})`;
  });
  const reason = chunks.map((chunk) => chunk.choices?.[0]?.finish_reason).findLast((found) => found != null);
  const usage = chunks.map((chunk) => chunk.usage ?? chunk.x_groq?.usage).findLast((found) => found != null);
  return {
    text: deltas.map((delta) => words(delta.content)).join(""),
    thought: deltas.map(thoughtIn).join(""),
    calls,
    finish: (reason ?? (calls.length > 0 ? "tool_calls" : "stop")).replace("_", "-"),
    sent: usage?.prompt_tokens ?? null,
    answered: usage?.completion_tokens ?? null,
  };
};

const anthropicFinish = (reason: string | undefined): string =>
  reason === "end_turn" ? "stop" : reason === "tool_use" ? "tool-calls" : `${reason}`;

const naiveMessages = (body: string): Reading => {
  const events = dataOf<MessagesEvent>(body);
  const deltas = events.filter((event) => event.type === "content_block_delta");
  const calls = events
    .filter((event) => event.content_block?.type === "tool_use")
    .map((event) => {
      const own = deltas.filter((delta) => delta.index === event.index);
      const written = own.map((delta) => delta.delta?.partial_json ?? "").join("");
      return `${event.content_block?.name}(${written === "" ? "{}" : written})`;
    });
  const last = events.findLast((event) => event.type === "message_delta");
  const usage = { ...events.find((event) => event.message !== undefined)?.message?.usage, ...last?.usage };
  const {
    input_tokens: fresh = 0,
    cache_creation_input_tokens: written = 0,
    cache_read_input_tokens: cached = 0,
  } = usage;
  return {
    text: deltas.map((event) => event.delta?.text ?? "").join(""),
    thought: deltas.map((event) => event.delta?.thinking ?? "").join(""),
    calls,
    finish: anthropicFinish(last?.delta?.stop_reason),
    sent: fresh + written + cached,
    answered: usage.output_tokens ?? null,
  };
};

const naiveOllama = (body: string): Reading => {
  // As above.
  const lines = body.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as OllamaLine]));
  const last = lines.at(-1);
  return {
    text: lines.map((line) => line.message.content).join(""),
    thought: lines.map((line) => line.message.thinking ?? "").join(""),
    calls: [],
    finish: last?.done_reason ?? "",
    sent: last?.prompt_eval_count ?? null,
    answered: last?.eval_count ?? null,
  };
};

type ResponsesEvent = {
  readonly type: string;
  readonly delta?: string;
  readonly item?: { readonly type: string; readonly name?: string; readonly arguments?: string };
  readonly response?: { readonly usage?: { readonly input_tokens: number; readonly output_tokens: number } };
};

const naiveResponses = (body: string): Reading => {
  const events = dataOf<ResponsesEvent>(body);
  const calls = events
    .filter(({ type, item }) => type === "response.output_item.done" && item?.type === "function_call")
    .map(({ item }) => `${item?.name}(${item?.arguments})`);
  const usage = events.find(({ type }) => type === "response.completed")?.response?.usage;
  return {
    text: events.map(({ type, delta }) => (type === "response.output_text.delta" ? delta : "")).join(""),
    thought: events.map(({ type, delta }) => (/reasoning.*delta$/.test(type) ? delta : "")).join(""),
    calls,
    finish: calls.length > 0 ? "tool-calls" : "stop",
    sent: usage?.input_tokens ?? null,
    answered: usage?.output_tokens ?? null,
  };
};

const naive: { readonly [kind: string]: (body: string) => Reading } = {
  chat: naiveChat,
  messages: naiveMessages,
  responses: naiveResponses,
  ollama: naiveOllama,
};

const naiveWhole = (body: string): Omit<Reading, "sent" | "answered"> => {
  // As above.
  const whole = JSON.parse(body) as Chat & Messages;
  const choice = whole.choices?.[0];
  const [, marked = "", text = ""] =
    /^<think>\s*(.*?)\s*(?:<\/think>\s*(.*))?$/s.exec(words(choice?.message?.content)) ?? [];
  return choice === undefined
    ? {
        ...{ text: words(whole.content), thought: thoughtIn({ content: whole.content }) },
        ...{ calls: [], finish: anthropicFinish(whole.stop_reason) },
      }
    : {
        text: marked === "" ? words(choice.message?.content) : text,
        thought: marked || thoughtIn(choice.message ?? {}),
        calls: (choice.message?.tool_calls ?? []).map(
          (call) => `${call.function?.name}(${call.function?.arguments})`,
        ),
        finish: (choice.finish_reason ?? "stop").replace("_", "-"),
      };
};

const readingOf = (completion: Completion): Reading | string =>
  completion.ok
    ? {
        text: completion.text,
        thought: completion.thinking?.text ?? "",
        calls: completion.toolCalls.map((call) => `${call.name}(${call.arguments})`),
        finish: completion.finish,
        sent: completion.usage.tokens.in,
        answered: completion.usage.tokens.out,
      }
    : `${completion.problem.code}: ${completion.problem.words}`;

/** Usage comes last, after the end of the text, and may be what a cut takes away. */
const withoutUsage = (completion: Completion): Partial<Reading> | string => {
  const reading = readingOf(completion);
  if (typeof reading === "string") return reading;
  const { text, thought, calls, finish } = reading;
  return { text, thought, calls, finish };
};

/** A body that is cut at each of its bytes at full size; of longer ones that takes too long. */
const SHORT = 4_000;

/** Ten offsets over the whole body, and the middle of its first, second and last character of several bytes; all where it is short. */
const cutsOf = (bytes: Buffer): number[] => {
  if (isLong && bytes.length < SHORT) return [...bytes.keys()].slice(1);
  const even = Array.from({ length: 10 }, (_, index) => Math.floor(((index + 0.5) * bytes.length) / 10));
  const within = [...bytes.keys()].filter((index) => ((bytes[index] ?? 0) & 0xc0) === 0x80);
  return [...even, ...within.slice(0, 2), ...within.slice(-1)];
};

const absent = !existsSync(folder);
if (absent) say(`skipped: the recorded replies are not at ${folder}`);

describe.skipIf(absent)("recorded replies", () => {
  const streams = absent ? [] : [...lines("sse-streams.jsonl"), ...lines("ndjson-streams.jsonl")];

  it("stream out whole: text, tool calls, finish and usage, however the bytes are cut into pieces", () => {
    const replayed = new Map<Kind, number>();
    for (const row of streams) {
      const kind = kindOf(row);
      const wire = wireOf(kind);
      if (wire === null) continue;
      const expected = naive[kind]?.(row.response_body);
      const bytes = Buffer.from(row.response_body, "utf8");
      for (const size of bytes.length < 6_000 ? [bytes.length, 1, 7] : [bytes.length, 7]) {
        const { completion, streamed } = replay(wire, bytes, size);
        const got = { file: row.file, size, streamed, reading: readingOf(completion) };
        expect(got).toEqual({ file: row.file, size, streamed: expected?.text, reading: expected });
      }
      replayed.set(kind, (replayed.get(kind) ?? 0) + 1);
    }
    const counts = Object.fromEntries(replayed);
    say(`replayed of ${streams.length} recorded streams: ${JSON.stringify(counts)}`);
    expect((counts["chat"] ?? 0) + (counts["messages"] ?? 0)).toBeGreaterThan(90);
    expect(counts["ollama"]).toBeGreaterThan(1);
    expect(counts["responses"]).toBeGreaterThan(5);
  });

  it("cut anywhere are the same reply or a failure, never a shorter one", () => {
    const outcomes = { whole: 0, failed: 0 };
    for (const row of streams) {
      const wire = wireOf(kindOf(row));
      if (wire === null) continue;
      const bytes = Buffer.from(row.response_body, "utf8");
      const whole = withoutUsage(replay(wire, bytes).completion);
      for (const cut of cutsOf(bytes)) {
        const got = withoutUsage(replay(wire, bytes.subarray(0, cut), 64).completion);
        const early = typeof got === "string";
        expect(got, `${row.file} at ${cut}`).toEqual(early ? "network: the stream ended early" : whole);
        outcomes[early ? "failed" : "whole"] += 1;
      }
    }
    say(`cut streams: ${outcomes.failed} failed, ${outcomes.whole} had already ended`);
    expect(outcomes.failed).toBeGreaterThan(900);
  });

  it("of other kinds are refused by every wire", () => {
    const refused = new Map<string, number>();
    for (const row of streams) {
      const kind = kindOf(row);
      for (const wire of [openaiCompatible, openaiResponses, anthropic, ollama]) {
        if (wire === wireOf(kind)) continue;
        const { completion, streamed } = replay(wire, Buffer.from(row.response_body, "utf8"));
        expect(completion.ok, `${row.file} ${row.n}`).toBe(false);
        expect(streamed).toBe("");
      }
      refused.set(kind, (refused.get(kind) ?? 0) + 1);
    }
    say(`refused by every wire but their own: ${JSON.stringify(Object.fromEntries(refused))}`);
    expect(refused.size).toBeGreaterThan(1);
  });

  it("in one piece come out too, and half of one is a failure", () => {
    const counts = new Map<Kind, number>();
    for (const row of lines("nonstream-ok.jsonl")) {
      const kind = kindOf(row);
      const wire = wireOf(kind);
      if (wire === null) continue;
      const expected = naiveWhole(row.response_body);
      const { completion, streamed } = replay(wire, Buffer.from(row.response_body, "utf8"), 100);
      expect({ file: row.file, reading: readingOf(completion) }).toMatchObject({
        file: row.file,
        reading: expected,
      });
      expect(streamed).toBe(expected.text);
      const half = Buffer.from(row.response_body.slice(0, row.response_body.length / 2), "utf8");
      expect(readingOf(replay(wire, half).completion)).toBe("network: the reply ended early");
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    say(`replies in one piece: ${JSON.stringify(Object.fromEntries(counts))}`);
    expect(counts.size).toBe(2);
  });

  it("count what a provider leaves out of its completion tokens", () => {
    const row = lines("nonstream-ok.jsonl").find(({ uri }) => uri.includes("generativelanguage"));
    // As above.
    const { usage } = JSON.parse(row?.response_body ?? "{}") as Chat;
    const { completion } = replay(openaiCompatible, Buffer.from(row?.response_body ?? "", "utf8"));
    const hidden = (usage?.total_tokens ?? 0) - (usage?.prompt_tokens ?? 0) - (usage?.completion_tokens ?? 0);
    expect(hidden).toBeGreaterThan(0);
    expect(completion.usage.tokens).toMatchObject({
      out: (usage?.completion_tokens ?? 0) + hidden,
      reasoning: hidden,
    });
  });
});
