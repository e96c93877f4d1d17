import type { Intent } from "../kernel/index.ts";
import { readEnds } from "./fences.ts";

/** Maximum UTF-16 units read from the start and from the end: what a question wants stands where it begins or ends. */
const READ_LENGTH = 600;

// The first that fits decides: `how does A differ from B` compares, and `how do I` asks for steps before it asks for reasons.
const SIGNS: readonly (readonly [Intent, RegExp])[] = [
  [
    "comparison",
    /\b(?:compar(?:e[ds]?|ing|ison)|contrast|versus|vs|differences?|differs?|distinguish(?:es)?|pros and cons|trade-?offs?|advantages? (?:of|over)|(?:better|worse|faster|slower|cheaper|safer|bigger|larger|smaller|older|stronger|more [a-z]{2,20}|less [a-z]{2,20}) than|(?:which|what|who) (?:[a-z]+ ){0,4}(?:better|best|worse|faster|cheaper|safer|bigger|larger|smaller|older)\b.{1,200}? or|should (?:i|we|one) [^?.!]{1,120}? or)\b/,
  ],
  [
    "procedure",
    /\bhow (?:to|(?:do|can|could|should|would|might|must) (?:i|we|you|one|somebody|someone|people))\b|\b(?:steps?|instructions|recipe|guide|tutorial|procedure|walk me through|step by step)\b|^(?:please )?(?:write|create|build|implement|design|set up|install|configure|fix|refactor|plan|make|convert|translate|draft|generate)\b|\b(?:can|could|would) you (?:please )?(?:write|create|build|implement|design|set up|install|configure|fix|refactor|plan|make|convert|translate|draft|generate)\b/,
  ],
  [
    "explanation",
    /\b(?:why|how come|explain(?:s|ed)?|describe|reasons?|causes?|what happens|what does .{1,80}? mean|what is meant|purpose of|meaning of)\b|\bhow (?:do(?:es)?|did|is|are|was|were|has|have|can|could|will|would)\b/,
  ],
  [
    "fact",
    /\b(?:who|whom|whose|what|when|where|which|how (?:many|much|old|long|far|often|tall|big|high|deep|fast|large|heavy|hot|cold))\b|^(?:please )?(?:name|list|tell me|give me|state|calculate|compute|find)\b|^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b/,
  ],
];

/** In lower case, on one line, and straight in its quotation marks. */
function simplify(text: string): string {
  return text.toWellFormed().toLowerCase().replaceAll("’", "'").replaceAll(/\s+/g, " ").trim();
}

/**
 * What a question wants, by the English words that say so: of its first sentence that asks, then of its last, then of
 * all that is looked at. `other` where no word tells, as in another language. Looks at 1,200 characters at most.
 */
export function detectIntent(question: string): Intent {
  const looked = readEnds(question, READ_LENGTH, "\n");
  const sentences = looked
    .split(/(?<=[.!?？])\s|\n/)
    .map(simplify)
    .filter((sentence) => sentence !== "");
  const asking = sentences.filter((sentence) => /[?？]$/.test(sentence));
  const [first = "", last = first] = asking.length > 1 ? [asking[0], asking.at(-1)] : asking;
  for (const text of [first, last, simplify(looked)]) {
    const found = SIGNS.find(([, sign]) => sign.test(text));
    if (found !== undefined) return found[0];
  }
  return "other";
}
