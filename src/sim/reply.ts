import type { ModelRequest, ToolCall, Json } from "../kernel/index.ts";
import { createSimModel, type SimScript } from "./belief.ts";
import { createChance } from "./chance.ts";
import { answer } from "./draft.ts";
import { readPrompt } from "./prompt.ts";
import type { Fact, SimParameters } from "./reference.ts";
import { script as judging } from "./scripts/judging.ts";
import { script as panel } from "./scripts/panel.ts";
import { script as summaries } from "./scripts/summaries.ts";
import { splitFenced } from "../prompts/material.ts";
import { quotable } from "./wording.ts";

/** What simulated models say to the built-in prompts; the first that knows a prompt counts. */
const builtIn = [panel, summaries, judging];

export type SimCall = {
  readonly parameters: SimParameters;
  readonly facts: readonly Fact[];
  readonly request: ModelRequest;
  readonly scripts?: readonly SimScript[] | undefined;
  /** Counts from 1. */
  readonly attempt: number;
};

/** What one attempt comes to. A failed one has the part of the text that came before it failed. */
export type SimReply =
  | {
      readonly ok: true;
      readonly text: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly finish: "stop" | "length";
      readonly tokensIn: number;
      readonly tokensOut: number;
    }
  | { readonly ok: false; readonly outage: Outage; readonly text: string; readonly tokensIn: number };

/** How a provider fails: it is overloaded, asks to wait, or the connection breaks within the reply. */
export type Outage =
  | { readonly code: "overloaded" }
  | { readonly code: "rate-limited"; readonly waitMs: number }
  | { readonly code: "network" };

const outages: readonly [Outage, ...Outage[]] = [
  { code: "overloaded" },
  { code: "rate-limited", waitMs: 250 },
  { code: "rate-limited", waitMs: 1_000 },
  { code: "network" },
];

const CHARACTERS_PER_TOKEN = 4;
const countTokens = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN);

// A reply is a function of the model's parameters, its facts, the request and the attempt, and of nothing else.
// A reply does not depend on the marks of fences, which come from a run's seed.
// Only faults depend on the attempt: every attempt that succeeds gives the same reply.

/** Answers a request as the simulated model does: by the first script that knows its prompt, else as to a question. */
export function simulateReply({ parameters, facts, request, scripts = [], attempt }: SimCall): SimReply {
  const prompt = readPrompt(request);
  const model = createSimModel({ parameters, facts }, prompt, request);
  const { name, seed } = parameters;
  const fate = createChance(["fate", name, seed, prompt.plain, request.temperature ?? null, attempt]);
  let line: ReturnType<SimScript> = null;
  for (const script of [...scripts, ...builtIn]) line ??= script(prompt);
  const written = line ? line(model) : answer(model, prompt);
  const tokensIn = countTokens(request.messages.reduce((sum, message) => sum + message.text.length, 0));
  const isCut = fate.roll("malformed") < parameters.malformed;
  const reply = typeof written === "string" ? written : "";
  const cut = Math.max(1, Math.floor(reply.length * (0.3 + 0.4 * fate.roll("cut"))));
  const whole = `${toolRemark(request, parameters.calls)}${isCut ? reply.slice(0, cut) : reply}`;
  const maxLength = request.maxOutputTokens * CHARACTERS_PER_TOKEN;
  const text = whole.slice(0, maxLength).toWellFormed();
  if (fate.roll("fail") < parameters.fail) {
    const outage = fate.pick("trouble", outages);
    const end = outage.code === "network" ? Math.floor(text.length * fate.roll("break")) : 0;
    return { ok: false, outage, text: text.slice(0, end).toWellFormed(), tokensIn };
  }
  const wanted = wantedCalls(request, parameters.calls);
  const toolCalls = wanted.length > 0 || typeof written === "string" ? wanted : [written];
  if (toolCalls.length > 0) {
    const tokensOut = countTokens(toolCalls.map((one) => one.name + one.arguments).join("").length);
    return { ok: true, text: "", toolCalls, finish: "stop", tokensIn, tokensOut };
  }
  const finish = whole.length > maxLength ? "length" : "stop";
  return { ok: true, text, finish, tokensIn, tokensOut: countTokens(text.length) };
}

/** What a model of this wish calls before it answers; nothing where it has no such tool, or has called one. */
function wantedCalls({ messages, tools = [] }: ModelRequest, wish: string | null): readonly ToolCall[] {
  const [wanted = "", written] = wish?.split(/:(.*)/s, 2) ?? [];
  if (wanted === "" || messages.some(({ role }) => role === "tool")) return [];
  const found = tools.filter(({ name }) => wanted === "*" || name === wanted || name.endsWith(`__${wanted}`));
  return found.slice(0, wanted === "*" ? found.length : 1).map(({ name, parameters }) => {
    const input = written ?? JSON.stringify(sampleOf(parameters) ?? {});
    return { id: `${name}-1`.slice(0, 64), name, arguments: input };
  });
}

/** What it says of the tool that it called; empty where it called none. */
function toolRemark({ messages, reply }: ModelRequest, wish: string | null): string {
  const result = messages.findLast(({ role }) => role === "tool")?.text;
  if (wish === null || result === undefined || reply !== undefined) return "";
  return `The tool says: “${quotable(splitFenced(result).pieces[0]?.text ?? "", 400)}”\n\n`;
}

/** A value that fits a schema in its usual forms: what an object requires, and the first of what is allowed. */
function sampleOf(schema: Json | undefined): Json | undefined {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return undefined;
  const { type, properties = {}, required = [], enum: allowed, default: usual } = schema;
  if (usual !== undefined) return usual;
  if (Array.isArray(allowed)) return allowed[0];
  if (type === "string") return "a text";
  if (type === "number" || type === "integer") return schema["minimum"] ?? 1;
  if (type === "boolean") return false;
  if (type === "array") return [];
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return {};
  const names = Array.isArray(required) ? required.map(String) : [];
  return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name]) ?? "a text"]));
}
