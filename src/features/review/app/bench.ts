import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { remainingBudget } from "../../../app/budget.ts";
import type { AppContext } from "../../../app/context.ts";
import { openPrepared } from "../../../app/start.ts";
import { fileBelow } from "../../../app/work-tree.ts";
import type { Estimate } from "../../../contract/figures.ts";
import { digestOf, spentSoFar, textDigest } from "../../../engine/index.ts";
import { callOf, isFault, refusal, workOf, type DeliberationId, type Entry } from "../../../kernel/index.ts";
import { estimateShare } from "../../../stats/proportions.ts";
import { pluralize } from "../../../text/format.ts";
import { readUnifiedDiff } from "../../../text/unified-diff.ts";
import { objectors } from "../protocol/verdict.ts";
import type { ReviewSection } from "../protocol/view.ts";
import { ReviewRules, TOPICS, type MergedFinding, type Verdict } from "../protocol/work.ts";
import type { Change } from "./change.ts";
import { makeChanges, type MadeChange, type SourceFile } from "./plant.ts";
import { prepareReview } from "./review.ts";

const SOURCE = /(?<!\.d|\.test|\.spec|\.min)\.(?:[cm]?[jt]s|tsx|jsx)$/;
const SKIPPED = /(?:^|\/)(?:\.[^/]+|node_modules|dist|build|out|coverage|vendor|tests?|__tests__)(?:\/|$)/;
const MAX_FILES = 3_000;
const MAX_FILE_LENGTH = 40_000;

/** The TypeScript and JavaScript below a folder, sorted by path, without tests and what tools have written. */
async function readSources(folder: string): Promise<readonly SourceFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => SOURCE.test(path) && !SKIPPED.test(path))
    .sort()
    .slice(0, MAX_FILES);
  const files: SourceFile[] = [];
  for (const path of paths) {
    try {
      const { text } = await fileBelow([folder], path);
      if (text.length <= MAX_FILE_LENGTH && text.endsWith("\n")) files.push({ path, text });
    } catch (error) {
      if (!isFault(error, "configuration")) throw error;
    }
  }
  return files;
}

/** @throws Fault `configuration` where there is not enough code for so many changes */
export async function makeCases(
  folder: string,
  { count, seed }: { readonly count: number; readonly seed: string },
) {
  const cases = makeChanges(await readSources(folder), { count, seed });
  const faults = cases.filter(({ isFault: planted }) => planted).length;
  if (faults === count && cases.length === 2 * count) return cases;
  throw refusal(
    `the TypeScript and JavaScript here has room for ${pluralize(faults, "fault")} and ${cases.length - faults} clean changes, not for ${count} of each`,
    "name a folder with more code, or a smaller number",
  );
}

/** A made change as it is reviewed: under the built-in rules, with the file that it is of. */
export function changeOf({ name, file, diff, after }: MadeChange): Change {
  const read = readUnifiedDiff(diff);
  const rules = ReviewRules.parse({});
  return {
    title: `${name}, a change that was made up`,
    files: read.ok ? read.files : [],
    texts: [{ path: file, text: after }],
    ...{ rules, rulesFrom: "the built-in ones", base: null, ignored: [], unseen: [] },
    pins: { diff: textDigest(diff), files: digestOf([[file, textDigest(after)]]), rules: digestOf(rules) },
  };
}

/** A case with what came of it. */
export type JudgedCase = {
  readonly made: MadeChange;
  readonly run: string | null;
  readonly verdict: Verdict;
  /** Whether the rule's finding that blocks is at the planted fault; null where there is none. */
  readonly isPlaced: boolean | null;
  /** By reviewer, whether its own review alone would stand against the change; null where it could not be read. */
  readonly alone: Readonly<Record<string, boolean | null>>;
  readonly usd: number | null;
  readonly calls: number;
  /** By reviewer, what its first review took. */
  readonly aloneUsd: Readonly<Record<string, number | null>>;
};

