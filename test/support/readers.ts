import { hasSecretInQuery, redactSecrets } from "../../src/kernel/secrets.ts";
import { readSynthesis } from "../../src/protocols/phases/panel/prompts.ts";
import { readRevision } from "../../src/protocols/phases/revise.ts";
import { readFenced } from "../../src/prompts/material.ts";
import { parseQuery } from "../../src/memory/query.ts";
import { parseFact } from "../../src/memory/facts.ts";
import { readGrade, readPreference } from "../../src/features/judging/reactor/request.ts";
import { sameAnswer, readNumber } from "../../src/replies/answer.ts";
import { parseComparison } from "../../src/replies/comparison.ts";
import { parseConfidence, readConfidence } from "../../src/replies/confidence.ts";
import { parseContributors } from "../../src/replies/contributors.ts";
import { extractCoverage, hasCoverage } from "../../src/replies/coverage.ts";
import { parseEvaluation } from "../../src/replies/evaluation.ts";
import { plainExpression, readDate, readExpression } from "../../src/replies/expression.ts";
import { extractAnswer } from "../../src/replies/extract-answer.ts";
import {
  cleanValue,
  firstSentence,
  readChoice,
  readNumberAnswer,
  readNumberInSentence,
  readTextAnswer,
  splitAtEndMarks,
} from "../../src/replies/final-value.ts";
import { extractGist, shorten } from "../../src/replies/gist.ts";
import { parseGrade } from "../../src/replies/grade.ts";
import { escapeBreaks, jsonObjects, parseJson } from "../../src/replies/json-objects.ts";
import { parsePreference } from "../../src/replies/preference.ts";
import { parseQuestions } from "../../src/replies/questions.ts";
import { measureLeadIn, readItem } from "../../src/replies/label-lists.ts";
import { locateRanking, parseRanking } from "../../src/replies/ranking.ts";
import { findFields, labelReader, normalizeLabel, toText, toTexts } from "../../src/replies/reply-fields.ts";
import { parseReview } from "../../src/replies/review.ts";
import { parseSolution } from "../../src/replies/solution.ts";
import {
  feedbackAround,
  findMarked,
  findObjects,
  openReply,
  readBehind,
} from "../../src/replies/verdicts.ts";
import { centralText, similarityOfRounds, textSimilarity } from "../../src/stats/text-similarity.ts";
import { findMatchingRule } from "../../src/text/answer-kind.ts";
import { searchContext } from "../../src/text/context-search.ts";
import { entityKey, extractEntities } from "../../src/text/entities.ts";
import {
  fencedBlocks,
  normalizeBreaks,
  readEnds,
  readTail,
  splitLines,
  splitProse,
} from "../../src/text/fences.ts";
import { detectIntent } from "../../src/text/intent.ts";
import { extractRequirements } from "../../src/text/requirements.ts";
import { splitSentences } from "../../src/text/sentences.ts";
import { traceSentences } from "../../src/text/trace.ts";
import { contentWords, editDistance, findNearest, quoteValue, toOneLine } from "../../src/text/words.ts";

const LABELS = ["A", "B", "C"];
/** The beginning of a text, as another text that shares it. */
const plain = (text: string) => text.slice(0, 1_000).replaceAll(/\r\n?/g, "\n");
const call = (reply: string) =>
  ({ ok: true, reply, finish: "end", tokens: null, cost: null }) as unknown as Parameters<
    typeof readGrade
  >[0];

