import { expect, it } from "vitest";
import { MIN_RERUNS, weighLeftOut } from "../src/features/contributions/app/contributions.ts";
import { random, type Sums } from "../src/stats/numbers.ts";
import { binomialAtMost } from "../src/stats/proportions.ts";
import { addSession, leagueOf } from "../src/stats/league.ts";
import { sized } from "./support/long.ts";

// What is claimed of figures, where the truth is known. A claim fails where the 99 % binomial interval of what was seen lies below it.

const REPETITIONS = sized(2_000);

/** Whether so many of `n` would be seen, or fewer, with a chance of at least 0.5 % if the claim held: the interval's upper end reaches it. */
const bears = (seen: number, n: number, claim: number) => binomialAtMost(seen, n, claim) >= 0.005;

/** A ranking of players by Plackett and Luce: each place goes to one of the rest, with a chance in proportion to exp(strength). */
function ranking(strengths: readonly (readonly [player: string, strength: number])[], chance: () => number) {
  // The largest of strength and Gumbel noise is such a draw.
  return strengths
    .map(([player, strength]) => ({
      player,
      drawn: strength - Math.log(-Math.log(chance() || Number.MIN_VALUE)),
    }))
    .sort((one, other) => other.drawn - one.drawn)
    .map(({ player }) => player);
}

it.each([
  { players: 4, spread: 0 },
  { players: 4, spread: 0.5 },
  { players: 6, spread: 0 },
  { players: 8, spread: 0 },
  { players: 8, spread: 0.25 },
])(
  "a league's intervals hold the true strength in 95 of 100: $players players, $spread apart",
  { timeout: 600_000 },
  ({ players, spread }) => {
    const truth = Array.from(
      { length: players },
      (_, index) => [`p${index}`, spread * (index - (players - 1) / 2)] as const,
    );
    let [held, n] = [0, 0];
    for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
      const chance = random(`${players} ${spread} ${repetition}`);
      const all: Sums = new Map();
      for (let session = 0; session < 40; session += 1) {
        const ballots = Array.from({ length: 3 }, () => ranking(truth, chance));
        addSession(all, { ballots, places: [] });
      }
      const { rows } = leagueOf(all);
      // One player a league: those of the same league are not independent.
      const [player, strength] = truth[repetition % players] ?? truth[0] ?? ["", 0];
      const row = rows.find((one) => one.player === player);
      n += 1;
      if (row && (row.low ?? Infinity) <= strength && strength <= (row.high ?? -Infinity)) held += 1;
    }
    expect(bears(held, n, 0.95), `${held} of ${n} hold the truth`).toBe(true);
  },
);

it.each([1, 3, MIN_RERUNS])(
  "a member without effect exceeds the noise of %i re-runs no more often than is said",
  (reruns) => {
    let [within, n, said] = [0, 0, 0];
    for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
      const chance = random(`${reruns} ${repetition}`);
      const rewritten = () => ({ changed: null, gone: 0, effect: chance() });
      const again = Array.from({ length: reruns }, rewritten);
      const { of, chance: claimed } = weighLeftOut(new Map([["ada", rewritten()]]), again);
      said = claimed ?? 1;
      n += 1;
      if (of.get("ada")?.withinNoise) within += 1;
    }
    expect(said).toBeCloseTo(1 / (reruns + 1));
    expect(bears(within, n, 1 - said), `${within} of ${n} are within it`).toBe(true);
  },
);

it("claims an effect only where at most one draw in 20 would show one", () => {
  expect(1 / (MIN_RERUNS + 1)).toBeLessThanOrEqual(0.05);
});
