// Forms of a final answer, in the words in which it is looked for: table rows, tags, headings, other languages' captions.
import { escapeBreaks } from "./json-objects.ts";
import { findObjects } from "./verdicts.ts";

const MAX_VALUE_LENGTH = 400;
const answerNames = ["final_answer", "finalanswer", "final answer", "answer"];

/** In a table a row of two cells, unless it is the head of the table. */
const tableRow =
  /^[ \t]{0,3}\|[ \t*_]{0,6}(?:the |my )?(?:final |correct )?answer[ \t*_:]{0,6}\|([^|\n]{1,200})\|?[ \t]{0,9}$(?!\n[ \t|:]*-{2,})/gim;
const tag =
  /<(\/?)(?:answer|final[_-]?answer|antwort|réponse|respuesta|resposta|risposta|ответ|答案)(?:\s[^<>\n]{0,80})?>/gi;
/** A heading or a line in bold that says `Answer` and has one short line behind it, the last of the reply. */
const lastHeading =
  /(?:^|\n)[ \t]{0,3}(?:#{1,6}[ \t]{1,3}[*_]{0,3}|\*\*|__)(?:(?:the|my|correct) )?answer[*_:]{0,5}[ \t]{0,9}\n\s{0,9}(?![#>|`])([^\n]{1,60})\s{0,9}$/i;
const box = /\\(?:fbox|framebox)\s?(?=\{)/g;
const bareBox = /\\boxed\s{1,3}(\w)(?!\w)/g;
/** What an answer is called in the languages that models answer in. */
export const ANSWER_NAMES =
  "antwort|lösung|endergebnis|پاسخ|réponse|respuesta|resposta|risposta|ответ|відповідь|antwoord|svar(?:et)?|odpowied[zź]|odpověď|cevap|đáp án|jawaban(?:nya)?|απάντηση|vastaus|válasz|răspuns(?:ul)?|الإجابة|الجواب|תשובה|उत्तर|คำตอบ|答案|选项|正解|答え|解答|정답|답";
const adjectives =
  "endgültige|richtige|korrekte|finale?|bonne|correcte|correcta|corret[ao]|certa|corretta|giusta|окончательный|правильный|правильна|juiste|rätt|prawidłowa|správná|doğru|đúng|الصحيحة|النهائية|सही|σωστή|helyes";
const opens =
  "(?:(?:also|daher|somit|damit|donc|ainsi|por lo tanto|portanto|quindi|итак|поэтому|таким образом|dus)[,،]?\\s)?(?:ist\\s)?(?:(?:die|das|der|la|le|a|het|den)\\s)?";
const options = "opción|opção|opzione|option|alternativa|вариант";
const letter = "(?=[*_]{0,2}\\(?[A-Z]\\)?[*_.।\\s]{0,4}$)";
const says =
  "[ \\t*_]{0,4}(?:[:：=]|[-–—](?=\\s)|(?:ist|lautet|est|es|é|è|is|är|er|to|là|هي|هو|adalah|είναι|คือ)(?!\\p{L})(?:\\s(?:donc|somit|daher|also|por tanto|portanto|quindi)(?!\\p{L}))?)";
/** Such captions; a number with a mark in it is left alone, as the marks mean other things there. */
const foreign = new RegExp(
  String.raw`^[ \t#*_>]{0,10}${opens}(?:(?:${adjectives})\s(?:${ANSWER_NAMES}|${options})(?:${says}|\s${letter})|(?:(?:${ANSWER_NAMES})(?:\s(?:${adjectives}))?|(?:${options})\s(?:${adjectives})|richtig(?= ist)|korrekt(?= ist))${says})[ \t*_:：]{0,6}(?:(?:(?:die|der|das|la|le|a)\s)?(?:(?:${options}|letra|lettre|lettera|буква)\s)?${letter})?(?=\S)(?![^\n]{0,80}\d[.,]\d)`,
  "gimu",
);
/** The same in Chinese, Japanese and Korean, also within a line: `所以，答案是D`, `【答案】D`, `故选D`, `정답은 D`. */
const eastern =
  /(?<=^|[\s,，。;；.、])(?:所以|因此|综上(?:所述)?|故|于是|したがって|よって|따라서)?[,，、]?\s?(?:[【[]?(?:(?:最终|正确|参考|本题|最終的な|正しい|최종)\s?(?:的)?)?(?:答案|选项|正解|答え|解答|정답|답)[】\]]?[ \t*_]{0,4}(?:[:：]|(?<=[】\]])|应?该?[是为為选]|[はは은는])|(?:本题|应|应该)?选择?[:：]?(?=\s?[(（*]{0,3}[A-Z][)）*]{0,3}(?![\p{L}\p{N}])))[ \t*_:：]{0,6}(?=\S)(?:(?<=^[^\n]{0,30})|(?=[*_(（]{0,3}(?:[A-Z](?![\p{L}\p{N}])|[-−$]?\d)))/gmu;
/** What ends a sentence there. */
const copula =
  /(?<=[A-Z\d)*])\s?(?:です|である|だ|입니다|이다|है)?[。।](?=\s|$)|(?<=[A-Z\d)*])\s?(?:です|である|だ|입니다|이다|है)(?=[.。।]?\s*$)/gmu;
