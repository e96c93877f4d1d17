import type { Contributions } from "../../contract/knowledge.ts";
import { MIN_RERUNS } from "./contributions.ts";
import { aligned, labelledRows, type LabelledRow } from "../../reports/labelled-rows.ts";
import { oneLine } from "../../reports/printable.ts";
import { styleOf, type Style } from "../../reports/style.ts";
import { wrapped } from "../../reports/text-width.ts";
import { pluralize } from "../../text/format.ts";
import { formatCost, formatTokens } from "../../reports/words.ts";

type Member = Contributions["members"][number];

/** The JSON output has all dropped sentences, whole. */
const MAX_SENTENCES = 5;
const MAX_SENTENCE_LENGTH = 300;

/**
 * Formats contributions for a terminal: a table with a row for each member and a column for each method, what each metric
 * means or why it is missing, then the dropped sentences of each draft. Ends in a newline.
 */
export function contributionsText(
  contributions: Contributions,
  { color, width }: { readonly color: boolean; readonly width: number },
): string {
  const style = styleOf(color);
  const narrow = Math.max(20, width);
  const { id, members, finalAnswer, simulated } = contributions;
  const heading = `Contributions to ${id}${finalAnswer === null ? "" : `: ${oneLine(finalAnswer, 200)}`}`;
  const sections = [
    simulated ? [style.yellow("simulated models")] : [],
    wrapped(heading, narrow).map(style.bold),
    aligned([HEAD, ...members.map(memberRow)], narrow).map((line, index) =>
      index === 0 ? style.dim(line) : line,
    ),
    labelledRows(meanings(contributions), { width: narrow, style }),
    ...members.map((member) => lostSection(member, { narrow, style })),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

const HEAD = ["member", "reported", "effect", "vote", "ranking", "overlap", "retained"];

function memberRow(member: Member): string[] {
  const { name, seat, drafted, claimed, leaveOneOut, vote, standing, overlap, kept } = member;
  return [
    seat === "member" ? `${name}${drafted ? "" : " (no draft)"}` : `${name} (${seat})`,
    figure(claimed),
    figure(leaveOneOut?.weight ?? null),
    figure(vote),
    figure(standing),
    figure(overlap),
    kept === null ? "-" : percent(kept),
  ];
}

/** Explains each column. */
function meanings(contributions: Contributions): LabelledRow[] {
  const { members, vote, standing, overlap, finalAnswer, decidedBy } = contributions;
  const name = (id: string | null) => members.find((member) => member.id === id)?.name ?? id ?? "no answer";
  const claims = members.some(({ claimed }) => claimed !== null);
  const elected = DECIDED[decidedBy];
  return [
    {
      label: "Reported",
      text: claims
        ? "self-reported by the chair, not measured"
        : "none: no chair reported it, or it could not be read",
    },
    {
      label: "Effect",
      text: `leave-one-out effect, how much the chair's answer changes without the member's draft and review: ${leftOutWords(contributions)}`,
    },
    ...rewritingRows(contributions),
    {
      label: "Vote",
      text:
        missing(vote) ??
        `exact Shapley value of the member's final answers in electing ${oneLine(finalAnswer ?? "the answer", 80)}${elected}; the values sum to ${figure(vote.total)}`,
    },
    {
      label: "Ranking",
      text:
        missing(standing) ??
        `exact Shapley value of a reviewer's ballot in ranking ${name(standing.first)} first, not of the reviewer's own draft; the values sum to ${figure(standing.total)}`,
    },
    {
      label: "Overlap",
      text: `share of the answer's content that is in the member's draft, by wording (paraphrases are missed); ${percent(overlap.unsupported ?? 0)} is in no draft`,
    },
    { label: "Retained", text: "share of the draft's sentences that the answer retains, by wording" },
    { label: "Usage", text: spentWords(contributions) },
  ];
}

const DECIDED: { readonly [by in Contributions["decidedBy"]]: string } = {
  chair: " (the chair decided, not the vote)",
  standing: " (the peer ranking decided, not the vote)",
  vote: "",
  nearness: "",
};

const missing = ({
  status,
  why,
}: Contributions["vote"] | Contributions["leaveOneOut"]): string | undefined =>
  status === "measured" ? undefined : `${STATUS[status]}${why === null ? "" : `: ${oneLine(why, 600)}`}`;

const STATUS: { readonly [status in Contributions["vote"]["status"]]: string } = {
  measured: "measured",
  "not-applicable": "not applicable",
  "not-asked": "not run",
  "over-budget": "budget exceeded",
  failed: "failed",
};

function leftOutWords({ members, leaveOneOut }: Contributions): string {
  const said = missing(leaveOneOut);
  if (said !== undefined) return said;
  const { noise, again } = leaveOneOut;
  const nobody = members.every(({ leaveOneOut: one }) => (one?.weight ?? 0) === 0);
  const weights = nobody ? "no member has an effect above it" : "the weights sum to 1";
  if (noise === null)
    return `the noise floor is not known, since the chair was not re-run with all drafts; ${weights}`;
  const what =
    again[0]?.changed === null
      ? `${percent(noise)} of the text removed`
      : noise === 0
        ? "same final answer"
        : "different final answer";
  const times = again.length === 1 ? "once" : `${again.length} times`;
  const claim =
    again.length < MIN_RERUNS
      ? `a member without effect exceeds it in one draw in ${again.length + 1}, so none is claimed below ${MIN_RERUNS} re-runs`
      : `a member without effect exceeds it in one draw in ${again.length + 1}`;
  return `above the noise floor (re-run ${times} with all drafts: ${what}); ${claim}; ${weights}`;
}

/** The raw metrics behind the weights, each with its fork. */
function rewritingRows({ members, leaveOneOut }: Contributions): LabelledRow[] {
  const row = (who: string, one: Contributions["leaveOneOut"]["again"][number], note = "") => [
    who,
    one.changed === null ? "" : one.changed ? "answer changed" : "answer unchanged",
    `${percent(one.gone)} removed`,
    one.fork,
    note,
  ];
  const table = [
    ...members.flatMap(({ name, leaveOneOut: one }) =>
      one ? [row(name, one, one.effect > 0 && one.withinNoise ? "within noise" : "")] : [],
    ),
    ...leaveOneOut.again.map((one) => row("all drafts", one, "noise floor")),
  ];
  return table.length > 0 ? [{ label: "", table }] : [];
}

const spentWords = ({ calls, tokens, ...spent }: Contributions): string =>
  calls + spent.unknown === 0
    ? "no calls"
    : `${pluralize(calls, "call")}; ${formatTokens(tokens)}; ${formatCost({ calls, ...spent })}`;

type Setting = { readonly narrow: number; readonly style: Style };

function lostSection({ name, drafted, lost }: Member, { narrow, style }: Setting): string[] {
  if (!drafted || lost.length === 0) return [];
  const shown = lost.slice(0, MAX_SENTENCES).flatMap((sentence) => {
    const [first = "", ...rest] = wrapped(oneLine(sentence, MAX_SENTENCE_LENGTH), narrow - 2);
    return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
  });
  const more = lost.length - MAX_SENTENCES;
  return [
    ...wrapped(`Dropped from ${oneLine(name, 60)}'s draft`, narrow).map(style.bold),
    ...shown,
    ...(more > 0 ? wrapped(`- and ${more} more, which the JSON output has`, narrow) : []),
  ];
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Two decimals; zero has no sign. */
const figure = (value: number | null): string =>
  value === null ? "-" : (Math.round(value * 100) / 100 + 0).toFixed(2);
