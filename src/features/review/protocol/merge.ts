import { unquotePath, type ChangedFile } from "../../../text/unified-diff.ts";
import { contentWords } from "../../../text/words.ts";
import { SEVERITIES, type By, type DroppedFinding, type ReviewFinding, type MergedFinding } from "./work.ts";

/** Lines between two findings of one fault, or between a finding and what the diff shows. */
const MAX_GAP = 3;
/** The share of words in common from which two titles are of one fault. */
const MIN_SIMILARITY = 0.4;
/** A finding over more lines is joined with others for its words alone: else one over everything would hide all others. */
const MAX_SPAN = 30;
/** Of one reviewer; the others are dropped, the least severe first. */
const MAX_FINDINGS = 40;

export type Merged = {
  readonly findings: readonly MergedFinding[];
  readonly dropped: readonly DroppedFinding[];
};

/**
 * Findings of one fault as one, under ids `f1`, `f2`, … from the worst on; and those that are not about the change, with the reason.
 * Pure, and the order of `raised` does not matter.
 */
export function mergeFindings(raised: readonly By<ReviewFinding>[], files: readonly ChangedFile[]): Merged {
  const dropped: DroppedFinding[] = [];
  const counts = new Map<string, number>();
  const kept = raised.toSorted(byWeight).flatMap((one): By<ReviewFinding>[] => {
    const { by, ...finding } = one;
    const count = (counts.get(by) ?? 0) + 1;
    counts.set(by, count);
    const reason =
      count > MAX_FINDINGS ? `one reviewer's findings beyond ${MAX_FINDINGS}` : whyOutside(finding, files);
    if (reason === undefined) return [{ ...one, file: findChanged(one.file, files)?.path ?? one.file }];
    dropped.push({ by, finding, reason });
    return [];
  });
  const groups: By<ReviewFinding>[][] = [];
  for (const one of kept) {
    const touching = groups.filter((group) => group.some((other) => isOneFault(one, other)));
    const joined = [...touching.flat(), one];
    for (const group of touching) groups.splice(groups.indexOf(group), 1);
    groups.push(joined);
  }
  const findings = groups.map(asOne).toSorted(byWeight);
  return { findings: findings.map((one, index) => ({ ...one, id: `f${index + 1}` })), dropped };
}

/** The worst first, then by place and text, so that nothing depends on who answered when. */
function byWeight(one: ReviewFinding, other: ReviewFinding): number {
  const keys = (finding: ReviewFinding) => [
    SEVERITIES.indexOf(finding.severity),
    finding.file,
    finding.from ?? 0,
    ...[finding.to ?? 0, finding.kind, finding.title, finding.why],
    "by" in finding ? String(finding.by) : "",
  ];
  const others = keys(other);
  for (const [index, key] of keys(one).entries()) {
    const against = others[index] ?? 0;
    if (key !== against) return key < against ? -1 : 1;
  }
  return 0;
}

/** The file that a finding is about, however it is written: by its name before, as in a diff, in quotes, or with letters composed otherwise. */
function findChanged(file: string, files: readonly ChangedFile[]): ChangedFile | undefined {
  const written = [file, unquotePath(file)];
  // As it stands comes first: a folder may be called b.
  const names = [...written, ...written.map((one) => one.replace(/^[.ab]\//, ""))];
  const named = (name: string) =>
    files.find(({ path }) => path === name) ??
    files.find(({ path, oldPath = path }) =>
      [path, oldPath].some((one) => one.normalize() === name.normalize()),
    );
  return names.map(named).find((found) => found !== undefined);
}

function whyOutside({ file, from, to }: ReviewFinding, files: readonly ChangedFile[]): string | undefined {
  const changed = findChanged(file, files);
  if (!changed) return "the change does not touch this file";
  if (from === null || to === null || changed.shown.length === 0) return undefined;
  const isShown = changed.shown.some((range) => from <= range.to + MAX_GAP && to >= range.from - MAX_GAP);
  return isShown ? undefined : "the change does not touch these lines";
}

function isOneFault(one: ReviewFinding, other: ReviewFinding): boolean {
  if (one.file !== other.file) return false;
  const isSimilar = similarity(one, other) >= MIN_SIMILARITY;
  if (one.from === null || one.to === null || other.from === null || other.to === null) return isSimilar;
  const isNear = one.from <= other.to + MAX_GAP && other.from <= one.to + MAX_GAP;
  const overlaps = one.from <= other.to && other.from <= one.to;
  const isShort = Math.max(one.to - one.from, other.to - other.from) < MAX_SPAN;
  return (overlaps && isShort && one.kind === other.kind) || (isNear && isSimilar);
}

/** The share of the words of two titles that are in both (Jaccard), 0 to 1. */
function similarity(one: ReviewFinding, other: ReviewFinding): number {
  const [words, others] = [one, other].map(({ title }) => new Set(contentWords(title)));
  if (!words || !others) return 0;
  const shared = [...words].filter((word) => others.has(word)).length;
  const all = words.size + others.size - shared;
  return all === 0 ? 0 : shared / all;
}

function asOne(group: readonly By<ReviewFinding>[]): Omit<MergedFinding, "id"> {
  const raised = group.toSorted(byWeight);
  const [worst] = raised;
  if (!worst) throw new RangeError("a group has no finding");
  const { by: _, ...finding } = worst;
  const lines = raised.flatMap(({ from, to }) => (from === null || to === null ? [] : [from, to]));
  const [from, to] = lines.length === 0 ? [null, null] : [Math.min(...lines), Math.max(...lines)];
  return { ...finding, from, to, raised };
}
