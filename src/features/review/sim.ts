import type { SimModel, SimScript } from "../../sim/belief.ts";
import { createChance, type Chance } from "../../sim/chance.ts";
import { shownTexts, type ShownText } from "../../sim/prompt.ts";
import { readUnifiedDiff, splitDiff } from "../../text/unified-diff.ts";

// A simulated reviewer is a toy: it compares each removed line with the one that was added for it, and knows a few edits that turn a program
// round. It sees a fault with its `skill`, and now and then one where there is none. It reads the prompt, and nothing else.

/** What a simulated reviewer replies. */
export const script: SimScript = ({ own, pieces }) => {
  const [diff] = shownTexts(pieces, "diff");
  if (!diff) return null;
  const findings = shownTexts(pieces, "finding");
  if (own.includes('{"findings": [')) return (model) => JSON.stringify({ findings: find(model, diff.text) });
  if (own.includes('{"checks": ['))
    return (model) => JSON.stringify({ checks: check(model, diff.text, findings) });
  if (own.includes('{"stands": ['))
    return (model) => JSON.stringify({ stands: stand(model, diff.text, findings) });
  return null;
};

const chanceOf = ({ parameters: { name, seed } }: SimModel): Chance => createChance(["review", name, seed]);

/** A change of one line, or of lines that are gone. */
type LineEdit = {
  readonly file: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
};

/** The edits of a diff whose lines have their numbers. */
function editsIn(diff: string): readonly LineEdit[] {
  const read = readUnifiedDiff(diff.replaceAll(/(?<=\n) *\d* (?=[-+ \\])/g, ""));
  const parts = splitDiff(diff);
  return read.ok ? read.files.flatMap(({ path }, index) => editsOf(parts[index] ?? "", path)) : [];
}

function editsOf(part: string, file: string): readonly LineEdit[] {
  const edits: LineEdit[] = [];
  let line = 1;
  let removed: string[] = [];
  const flush = () => {
    for (const before of removed) edits.push({ file, line, before, after: "" });
    removed = [];
  };
  for (const row of part.split("\n")) {
    const [, number, sign = "", code = ""] = /^\s*(\d+)? ([ +-])(.*)$/.exec(row) ?? [];
    if (number !== undefined) line = Number(number);
    if (row.startsWith("@@")) flush();
    else if (sign === "-" && number === undefined) removed.push(code);
    else if (sign === "+" && number !== undefined)
      edits.push({ file, line, before: removed.shift() ?? "", after: code });
    else if (sign === " ") flush();
  }
  flush();
  return edits;
}

const bare = (code: string): string => code.replaceAll(/\s+/g, " ").trim();

/** Edits that turn a condition or a result round: what a line loses or has in place of another. */
const SWAPS: readonly (readonly [RegExp, string])[] = [
  [/[<>]=?/g, "the comparison has another boundary"],
  [/[!=]==?/g, "the comparison is turned round"],
  [/&&|\|\||\?\?/g, "the conditions are joined in another way"],
  [/!(?=[\w(])/g, "a negation is gone"],
  [/\bawait /g, "nothing is awaited any more"],
  [/ [+-] 1\b/g, "the index is off by one"],
  [/\b(?:min|max)\b/g, "the wrong bound is taken"],
  [/\b(?:true|false)\b/g, "the result is turned round"],
  [/\b(?:some|every)\b/g, "another quantifier is used"],
];

/** What is wrong with an edit, as far as a toy can tell; undefined where it sees nothing. */
function faultOf({ before, after }: LineEdit): string | undefined {
  const [old, fresh] = [bare(before), bare(after)];
  if (old === "" || /^(?:\/\/|\*|\/\*)/.test(old)) return undefined;
  if (fresh === "") return /^if \(.*\b(?:return|throw|continue)\b/.test(old) ? "a guard is gone" : undefined;
  return SWAPS.find(([sign]) => {
    const [was, is] = [old, fresh].map((code) => code.match(sign)?.join(" ") ?? "");
    return was !== is && old.replaceAll(sign, "") === fresh.replaceAll(sign, "");
  })?.[1];
}

function find(model: SimModel, diff: string) {
  const chance = chanceOf(model);
  const { skill } = model.parameters;
  return editsIn(diff).flatMap((edit) => {
    const fault = faultOf(edit);
    const roll = chance.roll(`see ${edit.file} ${edit.line} ${edit.after}`);
    const isMistaken = fault === undefined && edit.after !== "" && roll < (1 - skill) / 10;
    if (!(fault !== undefined && roll < skill) && !isMistaken) return [];
    return [
      {
        ...{ file: edit.file, from_line: edit.line, to_line: edit.line },
        ...{ severity: "major", kind: "correctness" },
        title: `[simulated] ${fault ?? "this may go wrong"}`,
        why: `[simulated] It was: ${bare(edit.before).slice(0, 200)}`,
      },
    ];
  });
}

/** Whether a simulated reviewer sees a fault where a finding says that there is one. */
function sees(model: SimModel, diff: string, { text }: ShownText): boolean {
  const [, file = "", line = "0"] = /^(.+?)(?:, lines? (\d+).*)?$/m.exec(text) ?? [];
  const chance = chanceOf(model);
  return editsIn(diff).some(
    (edit) =>
      edit.file === file &&
      Math.abs(edit.line - Number(line)) <= 3 &&
      faultOf(edit) !== undefined &&
      chance.roll(`check ${edit.file} ${edit.line}`) < model.parameters.skill,
  );
}

const check = (model: SimModel, diff: string, findings: readonly ShownText[]) =>
  findings.map((one) => {
    const isSeen = sees(model, diff, one);
    const why = `[simulated] The lines ${isSeen ? "show" : "do not show"} it.`;
    return { finding: one.label, verdict: isSeen ? "confirm" : "reject", why };
  });

const stand = (model: SimModel, diff: string, findings: readonly ShownText[]) =>
  findings.map((one) => {
    const isSeen = sees(model, diff, one);
    return {
      ...{ finding: one.label, stand: isSeen ? "keep" : "withdraw" },
      why: `[simulated] ${isSeen ? "The objection does not show otherwise." : "The objection is right."}`,
    };
  });
