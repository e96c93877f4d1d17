import { capsPassed } from "../app/caps.ts";
import type { Cap, FailureCode } from "../kernel/index.ts";

export { capsPassed };

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

/** How a cap is given on the command line. */
const FLAGS: { readonly [cap in Cap]: string } = {
  usd: "--max-cost-usd",
  tokens: "--max-tokens",
  calls: "max-calls (PARLEY_MAX_CALLS, or a line of parley.yaml)",
  time: "--timeout",
};

/** How to raise these caps; `flags` says how one was given, where that is not as usual. */
export function raiseWords(caps: readonly Cap[], flags: { readonly [cap in Cap]?: string } = {}): string {
  const names = caps.map((cap) => flags[cap] ?? FLAGS[cap]);
  return names.length > 0 ? `raise ${names.join(" or ")}` : "raise the cap";
}
