import type { PersonaStatus } from "../../contract/library.ts";
import type { LoadedPersona } from "../../config/personas.ts";
import { decideSigns, TRIAL_TEST, type Sign, type SignTally } from "../../stats/sequential-sign-test.ts";
import { readSessions, type Projected } from "../projection.ts";
import { fileStatus, type BredPersona } from "./seating.ts";

// The test that let a child in watches its rankings afterwards: once they show that it stands below its parents, or below the middle where
// they did not sit, more often than by chance, it is taken back, until a person accepts it again.

/**
 * How a persona's answers were ranked since a time, session by session, the oldest first: above its parents or below them where
 * they sat beside it, else above the middle of the others or below it.
 */
async function liveSigns(
  known: Projected,
  {
    id,
    parents,
    since,
  }: { readonly id: string; readonly parents: readonly string[]; readonly since: string },
): Promise<readonly Sign[]> {
  const signs: Sign[] = [];
  for await (const { who, ballots } of readSessions(known, { persona: id, since })) {
    const rankings = ballots.map(({ ranked }) => ranked.map((of) => who[of]?.persona ?? ""));
    const isBeside = rankings.some(
      (ranking) => ranking.includes(id) && ranking.some((one) => parents.includes(one)),
    );
    let above = 0;
    for (const ranking of rankings) {
      const rivals = ranking.flatMap((one, index) =>
        one !== id && (!isBeside || parents.includes(one)) ? [index] : [],
      );
      const own = ranking.indexOf(id);
      if (own >= 0) for (const rival of rivals) above += Math.sign(rival - own);
    }
    if (rankings.some((ranking) => ranking.includes(id)))
      signs.push(above > 0 ? "win" : above < 0 ? "loss" : "tie");
  }
  return signs;
}

/** The test on live rankings: `better` means that losses are more than chance. Wins and losses are the persona's. */
export function liveTest(signs: readonly Sign[]): SignTally {
  const turned = signs.map((sign): Sign => (sign === "win" ? "loss" : sign === "loss" ? "win" : sign));
  // It goes on for as long as the persona sits: what speaks for it is not kept for ever.
  let last = decideSigns([], TRIAL_TEST);
  for (let start = 0; start < turned.length;) {
    last = decideSigns(turned.slice(start), { ...TRIAL_TEST, most: Number.MAX_SAFE_INTEGER });
    if (last.decision !== "no-better") break;
    start += last.wins + last.losses + last.ties;
  }
  return { ...last, wins: last.losses, losses: last.wins };
}

/** Where a persona stands, its live rankings included. */
export async function statusOf(
  known: Projected,
  persona: BredPersona & Pick<LoadedPersona, "id">,
): Promise<{ readonly status: PersonaStatus; readonly live: SignTally | null }> {
  const status = fileStatus(persona);
  if (status !== "accepted" || !persona.accepted) return { status, live: null };
  const live = liveTest(
    await liveSigns(known, {
      id: persona.id,
      parents: persona.lineage?.parents.map(({ id }) => id) ?? [],
      since: persona.accepted.at,
    }),
  );
  return { status: live.decision === "better" ? "taken-back" : "accepted", live };
}
