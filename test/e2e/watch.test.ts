import { expect, it } from "vitest";
import { processOutput } from "../../src/cli/output.ts";
import { Local2WatchReport as WatchReport } from "../../src/cli/commands/watch.ts";
import { commandIo, commandNamed } from "../support/command-io.ts";
import { built, somewhere } from "./parley.ts";

built();

const RESPOND = [
  "respond",
  "What is 17 * 23?",
  "--model",
  "sim/ada?latency=600",
  "--respondent-b",
  "--judge",
  "sim/judge?latency=900",
  "--quiet",
];
const objectsIn = (text: string): WatchReport[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => WatchReport.parse(JSON.parse(line)));
const wordsOf = (objects: readonly WatchReport[], name: string) => [
  ...new Set(objects.map(({ reactors }) => reactors.find(({ reactor }) => reactor === name)?.state)),
];
/** The reactors that the question here is for; others may ship as well. */
const ASKED = ["critic", "memory", "pairwise", "respondent-b"];
const asked = ({ reactors }: WatchReport) => reactors.filter(({ reactor }) => ASKED.includes(reactor));
const isServed = (text: string) =>
  objectsIn(text).some((report) => asked(report).every(({ servedBy }) => servedBy.worker !== null));
const isDone = (objects: readonly WatchReport[]) => {
  const latest = objects.at(-1);
  return latest !== undefined && asked(latest).every((one) => one.said > 0 && one.behind === 0);
};

it("shows what other processes make of a question, and a worker reacts, until Ctrl-C or until nobody reads", async () => {
  await using place = somewhere();
  const [watcher, lines, unread, worker] = [
    place.start(["watch", "--json"]),
    place.start(["watch"]),
    place.start(["watch", "--quiet"]),
    place.start(["worker"]),
  ];
  const idle = /respondent-b: idle/;
  await Promise.all([
    lines.seen("stdout", idle),
    unread.seen("stdout", idle),
    watcher.seen("stdout", isServed),
    worker.seen("stderr", /A worker for/),
  ]);
  unread.closeStdout();
  const answered = await place.run(RESPOND);
  expect(answered.code).toBe(0);
  await Promise.all([
    watcher.seen("stdout", (text) => isDone(objectsIn(text))),
    lines.seen("stdout", /preference-given {2}pairwise/),
  ]);
  for (const one of [watcher, lines, worker]) one.kill("SIGINT");

  const { code, stdout, stderr } = await watcher.ended;
  expect([code, stderr]).toEqual([130, ""]);
  const objects = objectsIn(stdout);
  expect(objects[0]).toMatchObject({ deliberations: 0, end: 0 });
  expect(wordsOf(objects, "respondent-b")).toContain("generating");
  expect(wordsOf(objects, "critic")).toContain("grading");
  expect(wordsOf(objects, "pairwise")).toContain("pairwise-grading");

  const log = await lines.ended;
  expect([log.code, log.stderr]).toEqual([130, ""]);
  expect(log.stdout).toMatch(/^No runs yet/);
  expect(log.stdout).toMatch(/answer-given {2}A {2}\[simulated/);
  expect(log.stdout).toMatch(/answer-given {2}B {2}\[simulated/);
  expect(log.stdout).toMatch(/critic: grading answer-given of .* · served by worker/);
  expect((await unread.ended).code).toBe(0);

  const reacted = await worker.ended;
  expect([reacted.code, reacted.stdout]).toEqual([130, ""]);
  for (const one of [
    "answer-given  B",
    "grade-given  critic",
    "preference-given  pairwise",
    "engram-written  memory",
  ])
    expect(reacted.stderr).toContain(one);
  expect(reacted.stderr).not.toContain("reply-received");
  expect(reacted.stderr).toMatch(/Ended after \d+ reactions;/);

  const { cwd } = place;
  const env = { HOME: place.folder, PARLEY_HOME: place.home };
  const once = async (flags: Readonly<Record<string, unknown>>) => {
    const { io, written } = commandIo({ cwd, env });
    expect(await commandNamed("watch").run(io, { once: true, ...flags }, [])).toBe(0);
    expect(written.stderr).toBe("");
    return written.stdout;
  };
  const report = WatchReport.parse(JSON.parse(await once({ json: true })));
  expect(report).toMatchObject({ deliberations: 1 });
  expect(await once({})).toMatch(/^1 deliberation · [\s\S]*\nREACTOR [\s\S]* preference-given /);
  expect((await once({ quiet: true, since: "1h" })).split("\n")).toHaveLength(3 + report.reactors.length);
  expect(() =>
    commandNamed("watch").run({ output: processOutput(env), env, cwd, protocols: [] }, { since: "soon" }, []),
  ).toThrow("must be a duration");
}, 120_000);
