import { inDigits } from "./arithmetic.ts";
import { evaluate } from "./expression.ts";
import { write } from "./rational.ts";
import type { Solution, Solver } from "./solution.ts";

const number = String.raw`\$?(\d+(?:,\d{3})*(?:\.\d+)?)`;
const bare = (written: string | undefined): string => (written ?? "").replaceAll(",", "");

/** A story in one sentence, and the expression that it comes to. */
const templates: readonly (readonly [RegExp, (parts: readonly string[]) => string])[] = [
  [
    new RegExp(
      String.raw`${number} (?:boxes|bags|packs|rows|shelves|baskets|tables|teams|groups|cars|buses|pages|crates|trays|jars)\b.{0,60}?\b(?:with|of|hold|holds|holding|contains?|containing|has|have|seats?)\s+${number}\b.{0,60}?(?:each|per|every)?.{0,80}?how many`,
      "is",
    ),
    ([a, b]) => `${a}*${b}`,
  ],
  [
    new RegExp(
      String.raw`\beach (?:box|bag|pack|row|shelf|basket|table|team|group|car|bus|page|crate|tray|jar)\b.{0,40}?\b(?:holds?|contains?|has|seats?)\s+${number}\b.{0,80}?how many\b.{0,60}?\b(?:in|on|do)\s+${number}`,
      "is",
    ),
    ([a, b]) => `${a}*${b}`,
  ],
  [
    new RegExp(
      String.raw`\b(?:costs?|priced at|is) ${number}(?: dollars| euros| cents)? (?:each|apiece|per)\b.{0,80}?how much (?:do|does|would|will|for|is|are)\b.{0,40}?\b${number}`,
      "is",
    ),
    ([a, b]) => `${a}*${b}`,
  ],
  [
    new RegExp(
      String.raw`\b(?:travels?|drives?|moves?|goes|flies|runs|walks|cycles)\b.{0,40}?\b${number}\s*(?:km/h|kph|mph|kilomet(?:er|re)s (?:per|an) hour|miles (?:per|an) hour|m/s|met(?:er|re)s per second)\b.{0,40}?\bfor ${number}\s*(?:hours?|h|seconds?|s)\b.{0,80}?how far`,
      "is",
    ),
    ([a, b]) => `${a}*${b}`,
  ],
  [
    new RegExp(
      String.raw`how (?:long|many hours)\b.{0,80}?\b${number}\s*(?:km|kilomet(?:er|re)s|miles)\b.{0,60}?\bat ${number}\s*(?:km/h|kph|mph|kilomet(?:er|re)s (?:per|an) hour|miles (?:per|an) hour)`,
      "is",
    ),
    ([a, b]) => `${a}/${b}`,
  ],
  [
    new RegExp(
      String.raw`\b(?:shares?|divides?|splits?|distributes?) ${number}\b.{0,40}?\b(?:equally|evenly)?\s*(?:among|between|with|into)\s+${number}\b.{0,80}?how (?:many|much)`,
      "is",
    ),
    ([a, b]) => `${a}/${b}`,
  ],
  [
    new RegExp(
      String.raw`\b(?:rectangle|room|field|garden)\b.{0,60}?\b${number}\s*\w{0,12}\s*(?:by|x|×|long and|wide and)\s*${number}\b.{0,80}?\barea`,
      "is",
    ),
    ([a, b]) => `${a}*${b}`,
  ],
  [
    new RegExp(
      String.raw`\b(?:rectangle|room|field|garden)\b.{0,60}?\b${number}\s*\w{0,12}\s*(?:by|x|×|long and|wide and)\s*${number}\b.{0,80}?\bperimeter`,
      "is",
    ),
    ([a, b]) => `2*(${a}+${b})`,
  ],
  [
    new RegExp(
      String.raw`\barea of a (?:rectangle|room|field)\b.{0,60}?\b${number}\s*\w{0,12}\s*(?:by|x|×|and)\s*${number}`,
      "is",
    ),
    ([a, b]) => `${a}*${b}`,
  ],
];

