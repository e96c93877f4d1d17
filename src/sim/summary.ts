import { sentencesOf } from "../judging/index.ts";
import { isNote } from "./appraisal.ts";
import type { DebateTask } from "./debate-prompt.ts";
import type { Mind } from "./mind.ts";
import { banner } from "./wording.ts";

type SummaryTask = Extract<DebateTask, { kind: "summary" }>;

/** Empty before the first. */
type Heading = { readonly text: string };

type Sentence = {
  readonly text: string;
  /** Its place in the whole. */
  readonly at: number;
  /** What it stands under: one may come twice in the same words. */
  readonly heading: Heading;
  readonly worth: number;
};

/**
 * A summary of nothing but sentences as they were written, in their order and under their headings: those that say most
 * for their length, final answers first, then figures, decisions and names. Never longer than asked for, in UTF-16 units.
 */
export function summary({ simulated }: Mind, { text, most }: SummaryTask): string {
  const signed = banner(simulated);
  const sentences = sentencesIn(text).toSorted((a, b) => b.worth - a.worth || a.at - b.at);
  const [best] = sentences;
  if (best === undefined) return `${signed}\nThere was nothing to summarise.`.slice(0, most);
  const chosen: Sentence[] = [];
  const headings = new Set<Heading>();
  let length = signed.length;
  for (const sentence of sentences) {
    const cost = costOf(sentence, !headings.has(sentence.heading));
    if (length + cost > most) continue;
    length += cost;
    chosen.push(sentence);
    headings.add(sentence.heading);
  }
  return written(signed, chosen.length > 0 ? chosen : [best]).slice(0, most);
}

/** A line break before it, and its heading with another one. */
const costOf = ({ text, heading }: Sentence, isNew: boolean): number =>
  text.length + 1 + (isNew && heading.text !== "" ? heading.text.length + 1 : 0);

function written(signed: string, chosen: readonly Sentence[]): string {
  const lines = [signed];
  let heading: Heading | undefined;
  for (const sentence of chosen.toSorted((a, b) => a.at - b.at)) {
    if (sentence.heading !== heading && sentence.heading.text !== "") lines.push(sentence.heading.text);
    heading = sentence.heading;
    lines.push(sentence.text);
  }
  return lines.join("\n");
}

/** Of the same sentence, and of the final answers under one label, only the last counts. */
function sentencesIn(text: string): Sentence[] {
  const latest = new Map<string, Sentence>();
  let heading: Heading = { text: "" };
  let at = 0;
  for (const line of text.split("\n")) {
    if (headingLine.test(line)) {
      heading = { text: line.trim() };
      continue;
    }
    for (const said of sentencesOf(line)) {
      if (isNote(said)) continue;
      const final = finalAnswer.test(said);
      const key = final ? `final ${/ by (\S{1,40}):$/.exec(heading.text)?.[1] ?? ""}` : `said ${said}`;
      latest.set(key, { text: said, at: (at += 1), heading, worth: worthOf(said, final) });
    }
  }
  return [...latest.values()];
}

/** A contribution's own: `Round 2, critique by B:`. */
const headingLine = /^Round \d{1,3}, [^:\n]{1,80}:\s*$/;
const finalAnswer = /^\W{0,8}final\s{1,3}answer\b/i;
const figure = /(?<![\p{L}\d])\d/gu;
const decision =
  /\b(?:decid|chos|choos|use[sd]?\b|instead|because|reject|accept|must|assum|risk|lean|unfulfilled|open\b)/gi;
/** A capital that does not begin the sentence. */
const name = /(?<=[\p{Ll}\p{N},;:)] )\p{Lu}/gu;

const count = (text: string, pattern: RegExp, most: number): number =>
  Math.min(most, text.match(pattern)?.length ?? 0);

/** By length, so that two short sentences count for more than a long one that says as much. */
const worthOf = (text: string, final: boolean): number =>
  (final ? 20 : 0) +
  (0.2 + 2 * count(text, figure, 4) + count(text, decision, 2) + count(text, name, 4)) / (text.length + 40);
