import type { EstimatedCost, Range, RunEstimate } from "../contract/figures.ts";
import { agentPrograms } from "../models/programs.ts";
import { align } from "../reports/labelled-rows.ts";
import { oneLine } from "../reports/printable.ts";
import { formatOptions } from "../reports/words.ts";
import { wrap } from "../reports/text-width.ts";
import { formatNumber, formatUsd, pluralize } from "../text/format.ts";
import { print, type Io } from "./command.ts";
import { EXIT } from "./exits.ts";
import type { Showing } from "./session.ts";

/** `Up to 8 calls, at most $0.05`, or `…, worst case $0.77, capped at $0.50`: what is said before the first call. */
export function estimateLine(estimate: RunEstimate): string {
  const { total, caps, oldPrices } = estimate;
  if (total === null) return `Calls and cost unknown: ${unknownReason(estimate)}`;
  const { calls, tokens, usd } = total;
  const inTokens = (most: number): string => `${formatNumber(most)} tokens`;
  const isOver = (kind: "calls" | "tokens" | "usd", most: number): boolean => most > (caps[kind] ?? most);
  const capped = [
    ...(isOver("calls", calls.high) ? [pluralize(caps.calls ?? 0, "call")] : []),
    ...(isOver("tokens", tokens.high) ? [inTokens(caps.tokens ?? 0)] : []),
    ...(usd && isOver("usd", usd.high) ? [atMost(caps.usd ?? 0)] : []),
  ];
  const most = [
    ...(isOver("tokens", tokens.high) ? [inTokens(tokens.high)] : []),
    ...(usd === null || usd.high === 0 ? [] : [atMost(usd.high)]),
  ];
  const bound =
    most.length === 0 ? "" : `, ${capped.length > 0 ? "worst case" : "at most"} ${joinWithAnd(most)}`;
  const limits = capped.length === 0 ? "" : `, capped at ${joinWithAnd(capped)}`;
  const unpaid = unpaidWords(estimate);
  const cost = unpaid === "" ? "" : `${usd === null ? ";" : ","} ${unpaid}`;
  const dated =
    oldPrices === null || usd === null
      ? ""
      : ` (prices of ${oldPrices}, older than 90 days: parley models update)`;
  return `Up to ${pluralize(calls.high, "call")}${bound}${limits}${cost}${dated}`;
}

/** The cost where it is no sum. A subscription is paid for all the same. */
function unpaidWords({ total, unpriced, participants }: RunEstimate): string {
  if (!total?.usd) return `cost unknown: no price for ${listNames(unpriced)}`;
  const isPaid = participants.some(({ model }) => agentPrograms.has(model.split("/")[0] ?? ""));
  return total.usd.high > 0 ? "" : isPaid ? "by subscription" : "free";
}

const joinWithAnd = (parts: readonly string[]): string =>
  [parts.slice(0, -1).join(", "), ...parts.slice(-1)].filter(Boolean).join(" and ");
const listNames = (names: readonly string[]): string => oneLine(names.join(", "), 300);
const unknownReason = ({ undeclared }: RunEstimate): string =>
  `${listNames(undeclared)} cannot be tried without models`;

/** Dollars rounded up, because a limit is not to be passed by what rounding hides; in cents from ten cents on. */
function atMost(usd: number): string {
  const parts = usd >= 0.1 ? 100 : 10_000;
  const rounded = Math.ceil(Number((usd * parts).toFixed(6))) / parts;
  return rounded >= 0.1 ? `$${rounded.toFixed(2)}` : formatUsd(rounded);
}

const NARROW = 60;

/** A line a phase, and the total: calls and cost on the shortest and the usual course, and at most. Ends in a newline. */
export function estimateText(estimate: RunEstimate, { width }: { readonly width: number }): string {
  const { phases, total, protocol } = estimate;
  const unpaid = unpaidWords(estimate);
  if (total === null) return `${estimateLine(estimate)}\n`;
  const isPriced = total.usd !== null && total.usd.high > 0;
  const rows = [...phases.map((phase) => ({ ...phase, name: phase.name })), { ...total, name: "Total" }];
  const cell = ({ calls, usd }: EstimatedCost, kind: keyof Range): string => {
    const cost =
      isPriced && usd && calls[kind] > 0
        ? `  ${kind === "high" ? atMost(usd.high) : formatUsd(usd[kind])}`
        : "";
    return `${calls[kind]}${cost}`;
  };
  const kinds = ["low", "expected", "high"] as const;
  const table =
    width >= NARROW
      ? align(
          [
            ["PHASE", "LOW", "EXPECTED", "HIGH"],
            ...rows.map((row) => [row.name, ...kinds.map((kind) => cell(row, kind))]),
          ],
          width,
        )
      : rows.flatMap((row) => [
          oneLine(row.name, width),
          ...align(
            kinds.map((kind) => [kind, cell(row, kind)]),
            width - 2,
          ).map((line) => `  ${line}`),
        ]);
  const courses = [...new Set(phases.flatMap(({ course }) => course ?? []))];
  const notes = [
    ...courses.map(
      (course) =>
        `${upperFirst(course)}: ${phases
          .filter((phase) => phase.course === course)
          .map(({ name }) => name)
          .join(", ")}.`,
    ),
    ...(courses.length > 1 ? ["A run takes one of these courses; the total counts the larger."] : []),
    ...askedWith(estimate),
    `Tokens: ${formatNumber(Math.round(total.tokens.expected))} expected, ${formatNumber(Math.ceil(total.tokens.high))} at most.`,
    ...(unpaid === "" ? [] : [`${upperFirst(unpaid)}.`]),
    "No model was called.",
  ];
  return `${[`Estimate of ${protocol}`, "", ...table, "", ...notes.flatMap((note) => wrap(note, width))].join("\n")}\n`;
}

/** The participants whose model is asked for more than a reply: an effort, or fields of the user's own. */
const askedWith = ({ participants }: RunEstimate): string[] =>
  participants.flatMap(({ id, model, options }) => {
    const own = formatOptions(options);
    if (own === "" && !/[?&]effort=/.test(model)) return [];
    return [oneLine(`${upperFirst(id)}: ${own === "" ? model : `${model}, ${own}`}.`, 400)];
  });

const upperFirst = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Says in one line what a run may take; nothing where progress is not shown or stdout gets JSON. */
export const estimateNote = (
  { output }: Pick<Io, "output">,
  { json, quiet }: Pick<Showing, "json" | "quiet">,
) => (quiet || json ? undefined : (estimate: RunEstimate) => output.note(estimateLine(estimate)));

/** Prints what a run would take, by phase. */
export async function printEstimate(
  io: Pick<Io, "output">,
  options: { readonly json: boolean },
  estimate: RunEstimate,
): Promise<number> {
  await print(io, { json: options.json, value: estimate }, ({ width }) => estimateText(estimate, { width }));
  return EXIT.answered;
}
