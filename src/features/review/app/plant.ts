import { createTwoFilesPatch } from "diff";
import { shuffle } from "../../../engine/index.ts";
import { readUnifiedDiff } from "../../../text/unified-diff.ts";

/** A text file, by its path with slashes. */
export type SourceFile = { readonly path: string; readonly text: string };

/** A change that was made up of a file: with a fault in it, or without. */
export type MadeChange = {
  readonly name: string;
  readonly file: string;
  /** The kind of the edit. */
  readonly edit: string;
  readonly isFault: boolean;
  /** The line after the change at which the edit is. */
  readonly line: number;
  readonly diff: string;
  /** The file after the change. */
  readonly after: string;
};

type EditRule = {
  readonly name: string;
  /** The lines in place of one, or undefined where the edit does not go there. */
  readonly make: (
    line: string,
    around: { readonly indent: string; readonly code: string },
  ) => readonly string[] | undefined;
};

const swap = (name: string, pattern: RegExp, to: (match: string) => string): EditRule => ({
  name,
  make: (line) => (pattern.test(line) ? [line.replace(pattern, (match) => to(match))] : undefined),
});
const other = (one: string, two: string) => (match: string) =>
  match.replace(one, "\0").replace(two, one).replace("\0", two);

/** Edits of a line that make a program wrong, each in a way that people make by mistake. */
const FAULTS: readonly EditRule[] = [
  swap("another boundary", / (?:<|>)=? (?=[\w(])/, (match) =>
    match.includes("=") ? match.replace("=", "") : `${match.trimEnd()}= `,
  ),
  swap("an inverted comparison", / [!=]== /, (match) => (match === " !== " ? " === " : " !== ")),
  swap("conditions joined otherwise", / (?:&&|\|\|) /, other("&&", "||")),
  swap("a lost negation", /(?<=\(|&& |\|\| )!(?=[\w(])/, () => ""),
  swap("a lost await", /\bawait (?=[\w(])/, () => ""),
  swap("off by one", / [+-] 1\b/, () => ""),
  swap("the other bound", /\bMath\.(?:min|max)\b/, other("min", "max")),
  swap("an inverted result", /(?<=\breturn )(?:true|false)\b/, other("true", "false")),
  swap("another quantifier", /\.(?:some|every)\(/, other("some", "every")),
  {
    name: "a lost guard",
    make: (_, { code }) => (/^if \(.+\) (?:return|throw|continue)\b.*;$/.test(code) ? [] : undefined),
  },
];

/** Edits that change nothing of what a program does. */
const CLEAN: readonly EditRule[] = [
  {
    name: "a comment",
    make: (line, { indent, code }) =>
      /^(?:return|const|await|if) /.test(code) ? [`${indent}// See the note above.`, line] : undefined,
  },
  {
    name: "braces around one statement",
    make: (_, { indent, code }) => {
      const [, head, body] =
        /^(if \([^()]*(?:\([^()]*\)[^()]*)*\)) ((?:return|throw|continue)\b[^{}]*;)$/.exec(code) ?? [];
      return head === undefined || body === undefined
        ? undefined
        : [`${indent}${head} {`, `${indent}  ${body}`, `${indent}}`];
    },
  },
  {
    name: "a name for a result",
    make: (_, { indent, code }) => {
      const [, value] = /^return ([\w.]+\([^{}]*\));$/.exec(code) ?? [];
      return value === undefined
        ? undefined
        : [`${indent}const result = ${value};`, `${indent}return result;`];
    },
  },
  {
    name: "a comparison turned round",
    make: (line) => {
      const pattern = /(?<=\(|&& |\|\| |return )([\w.]+) (<|>) ([\w.]+)(?=\)|;| &&| \|\|)/;
      return pattern.test(line)
        ? [
            line.replace(pattern, (match) => {
              const [a, sign, b] = match.split(" ");
              return `${b} ${sign === "<" ? ">" : "<"} ${a}`;
            }),
          ]
        : undefined;
    },
  },
  {
    name: "a blank line",
    make: (line, { code }) => (/^(?:return|const) /.test(code) ? ["", line] : undefined),
  },
  {
    name: "an operator written out",
    make: (line) => {
      const pattern = /([\w.]+) \+= ([\w.]+);$/;
      return pattern.test(line) ? [line.replace(pattern, "$1 = $1 + $2;")] : undefined;
    },
  },
];

const MAX_LINE = 160;

/** Whether a line is code that can be edited: no comment, no import, no text. */
const isCode = (code: string): boolean =>
  code !== "" &&
  code.length <= MAX_LINE &&
  !/^(?:\/\/|\/?\*|import |export \* |["'`])/.test(code) &&
  !/["'`/]/.test(code);

/**
 * So many changes with a fault and as many without, each of one file: the same for the same files and seed, and spread over files and
 * kinds of edits. Fewer where the files do not have so many places.
 */
export function makeChanges(
  files: readonly SourceFile[],
  { count, seed }: { readonly count: number; readonly seed: string },
): readonly MadeChange[] {
  return [true, false].flatMap((isFault) => {
    const edits = isFault ? FAULTS : CLEAN;
    const places = edits.map((edit) => placesOf(files, edit, seed));
    const taken = new Map<string, number>();
    const made: MadeChange[] = [];
    // An edit after the other, and within each the places of files that were used least.
    for (let nth = 0; made.length < count && places.some((one) => one.length > 0); nth += 1) {
      const left = places[nth % places.length] ?? [];
      left.sort((one, two) => (taken.get(one.file.path) ?? 0) - (taken.get(two.file.path) ?? 0));
      const place = left.shift();
      const change = place && changeAt(place, { isFault, nth: made.length });
      if (!change) continue;
      made.push(change);
      taken.set(change.file, (taken.get(change.file) ?? 0) + 1);
    }
    return made;
  });
}

type EditPlace = { readonly file: SourceFile; readonly edit: EditRule; readonly index: number };

/** Where an edit goes, in an order by the seed; a few of each file. */
function placesOf(files: readonly SourceFile[], edit: EditRule, seed: string): EditPlace[] {
  const places = files.flatMap((file) => {
    const lines = file.text.split("\n");
    const found = lines.flatMap((line, index) => {
      const code = line.trim();
      const indent = line.slice(0, line.length - line.trimStart().length);
      return isCode(code) && edit.make(line, { indent, code }) ? [String(index)] : [];
    });
    return shuffle(seed, `${edit.name} ${file.path}`, found)
      .slice(0, 3)
      .map((index): EditPlace => ({ file, edit, index: Number(index) }));
  });
  const byName = new Map(places.map((place) => [`${place.file.path}:${place.index}`, place]));
  return shuffle(seed, edit.name, [...byName.keys()]).flatMap((name) => byName.get(name) ?? []);
}

function changeAt(
  { file, edit, index }: EditPlace,
  { isFault, nth }: { readonly isFault: boolean; readonly nth: number },
): MadeChange | undefined {
  const lines = file.text.split("\n");
  const line = lines[index] ?? "";
  const code = line.trim();
  const made = edit.make(line, { indent: line.slice(0, line.length - line.trimStart().length), code });
  if (!made) return undefined;
  const after = [...lines.slice(0, index), ...made, ...lines.slice(index + 1)].join("\n");
  const patch = createTwoFilesPatch(
    `a/${file.path}`,
    `b/${file.path}`,
    file.text,
    after,
    undefined,
    undefined,
    { context: 3 },
  );
  const body = patch.slice(patch.indexOf("--- ")).replaceAll(/^(---|\+\+\+) (.*?)\t?$/gm, "$1 $2");
  const diff = `diff --git a/${file.path} b/${file.path}\n${body}`;
  // A name that git would quote, or a file without a last line feed, is left out.
  if (!readUnifiedDiff(diff).ok) return undefined;
  const name = `${isFault ? "fault" : "clean"}-${String(nth + 1).padStart(3, "0")}`;
  return { name, file: file.path, edit: edit.name, isFault, line: index + 1, diff, after };
}
