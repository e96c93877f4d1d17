import { fencedBlocks, readEnds, splitLines } from "./fences.ts";

/** A sentence without an end is cut here, at a space where there is one: a text without full stops stays comparable. */
const MAX_SENTENCE_LENGTH = 600;
/** Maximum UTF-16 units read from the start and from the end of a text. */
const MAX_READ_LENGTH = 64 * 1024;

const heading = /^ {0,3}#{1,6}(?:\s|$)/;
/** Rules, the underlines of headings and of tables' heads: nothing but signs. */
const ornament = /^[\s\-=*_|:+#>~]*$/;
/** What stands before the words of a list item, a quotation or a table's row. */
const lead = /^\s*(?:>\s?)*(?:(?:[-*+•]|\d{1,3}[.)]|\(?[a-z]\))\s+(?:\[[ xX]\]\s+)?|\|)?/;
/** A mark that begins nothing: an indent, or a quotation that goes on. */
const continues = /^[\s>]*$/;

/** A full stop with its closing quotes and brackets before a space, or one of the scripts that write no space. */
const stop = /[.!?…]{1,3}["'”’»)\]*_]{0,4}(?=\s)|[。！？]{1,3}[」』”’）]{0,4}/gu;
const abbreviation = /(?:^|[\s(])(?:[Ee]\.g|[Ii]\.e|[Cc]f|[Vv]s|[Ff]igs?|[Ee]q|Mr|Mrs|Ms|Dr|Prof|St)\.$/;
const lowerCase = /^\s*\p{Ll}/u;

/** The sentences of running text. */
function* splitText(text: string): Generator<string> {
  let from = 0;
  for (const match of text.matchAll(stop)) {
    const end = match.index + match[0].length;
    const before = text.slice(Math.max(from, match.index - 12), match.index + 1);
    if (match[0].startsWith(".") && (abbreviation.test(before) || lowerCase.test(text.slice(end, end + 8))))
      continue;
    yield* cutPieces(text.slice(from, end));
    from = end;
  }
  if (from < text.length) yield* cutPieces(text.slice(from));
}

function* cutPieces(sentence: string): Generator<string> {
  let rest = sentence.trim();
  while (rest.length > MAX_SENTENCE_LENGTH) {
    const space = rest.lastIndexOf(" ", MAX_SENTENCE_LENGTH);
    const end = space > MAX_SENTENCE_LENGTH / 2 ? space : MAX_SENTENCE_LENGTH;
    yield rest.slice(0, end).trim();
    rest = rest.slice(end).trim();
  }
  if (rest !== "") yield rest;
}

/** A paragraph's lines are one text; a list item and a table's row begin anew. */
function* proseSentences(text: string): Generator<string> {
  let paragraph: string[] = [];
  for (const { text: line } of splitLines(text)) {
    const [mark = ""] = lead.exec(line.slice(0, 200)) ?? [];
    const passed = ornament.test(line) || heading.test(line);
    if (passed || !continues.test(mark)) {
      yield* splitText(paragraph.join(" "));
      paragraph = [];
    }
    if (!passed) paragraph.push(line.slice(mark.length).trim());
  }
  yield* splitText(paragraph.join(" "));
}

function* allSentences(text: string): Generator<string> {
  let from = 0;
  for (const block of fencedBlocks(text)) {
    yield* proseSentences(text.slice(from, block.start));
    for (const { text: line } of splitLines(text.slice(block.contentStart, block.contentEnd)))
      yield* cutPieces(line);
    from = block.end;
  }
  yield* proseSentences(text.slice(from));
}

/**
 * The sentences of a Markdown text in order: of paragraphs, list items and table rows, without their marks. Each
 * line of a fenced code block is one. Headings and rules are none. None is longer than 600 characters. Of a
 * text over 128 KiB the start and the end are read.
 */
export function splitSentences(text: string): string[] {
  return [...allSentences(readEnds(text, MAX_READ_LENGTH))];
}
