import { callOf, isEvent, workOf, type Call, type Entry, type Origin } from "../kernel/index.ts";
import { formatDuration, formatNumber, formatThought } from "../text/format.ts";
import { tookBy, type StepView } from "../views/progress.ts";
import { speakerOf } from "../views/spending.ts";
import { isHidden } from "../views/veil.ts";
import { oneLine } from "./printable.ts";

/** What an event changed, in a line; undefined where it changed nothing that a reader waits for. */
export function entryWords(entry: Entry): string | undefined {
  const who = speakerOf(entry);
  if (isEvent(entry, "deliberation-opened")) {
    const { protocol, participants } = entry.data;
    const seats = participants.map(({ id, model }) => `${id} (${modelWords(model)})`);
    return `${protocol.name} ${entry.deliberation}: ${seats.join(", ")}`;
  }
  if (isEvent(entry, "degradation-noted")) {
    const { participant, what, why } = entry.data;
    return participant === undefined ? `${what} failed: ${why}` : `${who}: ${doneOf(entry)} failed: ${why}`;
  }
  const asked = isEvent(entry, "reply-received") ? callOf(entry) : undefined;
  if (asked?.ok && asked.toolCalls !== undefined && asked.toolCalls.length > 0)
    return `${who}: calls ${asked.toolCalls.map(({ name }) => name).join(", ")}${tookWords(tookBy(asked))}`;
  if (isEvent(entry, "summary-made") && !entry.data.part) {
    const { charactersBefore, charactersAfter, method, call } = entry.data;
    const took = call ? tookWords(tookBy(call)) : "";
    const how = took === "" ? ` (${method})` : took.replace(/\)$/, `, ${method})`);
    return `${who}: ${formatNumber(charactersBefore)} → ${formatNumber(charactersAfter)} characters${how}`;
  }
  if (isEvent(entry, "reply-stopped")) return `${who}: ${doneOf(entry)} stopped`;
  if (isEvent(entry, "seat-opened")) return `waiting for ${entry.data.person}`;
  if (isEvent(entry, "seat-expired")) return entry.data.why;
  if (asked && isEvent(entry, "reply-received") && !isHidden(entry))
    return `${who}: reply could not be read, asking again: ${entry.data.why}`;
  if (isEvent(entry, "review-given") && !entry.data.ranking.ok)
    return `${who}: review could not be read: ${entry.data.ranking.reason}`;
  if (isEvent(entry, "roster-fixed")) {
    const { phase, in: inside, out } = entry.data;
    const all = inside.length + out.length;
    if (all === 0) return undefined;
    const cut = out.filter(({ cap }) => cap !== undefined).map(({ id }) => id);
    if (cut.length > 0 && phase.endsWith("/reached")) return "The limit is too low for the next step";
    if (cut.length === all) return "Nobody is asked: the limit is too low";
    if (cut.length > 0) return `Left out, as the limit is too low for more: ${cut.join(", ")}`;
    const missing = out.map(({ id, why }) => `; ${id} failed: ${why}`).join("");
    const [, round, kind = phase] = /^round-(\d+)\/([a-z]+)$/.exec(phase) ?? [];
    const where = round === undefined ? "" : `Round ${round}: `;
    const { done } = workWords(kind);
    const replies = done === "step" ? "replies" : done.replace(/y$/, "ie").replace(/s?$/, "s");
    const received = `${where}${inside.length} of ${all} ${replies} received`;
    return received + missing;
  }
  if (isEvent(entry, "standing-reached")) {
    const places = entry.data.places.map(({ id, place, score }) =>
      score === null ? `${id} unranked` : `${place}. ${id}`,
    );
    return `Peer ranking: ${places.join(", ")}`;
  }
  if (isEvent(entry, "rung-decided")) return entry.data.reason;
  if (isEvent(entry, "clarification-asked"))
    return `${who} asks: ${entry.data.questions.map(({ text }) => text).join(" ")}`;
  const call = callOf(entry);
  return call && doneWords(entry, { who, call });
}

function doneWords(entry: Entry, { who, call }: { readonly who: string; readonly call: Call }): string {
  const took = tookWords(tookBy(call));
  const how = entry.origin.by === "adopted" ? ` reused from ${entry.origin.from}` : ` done${took}`;
  const of = isEvent(entry, "critique-given") ? workOf(entry)?.of : undefined;
  return `${who}${of === undefined ? "" : ` on ${of}`}: ${doneOf(entry)}${how}`;
}

const doneOf = (entry: Entry): string =>
  workWords(workOf(entry)?.kind ?? ("step" in entry.origin ? entry.origin.step : entry.type)).done;

/** The step that recorded an event, with the reactor where one did; else who did. */
export function describeOrigin(origin: Origin): string {
  if (origin.by === "client") return `client: ${origin.request}`;
  if (!("step" in origin)) return origin.by;
  return origin.by === "reactor" ? `${origin.reactor}: ${origin.step}` : origin.step;
}

type StepWords = {
  readonly doing: string;
  readonly done: string;
  /** Whether people can read what is written while it is: no JSON, and no notes for a program. */
  readonly isProse?: boolean;
};

const WORKS: { readonly [work: string]: StepWords | undefined } = {
  draft: { doing: "drafting", done: "draft", isProse: true },
  answer: { doing: "answering", done: "answer", isProse: true },
  proposal: { doing: "proposing", done: "proposal", isProse: true },
  review: { doing: "ranking", done: "review" },
  synthesis: { doing: "writing", done: "synthesis", isProse: true },
  comparison: { doing: "comparing", done: "comparison" },
  revision: { doing: "revising", done: "revision", isProse: true },
  refinement: { doing: "refining", done: "refinement", isProse: true },
  critique: { doing: "criticizing", done: "critique", isProse: true },
  clarification: { doing: "asking questions", done: "questions" },
  summary: { doing: "summarizing", done: "summary" },
  requirements: { doing: "reading the requirements", done: "requirements" },
  confidence: { doing: "judging confidence", done: "confidence" },
  convergence: { doing: "checking convergence", done: "convergence" },
  evaluation: { doing: "grading", done: "grading" },
  grade: { doing: "grading", done: "grading" },
  preference: { doing: "comparing", done: "comparison" },
  pairwise: { doing: "comparing", done: "comparison" },
  guess: { doing: "guessing", done: "guess" },
  recall: { doing: "searching memory", done: "memory search" },
  find: { doing: "reviewing", done: "review" },
  check: { doing: "checking findings", done: "check" },
  hear: { doing: "answering objections", done: "answer" },
};

/** A kind of work, as a step names it, in words; of one that is not known here, its name, and of a step's key nothing. */
export const workWords = (work: string): StepWords =>
  WORKS[work] ?? (/^[a-z]+$/.test(work) ? { doing: work, done: work } : { doing: "working", done: "step" });

/** What a step took, in brackets, as far as it is known: ` (1.2 s, 1,204 tokens, of them 980 thinking)`. */
export function tookWords({
  latencyMs,
  tokensOut,
  tokensThought,
}: Pick<StepView, "latencyMs" | "tokensOut" | "tokensThought">): string {
  const parts = [
    latencyMs === null ? "" : formatDuration(latencyMs),
    tokensOut === null ? "" : `${formatNumber(tokensOut)} tokens${formatThought(tokensThought)}`,
  ].filter(Boolean);
  return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

/** A model for a narrow place: without the parameters of a simulated one. */
export const modelWords = (model: string): string => oneLine(model.split("?")[0] ?? model, 100);
