import * as z from "zod";
import { fencedBlocks, normalizeBreaks, type FencedBlock } from "../text/fences.ts";
import { jsonObjects, parseJson } from "./json-objects.ts";
import { ascribes } from "./quoted.ts";
import { labelReader } from "./reply-fields.ts";

const ClaimReply = z.object({
  id: z.string(),
  weight: z.number().min(0).max(1),
  reason: z.string().max(4_000).default(""),
});

/**
 * The JSON block at the end of a chair's answer: who contributed how much (0 to 1, in sum 1), and by what. Read claim by claim, so
 * that one that cannot be read takes no other with it.
 */
const Block = z.object({ contributors: z.array(z.unknown()) });

export type Contributor = { readonly id: string; readonly weight: number; readonly reason: string };

/** `text` is the answer without the block; `problem` says why the claims do not add up, and is absent where they do. */
export type Contributors =
  | {
      readonly ok: true;
      readonly contributors: Contributor[];
      readonly problem?: string;
      readonly text: string;
    }
  | { readonly ok: false; readonly reason: string; readonly text: string };

/** How far the sum of the weights may be from 1. */
const WEIGHT_TOLERANCE = 0.01;

const MAX_READ_LENGTH = 256 * 1024;
const MAX_PROBLEMS = 5;

const CONTRIBUTORS_KEY = /["']?contributors["']?\s{0,20}:/i;

/** The block's text that is taken to be JSON, and where it ends: an unclosed block ends with its object or paragraph. */
function findJson(text: string, block: FencedBlock): { readonly json: string; readonly end: number } {
  const content = text.slice(block.contentStart, block.contentEnd);
  if (block.closed) return { json: content, end: block.end };
  const [object] = jsonObjects(content);
  if (object !== undefined && content.slice(0, object.start).trim() === "")
    return { json: content.slice(0, object.end), end: block.contentStart + object.end };
  const paragraph = /\S\s*?(\n[ \t]*\n)/.exec(content);
  const length = paragraph === null ? content.length : paragraph.index + 1;
  return { json: content.slice(0, length), end: block.contentStart + length };
}

/** The object that ends an answer outside of every fence, where a chair forgot the fence. */
function findBareObject(text: string): { start: number; json: string; end: number } | undefined {
  const fences = fencedBlocks(text);
  const last = jsonObjects(text).at(-1);
  if (last === undefined || text.slice(last.end).trim() !== "") return undefined;
  const { start, end } = last;
  const isFenced = fences.some((fence) => fence.start <= start && start < fence.end);
  if (isFenced || !/\n[ \t]*$/.test(text.slice(Math.max(0, start - 20), start))) return undefined;
  const json = text.slice(start, end);
  return CONTRIBUTORS_KEY.test(json) ? { start, json, end } : undefined;
}

/** Whether the words right before `start` say that what follows is somebody else's, or it is indented as code. */
const isAscribed = (text: string, start: number): boolean => {
  const before = text.slice(Math.max(0, start - 300), start);
  return ascribes.test(before.trimEnd()) || /\n(?: {4}|\t)[ \t]*$/.test(before);
};

function removeBlock(text: string, start: number, end: number): string {
  const after = text.slice(end).trim();
  return after === ""
    ? text.slice(0, start).trimEnd()
    : `${text.slice(0, start).trimEnd()}\n\n${after}`.trimStart();
}

/**
 * Reads the chair's own account of who contributed from the last fenced JSON block that has `contributors`, else from such an
 * object that ends the answer without a fence,
 * and takes that block out of the text, whether or not it can be read. `id`s come back in the spelling of
 * `labels` (`Answer A`, `Response A` and `a` mean A). A claim with an unknown or repeated label, or with a weight outside
 * of 0 to 1, is left out, and the others are kept as they are, also where their weights do not sum to 1 within
 * `WEIGHT_TOLERANCE`; `problem` says so. Refuses a block without any claim. Without such a block the text is unchanged;
 * one that stands inside a longer fence is quoted and does not count.
 */
export function parseContributors(reply: string, labels: readonly string[]): Contributors {
  const text = normalizeBreaks(reply);
  // The block ends an answer: it is looked for in the last part of a long one.
  const from = Math.max(0, text.length - MAX_READ_LENGTH);
  if (from > 0) {
    const read = parseContributors(text.slice(from), labels);
    return { ...read, text: text.slice(0, from) + read.text };
  }
  const blocks = fencedBlocks(text).filter(({ language, contentStart, contentEnd }) => {
    const content = text.slice(contentStart, contentEnd);
    return (
      (language === "json" || (language === "" && /^\s*\{/.test(content))) && CONTRIBUTORS_KEY.test(content)
    );
  });
  const all = blocks.map((block) => ({ start: block.start, ...findJson(text, block) }));
  const bare = findBareObject(text);
  if (bare) all.push(bare);
  const found = all.findLast(({ start }) => !isAscribed(text, start)) ?? all.at(-1);
  if (found === undefined) return { ok: false, reason: "the answer has no JSON block of contributors", text };
  const { start, json, end } = found;
  const refused = (reason: string) => ({ ok: false as const, reason, text: removeBlock(text, start, end) });
  const parsed = Block.safeParse(parseJson(json));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where =
      issue === undefined || issue.path.length === 0
        ? "is not JSON of that form"
        : `at ${issue.path.join(".")}: ${issue.message}`;
    return refused(`the block of contributors cannot be read: ${where}`);
  }
  const reader = labelReader(labels);
  const contributors: Contributor[] = [];
  const problems: string[] = [];
  for (const [index, written] of parsed.data.contributors.entries()) {
    const claim = ClaimReply.safeParse(written);
    if (!claim.success) {
      const [issue] = claim.error.issues;
      problems.push(`contributors.${[index, ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? ""}`);
      continue;
    }
    const { weight, reason } = claim.data;
    const id = reader?.whole(claim.data.id) ?? null;
    if (id === null)
      problems.push(
        `the contributors name ${JSON.stringify(claim.data.id.slice(0, 40))}, which is no answer`,
      );
    else if (contributors.some((other) => other.id === id))
      problems.push(`the contributors name ${id} more than once`);
    else contributors.push({ id, weight, reason });
  }
  const sum = contributors.reduce((total, { weight }) => total + weight, 0);
  if (Math.abs(sum - 1) > WEIGHT_TOLERANCE + 1e-9)
    problems.push(`the weights of the contributors sum to ${Number(sum.toFixed(4))}, not to 1`);
  const shown = problems.slice(0, MAX_PROBLEMS).join("; ");
  const problem = problems.length > MAX_PROBLEMS ? `${shown}; …` : shown;
  if (contributors.length === 0) return refused(problem);
  const kept = { ok: true, contributors, text: removeBlock(text, start, end) } as const;
  return problem === "" ? kept : { ...kept, problem };
}
