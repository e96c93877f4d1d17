import type { Contributions } from "../projections/index.ts";
import { aligned, labelledRows, type LabelledRow } from "./labelled-rows.ts";
import { oneLine } from "./printable.ts";
import { styleOf, type Style } from "./style.ts";
import { wrapped } from "./text-width.ts";
import { costWords, countWords, tokenWords } from "./words.ts";

type Member = Contributions["members"][number];

/** So many lost sentences of a member are printed, and so much of each; `--json` has them all, whole. */
const SENTENCES = 5;
const SENTENCE_CHARACTERS = 300;

/**
 * Who contributed, as a terminal shows it: a table of one row a member and one column a method, what each figure
 * means and where it could not be had, then what of each draft was lost. Model text is made printable. Ends in a newline.
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
    ...members.map((member) => lostSection(member, { id, narrow, style })),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

const HEAD = ["member", "claimed", "left out", "vote", "standing", "overlap", "kept"];

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

/** What each column says, and what stands behind it. */
function meanings(contributions: Contributions): LabelledRow[] {
  const { members, vote, standing, overlap, finalAnswer, decidedBy } = contributions;
  const name = (id: string | null) => members.find((member) => member.id === id)?.name ?? id ?? "nobody";
  const claims = members.some(({ claimed }) => claimed !== null);
  const elected = DECIDED[decidedBy];
  return [
    {
      label: "Claimed",
      text: claims ? "by the chair, not measured" : "nothing by a chair, or it could not be read",
    },
    {
      label: "Left out",
      text: `what the chair's answer loses without the member's draft and review: ${leftOutWords(contributions)}`,
    },
    ...rewritingRows(contributions),
    {
      label: "Vote",
      text:
        missing(vote) ??
        `exact Shapley value of the member's final answers in electing ${oneLine(finalAnswer ?? "the answer", 80)}${elected}; they sum to ${figure(vote.total)}`,
    },
    {
      label: "Standing",
      text:
        missing(standing) ??
        `exact Shapley value of a reviewer's ballot in putting ${name(standing.first)} first, not of its own draft; they sum to ${figure(standing.total)}`,
    },
    {
      label: "Overlap",
      text: `part of the answer's content that stands in the member's draft, by wording: a paraphrase is missed; ${percent(overlap.unsupported ?? 0)} stands in none`,
    },
    { label: "Kept", text: "part of the draft's sentences that the answer holds, by wording" },
    { label: "Spent", text: spentWords(contributions) },
  ];
}

const DECIDED: { readonly [by in Contributions["decidedBy"]]: string } = {
  chair: " (the chair decided, not the vote)",
  standing: " (the standing decided, not the vote)",
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
  "not-asked": "not asked",
  "over-budget": "over budget",
  failed: "failed",
};

function leftOutWords({ members, leaveOneOut }: Contributions): string {
  const said = missing(leaveOneOut);
  if (said !== undefined) return said;
  const { noise, again } = leaveOneOut;
  const nobody = members.every(({ leaveOneOut: one }) => (one?.weight ?? 0) === 0);
  const weights = nobody ? "no one member's absence changes more than that" : "weights of 1 in all";
  if (noise === null) return `its own variation is not known, --repeats tells; ${weights}`;
  const what =
    again[0]?.changed === null
      ? `${percent(noise)} of the text gone`
      : noise === 0
        ? "the same final answer"
        : "another final answer";
  const times = again.length === 1 ? "once" : `${again.length} times`;
  return `above its own variation (asked ${times} again with all: ${what}); ${weights}`;
}

/** The raw figures behind the weights, each with the fork to look at. */
function rewritingRows({ members, leaveOneOut }: Contributions): LabelledRow[] {
  const row = (who: string, one: Contributions["leaveOneOut"]["again"][number], note = "") => [
    who,
    one.changed === null ? "" : one.changed ? "answer changed" : "answer stays",
    `${percent(one.gone)} gone`,
    one.fork,
    note,
  ];
  const table = [
    ...members.flatMap(({ name, leaveOneOut: one }) =>
      one ? [row(name, one, one.effect > 0 && one.withinNoise ? "within noise" : "")] : [],
    ),
    ...leaveOneOut.again.map((one) => row("nobody", one, "noise")),
  ];
  return table.length > 0 ? [{ label: "", table }] : [];
}

const spentWords = ({ calls, tokens, cost }: Contributions): string =>
  calls === 0
    ? "nothing: no call was made"
    : `${countWords(calls, "call")}; ${tokenWords(tokens)}; ${costWords(cost)}`;

type Setting = { readonly id: string; readonly narrow: number; readonly style: Style };

function lostSection({ name, drafted, lost }: Member, { id, narrow, style }: Setting): string[] {
  if (!drafted || lost.length === 0) return [];
  const shown = lost.slice(0, SENTENCES).flatMap((sentence) => {
    const [first = "", ...rest] = wrapped(oneLine(sentence, SENTENCE_CHARACTERS), narrow - 2);
    return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
  });
  const more = lost.length - SENTENCES;
  return [
    ...wrapped(`Lost from ${oneLine(name, 60)}'s draft`, narrow).map(style.bold),
    ...shown,
    ...(more > 0 ? wrapped(`- and ${more} more: parley contributions ${id} --json`, narrow) : []),
  ];
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Two decimals; what rounds to nothing has no sign. */
const figure = (value: number | null): string =>
  value === null ? "-" : (Math.round(value * 100) / 100 + 0).toFixed(2);
