import type { KindLeague, LabeledVote, LeagueRow } from "../../../contract/knowledge.ts";
import { readLeagues, readMatrix, readVotePage } from "../app/votes.ts";
import { align } from "../../../reports/labelled-rows.ts";
import { oneLine } from "../../../reports/printable.ts";
import { wrap } from "../../../reports/text-width.ts";
import { MIN_LEAGUE_VOTES } from "../../../stats/league.ts";
import { pluralize } from "../../../text/format.ts";
import { print, type Io, type Values } from "../../../cli/command.ts";
import type { LEANS } from "../../../cli/options.ts";
import type { LEAGUE, VOTES } from "./index.ts";
import { projecting, withStore } from "../../../cli/session.ts";
import type { Estimate } from "../../../contract/figures.ts";
import { listJournals } from "../../../app/lookup.ts";
import { isEvent, type Entry } from "../../../kernel/index.ts";
import {
  MIN_OBSERVATIONS,
  reviewerLeans,
  type ReviewedRun,
  type ReviewerLeans,
  type GivenReview,
} from "../app/reviewer-leans.ts";
import { answersIn } from "../../../views/answer-event.ts";

const NOBODY = "No reviews are recorded. Members review each other in: parley council\n";

/** Lists votes, the newest run first, or who ranked whom over all of them. */
export const history = (
  io: Io,
  { limit, matrix, intent: kind, json, ...filter }: Values<typeof VOTES>,
): Promise<void> =>
  withStore(io, async (known) => {
    const reading = projecting(io);
    if (matrix !== undefined) {
      const cells = await readMatrix(known, { ...filter, kind, by: matrix }, reading);
      const words = ({ width }: { width: number }) =>
        cells.length === 0 ? NOBODY : linesOf(matrixRows(cells), width);
      return print(io, { json, value: cells }, words);
    }
    const { votes } = await readVotePage(known, { ...filter, kind, limit }, reading);
    const heads = ["WHEN", "KIND", "VOTER", "CANDIDATE", "LABEL", "RANK", "RUN"];
    await print(io, { json, value: votes }, ({ width }) =>
      votes.length === 0 ? NOBODY : linesOf([heads, ...votes.map(voteRow)], width),
    );
  });

const linesOf = (rows: readonly (readonly string[])[], width: number): string =>
  `${align(rows, width).join("\n")}\n`;

const voteRow = ({ at, kind, voter, candidate, label, rank, of, deliberation }: LabeledVote): string[] => [
  ...[at.slice(0, 10), kind, voter.persona, candidate.persona, label],
  ...[rank === null ? "-" : `${rank} of ${of}`, deliberation],
];

/** A row for each voter and a column for each candidate: the share of the others below it, and how many votes. */
function matrixRows(cells: Awaited<ReturnType<typeof readMatrix>>): string[][] {
  const candidates = [...new Set(cells.map(({ candidate }) => candidate))].sort();
  const voters = [...new Set(cells.map(({ voter }) => voter))].sort();
  return [
    ["VOTER", ...candidates],
    ...voters.map((voter) => [
      voter,
      ...candidates.map((candidate) => {
        const cell = cells.find((one) => one.voter === voter && one.candidate === candidate);
        return cell === undefined ? "-" : `${cell.share.toFixed(2)} (${cell.votes})`;
      }),
    ]),
  ];
}

/** Compares personas or models by what reviewers made of their drafts. */
export const league = (
  io: Io,
  { by = "persona", intent: kind, json, ...filter }: Values<typeof LEAGUE>,
): Promise<void> =>
  withStore(io, async (known) => {
    const leagues = await readLeagues(known, { by, kind, ...filter }, projecting(io));
    await print(io, { json, value: { by, leagues } }, ({ width }) =>
      leagues.length === 0 ? NOBODY : leagues.map((one) => leagueText(one, { by, width })).join("\n"),
    );
  });

