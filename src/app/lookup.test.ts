import { expect, it } from "vitest";
import { DeliberationId, isFault, type Summary } from "../kernel/index.ts";
import { resolveId } from "./lookup.ts";

/** A store with runs of these ids, the newest first. */
const storeWith = (...ids: string[]) => ({
  read: () => Promise.resolve([]),
  list: ({ limit }: { readonly limit: number }) =>
    Promise.resolve(ids.slice(0, limit).map((id) => ({ id: DeliberationId.parse(id) }) as Summary)),
});

it.each([
  ["last", ["c1", "b1", "a1"], "c1"],
  ["last", ["a1"], "a1"],
  ["last", [], "there is no run yet"],
  ["b", ["c1", "b1", "a1"], "b1"],
  ["b", ["b2", "b1"], '2 deliberations begin with "b"'],
  ["x", ["b2", "b1"], "deliberation-missing"],
  ["", ["b1"], "deliberation-missing"],
])("%j among %j is %s", async (id, ids, expected) => {
  const resolved = await resolveId({ store: storeWith(...ids) as never }, id).catch((error: unknown) =>
    isFault(error, "configuration")
      ? error.details.why
      : isFault(error, "deliberation-missing")
        ? error.code
        : error,
  );
  expect(resolved).toBe(expected);
});
