import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { StoryPorts } from "../app/story.ts";
import { scratch, type Scratch } from "../../../../test/support/scratch.ts";
import { DeliberationId } from "../../../kernel/index.ts";
import { StoryReports } from "../app/checks.ts";
import { answered, asked, turnOf } from "../../../../test/support/sample-turn.ts";
import type { Io } from "../../../cli/command.ts";
import { commandIo } from "../../../../test/support/command-io.ts";
import { runTests } from "./conversation-test.ts";
import { command } from "./index.ts";

const SHIPPED = fileURLToPath(new URL("../../../../stories", import.meta.url));

/** No model but the simulated ones can be reached from here. */
const ALONE = { OLLAMA_HOST: "127.0.0.1:1", LMSTUDIO_HOST: "127.0.0.1:1" };

type Flags = Readonly<Record<string, unknown>>;
type Said = { readonly code: number; readonly stdout: string; readonly stderr: string };

async function captured(place: Scratch, command: (io: Io) => Promise<number>): Promise<Said> {
  const { io, written } = commandIo(place);
  const code = await command(io);
  return { code, ...written };
}

describe("the stories that ship", () => {
  it("pass with nothing configured, on simulated models", async () => {
    using place = scratch({}, ALONE);
    const env = { ...place.env, PARLEY_STORE: join(place.home, "store.db") };
    const files = [join(SHIPPED, "*.yaml")];
    const { code, stdout, stderr } = await captured(place, (io) =>
      command.run({ ...io, env }, { json: true }, files),
    );
    const { ok, stories } = StoryReports.parse(JSON.parse(stdout));
    expect(stories.map((one) => [one.id, one.ok, one.simulated])).toEqual(
      ["S1", "S2", "S5", "S6", "S7"].map((id) => [id, true, true]),
    );
    expect(stories).toHaveLength(readdirSync(SHIPPED).length);
    expect([ok, code]).toEqual([true, 0]);
    expect(new Set(stories.map(({ user }) => user)).size).toBe(5);
    // What is to be known of the models is said once.
    expect(stderr.match(/using simulated models/g)).toHaveLength(1);
    expect(stderr).toContain("S2, turn 2 of 2: What is my favourite author?\n");
  }, 120_000);

  it("fail where nobody grades, and before anything is asked", async () => {
    using place = scratch({}, ALONE);
    const file = join(SHIPPED, "s6-critic.yaml");
    const env = { ...place.env, PARLEY_STORE: ":memory:", PARLEY_CRITIC: "off" };
    const refused = captured(place, (io) => command.run({ ...io, env }, {}, [file]));
    await expect(refused).rejects.toThrow(
      /s6-critic\.yaml needs a judge, and none is configured; set judge to provider\/model$/,
    );
  });
});

const story = (id: string, says: string): string =>
  `story_id: ${id}\nturns:\n  - query: Where?\n    expected_content: [${says}]\n`;

type Telling = {
  readonly words: readonly string[];
  readonly flags?: Flags;
  readonly answer?: () => string;
  readonly reporter?: string;
  /** The flags of all that was opened, and of all that was closed. */
  readonly opened?: Flags[];
  readonly closed?: Flags[];
};

/** Runs stories over conversations that all end with this answer. */
async function told(
  place: Scratch,
  { words, flags = {}, answer = () => "Paris.", opened = [], closed = [], reporter }: Telling,
): Promise<Said & Required<Pick<Telling, "opened" | "closed">>> {
  const ports: StoryPorts = {
    world: { id: () => "x", sleep: () => Promise.resolve() },
    notes: () => Promise.resolve(["something to know"]),
    engrams: () => Promise.resolve([]),
    converse: ({ question }) => {
      const id = DeliberationId.parse("d1");
      return Promise.resolve({ id, entries: turnOf(id, [asked(question), answered("A", answer())]) });
    },
  };
  const said = await captured(place, (io) =>
    runTests(
      io,
      { json: flags["json"] === true, quiet: flags["quiet"] === true, delays: false, reporter },
      {
        words,
        flags,
        open: (own) => {
          opened.push(own);
          return Promise.resolve({ ports, close: () => Promise.resolve(void closed.push(own)) });
        },
      },
    ),
  );
  return { ...said, opened, closed };
}

