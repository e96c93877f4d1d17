import type { Floor } from "../../engine/index.ts";
import { sameAnswer, vote, type Vote } from "../../judging/index.ts";
import type { Answer, Closing } from "../../kernel/index.ts";
import { central, controlOf } from "../council/index.ts";
import type { Draft, Drafts } from "../phases/draft.ts";
import { revise, type RevisionRound } from "../phases/revise.ts";
import { seatDrafts } from "../phases/table.ts";
import { came } from "./rungs.ts";
import type { AskSettings } from "./settings.ts";

/** A question whose drafts have final answers that can be compared: by their agreement, or by a round and a vote. */
export async function settle(floor: Floor<AskSettings>, { drafts, absent }: Drafts): Promise<Closing> {
  let answers: readonly Draft[] = drafts;
  let tally = tallied(drafts, answers);
  let weakened = absent.length > 0;
  for (let round = 1; round <= mostRounds(floor.settings, tally); round += 1) {
    await came(floor, { ...rungBefore(round), next: "revision", reason: found(tally, { drafts, answers }) });
    const revised = await revise(floor, revision(floor.settings, { round, answers }, floor));
    if (revised.cut && revised.by.length === 0) {
      const why = `${found(tally, { drafts, answers })}, and the budget does not reach for a round of revision`;
      return { outcome: "stopped-by-budget", why, best: answerBy(tally, { drafts, answers }) };
    }
    answers = revised.answers;
    weakened ||= revised.cut || revised.lost > 0;
    tally = tallied(drafts, answers);
    if (!undecided(tally)) {
      await came(floor, { rung: "revision", round, next: null, reason: found(tally, { drafts, answers }) });
      return closing(tally, { drafts, answers, weakened });
    }
  }
  const rounds = mostRounds(floor.settings, tally);
  await came(floor, { ...rungBefore(rounds + 1), next: null, reason: found(tally, { drafts, answers }) });
  return closing(tally, { drafts, answers, weakened });
}

const mostRounds = ({ effort }: AskSettings, { by }: Vote): number =>
  by === "unanimous" || effort < 2 ? 0 : effort < 5 ? 1 : 2;

/** More than one answer without a majority of all votes. */
const undecided = ({ by }: Vote): boolean => by !== "unanimous" && by !== "majority";

const rungBefore = (round: number) =>
  round === 1 ? { rung: "draft" as const } : { rung: "revision" as const, round: round - 1 };

const revision = (
  { maxOutputTokens, callTimeoutMs, patienceMs }: AskSettings,
  { round, answers }: { readonly round: number; readonly answers: readonly Draft[] },
  floor: Floor<AskSettings>,
): RevisionRound => ({
  round: round + 1,
  table: seatDrafts(floor, answers),
  differ: (one, other) => !one.final || !other.final || !sameAnswer(one.final, other.final),
  maxOutputTokens: maxOutputTokens.draft,
  timeoutMs: callTimeoutMs,
  patienceMs,
});

const tallied = (drafts: readonly Draft[], answers: readonly Draft[]): Vote =>
  vote(
    drafts.map(({ by, final }) => ({
      id: by.id,
      first: final,
      last: answers.find((one) => one.by.id === by.id)?.final ?? null,
    })),
  );

type Given = { readonly drafts: readonly Draft[]; readonly answers: readonly Draft[] };

function closing(tally: Vote, { weakened, ...given }: Given & { readonly weakened: boolean }): Closing {
  const best = answerBy(tally, given);
  if (tally.winner === null) return { outcome: "inconclusive", why: found(tally, given), best };
  return { outcome: weakened ? "answered-degraded" : "answered", ...best };
}

/** The best supported text that says what the vote elected; of level ones, what stands first among the votes. */
function answerBy({ winner, groups }: Vote, { drafts, answers }: Given) {
  const elected: Answer | undefined = (winner ?? groups[0])?.answer;
  const saying = (texts: readonly Draft[]) =>
    texts.filter(({ final }) => final && elected && sameAnswer(final, elected));
  const [last, first] = [saying(answers), saying(drafts)];
  const chosen = central(last.length > 0 ? last : first.length > 0 ? first : answers);
  return { answer: chosen.step, control: controlOf(drafts, undefined, chosen.final) };
}

/** How the votes fell, in words: `2 of 3 drafts come to 391, 1 to 390`. */
function found({ groups, by }: Vote, { drafts, answers }: Given): string {
  const members = drafts.length;
  if (by === "unanimous") {
    const who = members === 1 ? "the one draft comes" : `all ${members} drafts come`;
    return `${who} to ${groups[0] ? quoted(groups[0].answer) : "the same"}`;
  }
  const revised = answers.some(({ step }) => !drafts.some((draft) => draft.step === step));
  const when = revised ? "last" : "first";
  const held = groups.filter((group) => group[when].length > 0);
  const parts = held.map(({ answer, [when]: ids }, index) => {
    const of =
      index === 0
        ? ` of ${members} ${revised ? "answers" : "drafts"} come${ids.length === 1 ? "s" : ""}`
        : "";
    return `${ids.length}${of} to ${quoted(answer)}`;
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

const quoted = ({ value }: Answer): string =>
  value.length > 60 ? `${value.slice(0, 60).toWellFormed()}…` : value;
