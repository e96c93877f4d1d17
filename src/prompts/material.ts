import { isPicture, type Attachment, type NumberedSource } from "../kernel/index.ts";

/** A template's text by name, and the fence mark of a text: what every prompt needs of the protocol context. */
export type Desk = {
  readonly template: (name: string) => string;
  readonly mark: (text: string) => string;
  /** What was given with the question: where a prompt shows a picture's place, the picture goes with it. */
  readonly context?: readonly ShownContext[];
  /** Of a dry run: what is shown in place of a text. */
  readonly shorten?: ((text: string) => string) | undefined;
};

/** An earlier turn of the conversation; with `covers`, a summary of so many turns, without a question. */
export type ShownTurn = {
  readonly question: string;
  readonly answer: string;
  readonly covers?: number | undefined;
};

/** A text that was given with the question. `media`: a picture or a document, which the text describes. */
export type ShownContext = {
  readonly name: string;
  readonly text: string;
  readonly media?: Omit<Attachment, "name"> | undefined;
};

/** The question, what was given with it, and the conversation that it goes on in. */
export type Material = {
  readonly question: string;
  readonly context: readonly ShownContext[];
  /** Oldest first. */
  readonly history?: readonly ShownTurn[];
};

/** An answer under its anonymous label. */
export type LabeledText = {
  readonly label: string;
  readonly text: string;
  /** What it rests on. */
  readonly sources?: readonly NumberedSource[] | undefined;
};

export const fence = (desk: Desk, piece: Fenced): string =>
  fenceText(desk.shorten ? { ...piece, text: desk.shorten(piece.text) } : piece, desk.mark(piece.text));

/** The conversation so far, the question and its context, which every prompt begins with, so that providers can cache it. */
export const materialText = (desk: Desk, { question, context, history = [] }: Material): string =>
  [
    ...(history.length === 0 ? [] : [HISTORY_HEADING, ...historyPieces(desk, history), "# The question"]),
    fence(desk, { kind: "question", label: "", text: question }),
    ...contextPieces(context).map((piece) => fence(desk, piece)),
  ].join("\n\n");

/** Pictures and documents have numbers, in one order, by which models and providers can refer to them. */
function contextPieces(context: readonly ShownContext[]): readonly Fenced[] {
  const attached = context.filter(({ media }) => media);
  return context.map(({ name, text, ...one }) => {
    if (!one.media) return { kind: "context", label: name, text };
    const kind = isPicture(one.media) ? "picture" : "document";
    return { kind, label: `${attached.findIndex((other) => other.media === one.media) + 1} ${name}`, text };
  });
}

/** What of the desk's attachments a prompt's text names, which then go with it. */
export function attachmentsIn({ context = [], mark }: Desk, prompt: string): readonly Attachment[] {
  const attached = context.filter(({ media }) => media);
  return contextPieces(attached).flatMap((piece, index) => {
    const { name = "", media } = attached[index] ?? {};
    return media && prompt.includes(openingLine(piece, mark(piece.text))) ? [{ name, ...media }] : [];
  });
}

const HISTORY_HEADING =
  "# Earlier in this conversation\nEarlier questions and the answers that were given, oldest first. An answer may be wrong: check what you use of it.";

/** Questions and answers by turns, each in a fence of its own, so that a question cannot contain its answer. */
function historyPieces(desk: Desk, history: readonly ShownTurn[]): string[] {
  const covered = history.find(({ covers }) => covers !== undefined)?.covers ?? 0;
  const turns = history.filter(({ covers }) => covers === undefined);
  const summaries = history.flatMap(({ answer: text, covers }) =>
    covers === undefined
      ? []
      : [fence(desk, { kind: "summary", label: `of the first ${covers} turns`, text })],
  );
  const pieces = turns.flatMap(({ question, answer }, index) => [
    fence(desk, { kind: "turn", label: `${covered + index + 1} question`, text: question }),
    fence(desk, { kind: "turn", label: `${covered + index + 1} answer`, text: answer }),
  ]);
  return [...summaries, ...pieces];
}

/** Answers under their labels, in the order given, and what they rest on. */
export const answersText = (desk: Desk, answers: readonly LabeledText[]): string =>
  answers.map(({ label, text }) => fence(desk, { kind: "answer", label, text })).join("\n\n") +
  sourcesText(desk, answers);

const SOURCES_HEADING =
  "# Sources\nWhat the answers name as their sources, by number, and the labels of those that do. Nobody has checked that they say so. Cite one as [number].";

