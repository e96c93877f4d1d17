import type { Budget, FailureCode } from "../kernel/index.ts";

/** What a person can do about a failure, without what comes after it. */
const REMEDIES: { readonly [code in FailureCode]?: string } = {
  unauthorised: "check the provider's key in the environment (parley doctor shows which are set)",
  "out-of-credit": "top up at the provider, or choose another model",
  "context-too-long": "shorten the question, or give less with it (--context)",
  refused: "check the model's name with parley models, or rephrase",
  "rate-limited": "wait a while",
  overloaded: "wait a while, or choose another model",
  network: "check the connection and the provider's URL (parley doctor)",
  "timed-out": "raise call-timeout in parley.yaml, or choose another model",
};

/** What to do about the first failure that anything can be done about; undefined for none. */
export const remedyOf = (codes: readonly FailureCode[]): string | undefined =>
  codes.map((code) => REMEDIES[code]).find((remedy) => remedy !== undefined);

type Cap = keyof Budget;

/** How a cap is given, and the words in which the engine says that it was passed. */
const CAPS: { readonly [cap in Cap]-?: { readonly flag: string; readonly passed: RegExp } } = {
  usd: { flag: "--max-cost-usd", passed: /\bcap of \$|money is capped/ },
  tokens: { flag: "--max-tokens", passed: /\bcap of [\d,]+ tokens/ },
  calls: {
    flag: "max-calls (PARLEY_MAX_CALLS, or a line of parley.yaml)",
    passed: /\bcap of [\d,]+ calls/,
  },
  timeMs: { flag: "--timeout", passed: /\btime (?:of \d+ ms )?is up/ },
};

// Object.keys forgets which keys these are.
const CAP_NAMES = Object.keys(CAPS) as readonly Cap[];

/** The caps that ended something early: those that `whys` name as passed; where they name none, all that were set. */
export function capsPassed(whys: readonly string[], budget: Budget): readonly Cap[] {
  const set = CAP_NAMES.filter((cap) => budget[cap] !== undefined);
  const passed = set.filter((cap) => whys.some((why) => CAPS[cap].passed.test(why)));
  return passed.length > 0 ? passed : set;
}

/** How to raise these caps; `flags` says how one was given, where that is not as usual. */
export function raiseWords(caps: readonly Cap[], flags: { readonly [cap in Cap]?: string } = {}): string {
  const names = caps.map((cap) => flags[cap] ?? CAPS[cap].flag);
  return names.length > 0 ? `raise ${names.join(" or ")}` : "raise the cap";
}