/** Words that announce an answer where a reply ends with a letter or a number. */
const lastCaption =
  /(?:^|\n)[ \t*_]{0,6}(?:solution|conclusion|ans\.?|(?:the |my )?(?:correct )?(?:option|choice))[ \t*_]{0,4}[:：.=][ \t*_]{0,4}(?=(?:\(?[A-Z]\)?|-?\$?\d[\d,]{0,20}(?:\.\d{1,20})?%?)[*_. \t]{0,4}\s{0,9}$)/i;
const chosen =
  /(?:^|\n|[.!?] )(?:I|we)(?:['’](?:d|ll)| would| will)? (?:choose|pick|select|go (?:with|for)|opt for|vote for) (?:option |answer |choice )?[*_]{0,3}(?=\(?[A-Z]\)?[*_.! \t]{0,4}\s{0,9}$)/;
/** `2. Answer:`, where one item of a list is the answer. */
const itemAnswer = /^[ \t]{0,3}\d{1,2}[.)][ \t]{1,3}(?=[*_]{0,3}(?:final )?answer[*_]{0,3}[ \t]?[:：])/gim;
/** `Q: …`, then `A: …`, which the reply ends with. */
const questionCaption = /^[ \t*_]{0,4}Q(?:uestion)?[*_]{0,3}:/gim;
const answerCaption = /(?<=\n)[ \t*_]{0,4}A[*_]{0,3}:[*_]{0,3}[ \t](?=\s{0,3}\S[^\n]{0,200}\s{0,9}$)/;

const onlyOnce = (text: string, form: RegExp): boolean => text.match(form)?.length === 1;

/** What stands in the last `<answer>…</answer>`, where that begins (`from`), and where its tag does; null where there is none. */
export function findTagged(
  text: string,
): { readonly value: string; readonly at: number; readonly from: number } | null {
  const marks = [...text.matchAll(tag)];
  const close = marks.findLastIndex(([, slash]) => slash !== "");
  const open = marks[close - 1];
  if (open === undefined || open[1] !== "") return null;
  const from = open.index + open[0].length;
  return { value: text.slice(from, marks[close]?.index), at: open.index, from };
}

/** The text with a line break where a tag of an answer stands, and every other character where it was. */
export const blankTags = (text: string): string => text.replace(tag, (mark) => "\n".padEnd(mark.length));

/** The reply with such forms as lines `Final answer: …`; other text stays as it is. */
export function restateForms(given: string): string {
  const item = onlyOnce(given, itemAnswer) ? given.replace(itemAnswer, "") : given;
  const text = onlyOnce(item, questionCaption) ? item.replace(answerCaption, "Answer: ") : item;
  // A closing tag alone says nothing, and no more do empty tags.
  return (/\S/.test(findTagged(text)?.value ?? "") ? text : text.replace(tag, "\n"))
    .replace(/【(?:解析|分析|详解|点评|解説)】/gu, "\n$&")
    .replace(
      /\b(?:lautet|ist)\s(?:somit\s|daher\s|also\s)?die\s(?:richtige\s|korrekte\s)?Antwort(?=:?\s[*_]{0,3}\(?[A-Z]\)?(?![\p{L}\p{N}]))/gu,
      "\nAnswer:",
    )
    .replace(
      /(?<=^|[.\n]\s{0,9})(?:Antwort|Option)\s([A-Z])\sist\s(?:richtig|korrekt)\b|(?<=^|[.\n]\s{0,9})Richtig\sist\s(?:die\s)?(?:Antwort|Option)\s([A-Z])(?!\p{L})/gu,
      "\nAnswer: $1$2",
    )
    .replace(tableRow, (_, value: string) => `Final answer: ${value.trim()}`)
    .replace(lastHeading, "\nFinal answer: $1")
    .replace(copula, "")
    .replace(foreign, "Answer: ")
    .replace(eastern, "\nAnswer: ")
    .replace(lastCaption, "\nAnswer: ")
    .replace(chosen, "\nAnswer: ")
    .replace(box, "\\boxed")
    .replace(bareBox, "\\boxed{$1}")
    .trim();
}

/**
 * The answer of the JSON object that a reply ends with, as text; null where it has an answer that is no text, number, true
 * or false, undefined where there is no such object.
 */
export function readObjectAnswer(text: string): string | null | undefined {
  const own = escapeBreaks(text.replace(/\s{0,9}(?:`{3}|~{3})\s*$/, ""));
  if (!own.endsWith("}")) return undefined;
  const object = findObjects(own).at(-1);
  if (object?.span.end !== own.length) return undefined;
  const key = answerNames.find((one) => object.entries.has(one));
  if (key === undefined) return undefined;
  const value = object.entries.get(key);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" ? value.slice(0, MAX_VALUE_LENGTH) : null;
}

/** An answer that is taken back in its own line: `41. Wait, no, 42`, `B. Actually, C`. */
export const isCorrected = (line: string): boolean =>
  /(?:[,;!?…—–]|\.\.)\s{0,3}no,|[.,;:!?…—–-]\s{0,3}\(?(?:(?:oh|hmm),? )?(?:wait\b|actually,|no wait|hmm\b|or rather|rather,|sorry\b|correction\b|i mean\b|scratch that|strike that|make that|on second thought)/i.test(
    line,
  );

/** An answer without what it is told apart from, and how sure it is: `42 (not 43)`, `B and not C`, `42. I am 90% sure.` */
export const withoutAside = (value: string): string =>
  value
    .replace(
      /(?<=.)[.;,]?\s{1,3}\(?(?:I(?:['’]m| am)\s(?:\S{1,20}\s){0,3}(?:sure|confident|certain)\b|(?:my )?confidence\b|I hope\b)[^\n]{0,80}$/i,
      "",
    )
    .replace(/\s?[([](?:and )?(?:not|rather than|instead of)\s[^()[\]]{1,60}[)\]]$/i, "")
    .replace(/(?<=^\S{1,30}),?\s(?:and not|rather than|instead of)\s\S{1,30}$/i, "");

/** What stands in a form that was not filled in: `[your answer]`, `<answer>`, `___`. */
export const isUnfilled = (value: string): boolean =>
  /^[<[{(]?\s?(?:insert |put )?(?:your |the |my )?(?:final )?(?:answer|letter|number|value|option)(?: here)?\s?[>\]})]?$|^[_.\s…]+$|^see (?:above|below)$|^as (?:above|below)$|^([A-Z]),? where \1 is\b/i.test(
    value,
  );

/** In front of `the answer is`: it is supposed and not said. */
const supposition =
  /\b(?:if|suppose|supposing|assume|assuming|whether|unless|were|say)\s(?:that\s)?(?:(?:the|my|correct|final)\s){0,3}$/i;

/** Whether the words before `the answer is` leave it as the answer: not `if the answer is`, `the wrong answer is`. */
export const isAsserted = (before: string): boolean =>
  !supposition.test(before) &&
  !/\b(?:wrong|incorrect|first|previous|initial|earlier|tempting|naive)\s$/i.test(before);

/** `- 12`, `1. 12`: an item of a list; `-12` is a number. */
export const listItem = /^\s{0,3}(?:[-•+]|\*(?!\*)|\d{1,2}[.)])\s{1,3}(?=\S)/;

/** A word in front of a number or a letter that says nothing: `Therefore, 42.` */
export const opening =
  /^(?:so|therefore|thus|hence|sure|certainly|okay|ok|well)[,!:]\s{1,3}(?=[-$(]?\d|\(?[A-Z]\)?[.!]?$)/i;
