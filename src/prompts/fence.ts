/** A piece of foreign text in a prompt: what it is, the label it is known by, and the text itself. */
export type Fenced = { readonly kind: string; readonly label: string; readonly text: string };

/**
 * Puts foreign text between two lines that it cannot contain: `mark` is an HMAC of the text under the
 * deliberation's seed (`Floor.mark`), so a text can neither close its own fence nor open another's.
 */
export function fenced({ kind, label, text }: Fenced, mark: string): string {
  const name = [kind, oneLine(label)].filter(Boolean).join(" ");
  return `[BEGIN ${name} #${mark}]\n${text}\n[END ${name} #${mark}]`;
}

/**
 * Every outermost fenced piece of a prompt, in order: a line that looks like a fence inside another fence is
 * part of that fence's text. For whoever has to read a prompt as a model does, and for tests.
 */
export function readFenced(prompt: string): Fenced[] {
  const pieces: Fenced[] = [];
  const begin = /^\[BEGIN ([a-z]+)(?: ([^\n]*?))? #([0-9a-f]{16})\]\n/gm;
  for (let open = begin.exec(prompt); open; open = begin.exec(prompt)) {
    const [line, kind = "", label = "", mark = ""] = open;
    const name = [kind, label].filter(Boolean).join(" ");
    const close = `\n[END ${name} #${mark}]`;
    // An empty text ends where it begins: the newline after the first line is also the one before the last.
    const end = prompt.indexOf(close, open.index + line.length - 1);
    if (end < 0) continue;
    pieces.push({ kind, label, text: prompt.slice(open.index + line.length, end) });
    begin.lastIndex = end + close.length;
  }
  return pieces;
}

const LONGEST_LABEL = 120;
/** Nothing in it needs to be replaced. */
const PLAIN = /^[\x21-\x7e]*$/;

const oneLine = (label: string): string =>
  label.length <= LONGEST_LABEL && PLAIN.test(label)
    ? label
    : label
        .replaceAll(/[\s\p{C}]+/gu, " ")
        .trim()
        .slice(0, LONGEST_LABEL);
