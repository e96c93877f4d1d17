import * as z from "zod";
import { jsonObjects, parseJson } from "../../../replies/json-objects.ts";
import { toOneLine } from "../../../text/words.ts";
import {
  KINDS,
  SEVERITIES,
  type FindingCheck,
  type ReviewFinding,
  type FindingKind,
  type Severity,
  type Stand,
} from "./work.ts";

// A reply that is not wholly read is no review, and never one without findings. A word that is not known is read against the change: the
// severity as major, a check as unsure, a stand as kept.

/** The forms that replies are asked for in, and held to where a provider can. */
export const FindingsReply = z.strictObject({
  findings: z.array(
    z.strictObject({
      file: z.string(),
      from_line: z.int().nullable(),
      to_line: z.int().nullable(),
      severity: z.enum(SEVERITIES),
      kind: z.enum(KINDS),
      title: z.string(),
      why: z.string(),
    }),
  ),
});
const CHECKS = ["confirm", "lesser", "reject", "unsure"] as const;
export const ChecksReply = z.strictObject({
  checks: z.array(z.strictObject({ finding: z.string(), verdict: z.enum(CHECKS), why: z.string() })),
});
const STANDS = ["keep", "lesser", "withdraw"] as const;
export const StandsReply = z.strictObject({
  stands: z.array(z.strictObject({ finding: z.string(), stand: z.enum(STANDS), why: z.string() })),
});

export type ReplyItems<T> =
  { readonly ok: true; readonly items: readonly T[] } | { readonly ok: false; readonly why: string };

const MAX_TITLE = 300;
const MAX_WHY = 4_000;
const MAX_PATH = 1_000;

const Text = z.string().trim();
const Line = z
  .union([
    z.number(),
    z
      .string()
      .trim()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ])
  .nullish();
/** What a finding has at least; models call its parts by other names as well. */
const WrittenFinding = z.looseObject({
  file: Text.min(1).max(MAX_PATH),
  from_line: Line,
  to_line: Line,
  line: Line,
  severity: z.unknown().optional(),
  kind: z.unknown().optional(),
  title: Text.optional(),
  why: Text.optional(),
});

/** What a reviewer found. @returns why not, where any part of it cannot be read */
export const readFindings = (reply: string): ReplyItems<ReviewFinding> =>
  readList(reply, "findings", (value) => {
    const read = WrittenFinding.safeParse(value);
    if (!read.success) return undefined;
    const { file, from_line, to_line, line, severity, kind, title, why = "" } = read.data;
    const [first, last] = [from_line ?? line ?? to_line ?? null, to_line ?? line ?? from_line ?? null];
    const said = title ?? why;
    if (said === "") return undefined;
    const isPlaced = first !== null && last !== null && first >= 1 && last >= 1;
    return {
      file,
      from: isPlaced ? Math.floor(Math.min(first, last)) : null,
      to: isPlaced ? Math.floor(Math.max(first, last)) : null,
      severity: readSeverity(severity),
      kind: readKind(kind),
      title: toOneLine(said, MAX_TITLE),
      why: why.slice(0, MAX_WHY),
    };
  });

/** A check of each of these findings, in their order; of one that the reply does not name, that it is unsure. */
export function readChecks(reply: string, labels: ReadonlyMap<string, string>): ReplyItems<FindingCheck> {
  return readAbout(reply, labels, {
    list: "checks",
    word: "verdict",
    words: CHECKS,
    make: (finding, verdict, why) => ({ finding, verdict: verdict ?? "unsure", why }),
  });
}

/** The same of stands: what is not named is kept. */
export function readStands(reply: string, labels: ReadonlyMap<string, string>): ReplyItems<Stand> {
  return readAbout(reply, labels, {
    list: "stands",
    word: "stand",
    words: STANDS,
    make: (finding, stand, why) => ({ finding, stand: stand ?? "keep", why }),
  });
}

type About<W extends string, T> = {
  readonly list: string;
  readonly word: string;
  readonly words: readonly W[];
  readonly make: (finding: string, word: W | undefined, why: string) => T;
};

/** `labels`: the id of each finding by the label under which it was shown. Said twice in two ways, a word is not said. */
function readAbout<W extends string, T>(
  reply: string,
  labels: ReadonlyMap<string, string>,
  { list, word, words, make }: About<W, T>,
): ReplyItems<T> {
  const Item = z.looseObject({ finding: Text, [word]: z.unknown().optional(), why: Text.optional() });
  const read = readList(reply, list, (value) => Item.safeParse(value).data);
  if (!read.ok) return read;
  const items = [...labels].map(([label, id]) => {
    const own = read.items.filter(({ finding }) => String(finding).toUpperCase() === label);
    const said = new Set(own.map((item) => String(item[word]).trim().toLowerCase()));
    const [only] = said;
    const known = said.size === 1 ? words.find((one) => one === only) : undefined;
    const why =
      own.flatMap(({ why: text }) => (typeof text === "string" ? text : [])).join("\n") ||
      "no reason was given";
    return make(id, known, why.slice(0, MAX_WHY));
  });
  return { ok: true, items };
}

/** The items of a list in all of a reply's objects that have it: one that was quoted adds findings, and takes none away. */
function readList<T>(reply: string, list: string, read: (value: unknown) => T | undefined): ReplyItems<T> {
  const found = jsonObjects(reply).flatMap(({ start, end }) => {
    const value: unknown = parseJson(reply.slice(start, end));
    const items: unknown = typeof value === "object" && value !== null ? Reflect.get(value, list) : undefined;
    return Array.isArray(items) ? [items as readonly unknown[]] : [];
  });
  if (found.length === 0) return { ok: false, why: `it has no JSON object with ${list}` };
  const items = found.flat().map(read);
  const whole = items.flatMap((item) => (item === undefined ? [] : [item]));
  return whole.length === items.length
    ? { ok: true, items: whole }
    : { ok: false, why: `${items.length - whole.length} of its ${list} cannot be read` };
}

const SEVERITY_WORDS: ReadonlyMap<string, Severity> = new Map<string, Severity>([
  ...SEVERITIES.map((name) => [name, name] as const),
  ...(["critical", "severe", "fatal", "blocking"] as const).map((word) => [word, "blocker"] as const),
  ...(["high", "error", "important"] as const).map((word) => [word, "major"] as const),
  ...(["medium", "moderate", "low", "warning"] as const).map((word) => [word, "minor"] as const),
  ...(["info", "informational", "nit", "style", "trivial", "suggestion"] as const).map(
    (word) => [word, "note"] as const,
  ),
]);

const wordOf = (value: unknown): string =>
  typeof value === "string"
    ? value
        .trim()
        .toLowerCase()
        .replaceAll(/[\s_]+/g, "-")
        .slice(0, 40)
    : "";

const readSeverity = (value: unknown): Severity => SEVERITY_WORDS.get(wordOf(value)) ?? "major";
const readKind = (value: unknown): FindingKind => KINDS.find((kind) => kind === wordOf(value)) ?? "other";
