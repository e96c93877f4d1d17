import { describe, expect, it } from "vitest";
import { sectionSchema } from "../../src/features/ask/protocol/view.ts";
import { PANEL, built, QUESTION, resultIn, simServer, somewhere } from "./parley.ts";

built();

/** Three that come to three different results. */
const SPLIT = "sim/a?skill=0.5&seed=1,sim/b?skill=0.5&seed=2,sim/c?skill=0.5&seed=3";
const OPEN = "Should we move our job queue to Postgres?";
const quietly = ["--json", "--quiet"];

describe("how far ask climbs", () => {
  it("says of every rung why it was climbed, and what it took", async () => {
    await using place = somewhere();
    const split = resultIn(await place.run([QUESTION, "--models", SPLIT, ...quietly]));
    expect(split).toMatchObject({
      protocol: { name: "ask" },
      status: "answered",
      finalAnswer: "391",
      calls: 6,
    });
    expect(sectionSchema.parse(split.section).ladder.map(({ rung, calls }) => [rung, calls])).toEqual([
      ["draft", 3],
      ["revision", 3],
    ]);
    const open = resultIn(await place.run([OPEN, ...PANEL, ...quietly]));
    expect(sectionSchema.parse(open.section).ladder.map(({ rung, calls }) => [rung, calls])).toEqual([
      ["draft", 3],
      ["comparison", 1],
      ["review", 3],
      ["synthesis", 1],
    ]);
    expect(open.control).toMatchObject({ kind: "best-draft", agrees: null, overlap: expect.any(Number) });
    const text = (await place.run(["show", open.id])).stdout;
    expect(text).toMatch(/^Steps +draft: 3 calls: 3 of 3 drafts have no short final answer/m);
    expect(text).toMatch(/^Contradiction: /m);
  });

  it("goes as far as --effort says, and no further in a fork", async () => {
    await using place = somewhere();
    const low = resultIn(await place.run([OPEN, ...PANEL, "--effort", "1", ...quietly]));
    expect(low).toMatchObject({ status: "answered", calls: 3 });
    const more = resultIn(await place.run(["fork", low.id, "--effort", "2", ...quietly]));
    expect(more).toMatchObject({ calls: 1, section: { comparison: { contradictions: expect.any(Array) } } });
    const wrong = await place.run([OPEN, "--effort", "6"]);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toMatch(/--effort must be an integer from 1 to 5 \(got 6\)\nTry: --effort 3/);
    const council = resultIn(await place.run(["council", QUESTION, ...quietly]));
    const refused = await place.run(["fork", council.id, "--effort", "2"]);
    expect(refused.stderr).toMatch(
      /a deliberation by council has no effort to change\.\nTry: leave effort out/,
    );
  });

  it("stops where the budget does, with the best answer so far", async () => {
    await using place = somewhere();
    const stopped = await place.run([QUESTION, "--models", SPLIT, ...quietly], { PARLEY_MAX_CALLS: "3" });
    expect(stopped.code).toBe(5);
    expect(resultIn({ ...stopped, code: 0 })).toMatchObject({
      status: "stopped-by-budget",
      calls: 3,
      answer: expect.stringContaining("Final answer"),
      control: { kind: "leading-draft" },
    });
  });

  it("killed within a round of revision, goes on where it was", async () => {
    await using place = somewhere();
    const server = await simServer(place);
    const env = { OPENAI_BASE_URL: `${server.url}/v1` };
    const models = SPLIT.replaceAll("sim/", "openai/").replaceAll("seed", "latency=200&seed");
    const victim = place.start([QUESTION, "--models", models], env);
    await victim.seen("stderr", /revising…/);
    victim.kill("SIGKILL");
    await victim.ended;
    const [open] = JSON.parse((await place.run(["list", "--json"])).stdout) as {
      id: string;
      status: string;
    }[];
    expect(open?.status).toBe("open");
    const result = resultIn(await place.run(["resume", open?.id ?? "", ...quietly], env));
    expect(result).toMatchObject({ status: "answered", finalAnswer: "391", calls: 6 });
    expect((await place.run(["replay", result.id], env)).code).toBe(0);
    await server.stop();
  });
});
