import type { Cost, Tokens } from "../kernel/model.ts";
import type { Usage } from "../kernel/transport.ts";
import { costAt, type Price } from "./prices.ts";

const plus = (sum: number | null, more: number | null): number | null =>
  more === null ? sum : (sum ?? 0) + more;

/** The attempts of one call, added up: what was paid for and came to nothing is paid all the same. */
export type Spending = {
  add(usage: Usage): void;
  tokens(): Tokens;
  /**
   * What the attempts that reported something cost. Each goes by the provider's own figure, else by the
   * table; where an attempt has tokens and neither, the whole is unknown.
   */
  cost(): Cost;
};

export const createSpending = (price: Price | "free" | null): Spending => {
  let tokens: Tokens = { in: null, out: null, cached: null, reasoning: null };
  let usd: number | null = null;
  let unpriced = false;
  let source: "provider" | "table" = "provider";

  const charge = ({ tokens: used, usd: reported }: Usage): void => {
    if (reported !== null) {
      usd = plus(usd, reported);
    } else if (used.in !== null && used.out !== null && price !== null && price !== "free") {
      source = "table";
      usd = plus(usd, costAt(price, { in: used.in, out: used.out, cached: used.cached ?? 0 }));
    } else if (used.in !== null || used.out !== null) {
      unpriced = true;
    }
  };

  return {
    add: (usage) => {
      const used = usage.tokens;
      tokens = {
        in: plus(tokens.in, used.in),
        out: plus(tokens.out, used.out),
        cached: plus(tokens.cached, used.cached),
        reasoning: plus(tokens.reasoning, used.reasoning),
      };
      charge(usage);
    },
    tokens: () => tokens,
    cost: () => {
      if (price === "free") return { source: "free", usd: 0 };
      return usd === null || unpriced ? { source: "unknown", usd: null } : { source, usd };
    },
  };
};