/** What reads a whole reply, question or file: by its name, from the text to what is read from it. */
export const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  parseRanking: (text) => parseRanking(text, LABELS),
  parseReview: (text) => parseReview(text, LABELS),
  parseGrade,
  parsePreference,
  readGrade: (text) => readGrade(call(text), plain(text).slice(0, 50)),
  readPreference: (text) => readPreference(call(text), [plain(text).slice(0, 30), plain(text).slice(30, 60)]),
  parseContributors: (text) => parseContributors(text, LABELS),
  readSynthesis: (text) => readSynthesis(text, LABELS),
  readRevision: (text) => readRevision(text, LABELS),
  parseComparison: (text) => parseComparison(text, LABELS),
  parseConfidence,
  parseEvaluation,
  parseSolution,
  parseQuestions: (text) => parseQuestions(text, 5),
  extractAnswer: (text) => extractAnswer(text),
  "extractAnswer, cut off": (text) => extractAnswer(text, { cutOff: true }),
  extractCoverage,
  hasCoverage,
  extractGist: (text) => extractGist(text),
  extractRequirements,
  extractEntities: (text) => extractEntities(text),
  detectIntent,
  findMatchingRule: (text) =>
    findMatchingRule(
      [{ when: { "at-most": 5 } }, { when: { question: ["a a", "how to"] } }, { when: { answer: ["is"] } }],
      { question: text, answer: text, tools: [] },
    ),
  searchContext: (text) => searchContext([{ round: 1, by: "a", kind: "draft", text }], "the"),
  splitSentences,
  traceSentences: (text) => traceSentences(text, [{ id: "a", text: plain(text).slice(0, 40) }]),
  textSimilarity: (text) => textSimilarity(text, `${text} and more`),
  similarityOfRounds: (text) => similarityOfRounds([{ id: "a", text }], [{ id: "a", text: `${text} more` }]),
  centralText: (text) =>
    centralText([
      { id: "a", text },
      { id: "b", text: `more ${text}` },
    ]),
  splitProse: (text) => splitProse(normalizeBreaks(text)),
  fenced: (text) => fencedBlocks(text).map(({ language, closed }) => ({ language, closed })),
  lines: (text) => splitLines(text).map((line) => line.text),
  readEnds: (text) => readEnds(text, 100),
  readTail: (text) => readTail(text, 100),
  readFenced: (text) => readFenced(normalizeBreaks(text)),
  contentWords,
  parseFact,
  parseQuery,
};

const reader = labelReader(LABELS);

/** What reads a piece of a text, or text that another reader has brought into form. */
export const PIECE_READERS: Readonly<Record<string, (text: string) => unknown>> = {
  openReply: (text) => openReply(text),
  locateRanking: (text) => locateRanking(text, LABELS),
  measureLeadIn,
  readItem: (text) => reader && readItem(text, reader),
  labelReader: (text) => [reader?.whole(text), reader?.at(text, 0)],
  normalizeLabel,
  findFields: (text) => findFields(text, "evaluation"),
  toText,
  toTexts,
  escapeBreaks,
  jsonObjects,
  parseJson,
  findObjects,
  findMarked: (text) => findMarked(text.slice(0, 300_000), /\[RESULT\]/g, []),
  readBehind: (text) => readBehind(text, { behind: text.slice(0, 120), at: 0 }).words(),
  feedbackAround: (text) => feedbackAround(text, { start: text.length / 2, end: text.length / 2 }),
  readConfidence,
  readNumber,
  readNumberAnswer,
  readNumberInSentence: (text) => readNumberInSentence(firstSentence(text.slice(0, 2_000))),
  readChoice,
  readTextAnswer: (text) => readTextAnswer(text, 8),
  readDate,
  readExpression,
  plainExpression: (text) => plainExpression(text.slice(0, 2_000)),
  cleanValue,
  splitAtEndMarks,
  sameAnswer: (text) => sameAnswer({ kind: "text", value: text }, { kind: "text", value: `${text} ` }),
  "sameAnswer, short": (text) => {
    const value = text.slice(0, 2_000);
    return sameAnswer({ kind: "text", value }, { kind: "text", value: `${value.slice(1)} ` });
  },
  shorten: (text) => shorten(text, 1_000),
  entityKey: (text) => entityKey(text.slice(0, 100)),
  toOneLine: (text) => toOneLine(text, 200),
  quoteValue,
  redactSecrets,
  hasSecretInQuery,
  findNearest: (text) => findNearest(text, ["model", "max-cost", text.slice(0, 200)]),
  editDistance: (text) => editDistance(text, text.slice(1)),
};
