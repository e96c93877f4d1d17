import { describe, expect, it } from "vitest";
import { openLedger } from "../engine/budget.ts";
import { DeliberationId, type Budget, type Cap, type FailureCode } from "../kernel/index.ts";
import { capsPassed } from "../app/outcome.ts";
import { raiseCaps, remedyOf } from "./errors.ts";

const capRemedy = (caps: readonly Cap[], budget: Budget) => raiseCaps(capsPassed(caps, budget));

const quote = { tokensIn: 100, tokensOut: 100, usd: 1 };
const reservations = { reserve: () => Promise.resolve(), reservations: () => Promise.resolve([]) };

/** Which cap the engine says is in the way of a call under these; `laterMs` after the beginning. */
async function capOf(budget: Budget, laterMs = 0): Promise<Cap> {
  let now = 0;
  const id = DeliberationId.parse("one");
  const ledger = await openLedger({ id, budget, reservations, now: () => now }, []);
  now = laterMs;
  const reserved = await ledger.reserve("protocol/one", quote);
  if (reserved.ok) throw new Error("nothing was capped");
  return reserved.cap;
}

const wide: Budget = { usd: 100, tokens: 100_000, calls: 100, timeMs: 100_000 };

describe("what to raise", () => {
  it.each([
    [{ usd: 0.5 }, 0, "raise --max-cost-usd"],
    [{ tokens: 150 }, 0, "raise --max-total-tokens"],
    [{ calls: 0 }, 0, "raise max-calls (PARLEY_MAX_CALLS, or a line of parley.yaml)"],
    [{ timeMs: 10 }, 10, "raise --timeout"],
  ])("is the cap that the engine says was passed, of several: %j", async (cap, laterMs, words) => {
    const budget = { ...wide, ...cap };
    expect(capRemedy([await capOf(budget, laterMs)], budget)).toBe(words);
  });
  it("is all that was set where nobody says which, under the flags that were given", () => {
    expect(capRemedy([], { calls: 3 })).toContain("PARLEY_MAX_CALLS");
    expect(capRemedy([], { usd: 1, tokens: 10 })).toBe("raise --max-cost-usd or --max-total-tokens");
    expect(capRemedy([], {})).toBe("raise the limit");
    expect(capRemedy(["time"], { calls: 3 })).toContain("PARLEY_MAX_CALLS"); // a fork's other budget
  });
});

it("remedies are those of all failures that have one, each once", () => {
  const remedy = (...failures: [FailureCode, string?][]) =>
    remedyOf(failures.map(([code, message = ""]) => ({ code, message })));
  expect(remedy(["cancelled"], ["network"], ["network"])).toMatch(/^check the connection[^;]*$/);
  expect(remedy(["network"], ["unauthorised"])).toMatch(/^check the connection.*; check the provider's key/);
  expect(remedy(["cancelled"])).toBeUndefined();
  expect(remedy(["refused", "The model x does not exist"])).toContain("parley models");
  expect(remedy(["unauthorised", "Not logged in; log in: codex login"])).toBe("log in: codex login");
  const lacking = "No model is loaded (the server lacks it: load it there, or use another model or server)";
  expect(remedy(["refused", lacking])).toMatch(/^start the server .*choose another model$/);
  for (const message of [
    "Unsupported parameter: 'max_tokens'",
    "Unrecognized request argument: x",
    "unsupported value",
  ])
    expect(remedy(["refused", message])).toContain("choose another model");
});
