import { canAfford, type ProtocolContext } from "../../../engine/index.ts";
import type { Answer, Closing } from "../../../kernel/index.ts";
import { sameAnswer } from "../../../replies/answer.ts";
import { writeAnswerLine } from "../../../text/format.ts";
import { tiedGroups, vote, type Vote, type VoteGroup } from "../../../stats/vote.ts";
import { answerWith, centralDraft, leadingDraft } from "../../../protocols/phases/control.ts";
import type { Drafts } from "../../../protocols/phases/draft.ts";
import { closeWith } from "../../../protocols/phases/panel/conclude.ts";
import { breakTie } from "../../../protocols/phases/panel/review.ts";
import { stoppedByBudget } from "../../../protocols/phases/reply.ts";
import { minimumRevisionCalls, revise } from "../../../protocols/phases/revise.ts";
import { seatDrafts, type Draft } from "../../../protocols/phases/table.ts";
import { createRevisionRound, recordRung, type AskSettings } from "./rungs.ts";

/** Answers a question whose drafts have final answers that can be compared: by agreement, or by a round and a vote. */
export async function resolveByVote(
  context: ProtocolContext<AskSettings>,
  { drafts, absent }: Drafts,
): Promise<Closing> {
  let ballots: Ballots = { drafts, answers: drafts };
  let tally = countVotes(ballots);
  let weakened = absent.length > 0;
  let rounds = 0;
  const max = maxRounds(context.settings, tally);
  for (let round = 1; round <= max && needsRound(tally, round); round += 1) {
    const reason = describeVote(tally, ballots);
    const table = seatDrafts(context, ballots.answers);
    const spec = createRevisionRound(context, { round: round + 1, table, differ: answersDiffer });
    const affordable = await canAfford(context.run, {
      name: `round-${spec.round}`,
      work: { kind: "revision", round: spec.round },
      calls: () => minimumRevisionCalls(context, spec),
    });
    if (!affordable.ok) {
      const why = `${reason}, and the budget does not reach for a round of revision`;
      await recordRung(context, { ...rungBefore(round), next: null, reason: why });
      return stoppedByBudget(why, affordable.cap, chooseAnswer(tally, ballots));
    }
    await recordRung(context, { ...rungBefore(round), next: "revision", reason });
    const revised = await revise(context, spec);
    ballots = { drafts, answers: revised.answers };
    weakened ||= revised.cut || revised.lost > 0;
    tally = countVotes(ballots);
    rounds = round;
  }
  const reason = describeVote(tally, ballots);
  await recordRung(context, { ...rungBefore(rounds + 1), next: null, reason });
  const outcome = weakened ? "answered-degraded" : "answered";
  const best = chooseAnswer(tally, ballots);
  if (tally.winner !== null)
    return closeWith(context, chooseText(tally.winner, ballots), { outcome, ...best });
  const level = tiedGroups(tally).map((group) => chooseText(group, ballots));
  const broken = await breakTie(context, level);
  if (broken.tied) {
    const why = broken.by === undefined ? reason : `${reason}; ${broken.why}`;
    return { outcome: "inconclusive", why, best };
  }
  if (!broken.chosen) return { outcome: "inconclusive", why: reason, best };
  return closeWith(context, broken.chosen, { outcome, ...answerWith(broken.chosen, drafts) });
}

/** The drafts, and the answers that stand after the rounds so far. */
type Ballots = { readonly drafts: readonly Draft[]; readonly answers: readonly Draft[] };

const maxRounds = ({ effort }: AskSettings, { by }: Vote): number =>
  by === "unanimous" || effort < 2 ? 0 : effort < 5 ? 1 : 2;

/** Whether a round is worth it: the first wherever drafts differ, a second where no answer has most of all votes. */
const needsRound = ({ by }: Vote, round: number): boolean =>
  by !== "unanimous" && (round === 1 || by !== "majority");

const rungBefore = (round: number) =>
  round === 1 ? { rung: "draft" as const } : { rung: "revision" as const, round: round - 1 };

const answersDiffer = (one: Draft, other: Draft): boolean =>
  !one.final || !other.final || !sameAnswer(one.final, other.final);

const countVotes = ({ drafts, answers }: Ballots): Vote =>
  vote(
    drafts.map(({ by, final }) => ({
      id: by.id,
      first: final,
      last: answers.find((one) => one.by.id === by.id)?.final ?? null,
    })),
  );

/** The best supported text with the elected answer; without a winner, the leading draft. */
const chooseAnswer = ({ winner }: Vote, ballots: Ballots) =>
  answerWith(winner === null ? leadingDraft(ballots.drafts) : chooseText(winner, ballots), ballots.drafts);

/** The central text of those who hold an answer at last, else of those who held it at first. */
function chooseText({ first, last }: VoteGroup, { drafts, answers }: Ballots): Draft {
  const held = answers.filter(({ by }) => last.includes(by.id));
  return centralDraft(held.length > 0 ? held : drafts.filter(({ by }) => first.includes(by.id)));
}

/** How the votes fell, in words: `2 of 3 drafts come to 391, 1 to 390`. */
function describeVote({ groups, by }: Vote, { drafts, answers }: Ballots): string {
  const members = drafts.length;
  if (by === "unanimous") {
    const who = members === 1 ? "the one draft comes" : `all ${members} drafts come`;
    return `${who} to ${groups[0] ? shorten(groups[0].answer) : "the same"}`;
  }
  const revised = answers.some(({ step }) => !drafts.some((draft) => draft.step === step));
  const when = revised ? "last" : "first";
  const held = groups.filter((group) => group[when].length > 0);
  const parts = held.map(({ answer, [when]: ids }, index) => {
    const subject = ` of ${members} ${revised ? "answers" : "drafts"} come${ids.length === 1 ? "s" : ""}`;
    return `${ids.length}${index === 0 ? subject : ""} to ${shorten(answer)}`;
  });
  const silent = members - held.reduce((sum, group) => sum + group[when].length, 0);
  const all = [...parts, ...(silent > 0 ? [`${silent} to nothing that can be compared`] : [])].join(", ");
  return revised ? `after revision ${all}; ${DECIDED[by]}` : all;
}

/** What the vote over first and last answers says. */
const DECIDED: { readonly [by in Vote["by"]]: string } = {
  unanimous: "all agree",
  majority: "a majority of first and last answers together",
  plurality: "the most of first and last answers together, but no majority",
  last: "level in first and last answers together, decided by the last",
  tie: "first and last answers together are level",
  none: "nothing to count",
};

function shorten(answer: Answer): string {
  const text = writeAnswerLine(answer);
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text;
}
