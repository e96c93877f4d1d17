import { describe, expect, it } from "vitest";
import { standing as standingOf } from "../../../stats/standing.ts";
import { isEvent } from "../../../kernel/index.ts";
import { agreeable, councilAsked, labelsIn, taskOf } from "../../../../test/support/council-table.ts";
import { stage } from "../../../testing/stage.ts";
import { LOCAL } from "../../../testing/store-samples.ts";
import { council } from "./index.ts";

const MEMBERS = ["ada", "bob", "cyd", "dan", "eve", "fay"];

/** Six members who rank by label, but for two who rank the other way round. */
const divided = () =>
  stage({
    protocols: [council],
    script: {
      ...agreeable([...MEMBERS, "chair"]),
      ...Object.fromEntries(
        ["bob", "fay"].map((name) => [
          name,
          (request: Parameters<typeof taskOf>[0]) =>
            taskOf(request) === "draft"
              ? `${name} says so.\nFinal answer: 391`
              : JSON.stringify({ ranking: labelsIn(request).sort().reverse() }),
        ]),
      ),
    },
  });

describe("a council's standing", () => {
  it("has the intervals of its ballots, and a replay computes the same", async () => {
    const on = divided();
    const { opened } = await on.engine.open("r1", councilAsked({ members: MEMBERS }));
    await on.drive(opened.deliberation);
    const entries = await on.store.for(LOCAL).read(opened.deliberation);
    const [reached] = entries.filter((entry) => isEvent(entry, "standing-reached"));
    const places = reached?.data.places ?? [];
    expect(places).toHaveLength(6);
    for (const { score, low, high } of places) {
      expect(low).toBeLessThan(score ?? Number.NaN);
      expect(high).toBeGreaterThan(score ?? Number.NaN);
    }
    const authors = new Map(
      entries.flatMap((entry) =>
        isEvent(entry, "answer-given") && "step" in entry.origin ? [[entry.origin.step, entry.data.by]] : [],
      ),
    );
    const ballots = entries.flatMap((entry) =>
      isEvent(entry, "review-given") && entry.data.ranking.ok
        ? [
            {
              reviewer: entry.data.by,
              ranking: entry.data.ranking.steps.flatMap((step) => authors.get(step) ?? []),
            },
          ]
        : [],
    );
    expect(places).toEqual(standingOf({ candidates: MEMBERS, ballots }).rows);
    await expect(on.engine.replay(opened.deliberation)).resolves.toMatchObject({ calls: 13 });
  });
  it("of version 1, recorded without intervals, is refused by name", async () => {
    const before = stage({ protocols: [{ ...council, version: 1 }] });
    const old = { ...councilAsked({ members: MEMBERS }), protocol: { name: "council", version: 1 } };
    const { opened } = await before.engine.open("r1", old);
    const now = stage({ protocols: [council], store: () => before.store });
    await expect(now.drive(opened.deliberation)).rejects.toThrow(
      /no protocol council@1 \(it has council@2\).*fork/,
    );
  });
});