const FILES = { "project/a.yaml": story("S1", "Paris"), "project/b.yaml": story("S2", "Rome") };

describe("parley test", () => {
  it("prints what became of each and of all, and exits 1 where a check does not hold", async () => {
    using place = scratch(FILES);
    const { code, stdout, stderr, closed } = await told(place, { words: ["a.yaml", "b.yaml"] });
    expect([code, closed.length]).toEqual([1, 2]);
    expect(stdout.split("\n").filter((line) => !line.includes(" ok "))).toEqual([
      "S1",
      "  Turn 1: Where?",
      "    Paris.",
      "  Memory owner: story-S1-x",
      "  passed, 2 checks",
      "",
      "S2",
      "  Turn 1: Where?",
      "    Paris.",
      '    FAIL the answer contains "Rome"; found: "Paris."',
      "  Memory owner: story-S2-x",
      "  FAILED, 1 of 2 checks",
      "",
      "1 of 2 stories failed: S2",
      "",
    ]);
    expect(stderr.split("\n")).toEqual([
      "something to know",
      "S1, turn 1 of 1: Where?",
      "  2 checks passed",
      "S2, turn 1 of 1: Where?",
      '  1 of 2 checks failed: the answer contains "Rome"',
      "",
    ]);
  });

  it("prints one JSON object, and nothing of its progress when it is to be quiet", async () => {
    using place = scratch(FILES);
    const flags = { json: true, quiet: true };
    const { code, stdout, stderr } = await told(place, { words: ["a.yaml", "b.yaml"], flags });
    const { ok, stories } = StoryReports.parse(JSON.parse(stdout));
    expect([code, ok, stories.map((one) => one.ok), stderr]).toEqual([1, false, [true, false], ""]);
    const passed = await told(place, { words: ["a.yaml"], flags });
    expect(passed.code).toBe(0);
    expect(JSON.parse(passed.stdout)).toMatchObject({ ok: true });
  });

  it("runs each story under its own settings, and reads all of them first", async () => {
    using place = scratch({
      ...FILES,
      "project/c.yaml": `${story("S3", "Paris")}needs: [judge]\ndefaults: {judge: sim/j, model: sim/m}\n`,
      "project/d.yaml": `${story("S4", "Paris")}needs: [judge]\n`,
    });
    const flags = { model: "sim/x" };
    const { opened } = await told(place, { words: ["a.yaml", "c.yaml"], flags });
    expect(opened).toEqual([{ models: ["sim/x"] }, { models: ["sim/x"], judge: ["sim/j"] }]);
    let asked = 0;
    const answer = () => `${(asked += 1)}`;
    const mixed = await told(place, { words: ["a.yaml", "d.yaml"], answer });
    expect([mixed.code, asked]).toEqual([2, 1]);
    expect(mixed.stderr).toContain("parley: d.yaml needs a judge, and none is configured.\nTry: set judge");
    const judged = await told(place, { words: ["d.yaml"], flags: { judge: ["sim/j"] } });
    expect(judged.code).toBe(0);
  });

  it("stops at the first Ctrl-C, says what there is, and closes what it opened", async () => {
    using place = scratch(FILES);
    let turns = 0;
    const answer = () => {
      turns += 1;
      if (turns === 2) process.emit("SIGINT");
      return "Paris.";
    };
    const before = process.listenerCount("SIGINT");
    const { code, stderr, closed } = await told(place, { words: ["a.yaml", "b.yaml", "a.yaml"], answer });
    expect([code, closed.length, turns]).toEqual([130, 2, 2]);
    expect(stderr).toMatch(/^Interrupted in b\.yaml; before it: 1 story passed$/m);
    expect(process.listenerCount("SIGINT")).toBe(before);
  });

  it("closes what it opened when a conversation fails", async () => {
    using place = scratch(FILES);
    const answer = (): string => {
      throw new Error("no store");
    };
    const closed: Flags[] = [];
    await expect(told(place, { words: ["a.yaml"], answer, closed })).rejects.toThrow("no store");
    expect(closed).toHaveLength(1);
  });
});

