import { withoutKeys } from "../../../app/estimate.ts";
import { resume } from "../../../app/run.ts";
import { topOf } from "../../../app/work-tree.ts";
import { print, type Io, type Values } from "../../../cli/command.ts";
import { EXIT } from "../../../cli/exits.ts";
import { interruptible, withParley } from "../../../cli/session.ts";
import { createProgressLine } from "../../../cli/terminal.ts";
import { toAbsolute } from "../../../config/paths.ts";
import type { Entry } from "../../../kernel/index.ts";
import { align } from "../../../reports/labelled-rows.ts";
import { oneLine } from "../../../reports/printable.ts";
import { wrap } from "../../../reports/text-width.ts";
import { formatUsd, pluralize } from "../../../text/format.ts";
import {
  benchRows,
  changeOf,
  judge,
  makeCases,
  openCase,
  usedBy,
  type ReviewBenchRow,
  type JudgedCase,
} from "../app/bench.ts";
import { estimateReview, prepareReview } from "../app/review.ts";
import { sectionOf, type ReviewSection } from "../protocol/view.ts";
import type { BENCH } from "./index.ts";

const SEED = "review-bench";

/** Reviews changes with a planted fault and changes without, and tells how well that goes. Given again, it goes on where it stopped. */
export const bench = (
  io: Io,
  { source, faults: count, json, quiet, pack, dryRun, ...flags }: Values<typeof BENCH>,
): Promise<number> =>
  withParley(io, flags, async (context) => {
    const root = source === undefined ? (topOf(io.cwd) ?? io.cwd) : toAbsolute(source, io);
    const seed = context.settings.seed ?? SEED;
    const cases = await makeCases(root, { count, seed });
    if (dryRun) return printPlan(io, json, await estimateAll());
    const spent = { usd: 0, tokens: 0, calls: 0 };
    const judged: JudgedCase[] = [];
    let reviewers: ReviewSection["reviewers"] = [];
    const words = () =>
      `${judged.length} of ${pluralize(cases.length, "change")} reviewed · ${pluralize(spent.calls, "call")} · ${formatUsd(spent.usd)}`;
    const line =
      quiet || json
        ? undefined
        : createProgressLine({ output: process.stderr, terminal: io.output.stderr.terminal, words });
    let isOver = false;
    const isStopped = await interruptible(async (signal) => {
      try {
        for (const made of cases) {
          const opened = await openCase(context, made, { pack, spent });
          let entries: readonly Entry[] = [];
          let section: ReviewSection | undefined;
          if (typeof opened === "string") {
            const run = await resume(context, opened, { signal });
            const { status } = await run.outcome();
            entries = run.recorded();
            section = sectionOf(entries);
            if (status === "interrupted") return true;
            const used = usedBy(entries);
            spent.usd += used.usd ?? 0;
            spent.tokens += used.tokens ?? 0;
            spent.calls += used.calls ?? 0;
          } else section = opened;
          if (!section) continue;
          reviewers = section.reviewers;
          judged.push(judge(made, section, entries));
          line?.step(judged.length % 10 === 0);
          const { maxCostUsd = Infinity, maxTotalTokens = Infinity } = context.settings;
          isOver = spent.usd >= maxCostUsd || spent.tokens >= maxTotalTokens;
          if (isOver) return false;
        }
        return signal.aborted;
      } finally {
        line?.stop();
      }
    });
    const names = new Map(reviewers.map(({ id, name, model }) => [id, `${name} (${model})`]));
    const rows = benchRows(judged, names);
    const value = {
      ...{ seed, faults: count, reviewed: judged.length, of: cases.length, ...spent, rows },
      cases: judged.map(({ made: { diff: _, after: _after, ...made }, ...one }) => ({ ...made, ...one })),
    };
    await print(io, { json, value }, ({ width }) => benchText(rows, judged, { width, of: cases.length }));
    if (!isStopped && !isOver) return EXIT.answered;
    io.output.note(
      `${isOver ? "The limit ended it" : "Interrupted"}; the same command goes on where it stopped`,
    );
    return isOver ? EXIT.budget : EXIT.interrupted;

    async function estimateAll() {
      const free = withoutKeys(context);
      const most = { calls: 0, usd: 0 as number | null };
      for (const made of cases) {
        const prepared = await prepareReview(free, changeOf(made), { pack });
        const { total } =
          "opening" in prepared ? await estimateReview(free, prepared.opening) : { total: null };
        most.calls += total?.calls.high ?? 0;
        most.usd = most.usd === null || !total?.usd ? null : most.usd + total.usd.high;
      }
      return { changes: cases.length, ...most };
    }
  });

async function printPlan(
  io: Io,
  json: boolean,
  plan: { readonly changes: number; readonly calls: number; readonly usd: number | null },
): Promise<number> {
  const cost = plan.usd === null ? "cost unknown" : `at most ${formatUsd(plan.usd)}`;
  await print(
    io,
    { json, value: plan },
    () =>
      `${pluralize(plan.changes, "change")}: up to ${pluralize(plan.calls, "call")}, ${cost}. No model was called.\n`,
  );
  return EXIT.answered;
}

const share = ({ value, low, high }: ReviewBenchRow["recall"]): string => {
  const percent = (part: number) => String(Math.round(100 * part));
  if (value === null) return "-";
  return `${percent(value)} %${low === null || high === null ? "" : ` (${percent(low)} to ${percent(high)})`}`;
};

function benchText(
  rows: readonly ReviewBenchRow[],
  judged: readonly JudgedCase[],
  { width, of }: { readonly width: number; readonly of: number },
): string {
  const table = [
    ["REVIEWED BY", "RECALL", "PRECISION", "CLEAN PASSED", "COST"],
    ...rows.map((row) => [
      oneLine(row.name, 60),
      share(row.recall),
      share(row.precision),
      share(row.passed),
      row.usd === null ? "unknown" : formatUsd(row.usd),
    ]),
  ];
  const placed = judged.filter(({ isPlaced }) => isPlaced !== null);
  const notes = [
    `${judged.length} of ${pluralize(of, "change")}. Recall: of the changes with a planted fault, those that are stopped; precision: of those that are stopped, those with a fault. In brackets the 95 % interval (Wilson).`,
    `Of ${pluralize(placed.length, "blocked fault")}, ${placed.filter(({ isPlaced }) => isPlaced).length} were blocked for a finding at the fault itself.`,
    "Planted faults are small edits of one line: they say how reviewers compare, and not how many faults of people they find.",
  ];
  return `${[...align(table, width), "", ...notes.flatMap((note) => wrap(note, width))].join("\n")}\n`;
}