/** Opens the run of a case, or finds the one that there is: the same case, models and prompts are the same run. */
export async function openCase(
  context: AppContext,
  made: MadeChange,
  used: BenchUse,
): Promise<DeliberationId | ReviewSection> {
  const prepared = await prepareReview(context, changeOf(made), { pack: used.pack });
  if ("section" in prepared) return prepared.section;
  const { opening } = prepared;
  const asked = opening.participants.map(({ id, model, persona, temperature = null }) => ({
    id,
    model,
    persona,
    temperature,
  }));
  const key = `review-bench/${digestOf({ diff: made.diff, settings: opening.settings, asked, templates: opening.templates })}`;
  const budget = remainingBudget(opening.budget, used.spent);
  const { opened } = await openPrepared(prepared.context, { opening: { ...opening, budget } }, key);
  return opened.deliberation;
}

export type BenchUse = {
  readonly pack: string | undefined;
  readonly spent: { usd: number; tokens: number; calls: number };
};

const costOf = (entries: readonly Entry[], isOwn: (entry: Entry) => boolean): number | null =>
  entries.filter(isOwn).reduce<number | null>((sum, entry) => {
    const usd = callOf(entry)?.cost.usd ?? null;
    return sum === null || usd === null ? null : sum + usd;
  }, 0);

/** Reads what came of a case. */
export function judge(made: MadeChange, section: ReviewSection, entries: readonly Entry[]): JudgedCase {
  const { rules, findings, reviewers, verdict } = section;
  const against = findings.map((one) => objectors(one as MergedFinding, rules));
  const confirmed = findings.filter(({ state }) => state === "confirmed");
  const isAt = ({ from, to }: (typeof findings)[number]) =>
    from !== null && to !== null && from <= made.line + 3 && to >= made.line - 3;
  return {
    ...{ made, verdict: verdict ?? "inconclusive", run: entries[0]?.deliberation ?? null },
    isPlaced: made.isFault && confirmed.length > 0 ? confirmed.some(isAt) : null,
    alone: Object.fromEntries(
      reviewers.map(({ id, review }) => [id, review ? against.some((ids) => ids.includes(id)) : null]),
    ),
    usd: costOf(entries, (entry) => callOf(entry) !== undefined),
    calls: entries.filter((entry) => callOf(entry)).length,
    aloneUsd: Object.fromEntries(
      reviewers.map(({ id }) => [
        id,
        costOf(
          entries,
          (entry) =>
            callOf(entry) !== undefined && workOf(entry)?.kind === TOPICS.find && workOf(entry)?.by === id,
        ),
      ]),
    ),
  };
}

/** What a case's calls took, for the limit over all of them. */
export const usedBy = (entries: readonly Entry[]) => spentSoFar(entries, []);

/** How well one way of reviewing tells changes with a fault from those without. */
export type ReviewBenchRow = {
  readonly name: string;
  /** Of the changes with a fault, those that are stopped. */
  readonly recall: Estimate;
  /** Of the changes that are stopped, those with a fault. */
  readonly precision: Estimate;
  /** Of the changes without a fault, those that pass. */
  readonly passed: Estimate;
  readonly usd: number | null;
};

export function benchRows(
  cases: readonly JudgedCase[],
  names: ReadonlyMap<string, string>,
): readonly ReviewBenchRow[] {
  const row = (
    name: string,
    stops: (one: JudgedCase) => boolean,
    usdOf: (one: JudgedCase) => number | null = ({ usd }) => usd,
  ): ReviewBenchRow => {
    const faults = cases.filter(({ made }) => made.isFault);
    const clean = cases.filter(({ made }) => !made.isFault);
    const stopped = cases.filter(stops);
    const right = stopped.filter(({ made }) => made.isFault).length;
    const usd = cases.map(usdOf).reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0);
    return {
      name,
      recall: estimateShare(right, faults.length),
      precision: estimateShare(right, stopped.length),
      passed: estimateShare(clean.filter((one) => !stops(one)).length, clean.length),
      usd,
    };
  };
  return [
    row("all, blocked", ({ verdict }) => verdict === "block"),
    row("all, not passed", ({ verdict }) => verdict !== "pass"),
    ...[...names].map(([id, name]) =>
      row(
        `${name} alone`,
        ({ alone }) => alone[id] !== false,
        ({ aloneUsd }) => aloneUsd[id] ?? null,
      ),
    ),
  ];
}