describe("a file that cannot be used among others", () => {
  it.each([
    ["missing", "nosuch.yaml", undefined, "nosuch.yaml does not exist"],
    ["no YAML", "bad.yaml", "turns: [", "bad.yaml:1:"],
    ["no story", "bad.yaml", "a: 1", "bad.yaml"],
    ["empty", "bad.yaml", "", "bad.yaml"],
    ["binary", "bad.yaml", "a\0b", "bad.yaml is binary"],
    ["with turns that are none", "bad.yaml", "story_id: S8\nturns: 5\n", "turns"],
  ])("is named, the others run, and the exit code is 2: %s", async (...row) => {
    const [, name, text, says] = row;
    using place = scratch({ "project/good.yaml": story("S9", "nothing like this") }, ALONE);
    if (text !== undefined) place.write(`project/${name}`, text);
    const env = { ...place.env, PARLEY_STORE: ":memory:" };
    const { code, stdout, stderr } = await captured(place, (io) =>
      command.run({ ...io, env }, { json: true }, [name, "good.yaml"]),
    );
    const { ok, stories } = StoryReports.parse(JSON.parse(stdout));
    expect({ ok, ids: stories.map(({ id }) => id), code }).toEqual({ ok: false, ids: ["S9"], code: 2 });
    expect(stderr).toContain(says);
  });
});

describe("what a reporter prints", () => {
  const two = () =>
    scratch({ "project/a.yaml": story('A "<&"', "Paris"), "project/b.yaml": story("B", "Rome\u0007, 50%") });

  it("is JUnit's XML on stdout, and annotations of GitHub's beside it", async () => {
    using place = two();
    const { code, stdout, stderr } = await told(place, {
      words: ["a.yaml", "b.yaml"],
      reporter: "junit,github",
    });
    expect(code).toBe(1);
    const { document } = parseXml(stdout);
    expect(document("testsuite")).toEqual([
      { name: 'A "<&"', file: "a.yaml", tests: "2", failures: "0", skipped: "0" },
      { name: "B", file: "b.yaml", tests: "3", failures: "2", skipped: "0" },
    ]);
    expect(stderr).toMatch(/^::error file=b\.yaml,title=B::turn 1: the answer contains .*50%25.*found: /m);
    expect(document("testcase").map(({ name }) => name)).toContain('turn 1: the answer contains "Paris"');
    expect(stdout + stderr).not.toMatch(/FAILED|checks? passed,/);
  });

  it("has a file that is no story as a check that failed", async () => {
    using place = scratch({ "project/a.yaml": story("A", "Paris"), "project/b.yaml": "turns: 7\n" });
    for (const words of [["a.yaml", "b.yaml"], ["b.yaml"]]) {
      const { code, stdout, stderr } = await told(place, { words, reporter: "junit,github" });
      expect(code).toBe(2);
      const suites = parseXml(stdout).document("testsuite");
      expect(suites.at(-1)).toMatchObject({ file: "b.yaml", tests: "1", failures: "1" });
      expect(stderr).toMatch(/^::error file=b\.yaml,/m);
    }
  });

  it("is refused where there is none of the name", async () => {
    using place = two();
    await expect(told(place, { words: ["a.yaml"], reporter: "tap" })).rejects.toThrow(/no reporter "tap"/);
  });
});

/** The attributes of all elements of a name; throws where tags do not match. */
function parseXml(text: string) {
  const open: string[] = [];
  for (const [, slash, name = "", , empty] of text.matchAll(/<(\/?)([a-z]+)((?: [a-z]+="[^"<]*")*)(\/?)>/g)) {
    if (slash !== "") expect(open.pop()).toBe(name);
    else if (empty === "") open.push(name);
  }
  expect(open).toEqual([]);
  const plain = (value: string) =>
    value.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
  const document = (name: string) =>
    [...text.matchAll(new RegExp(`<${name} ([^>]*)>`, "g"))].map(([, given = ""]) =>
      Object.fromEntries(
        [...given.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, plain(value)]),
      ),
    );
  return { document };
}