const story: Solver = (question) => {
  const text = inDigits(question);
  for (const [pattern, expression] of templates) {
    const found = pattern.exec(text);
    const written = found && expression(found.slice(1).map(bare));
    const value = written === null ? null : evaluate(written);
    if (written !== null && value !== null) return come(written, write(value));
  }
  return null;
};

const come = (written: string, answer: string): Solution => ({
  answer,
  working: (result) => `From the story: ${written} = ${result}.`,
  wrong: [],
});

const holds =
  /\b(?:has|have|had|starts? with|started with|there (?:are|were|is)|begins? with|owns?|collected)\s+(?:exactly |about )?\$?(\d+)\b/i;
const gains =
  /\b(?:buys?|bought|gets?|got|finds?|found|receives?|received|picks?(?: up)?|picked(?: up)?|adds?|added|earns?|earned|wins?|won|collects?|bakes?|baked|makes?|made|is given|was given|are given|gains?|gained|arrives?|join(?:s|ed)?|(?:\w+ )?gives? (?:him|her|them|me|it)|(?:\w+ )?gave (?:him|her|them|me))\b/i;
const losses =
  /\b(?:gives?(?: away)?|gave(?: away)?|eats?|ate|sells?|sold|loses?|lost|uses?|used|spends?|spent|breaks?|broke|throws?|threw|donates?|donated|drops?|dropped|leaves?|left|removes?|removed|takes? away|fly away|flew away|dies?|died)\b/i;

/** `Ada has 5 apples. She buys 3 more and eats 2. How many apples does she have?`: a running total. */
const total: Solver = (question) => {
  const text = inDigits(question);
  const asks = text.search(/\bhow (?:many|much)\b/i);
  if (
    asks < 0 ||
    !/\b(?:has|have|left|remain\w*|now|there|total|altogether)\b/i.test(text.slice(asks)) ||
    /\beach\b|%|\bper\b/i.test(text)
  )
    return null;
  const clauses = text.slice(0, asks).split(/[.;,!]\s*|\band then\b|\bthen\b|\band\b|\bbut\b/i);
  const terms: string[] = [];
  let names = 0;
  for (const clause of clauses) {
    const numbers = clause.match(/\d+/g) ?? [];
    if (numbers.length === 0) continue;
    if (numbers.length > 1) return null;
    const [amount = ""] = numbers;
    const gained = gains.test(clause);
    if (terms.length === 0) {
      if (!holds.test(clause) && !gained) return null;
      terms.push(amount);
    } else if (gained) terms.push(`+${amount}`);
    else if (losses.test(clause)) terms.push(`-${amount}`);
    else if (holds.test(clause) || /\bmore\b/i.test(clause)) {
      names += 1;
      terms.push(`+${amount}`);
    } else return null;
  }
  if (
    terms.length < 2 ||
    (names > 0 && !/\b(?:total|altogether|they|together|all|now)\b/i.test(text.slice(asks)))
  )
    return null;
  const value = evaluate(terms.join(""));
  return value && come(terms.join(" "), write(value));
};

const days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

const weekday: Solver = (question) => {
  const text = inDigits(question);
  const day = days.findIndex((name) => new RegExp(`\\btoday is ${name}|\\bif it is ${name}`, "i").test(text));
  const [, after] = /\bin (\d{1,9}) days?\b|\b(\d{1,9}) days? (?:from now|later|after)/i.exec(text) ?? [];
  const [, before] = /\b(\d{1,9}) days? (?:ago|before)/i.exec(text) ?? [];
  const shift =
    after ??
    /\b(\d{1,9}) days? (?:from now|later|after)/i.exec(text)?.[1] ??
    (before === undefined ? undefined : `-${before}`);
  if (day < 0 || shift === undefined || !/\b(?:what|which) day\b/i.test(text)) return null;
  const at = (((day + Number(shift)) % 7) + 7) % 7;
  const answer = days[at] ?? "";
  return {
    answer,
    working: (result) => `Counting ${shift} days on and leaving out whole weeks one comes to ${result}.`,
    wrong: [days[(at + 1) % 7] ?? "", days[(at + 6) % 7] ?? ""],
  };
};

/** Short stories with a number in the end. */
export const storySolvers: readonly Solver[] = [weekday, story, total];