/** The sources of answers, after a blank line; empty where nobody searched. */
export function sourcesText(desk: Desk, answers: readonly LabeledText[]): string {
  const lines = new Map<number, { readonly of: Set<string>; readonly source: string }>();
  for (const { label, sources = [] } of answers)
    for (const { n, url, title } of sources) {
      const line = lines.get(n) ?? { of: new Set(), source: title === undefined ? url : `${title}: ${url}` };
      lines.set(n, line);
      line.of.add(label);
    }
  if (lines.size === 0) return "";
  const text = [...lines]
    .sort(([one], [other]) => one - other)
    .map(([n, { of, source }]) => `[${n}] (${[...of].sort().join(", ")}) ${source}`)
    .join("\n");
  return `\n\n${SOURCES_HEADING}\n${fence(desk, { kind: "sources", label: "", text })}`;
}

/** Labels in their own order, whatever order the answers stand in. */
export const labelList = (answers: readonly LabeledText[]): string =>
  answers
    .map(({ label }) => label)
    .sort((a, b) => (a < b ? -1 : 1))
    .join(", ");

/** Labeled answers for a participant that works on them. */
export type AnswersPrompt = {
  readonly material: Material;
  readonly persona: string;
  /** In the order in which they are shown. */
  readonly answers: readonly LabeledText[];
};

/** The slots of a template that shows answers under labels. */
export const ANSWERS_SLOTS = ["material", "answers", "count", "labels", "persona"] as const;

export const answersValues = (
  desk: Desk,
  { material, persona, answers }: AnswersPrompt,
): Record<(typeof ANSWERS_SLOTS)[number], string> => ({
  material: materialText(desk, material),
  answers: answersText(desk, answers),
  count: String(answers.length),
  labels: labelList(answers),
  persona,
});

/** A piece of foreign text in a prompt: what it is, the label it is known by, and the text itself. */
export type Fenced = { readonly kind: string; readonly label: string; readonly text: string };

/**
 * Puts foreign text between two lines that it cannot contain: `mark` is an HMAC of the text under the
 * deliberation's seed (`Floor.mark`), so a text can neither close its own fence nor open another's.
 */
export function fenceText(piece: Fenced, mark: string): string {
  return `${openingLine(piece, mark)}\n${piece.text}\n[END ${nameOf(piece)} #${mark}]`;
}

const openingLine = (piece: Fenced, mark: string): string => `[BEGIN ${nameOf(piece)} #${mark}]`;

const nameOf = ({ kind, label }: Fenced): string => [kind, oneLine(label)].filter(Boolean).join(" ");

/** The fenced pieces of a prompt, and its own words around them. */
export type SplitPrompt = { readonly pieces: readonly Fenced[]; readonly outside: string };

/** Where each mark closes a fence for the last time, so that no text is searched again and again for one that is missing. */
const findEnds = (prompt: string): ReadonlyMap<string, number> =>
  new Map(
    [...prompt.matchAll(/^\[END [^\n]{1,400}/gm)].flatMap(({ 0: line, index }) =>
      [...line.matchAll(/#([0-9a-f]{16})\]/g)].map(([, mark = ""]) => [mark, index] as const),
    ),
  );

/**
 * Splits a prompt into every outermost fenced piece, in order, and the text outside of them. A line that looks like a
 * fence inside another fence is part of that fence's text.
 */
export function splitFenced(prompt: string): SplitPrompt {
  const pieces: Fenced[] = [];
  const outside: string[] = [];
  const begin = /^\[BEGIN ([a-z]+)(?: ([^\n]*?))? #([0-9a-f]{16})\]\n/gm;
  let ends: ReadonlyMap<string, number> | undefined;
  let after = 0;
  for (let open = begin.exec(prompt); open; open = begin.exec(prompt)) {
    const [line, kind = "", label = "", mark = ""] = open;
    const name = [kind, label].filter(Boolean).join(" ");
    ends ??= findEnds(prompt);
    const close = `\n[END ${name} #${mark}]`;
    // An empty text ends where it begins: the newline after the first line is also the one before the last.
    const end =
      (ends.get(mark) ?? -1) < open.index ? -1 : prompt.indexOf(close, open.index + line.length - 1);
    if (end < 0) continue;
    pieces.push({ kind, label, text: prompt.slice(open.index + line.length, end) });
    outside.push(prompt.slice(after, open.index));
    after = end + close.length;
    begin.lastIndex = after;
  }
  return { pieces, outside: [...outside, prompt.slice(after)].join("\n") };
}

/** Every outermost fenced piece of a prompt, in order. */
export const readFenced = (prompt: string): Fenced[] => [...splitFenced(prompt).pieces];

const MAX_LABEL_LENGTH = 120;
/** Nothing in it needs to be replaced. */
const PLAIN = /^[\x21-\x7e]*$/;

const oneLine = (label: string): string =>
  label.length <= MAX_LABEL_LENGTH && PLAIN.test(label)
    ? label
    : label
        .replaceAll(/[\s\p{C}]+/gu, " ")
        .trim()
        .slice(0, MAX_LABEL_LENGTH);
