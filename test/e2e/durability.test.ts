import { beforeAll, describe, expect, it } from "vitest";
import { countedCalls } from "../support/counted-calls.ts";
import { isLong } from "../support/long.ts";
import { built, eventsIn, QUESTION, resultIn, simServer, somewhere, type Somewhere } from "./parley.ts";

built();

const MODELS = ["ada?latency=80", "bo?latency=90&seed=2", "cy?latency=100&seed=3"];
const ASK = [
  "council",
  QUESTION,
  "--seed",
  "9",
  "--models",
  MODELS.map((name) => `openai/${name}`).join(","),
];

const onlyId = async (place: Somewhere): Promise<string> => {
  const { stdout } = await place.run(["list", "--json"]);
  const rows: unknown = JSON.parse(stdout);
  const [row] = Array.isArray(rows) ? (rows as { id: string }[]) : []; // the list that the command prints
  return row?.id ?? "";
};

describe("a council killed with kill -9", () => {
  /** What a council that nobody kills comes to. */
  let whole: ReturnType<typeof resultIn>;
  beforeAll(async () => {
    await using place = somewhere();
    const server = await simServer(place);
    await using calls = await countedCalls(server.url);
    whole = resultIn(await place.run([...ASK, "--json", "--quiet"], { OPENAI_BASE_URL: calls.url }));
    expect(calls.calls()).toBe(7);
    await server.stop();
  });

  // Three drafts and three reviews are in flight together, the chair alone.
  it.each(isLong ? [1, 2, 3, 4, 5, 6, 7] : [4])(
    "at call %i resumes to the same answer, repeating only calls in flight",
    async (nth) => {
      await using place = somewhere();
      const server = await simServer(place);
      await using calls = await countedCalls(server.url);
      const env = { OPENAI_BASE_URL: calls.url };

      const victim = place.start(ASK, env);
      await victim.seen("stderr", new RegExp(`(?:(?:drafting|ranking|writing)…[\\s\\S]*){${nth}}`));
      victim.kill("SIGKILL");
      await victim.ended;
      const id = await onlyId(place);
      const [one, two] = await Promise.all([
        place.run(["resume", id, "--json", "--quiet"], env),
        nth % 2 === 0 ? place.run(["resume", id, "--json", "--quiet"], env) : undefined,
      ]);
      expect(resultIn(one)).toMatchObject({ answer: whole.answer, status: "answered", calls: 7 });
      // Of two that resume at once one pays; they agree all the same. (DRIVER-1)
      if (two) expect(resultIn(two)).toEqual(resultIn(one));
      expect(calls.calls()).toBeLessThanOrEqual(7 + (nth === 7 ? 1 : 3));
      const origins = eventsIn(await place.run(["export", id, "--format", "jsonl"])).map(
        ({ id: event }) => event,
      );
      expect(new Set(origins).size).toBe(origins.length);
      await server.stop();
    },
  );
});

describe("Ctrl-C", () => {
  it("ends with 130, says how to go on, and loses nothing", async () => {
    await using place = somewhere();
    const models = "sim/a?latency=300,sim/b?latency=300&seed=2,sim/c?latency=300&seed=3";
    const one = place.start(["council", QUESTION, "--models", models]);
    await one.seen("stderr", /ranking…/);
    one.kill("SIGINT");
    const ended = await one.ended;
    expect(ended.code).toBe(130);
    const [, id = ""] = /Try: parley resume (\S+)/.exec(ended.stderr) ?? [];
    const result = resultIn(await place.run(["resume", id, "--json", "--quiet"]));
    expect(result).toMatchObject({ status: "answered", finalAnswer: "391", calls: 7 });
    expect(resultIn(await place.run(["resume", id.slice(0, 5), "--json"]))).toEqual(result);
  });
});

describe("a run that another terminal drives", () => {
  it("is shown with who drives it, and taken over where that one is killed", async () => {
    await using place = somewhere();
    const server = await simServer(place);
    await using calls = await countedCalls(server.url);
    const env = { OPENAI_BASE_URL: calls.url };
    calls.hold();
    const first = place.start(ASK, env);
    await first.seen("stderr", /drafting…/);
    const id = await onlyId(place);
    const shown = place.start(["resume", id], env);
    await shown.seen("stderr", /Driven by process \d+ on \S+: shown as it goes on there/);
    calls.release();
    const whole = await first.ended;
    expect(await shown.ended).toMatchObject({ code: 0, stdout: whole.stdout });
    expect(calls.calls()).toBe(7);

    calls.hold();
    const victim = place.start([...ASK, "--seed", "killed"], env);
    await victim.seen("stderr", /drafting…/);
    const other = resultIn(await place.run(["show", "last", "--json"])).id;
    const heir = place.start(["resume", other, "--json"], env);
    await heir.seen("stderr", /Driven by process/);
    victim.kill("SIGKILL");
    calls.release();
    expect(resultIn(await heir.ended)).toMatchObject({ id: other, status: "answered", calls: 7 });
    expect(calls.calls()).toBeLessThanOrEqual(7 + 7 + 3);
    await server.stop();
  });
});
