import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AppContext } from "../../../app/context.ts";
import { exchangeFiles, HANDOFF_FILES, type FileExchange } from "../app/handoffs.ts";
import {
  nextWeather,
  openCycle,
  openForest,
  prepareCycle,
  type PreparedCycle,
  saveCycle,
  type OpenForest,
  type SavedCycle,
} from "../app/cycle.ts";
import { estimateOpening, withoutKeys } from "../../../app/estimate.ts";
import { resume, type Run } from "../../../app/run.ts";
import { displayPath } from "../../../config/text-file.ts";
import { openGatePool } from "../../../gates/pool.ts";
import { callOf, isEvent, workOf, type DeliberationId, type Entry } from "../../../kernel/index.ts";
import { cycleNumber } from "../protocol/state.ts";
import { sectionOf, type ForestSection } from "../protocol/view.ts";
import { align } from "../../../reports/labelled-rows.ts";
import { oneLine } from "../../../reports/printable.ts";
import { wrap } from "../../../reports/text-width.ts";
import { formatDuration, formatUsd, pluralize } from "../../../text/format.ts";
import { resultOf } from "../../../views/result.ts";
import { isSimulated } from "../../../views/simulated.ts";
import { spending } from "../../../views/spending.ts";
import { estimateLine, estimateText } from "../../../cli/estimate-text.ts";
import { exitOf, EXIT } from "../../../cli/exits.ts";
import { describeProblem } from "../../../app/outcome.ts";
import { noteEarlyEnd } from "../../../cli/lab-job.ts";
import { noteInterrupted } from "../../../cli/show.ts";
import { print, type Io, type Values } from "../../../cli/command.ts";
import type { CYCLE } from "./index.ts";
import { interruptible, withParley } from "../../../cli/session.ts";
import { createProgressLine } from "../../../cli/terminal.ts";

const POLL_MS = 50;

/** A cycle that ended well. */
type Finished = SavedCycle & {
  readonly id: DeliberationId;
  readonly section: ForestSection;
  readonly entries: readonly Entry[];
};

/** Runs the next cycles of a forest, or goes on with the one that was begun. */
export const cycle = (
  io: Io,
  { limit, wait, again, dryRun, quiet, json, ...settings }: Values<typeof CYCLE>,
  path: string,
): Promise<number> =>
  withParley(io, settings, async (context) => {
    const pool = openGatePool();
    const folder = resolve(io.cwd, path);
    try {
      return await interruptible(async (signal) => {
        const finished: Finished[] = [];
        let exit: number = EXIT.answered;
        for (let nth = 0; nth < limit && exit === EXIT.answered; nth += 1) {
          const garden = await openForest(context, { folder, signal, env: io.env, cwd: io.cwd }, pool);
          if (nth === 0)
            for (const warning of garden.warnings) io.output.note(`Warning: ${oneLine(warning, 600)}`);
          const prepared = await prepareCycle(dryRun ? withoutKeys(context) : context, garden, { again });
          if (dryRun) return await printPlan(io, { json }, { garden, prepared });
          const one = await runCycle(io, { garden, prepared, signal, wait, quiet: quiet || json });
          exit = one.exit;
          if (one.finished) finished.push(one.finished);
          if (one.finished && !json)
            await io.output.result(cycleText(one.finished, io.output.stdout.columns ?? 100));
        }
        if (json) await print(io, { json, value: finished.map(cycleJson) }, () => "");
        else if (exit === EXIT.answered && !quiet) io.output.note("Try: parley forest report");
        return exit;
      });
    } finally {
      await pool.close();
    }
  });

/** Prints what the next cycle would do, and what it would take. */
async function printPlan(
  io: Io,
  options: { readonly json: boolean },
  { garden, prepared }: Pick<CycleRun, "garden" | "prepared">,
): Promise<number> {
  const { opening } = prepared.work;
  const estimate = await estimateOpening(prepared.context, { opening });
  const weather = nextWeather(garden);
  const gates = garden.gates.map(({ name, title, hard, thresholds, provenance }) => ({
    ...{ gate: name, title, hard, thresholds, provenance },
  }));
  const roles = opening.participants.map(({ seat, model }) => ({ role: seat, model }));
  await print(
    io,
    { json: options.json, value: { weather, roles, gates, estimate } },
    ({ width }) =>
      `${[
        ...align(
          [
            ["TREE", "WEATHER", "SLOTS", "WHY"],
            ...weather.map(({ tree_id, weather: name, allocation, reason }) => [
              tree_id,
              name,
              String(allocation),
              reason,
            ]),
          ],
          width,
        ),
        "",
        ...align([["ROLE", "MODEL"], ...roles.map(({ role, model }) => [role, model])], width),
        "",
        ...align(
          [
            ["GATE", "HARD", "THRESHOLDS", "FROM"],
            ...gates.map(({ gate, hard, thresholds, provenance }) => [
              gate,
              hard ? "yes" : "no",
              thresholdText(thresholds),
              provenance,
            ]),
          ],
          width,
        ),
        "",
        estimateText(estimate, { width }).trimEnd(),
      ].join("\n")}\n`,
  );
  return EXIT.answered;
}

