import { random } from "../../stats/numbers.ts";
import { evaluate, vocabularyOf } from "./evaluate.ts";
import { parseFormula } from "./formula.ts";
import type { FactorPanel } from "./panel.ts";
import { rankerFor } from "./ranks.ts";

export type GenerateSettings = {
  readonly seed: string | number;
  readonly days: number;
  readonly instruments: number;
  /** The correlation, about, of `PLANTED_FORMULA` with the next day's return across the instruments: from 0, pure noise, to 1. */
  readonly signal: number;
};

/**
 * What a planted signal follows from: instruments that fell within their days, from open to close, open higher on the next
 * one. The signal moves the gap between a close and the next open, which the formula does not look at, so that nothing
 * that was planted comes back through the formula.
 */
export const PLANTED_FORMULA = "ts_mean(div(open, close), 5)";

/** Standard deviations of a day's logarithmic return; the gap overnight has this share of the variance. */
const OWN_DEVIATION = 0.02;
const MARKET_DEVIATION = 0.01;
const OVERNIGHT_SHARE = 0.3;

/**
 * Prices and volumes that look like those of stocks: geometric random walks with a common market, which moves each instrument
 * more or less; highs and lows around them; volumes that last and grow with the day's move.
 */
export function generatePrices({ seed, days, instruments, signal }: GenerateSettings): FactorPanel {
  const next = random(`prices ${seed}`);
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  /** A factor whose mean is 1. */
  const factor = (deviation: number) => Math.exp(deviation * normal() - deviation ** 2 / 2);
  const cells = days * instruments;
  const each = (make: () => number) => Float64Array.from({ length: instruments }, make);
  const betas = each(() => 1 + 0.3 * normal());
  const prices = each(() => 20 * Math.exp(normal()));
  const sizes = each(() => 13 + normal());
  const busy = each(() => 0);
  const overnight = new Float64Array(cells);
  const within = new Float64Array(cells);
  for (let day = 0; day < days; day += 1) {
    const [gap, move] = [normal(), normal()].map((of) => of * MARKET_DEVIATION) as [number, number];
    for (let one = 0; one < instruments; one += 1) {
      const at = day * instruments + one;
      const beta = betas[one] as number;
      overnight[at] = scaleShare(
        OVERNIGHT_SHARE,
        (share) => market(beta, gap, share) * factor(OWN_DEVIATION * share),
      );
      within[at] = scaleShare(
        1 - OVERNIGHT_SHARE,
        (share) => market(beta, move, share) * factor(OWN_DEVIATION * share),
      );
    }
  }
  plant(overnight, within, { days, instruments, signal });

  const names = ["open", "high", "low", "close", "volume"] as const;
  const fields = Object.fromEntries(names.map((name) => [name, new Float64Array(cells)])) as Record<
    (typeof names)[number],
    Float64Array
  >;
  for (let at = 0; at < cells; at += 1) {
    const one = at % instruments;
    const open = (prices[one] as number) * (overnight[at] as number);
    const close = open * (within[at] as number);
    prices[one] = close;
    fields.open[at] = open;
    fields.close[at] = close;
    fields.high[at] = Math.max(open, close) * Math.exp(0.005 * Math.abs(normal()));
    fields.low[at] = Math.min(open, close) * Math.exp(-0.005 * Math.abs(normal()));
    busy[one] = 0.8 * (busy[one] as number) + 0.3 * normal();
    const move = Math.abs(Math.log(within[at] as number));
    fields.volume[at] = Math.round(Math.exp((sizes[one] as number) + busy[one] + 10 * move));
  }
  return { days, instruments, fields };
}

const scaleShare = (share: number, of: (root: number) => number): number => of(Math.sqrt(share));

/** What the market's move makes of an instrument; its mean is 1. */
function market(beta: number, move: number, root: number): number {
  return Math.exp(beta * root * move - (beta * root * MARKET_DEVIATION) ** 2 / 2);
}

type Planting = Pick<GenerateSettings, "days" | "instruments" | "signal">;

/** Moves each gap overnight by what the planted formula says on the day before. */
function plant(overnight: Float64Array, within: Float64Array, { days, instruments, signal }: Planting): void {
  if (signal === 0) return;
  const fields = { open: new Float64Array(within.length).fill(1), close: within };
  const panel: FactorPanel = { days, instruments, fields };
  const values = evaluate(parseFormula(PLANTED_FORMULA, vocabularyOf(panel)), panel);
  const { ranks, rank } = rankerFor(instruments);
  // The deviation of ranks from 0 to 1 of many instruments is the square root of a twelfth.
  const scale = signal * OWN_DEVIATION * Math.sqrt(12);
  for (let day = 0; day < days - 1; day += 1) {
    const count = rank(values, day * instruments);
    for (let one = 0; one < instruments && count > 1; one += 1) {
      const at = (day + 1) * instruments + one;
      overnight[at] =
        (overnight[at] as number) * Math.exp(scale * ((ranks[one] as number) / (count - 1) - 0.5));
    }
  }
}
