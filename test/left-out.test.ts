import { describe, expect, it } from "vitest";
import { agreeable, councilAsked, reviewOf, taskOf } from "./support/council-table.ts";
import { debateAsked, debaters, debateTaskOf } from "./support/debate-table.ts";
import { sampleRuns } from "./support/sample-runs.ts";
import { answering, trialAsked } from "./support/trial-table.ts";
import type { NewDeliberation } from "../src/engine/index.ts";
import { isEvent, workOf, type Entry, type ModelRequest } from "../src/kernel/index.ts";
import { ask } from "../src/features/ask/protocol/index.ts";
import { council } from "../src/features/council/protocol/index.ts";
import { debate } from "../src/features/debate/protocol/debate/index.ts";
import { trial } from "../src/features/evolution/protocol/trial/index.ts";
import type { ScriptedLine, Script } from "../src/testing/scripted-models.ts";
import { stage } from "../src/testing/stage.ts";
import { resultOf } from "../src/views/result.ts";

const NAMES = ["ada", "bob", "cyd"];

/** What becomes of a part of cyd's; an odd reply cannot be read, and its repair neither. */
const LOST: Readonly<Record<string, ScriptedLine>> = {
  straggles: { hang: true },
  fails: { fail: "refused", message: "no" },
  "is empty": "",
  "cannot be read": "@@",
};

type TaskOf = (request: ModelRequest) => string;

/** The same script, but that cyd does this task so. */
function spoilt(
  script: Script,
  { task, line, of }: { task: string; line: ScriptedLine; of: TaskOf },
): Script {
  const usual = script["cyd"];
  return {
    ...script,
    cyd: (request, nth) => {
      const isSpoilt = of(request) === task || (line === "@@" && of(request) === "repair");
      return isSpoilt || typeof usual !== "function" ? line : usual(request, nth);
    },
  };
}

/** Open questions, whose drafts contradict each other, so that all of `ask` is done. */
const open: Script = {
  ...Object.fromEntries(
    NAMES.map((name) => [
      name,
      (request: ModelRequest) => ({
        text: ["draft", "revision"].includes(taskOf(request))
          ? `${name} thinks of many things.`
          : reviewOf(request),
        latencyMs: 10,
      }),
    ]),
  ),
  ...agreeable(["chair"]),
};

type Table = { readonly script: Script; readonly of: TaskOf; readonly asked: NewDeliberation };

const patienceMs = 50;
const TABLES: Readonly<Record<string, Table & { readonly tasks: readonly string[] }>> = {
  council: {
    tasks: ["draft", "review"],
    ...{ script: agreeable([...NAMES, "chair"]), of: taskOf },
    asked: councilAsked({ settings: { patienceMs } }),
  },
  ask: {
    tasks: ["draft", "review", "revision"],
    ...{ script: open, of: taskOf },
    asked: councilAsked({ protocol: "ask", settings: { patienceMs, effort: 5 } }),
  },
  debate: {
    tasks: ["proposal", "critique", "refinement"],
    ...{ script: debaters(), of: debateTaskOf },
    asked: debateAsked({ settings: { patienceMs } }),
  },
  "a debate with summaries": {
    tasks: ["summary"],
    ...{ script: debaters(), of: debateTaskOf },
    asked: debateAsked({ settings: { summarization: { enabled: true, threshold: 10 } } }),
  },
};

const play = async ({ script, asked }: Pick<Table, "script" | "asked">, quoted = false) => {
  const quote = () => ({ tokensIn: 100, tokensOut: 100, usd: null });
  const protocols = [ask, council, debate, trial];
  return (await stage({ protocols, script, ...(quoted ? { quote } : {}) }).play(asked)).entries;
};

/** Everybody who is out of a phase, as kind and member, as often as this is. */
const outOf = (entries: readonly Entry[]): string[] =>
  entries.flatMap((entry) => {
    const work = workOf(entry);
    if (!isEvent(entry, "roster-fixed") || work?.kind === "affordability") return [];
    return entry.data.out.map(({ id }) => [work?.of, ...id.split("/of/")].join(" "));
  });

/** The same as a result names them. */
const namedIn = (entries: readonly Entry[]): string[] =>
  (resultOf(entries)?.degraded ?? []).flatMap(({ what }) => {
    const [, kind = "", members = ""] =
      /(draft|review|ranking|revision|proposal|critique|refinement|summary) (?:by|of|for) (.*)/.exec(what) ??
      [];
    const names = members.replace(/ in round \d+$/, "").split(" of ");
    // The judge's summaries are no phase.
    return kind === "" || members === "judge"
      ? []
      : [[kind.replace("ranking", "review"), ...names].join(" ")];
  });

describe("whoever is left out is named, each once", () => {
  const cases = Object.entries(TABLES).flatMap(([name, table]) =>
    table.tasks.flatMap((task) =>
      Object.entries(LOST).map(([way, line]) => ({ name, task, way, table, line })),
    ),
  );
  it.each(cases)("$name: a $task that $way", async ({ task, table: { script, of, asked }, way, line }) => {
    if (task === "summary" && way === "straggles") return; // summaries are waited for
    const entries = await play({ script: spoilt(script, { task, line, of }), asked });
    expect(namedIn(entries).sort()).toEqual(outOf(entries).sort());
    const readsAll = way === "cannot be read" && task !== "review"; // any text is a draft
    expect(outOf(entries).length > 0).toBe(!readsAll);
  });

  it.each(Object.entries(TABLES))("%s: for want of budget", async (_name, { script, asked }) => {
    for (const calls of [3, 5, 8, 12, 16]) {
      const entries = await play({ script, asked: { ...asked, budget: { calls } } }, true);
      expect(namedIn(entries).sort(), `${calls} calls`).toEqual(outOf(entries).sort());
    }
  });
});

it("says what is missing wherever a run of any protocol is degraded", async () => {
  const { model } = answering;
  const broken: Script = {
    model: (request, nth) =>
      nth % 5 === 0 || typeof model !== "function" ? { fail: "refused" } : model(request, nth),
    "judge-1": () => "@@",
  };
  const runs = [
    ...(await sampleRuns()),
    { name: "a broken trial", entries: await play({ script: broken, asked: trialAsked({ questions: 6 }) }) },
  ];
  const seen: string[] = [];
  for (const { name, entries } of runs) {
    const result = resultOf(entries);
    if (result?.status !== "answered-degraded") continue;
    seen.push(name);
    expect(result.degraded, name).not.toEqual([]);
  }
  expect(seen).toEqual(expect.arrayContaining(["a judge", "an evaluation", "a broken trial"]));
});