const thresholdText = (thresholds: { readonly [name: string]: number }): string =>
  Object.entries(thresholds)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ") || "-";

async function showStarts(run: Run, progress: ReturnType<typeof cycleProgress> | undefined): Promise<void> {
  for await (const { kind, work } of run.tokens()) if (kind === "started" && work) progress?.begin(work.kind);
}

type CycleRun = {
  readonly garden: OpenForest;
  readonly prepared: PreparedCycle;
  readonly signal: AbortSignal;
  readonly wait: boolean;
  readonly quiet: boolean;
};

async function runCycle(
  io: Io,
  { garden, prepared, signal, wait, quiet }: CycleRun,
): Promise<{ readonly exit: number; readonly finished?: Finished }> {
  const { context, work } = prepared;
  const { id, state } = await openCycle(prepared);
  if (!quiet && state === "new") io.output.note(estimateLine(await estimateOpening(context, work)));
  if (!quiet && state !== "new" && state !== "closed")
    io.output.note(
      `Resuming cycle ${cycleNumber(garden.forest.cycle_id) + 1}; completed steps are reused (${id})`,
    );
  if (!quiet && state === "closed")
    io.output.note(`This cycle was run before (${id}); its journal is written out again. Try: --again`);
  for (;;) {
    const progress = quiet ? undefined : cycleProgress(io, garden);
    try {
      const run = await resume(context, id, { signal });
      const started = showStarts(run, progress);
      for await (const entry of run.events({ until: "outcome" })) progress?.event(entry);
      await started;
      const { status, waiting } = await run.outcome();
      progress?.stop();
      if (status === "interrupted")
        return { exit: noteInterrupted(io, id, "the same command, which goes on where it stopped") };
      const entries = run.recorded();
      if (status === "waiting") {
        const exchanged = await handedOut(context, { garden, id, wait, signal });
        for (const { file, why } of exchanged.refused)
          io.output.note(`Not taken: ${file}: ${oneLine(why, 600)}`);
        if (exchanged.answered > 0 && exchanged.refused.length === 0) continue;
        return {
          exit: noteHandoffs(
            io,
            exchanged,
            (waiting?.seats ?? []).map(({ person }) => person),
          ),
        };
      }
      const result = resultOf(entries);
      if (!result || status !== "answered") {
        if (entries.some((entry) => isEvent(entry, "seat-expired") && !entry.data.abstained))
          io.output.note(
            "A hand-off was not answered in time: handoff_timeout_ms in forest.yaml says how long it waits",
          );
        else noteEarlyEnd(io, { entries, lost: [] });
        const failures = result ? describeProblem(result, entries).failures : [];
        return { exit: result ? exitOf(result, failures, "accept") : EXIT.usage };
      }
      for (const broken of brokenGates(entries)) io.output.note(`Warning: ${oneLine(broken, 600)}`);
      const saved = saveCycle(garden, entries);
      const section = sectionOf(entries);
      return section
        ? { exit: EXIT.answered, finished: { ...saved, id, section, entries } }
        : { exit: EXIT.usage };
    } finally {
      progress?.stop();
    }
  }
}

/** Gates that came to no finding on any candidate: more likely it is the gate that is broken. */
function brokenGates(entries: readonly Entry[]): readonly string[] {
  const decided = entries.filter((entry) => isEvent(entry, "gate-decided")).map(({ data }) => data);
  return [...new Set(decided.map(({ gate }) => gate))].flatMap((gate) => {
    const own = decided.filter((one) => one.gate === gate);
    const [first] = own;
    return first && own.every(({ metrics }) => metrics["cause"] !== undefined)
      ? [`the gate ${gate} came to no finding on any candidate: ${first.because}`]
      : [];
  });
}

