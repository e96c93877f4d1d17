import { contentWords } from "./words.ts";
import { readEnds, splitProse } from "./fences.ts";

/** Maximum UTF-16 units read from the start and from the end of a text. */
const READ_LENGTH = 10_000;
const MAX_LENGTH = 100;
const MAX_COUNT = 40;

/** Words that begin sentences in capitals and name nothing. */
const starters = new Set(
  `according actually add additionally although always another answer apply ask assume avoid based begin both call
  change check choose click compare compute consider convert create define describe different discuss do don't each
  either enter even every everything explain final finally find first first following fix for furthermore generally get
  give given good great half hello help hence hi however i'm imagine implement in indeed instead is it's keep last lastly
  let let's list look make many maybe meanwhile moreover most name never next no none not note nothing now ok okay one
  only open otherwise overall perhaps please put question read remember result return run same say second see select set
  several should show similarly simply since so some sometimes somewhere step still stop sum summarise summarize summary
  sure take tell thank thanks that's then therefore there there's third though three thus today together translate try
  turn two type unfortunately unless unlike update use using usually verify wait want well what's whenever whether
  while who's without write yes yesterday yet you're`.split(/\s+/),
);

/** A word that may be part of a name: a capital with letters, digits and joints behind it. */
const capital = String.raw`\p{Lu}[\p{L}\p{M}\p{N}]*(?:['’&./+#-]?[\p{L}\p{N}]+){0,4}(?:\+\+|#)?`;
/** What joins the words of one name: `University of Oxford`, `Ludwig van Beethoven`. */
const joint = String.raw`(?:of|of the|de|de la|da|di|del|la|le|van|van der|von|der|bin|ibn|al)`;
const name = new RegExp(String.raw`(?<![\p{L}\p{N}_])${capital}(?:[ ](?:${joint}[ ])?${capital}){0,5}`, "gu");
/** Words that are told as names by their form, wherever they stand: `iPhone`, `node_modules`, `utf8`, `gpt-4o`. */
const coinedNames =
  /(?<![\p{L}\p{N}_])(?:\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\p{L}[\p{L}\p{N}]{0,30}_[\p{L}\p{N}_]{1,30}|\p{Ll}[\p{Ll}-]{0,20}-?\d[\p{L}\p{N}.]{0,10}(?<!\.))(?![\p{L}\p{N}_])/gu;
const quotation =
  /`([^`\n]{2,60})`|"([^"\n]{2,60})"|“([^”\n]{2,60})”|«([^»\n]{2,60})»|[「『]([^」』\n]{1,60})[」』]/g;
const katakana = /[\p{Script=Katakana}ー]{2,}/gu;
/** Two digits and more, or any with a fraction, a currency, a percent or a degree. */
const figure =
  /(?<![\p{L}\p{N}.,_-])(?:[$€£¥]\s?\d[\d,]*(?:\.\d+)?|\d[\d,]*(?:\.\d+)?\s?(?:%|‰|°\s?[CFK]?\b|[€£¥])|\d[\d,]*\d(?:\.\d+)?|\d\.\d+)(?![\p{L}\p{N}_]|[.,]\d)/gu;

const startsSentence = /(?:^|[.!?:;…]["'”’)\]*_]{0,3}\s|\n)[\s\-*•>#"'“‘([_\d.)]*$/u;

/** By which two mentions are of one entity: case, width, and the spaces and commas of figures do not count. */
export function entityKey(entity: string): string {
  const folded = entity.toWellFormed().normalize("NFKC").toLowerCase().replaceAll("’", "'").trim();
  return /^[\d$€£¥]/.test(folded) ? folded.replaceAll(/[\s,]/g, "") : folded.replaceAll(/\s+/g, " ");
}

type EntityMention = { readonly text: string; readonly at: number };

function findMentions(text: string, pattern: RegExp): EntityMention[] {
  return [...text.matchAll(pattern)].map((match) => ({
    text: match.slice(1).find((group) => group !== undefined) ?? match[0],
    at: match.index,
  }));
}

/** A single capital at the start of a sentence is one only by position, unless its form or the rest of the text says more. */
function findNames(text: string): EntityMention[] {
  const found = findMentions(text, name);
  const inside = new Set<string>();
  const begins: boolean[] = found.map(({ at }) => startsSentence.test(text.slice(Math.max(0, at - 24), at)));
  for (const [index, mention] of found.entries()) if (begins[index] !== true) inside.add(mention.text);
  const small = new Set(text.match(/(?<![\p{L}\p{N}])\p{Ll}[\p{L}\p{M}]*/gu));
  return found.flatMap(({ text: words, at }, index): EntityMention[] => {
    if (begins[index] !== true) return hasContent(words) ? [{ text: words, at }] : [];
    const [first = "", ...rest] = words.split(" ");
    const bare = first.replace(/['’]s$/u, "");
    const common =
      !hasContent(bare) ||
      starters.has(bare.toLowerCase()) ||
      (small.has(bare.toLowerCase()) && !inside.has(first));
    if (!common) return [{ text: words, at }];
    const behind = rest.join(" ");
    return behind !== "" && /^[\p{Lu}]/u.test(behind) ? [{ text: behind, at: at + first.length + 1 }] : [];
  });
}

/** Whether it is more than a stop word or a lone letter. */
function hasContent(words: string): boolean {
  return words.length > 1 && contentWords(words).length > 0;
}

/**
 * The names, places, products and figures that a text speaks of, each once, as it is first written and in the order of
 * the first mention: words with capitals that stand together, words that their form tells as names, short quotations and
 * code, words in Katakana, and numbers that are more than a lone digit. No dictionary and no model: a word that only begins a
 * sentence may be taken for a name. At most 40 unless `most` says otherwise, of at most 100 UTF-16 units each; fenced
 * code is not read, nor more than 20,000 UTF-16 units.
 */
export function extractEntities(text: string, most = MAX_COUNT): string[] {
  const read = extractProse(text);
  const mentions = [
    ...findNames(read),
    ...findMentions(read, coinedNames),
    ...findMentions(read, quotation),
    ...findMentions(read, katakana),
    ...findMentions(read, figure),
  ].sort((one, other) => one.at - other.at);
  const entities = new Map<string, string>();
  for (const { text: words } of mentions) {
    if (entities.size >= most) break;
    const entity = words
      .replaceAll(/\s+/g, " ")
      .replace(/['’]s$/u, "")
      .trim();
    const key = entityKey(entity);
    if (entity.length <= MAX_LENGTH && /[\p{L}\p{N}]/u.test(entity) && !entities.has(key))
      entities.set(key, entity);
  }
  return [...entities.values()];
}

/** Without fenced code; of a long text its start and its end. */
function extractProse(text: string): string {
  return splitProse(readEnds(text, READ_LENGTH)).join("\n").toWellFormed();
}
