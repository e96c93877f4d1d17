import { readEnds, splitLines, splitProse } from "./fences.ts";

/** What a problem demands, by its own words: what binds, and what is wished for. */
export type Requirements = { readonly major: readonly string[]; readonly minor: readonly string[] };

/** Maximum requirements kept of a kind, and maximum characters of each. What is not longer than the shortest says nothing. */
const MAX_COUNT = 100;
const MAX_LENGTH = 500;
const MAX_NOISE_LENGTH = 10;
/** Maximum UTF-16 units read from the start and from the end of a problem. */
const MAX_READ_LENGTH = 64 * 1024;
/** So much of a line that lends its words is lent. */
const MAX_LEAD_LENGTH = 200;

/** "Not required" takes a demand back; "must not" makes one. */
const denial =
  /(?:\b(?:not|no|non)|n['’]t)[\s-]+(?:be\s+)?(?:required|need(?:s|ed)?\s+to|critical|essential)\b/giu;
const majorWord = /\b(?:must(?:n['’]t)?|shall|shan['’]t|required|needs?\s+to|critical|essential)\b/i;
const minorWord = /\b(?:should(?:n['’]t)?|preferably|ideally|if\s+possible|nice[\s-]+to[\s-]+have)\b/i;

const heading = /^ {0,3}#{1,6}(?:\s|$)/;
const boldLine = /^\s{0,3}\*\*[^*]{1,200}\*\*\s{0,3}$/;
const verb = /\b(?:must|shall|needs?\s+to|should)\b|:\W*$/i;
/** Nothing but signs: rules, the underlines of headings, the edges of tables. */
const ornament = /^[^\p{L}\p{N}]*$/u;
const quotation = /^(?:\s{0,20}>){1,9}/;
const item = /^\s{0,80}(?:[-*+•–]|\(?(?:\d{1,3}|[a-z])[.)])\s{1,9}(?:\[[ xX]\]\s{1,9})?/i;
/** A sentence ends before a space; closing marks belong to it. */
const stop = /[.!?]{1,3}["'”’)\]*_]{0,4}(?=\s)/g;
const abbreviation = /(?:^|[\s(])(?:e\.g|i\.e|cf|vs|approx)\.$/i;
const lowerCase = /^\s*\p{Ll}/u;
const questioning = /\?["'”’)\]*_]{0,4}$/;

/** `indent`: how far the mark of a list item stands in; -1 for a line that is no item. */
type RequirementLine = { readonly text: string; readonly indent: number };

/**
 * What a problem demands, read from its words: list items and sentences with must, shall, required, needs to, critical
 * or essential are major; with should, preferably, ideally, if possible or nice to have, minor; major wins. A list item
 * is one requirement, whatever its sentences. A line that ends in a colon lends its words to the items below it, and is
 * none itself. Code, headings, questions and what has 10 characters or fewer are none. Each stands once, in order,
 * without list marks and emphasis; at most 100 of a kind, 500 characters each. English only. Of a problem over 128 KiB
 * the start and the end are read.
 */
export function extractRequirements(problem: string): Requirements {
  const found = { major: new Map<string, string>(), minor: new Map<string, string>() };
  const add = (text: string): void => {
    const kind = questioning.test(text) || text.length <= MAX_NOISE_LENGTH ? null : classifyText(text);
    const key = text.slice(0, MAX_LENGTH).toLowerCase();
    if (kind === null || found[kind].size >= MAX_COUNT || found.major.has(key)) return;
    if (!found[kind].has(key)) found[kind].set(key, text.slice(0, MAX_LENGTH).trim().toWellFormed());
  };
  let lead: RequirementLine | undefined;
  for (const { text, indent } of joinLines(readEnds(problem, MAX_READ_LENGTH))) {
    if (lead && indent <= lead.indent) lead = undefined;
    // An item is one requirement, whatever its sentences.
    for (const said of indent >= 0 ? [text] : sentencesIn(text))
      if (said.endsWith(":") && classifyText(said) !== null) lead = { text: cutLead(said), indent };
      else add(lead && indent >= 0 && classifyText(said) === null ? `${lead.text} ${said}` : said);
  }
  return { major: [...found.major.values()], minor: [...found.minor.values()] };
}

/** A lead as its items take it over: cut, so that many of them cost no more than the problem is long; its own word is kept. */
function cutLead(said: string): string {
  if (said.length <= MAX_LEAD_LENGTH) return said;
  const cut = said.slice(0, MAX_LEAD_LENGTH).toWellFormed();
  return classifyText(cut) === classifyText(said)
    ? `${cut}…`
    : classifyText(said) === "major"
      ? "It must:"
      : "It should:";
}

function classifyText(text: string): "major" | "minor" | null {
  if (majorWord.test(text.replaceAll(denial, " "))) return "major";
  return minorWord.test(text) ? "minor" : null;
}

/** The lines that say something, without marks; one that goes on in lower case where the last broke off is joined to it. */
function joinLines(problem: string): RequirementLine[] {
  const lines: { readonly parts: string[]; readonly indent: number }[] = [];
  let open: (typeof lines)[number] | undefined;
  for (const { text } of splitLines(splitProse(problem).join("\n\n"))) {
    if (text.trim() === "") {
      open = undefined;
      continue;
    }
    if (isHeading(text)) {
      // It ends what stands before it, and says nothing.
      lines.push({ parts: [], indent: -1 });
      open = undefined;
      continue;
    }
    const line = text.replace(quotation, "");
    const [mark] = item.exec(line) ?? [];
    const said = removeEmphasis(line.slice(mark?.length ?? 0));
    const broken = open !== undefined && !/[.!?:;]$/.test(open.parts.at(-1)?.slice(-1) ?? "");
    if (open && broken && mark === undefined && /^\p{Ll}/u.test(said)) open.parts.push(said);
    else lines.push((open = { parts: [said], indent: mark === undefined ? -1 : mark.search(/\S/) }));
  }
  return lines.map(({ parts, indent }) => ({ text: parts.join(" "), indent }));
}

/** With signs, or a line in bold that has no verb to bind anybody; a line without letters heads nothing, either. */
function isHeading(line: string): boolean {
  return heading.test(line.slice(0, 20)) || ornament.test(line) || (boldLine.test(line) && !verb.test(line));
}

/** Without emphasis, except for what stands in a code span. `2**10` and `snake_case` have none. */
function removeEmphasis(line: string): string {
  return line
    .replaceAll(
      /(`[^`]*`)|(?<![\p{L}\p{N}_*])(?:\*\*|_{1,2})|(?:\*\*|_{1,2})(?![\p{L}\p{N}_*])/gu,
      (_, code: string | undefined) => code ?? "",
    )
    .trim();
}

function sentencesIn(text: string): string[] {
  const sentences: string[] = [];
  let from = 0;
  for (const match of text.matchAll(stop)) {
    const end = match.index + match[0].length;
    const before = text.slice(Math.max(from, match.index - 12), match.index + 1);
    if (abbreviation.test(before) || lowerCase.test(text.slice(end, end + 8))) continue;
    sentences.push(text.slice(from, end).trim());
    from = end;
  }
  return [...sentences, text.slice(from).trim()].filter((sentence) => sentence !== "");
}