/** Hands out what goes to files, and waits for answers where that is wanted. */
async function handedOut(
  context: AppContext,
  {
    garden,
    id,
    wait,
    signal,
  }: Pick<CycleRun, "garden" | "wait" | "signal"> & { readonly id: DeliberationId },
): Promise<FileExchange> {
  for (;;) {
    const exchanged = await exchangeFiles(context, garden, id);
    const isOver = !wait || signal.aborted || exchanged.waiting.length === 0;
    if (isOver || exchanged.answered > 0 || exchanged.refused.length > 0) return exchanged;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

function noteHandoffs(io: Io, { waiting }: FileExchange, people: readonly string[]): number {
  io.output.note(`Waiting for ${pluralize(people.length, "hand-off")}; everything so far is recorded`);
  for (const file of waiting) io.output.note(`  ${file}`);
  const [other] = people.filter((person) => person !== HANDOFF_FILES);
  io.output.note(
    other === undefined
      ? "Try: answer in handoffs/responses under the same name, then the same command"
      : `Try: parley forest handoffs --user ${other}, then the same command`,
  );
  return EXIT.waiting;
}

/** One line of how far a cycle is. */
function cycleProgress({ output }: Io, { forest }: Pick<OpenForest, "forest">) {
  const started = performance.now();
  const count = { calls: 0, gates: 0, usd: 0, unknown: false };
  let stage = "the weather";
  /** Trees work side by side: each stage is told once where nothing is drawn in place. */
  const seen = new Set<string>();
  const words = (): string =>
    [
      `Cycle ${cycleNumber(forest.cycle_id) + 1}: ${stage}`,
      pluralize(count.calls, "call"),
      ...(count.gates > 0 ? [pluralize(count.gates, "gate")] : []),
      ...(count.unknown ? ["cost unknown"] : count.usd > 0 ? [formatUsd(count.usd)] : []),
      formatDuration(performance.now() - started),
    ].join(" · ");
  const line = createProgressLine({ output: process.stderr, terminal: output.stderr.terminal, words });
  const begin = (kind: string): void => {
    const next = STAGES.get(kind);
    if (next === undefined || next === stage) return;
    stage = next;
    line.step(!seen.has(next));
    seen.add(next);
  };
  return {
    event(entry: Entry): void {
      const call = callOf(entry);
      if (call) count.calls += 1;
      if (call?.cost.source === "unknown") count.unknown ||= call.ok;
      else count.usd += call?.cost.usd ?? 0;
      if (isEvent(entry, "gate-decided")) count.gates += 1;
      begin(workOf(entry)?.kind ?? "");
    },
    begin,
    stop: line.stop,
  };
}

const STAGES = new Map(
  Object.entries({
    mine: "gardeners mine",
    critique: "the skeptic attacks",
    revise: "gardeners revise",
    divergence: "other formulations",
    judge: "the inspector judges",
    gate: "gates",
    challenge: "the skeptic attacks what has passed",
    alignment: "alignment",
  }),
);

const MAX_SHOWN = 12;
/** On fewer columns a candidate stands on lines of its own. */
const NARROW = 60;

function cycleText({ section, folder, entries, amendments }: Finished, width: number): string {
  const rows = section.candidates
    .slice(0, MAX_SHOWN)
    .map(({ classification, tree, formula, reason, gates }) => {
      const failed = gates.filter(({ passed }) => passed === false).map(({ gate }) => gate);
      return [
        classification ?? "-",
        tree,
        formula,
        failed.length > 0 ? `failed ${failed.join(" ")}` : reason,
      ];
    });
  const more = section.candidates.length - rows.length;
  const usd = spending(entries).total.cost.usd;
  const calls = entries.filter((entry) => callOf(entry)).length;
  const facts = [
    displayPath(folder),
    pluralize(calls, "call"),
    ...(usd === null ? ["cost unknown"] : usd > 0 ? [formatUsd(usd)] : []),
    ...(isSimulated(entries) ? ["simulated models"] : []),
  ];
  return `${[
    ...wrap(section.summary ?? "", width),
    ...(width < NARROW
      ? rows.flatMap(([kind = "", tree = "", formula = "", why = ""]) => [
          ...wrap(`${kind}, ${oneLine(tree, 60)}: ${oneLine(why, 200)}`, width),
          ...wrap(oneLine(formula, 300), width - 2).map((line) => `  ${line}`),
        ])
      : align(rows, width)),
    ...(more > 0 ? [`and ${more} more: parley forest results`] : []),
    ...wrap(facts.join(" · "), width),
    ...(amendments > 0
      ? wrap(
          `The skeptic proposes ${pluralize(amendments, "change")} of gates: parley forest handoffs`,
          width,
        )
      : []),
  ].join("\n")}\n`;
}

const cycleJson = ({ id, section, folder, forest, amendments }: Finished) => ({
  ...{ cycle_id: forest.cycle_id, run: id, folder: displayPath(folder), amendments },
  ...section,
});
