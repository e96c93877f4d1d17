import { sentencesOf } from "../judging/index.ts";

const mostStatements = 50;
const longestText = 8_000;
const longestSentence = 300;

const lead =
  /^(?:(?:hi|hello|hey|ok|okay|also|and|but|so|actually|by the way|btw|fyi|for the record|just so you know)\b[,:!]?\s+)+/i;
const keep =
  /^(?:please\s+)?(?:remember|note|keep in mind|don['’]t forget|do not forget|be aware)\b(?:\s+for later)?(\s+that\b|\s*:)?\s+/i;
const question =
  /[?？]\W*$|^(?:who|whose|what|when|where|which|why|how|is|are|am|was|were|do|does|did|can|could|would|should|will|shall|have|has)\b/i;
const request =
  /^(?:please\s+)?(?:add|answer|ask|calculate|change|check|choose|compare|compute|consider|continue|convert|create|define|describe|design|discuss|do|draft|evaluate|explain|find|fix|generate|give|help|imagine|implement|improve|let|list|look|make|name|outline|pick|plan|prove|read|review|rewrite|say|show|solve|suggest|summari[sz]e|suppose|tell|translate|try|use|write)\b/i;
const wish =
  /^(?:i|we)(?:['’]d| would) (?:like|love|prefer)\b|^(?:i|we) (?:want|need|wonder|wish|ask)\b|^(?:i|we)(?: am| are|['’]m|['’]re) (?:asking|wondering|looking for|trying to)\b|\bhelp me\b/i;
/** Whether it is about what that person is or does. */
export const isTheirs = (text: string): boolean => byThem.test(text);

const byThem = /^(?:i|we|my|our|mine|ours)\b/i;
/** Whether a text speaks of the person who wrote it. */
export const isPersonal = (text: string): boolean => ofThem.test(text);

const ofThem = /\b(?:[Ii]|[Ww]e|[Mm]e|[Uu]s|[Mm]y|[Oo]ur|[Mm]ine|[Oo]urs)\b/;
const copula = /\s(?:is|are|was|were|will be|am)\s/i;
const definite = /^(?:the|this|these|those|there|all|every|each)\b/i;

type Sentence = {
  readonly text: string;
  readonly states: boolean;
  readonly asks: boolean;
  readonly wants: boolean;
};

/** A sentence without what only introduces it, and whether it says that something is so. */
function readSentence(sentence: string): Sentence {
  const [bare, kept] = [sentence.trim().replace(lead, ""), keep.exec(sentence.trim().replace(lead, ""))];
  const text = bare.slice(kept?.[0].length ?? 0).replace(/[.!\s]+$/, "");
  const asks = question.test(bare) || question.test(text);
  const wants = request.test(text) || wish.test(text);
  const personal = byThem.test(text) || (ofThem.test(text) && copula.test(` ${text} `));
  const states = kept?.[1] !== undefined || personal || (definite.test(text) && copula.test(text));
  return { text, states: text !== "" && !asks && !wants && states, asks, wants };
}

const sentencesIn = (text: string): Sentence[] =>
  sentencesOf(text.slice(0, longestText)).slice(0, mostStatements).map(readSentence);

/** The sentences of a person's text that say that something is so; neither questions nor requests. */
export const statementsIn = (text: string): string[] =>
  sentencesIn(text)
    .filter(({ text: said, states }) => states && said.length <= longestSentence)
    .map(({ text: said }) => said);

/** A pinned fact as statements: whatever it says holds, unless it asks. `The user's` and `the person's` are the person's own. */
export const pinnedStatements = (fact: string): string[] =>
  sentencesIn(fact.replaceAll(/\b(?:the )?(?:user|person)['’]s\b/gi, "my"))
    .filter(({ text, asks }) => text !== "" && !asks && text.length <= longestSentence)
    .map(({ text }) => text);

const longestNoted = 600;

/** What a person only tells, said back to that person in one line; null for a text that asks or wants anything. */
export function acknowledgement(text: string): string | null {
  if (text.length > longestNoted) return null;
  const sentences = sentencesIn(text);
  const said = sentences.filter(({ states }) => states);
  if (said.length === 0 || sentences.some(({ asks, wants }) => asks || wants)) return null;
  return said
    .map(({ text: one }) =>
      toThem(one).replace(/^(?:You|Your|The|This|These|Those|There|All|Every|Each)\b/, (word) =>
        word.toLowerCase(),
      ),
    )
    .join("; ");
}

const turned: readonly (readonly [RegExp, string])[] = [
  [/\b(?:I am|I['’]m|[Ww]e are|[Ww]e['’]re)(?![\p{L}\p{N}])/gu, "you are"],
  [/\b(?:I was|[Ww]e were)(?![\p{L}\p{N}])/gu, "you were"],
  [/\b(?:I|[Ww]e)['’]ve(?![\p{L}\p{N}])/gu, "you have"],
  [/\b(?:I|[Ww]e)['’]ll(?![\p{L}\p{N}])/gu, "you will"],
  [/\b(?:I|[Ww]e)['’]d(?![\p{L}\p{N}])/gu, "you would"],
  [/(?<![\p{L}\p{N}])(?:I|[Ww]e|me|us)(?![\p{L}\p{N}])/gu, "you"],
  [/(?<![\p{L}\p{N}])(?:[Mm]y|[Oo]ur)(?![\p{L}\p{N}])/gu, "your"],
  [/(?<![\p{L}\p{N}])(?:[Mm]ine|[Oo]urs)(?![\p{L}\p{N}])/gu, "yours"],
  [/(?<![\p{L}\p{N}])(?:myself|ourselves)(?![\p{L}\p{N}])/gu, "yourself"],
];

/** A person's words as they are said back to that person; what speaks of `you` already is quoted as it is. */
export const toThem = (text: string): string =>
  /\byou(?:r|rs|rself)?\b/i.test(text)
    ? `“${text}”`
    : turned.reduce((said, [words, other]) => said.replaceAll(words, other), text);
