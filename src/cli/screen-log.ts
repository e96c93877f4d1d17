import { callOf, isEvent, workOf, type Call, type Entry, type Frame, type StepKey } from "../kernel/index.ts";
import { progressView } from "../views/progress.ts";
import { isHidden } from "../views/veil.ts";
import { speakerOf } from "../views/spending.ts";
import { formatNumber } from "../text/format.ts";
import { jsonLine, oneLine } from "../reports/printable.ts";
import { modelWords, outcomeWords, spentWords, tookWords, workWords } from "./screen-lines.ts";

/**
 * Progress as plain lines, one for each change of state and none for a token: for a log, a pipe, a CI job. With `verbose`
 * each text's first line stands under it, and each call of a tool has its arguments.
 */
export function createScreenLog(
  line: (text: string) => void,
  nowMs: () => number,
  { verbose = false }: { readonly verbose?: boolean } = {},
) {
  const view = progressView();
  const attempts = new Map<StepKey, number>();
  let startedAtMs: number | undefined;

  return {
    event(entry: Entry): void {
      startedAtMs ??= nowMs();
      view.event(entry);
      const ended = isEvent(entry, "deliberation-closed")
        ? [outcomeWords(entry.data.outcome, nowMs() - startedAtMs), spentWords(view.read().spent)]
            .filter(Boolean)
            .join(" · ")
        : undefined;
      const text = ended ?? entryWords(entry);
      if (text !== undefined) line(oneLine(text, 500));
      const more = verbose ? detailOf(entry) : undefined;
      if (more !== undefined) line(`  ${oneLine(more, 300)}`);
    },
    frame(frame: Frame): void {
      const before = attempts.get(frame.step);
      const attempt = attemptOf(frame);
      if (before !== undefined && attempt <= before) return;
      attempts.set(frame.step, attempt);
      const { by = frame.step, kind = frame.step, of } = frame.work ?? {};
      const target = kind === "critique" && of !== undefined ? ` on ${of}` : "";
      const again = before !== undefined ? ` again (attempt ${attempt})` : "";
      line(oneLine(`${by}${target}: ${workWords(kind).doing}${again}…`, 500));
    },
    stop: () => undefined,
  };
}

const attemptOf = (frame: Frame): number => (frame.kind === "text" ? frame.delta.attempt : 1);

/** What an event changed, in a line; undefined where it changed nothing that a reader waits for. */
function entryWords(entry: Entry): string | undefined {
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
    return `${who}: calls ${asked.toolCalls.map(({ name }) => name).join(", ")}${tookWords({ latencyMs: asked.latencyMs, tokensOut: asked.tokens.out })}`;
  if (isEvent(entry, "summary-made") && !entry.data.part) {
    const { charactersBefore, charactersAfter, method, call } = entry.data;
    const took = call ? tookWords({ latencyMs: call.latencyMs, tokensOut: call.tokens.out }) : "";
    const how = took === "" ? ` (${method})` : took.replace(/\)$/, `, ${method})`);
    return `${who}: ${formatNumber(charactersBefore)} → ${formatNumber(charactersAfter)} characters${how}`;
  }
  if (isEvent(entry, "seat-opened")) return `waiting for ${entry.data.person}`;
  if (isEvent(entry, "seat-expired")) return entry.data.why;
  if (isEvent(entry, "reply-received") && !isHidden(entry))
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
  const took = tookWords({ latencyMs: call.latencyMs, tokensOut: call.tokens.out });
  const how = entry.origin.by === "adopted" ? ` reused from ${entry.origin.from}` : ` done${took}`;
  const of = isEvent(entry, "critique-given") ? workOf(entry)?.of : undefined;
  return `${who}${of === undefined ? "" : ` on ${of}`}: ${doneOf(entry)}${how}`;
}

/** What a verbose log adds: the first line of a text, and what a tool was called with and gave. */
function detailOf(entry: Entry): string | undefined {
  if (isEvent(entry, "answer-given", "critique-given", "synthesis-given", "summary-made"))
    return entry.data.text.split("\n").find((one) => one.trim() !== "");
  if (!isEvent(entry, "tool-called")) return undefined;
  const { by, tool, arguments: given, result } = entry.data;
  const { length } = jsonLine(result).trimEnd();
  return `${by}: ${tool} ${jsonLine(given).trimEnd().slice(0, 200)} → ${formatNumber(length)} characters`;
}

const doneOf = (entry: Entry): string =>
  workWords(workOf(entry)?.kind ?? ("step" in entry.origin ? entry.origin.step : entry.type)).done;
