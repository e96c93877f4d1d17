import type * as vitest from "vitest";

/** What a contract's tests are written with. Who joins brings it, so that this package is loaded without one. */
export type TestRunner = Pick<typeof vitest, "describe" | "expect" | "it">;

/** The runner's, from when a contract is joined. */
export let expect: TestRunner["expect"];

/** Tests that a store cannot pass, by title, and why that is no fault. */
export type StoreSkip = { readonly because: string; readonly tests: readonly string[] };

/** One thing that a contract asks for. */
type Case<Place> = {
  readonly title: string;
  readonly timeoutMs?: number;
  readonly run: (place: Place) => Promise<void>;
};

export type Contract<Place> = {
  /** As it is spoken of: `the store contract`. */
  readonly what: string;
  readonly cases: readonly Case<Place>[];
};

export type Joining<Place> = {
  readonly name: string;
  /** Makes an empty place for one test. */
  readonly place: () => Promise<Place>;
  readonly skip?: readonly StoreSkip[] | undefined;
  readonly runner: TestRunner;
};

/** Runs every case in a place of its own. Each skip is printed with its reason, and one that names no test is an error. */
export function joinContract<Place extends AsyncDisposable>(
  { what, cases }: Contract<Place>,
  { name, place, skip = [], runner }: Joining<Place>,
): void {
  const { describe, it } = runner;
  expect = runner.expect;
  const reasons = new Map(
    skip.flatMap(({ because, tests }) => tests.map((title) => [title, because] as const)),
  );
  for (const title of reasons.keys()) {
    if (!cases.some((one) => one.title === title)) throw new Error(`${what} has no test "${title}"`);
  }
  describe(`${name} keeps ${what}`, () => {
    for (const { title, timeoutMs, run } of cases) {
      const because = reasons.get(title);
      if (because !== undefined) {
        process.stderr.write(`skipped for ${name}: "${title}", because ${because}\n`);
        it.skip(`${title} (skipped: ${because})`);
        continue;
      }
      it(title, { timeout: timeoutMs ?? 20_000 }, async () => {
        await using here = await place();
        await run(here);
      });
    }
  });
}