function leagueText(
  { kind, rows, sessions, p }: KindLeague,
  { by, width }: { readonly by: string; readonly width: number },
): string {
  const heads = [by.toUpperCase(), "SESSIONS", "WINS", "TIES", "RATE", "VOTES", "RANK", "STRENGTH", "95 %"];
  const claim =
    p === null
      ? `Too few sessions for a claim: ${MIN_LEAGUE_VOTES} are needed.`
      : p < 0.05
        ? `The differences are more than chance (p ${p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`}).`
        : `The differences may be chance (p = ${p.toFixed(2)}).`;
  const title =
    kind === "all"
      ? `All questions, ${pluralize(sessions, "session")}`
      : `Questions of the kind ${oneLine(kind, 40)}, ${pluralize(sessions, "session")}`;
  return `${[title, ...align([heads, ...rows.map(leagueRow)], width), ...wrap(claim, width)].join("\n")}\n`;
}

/** Without the sign of a negative zero. */
const figure = (value: number | null, digits = 2): string =>
  value === null ? "-" : value.toFixed(digits).replace(/^-(0\.0+)$/, "$1");

const leagueRow = ({
  player,
  sessions,
  wins,
  ties,
  winRate,
  votes,
  averageRank,
  strength,
  low,
  high,
  tooFew,
}: LeagueRow): string[] => [
  ...[
    player,
    String(sessions),
    String(wins),
    String(ties),
    winRate === null ? "-" : `${Math.round(100 * winRate)} %`,
  ],
  ...[String(votes), figure(averageRank), figure(strength)],
  tooFew ? "too few" : `${figure(low)} to ${figure(high)}`,
];

/** What reviewers lean on, over all recorded reviews. */
export const reviewers = (
  io: Io,
  { by = "model", protocol, since, json }: Values<typeof LEANS>,
): Promise<void> =>
  withStore(io, async ({ store }) => {
    const runs: ReviewedRun[] = [];
    const onUnreadable = (id: string) => io.output.note(`Left out: ${id}, which cannot be read`);
    for await (const entries of listJournals(store, { since, onUnreadable })) {
      const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
      if (protocol !== undefined && opened?.data.protocol.name !== protocol) continue;
      const run = reviewedRun(entries, by);
      if (run.reviews.length > 0) runs.push(run);
    }
    const leans = reviewerLeans(runs);
    await print(
      io,
      {
        json,
        value: {
          by,
          protocol: protocol ?? null,
          since: since === undefined ? null : new Date(since).toISOString(),
          reviewers: leans,
        },
      },
      ({ width }) => {
        if (leans.length > 0) return leansText({ by, leans, width });
        return protocol === undefined && since === undefined
          ? "No reviews are recorded. Members review each other in: parley council\n"
          : "No such reviews. parley votes reviewers shows all\n";
      },
    );
  });

const FIGURES = [
  {
    name: "harshness",
    head: "HARSHNESS",
    above: "is harsher than the others",
    below: "is milder than the others",
  },
  {
    name: "positionLean",
    head: "POSITION",
    above: "prefers what it is shown first",
    below: "prefers what it is shown last",
  },
  {
    name: "ownFamilyLean",
    head: "OWN FAMILY",
    above: "favors its own family",
    below: "is hard on its own family",
  },
] as const;

const NARROW = 120;

function leansText({
  by,
  leans,
  width,
}: {
  readonly by: string;
  readonly leans: readonly ReviewerLeans[];
  readonly width: number;
}): string {
  const heads = FIGURES.map(({ head }) => head);
  const table =
    width >= NARROW
      ? align(
          [
            [by.toUpperCase(), "REVIEWS", ...heads],
            ...leans.map((one) => [
              one.key,
              String(one.reviews),
              ...FIGURES.map(({ name }) => figureText(one[name])),
            ]),
          ],
          width,
        )
      : leans.flatMap((one) => [
          oneLine(one.key, width),
          ...align(
            [
              ["reviews", String(one.reviews)],
              ...FIGURES.map(({ name, head }) => [head.toLowerCase(), figureText(one[name])]),
            ],
            width - 2,
          ).map((line) => `  ${line}`),
        ]);
  const claims = leans.flatMap((one) =>
    FIGURES.flatMap(({ name, above, below }) => {
      const { low, high } = one[name];
      if (low === null || high === null || (low <= 0 && high >= 0)) return [];
      return [`${oneLine(one.key, 60)} ${low > 0 ? above : below}.`];
    }),
  );
  const notes = [
    ...claims,
    `Leans with their 95 % interval and the number of observations; 0 is none. Below ${MIN_OBSERVATIONS} observations nothing is claimed; one interval in 20 excludes 0 by chance.`,
  ].flatMap((note) => wrap(note, width));
  return `${[...table, "", ...notes].join("\n")}\n`;
}

function figureText({ value, low, high, n }: Estimate): string {
  if (value === null) return n === 0 ? "-" : `too few (${n})`;
  const interval = low === null || high === null ? "" : ` ${formatSigned(low)} to ${formatSigned(high)}`;
  return `${formatSigned(value)}${interval} (${n})`;
}

function formatSigned(value: number): string {
  const figure = Math.abs(value).toFixed(2);
  return figure === "0.00" ? figure : `${value < 0 ? "-" : "+"}${figure}`;
}

/** What reviews are counted by. */
export type ReviewerKey = "model" | "persona";

/** Who reviewed whom in a deliberation, and how. What a fork took over was counted in its parent. */
export function reviewedRun(entries: readonly Entry[], by: ReviewerKey): ReviewedRun {
  const participants =
    entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data.participants ?? [];
  const answers = answersIn(entries);
  const authorOf = (step: Parameters<typeof answers.get>[0]): string[] => {
    const author = answers.get(step)?.data.by;
    return author === undefined ? [] : [author];
  };
  const reviews = entries.flatMap((entry): GivenReview[] => {
    if (!isEvent(entry, "review-given") || entry.origin.by === "adopted") return [];
    const { by: reviewer, shown, ranking, remarks } = entry.data;
    const who = participants.find(({ id }) => id === reviewer);
    if (!who) return [];
    return [
      {
        reviewer,
        key: by === "model" ? who.model : who.persona.name,
        family: who.family,
        shown: shown.flatMap(authorOf),
        ranking: ranking.ok ? ranking.steps.flatMap(authorOf) : null,
        remarks: remarks.flatMap(({ of, strengths, weaknesses }) =>
          authorOf(of).map((author) => ({
            of: author,
            strengths: strengths.length,
            weaknesses: weaknesses.length,
          })),
        ),
      },
    ];
  });
  return { reviews, families: new Map(participants.map(({ id, family }) => [id as string, family])) };
}
