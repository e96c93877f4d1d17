// Tells of a reply that is still being written what will stand in the answer: never the sections and the block behind a chair's answer, nor
// the JSON around a judge's. In doubt a piece is held back until what follows it says what it was.

/** The sections behind an answer, however their headings are marked. */
const SECTION = /^\W*(?:dissent|unique insights|vetoed)\W*$/i;
const FENCE = /^\s*(`{3,}|~{3,})/;
const CONTRIBUTORS = /["']?contributors["']?\s{0,20}:/i;
/** What a line begins with that may be a heading, a fence, an object or a table, which are told by the whole line. */
const MAY_BE_MARK = /^[\s#`~*_{[|]/;
const JSON_FIELD = /"solutionMarkdown"\s{0,20}:\s{0,20}"/;
const STRING = /^((?:[^"\\]|\\(?:u[\dA-Fa-f]{4}|[^u]))*)("?)/s;
const HALF_CHARACTER = /\\u[dD][89abAB][\dA-Fa-f]{2}$/;
/** So much of a reply in JSON stands before its answer at most. */
const MAX_BEFORE = 4_000;

/**
 * Takes a reply piece by piece, and gives what may be shown of it: together the beginning of the answer, without its last blanks. Of a reply
 * that should be an object, only the text in it: what stands before it, or in its place, may be no answer.
 */
export const answerSoFar = (isObject: boolean): ((piece: string) => string) =>
  isObject ? jsonText() : markdownText();

function markdownText(): (piece: string) => string {
  /** The line that is being written, as far as it was not given out. */
  let line = "";
  /** What comes before it and is given with it. */
  let held = "";
  let isBegun = false;
  let isBlank = true;
  let isOver = false;
  let fence: string | undefined;

  /** A whole line. */
  const close = (): string => {
    const [, mark] = FENCE.exec(line) ?? [];
    if (!isBegun && fence === undefined && (SECTION.test(line) || line.startsWith("{"))) isOver = true;
    else if (!isBegun && fence === undefined && mark !== undefined) fence = mark;
    else if (fence !== undefined && mark?.startsWith(fence)) {
      fence = undefined;
      isOver = CONTRIBUTORS.test(held);
    }
    const isGiven = !isOver && fence === undefined && mark === undefined && (isBegun || line.trim() !== "");
    // Blanks at its end may be the answer's last.
    const shown = isGiven ? line.trimEnd() : "";
    const given = isGiven ? held + shown : "";
    held = `${isGiven ? "" : held}${line.slice(shown.length)}\n`;
    isBegun = false;
    line = "";
    return given;
  };

  return (piece) => {
    if (isOver) return "";
    let given = "";
    // What becomes of a line end with CR is the reader's: nothing is shown from there on.
    const [lines = "", cr] = (isBlank ? piece.trimStart() : piece).split("\r", 2);
    isBlank &&= lines === "";
    const [first = "", ...rest] = lines.split("\n");
    line += first;
    for (const next of rest) {
      given += close();
      if (isOver) return given;
      line = next;
    }
    isOver = cr !== undefined;
    if (line === "" || fence !== undefined || (!isBegun && MAY_BE_MARK.test(line))) return given;
    const shown = line.trimEnd();
    given += held + shown;
    held = "";
    line = line.slice(shown.length);
    isBegun = true;
    return given;
  };
}

/** The text in a field of an object: its escapes are read as they come. */
function jsonText(): (piece: string) => string {
  let waiting = "";
  let isInside = false;
  let isOver = false;
  let isBlank = true;
  let blanks = "";
  return (piece) => {
    if (isOver) return "";
    waiting += piece;
    if (!isInside) {
      const found = JSON_FIELD.exec(waiting);
      if (!found) {
        isOver = waiting.length > MAX_BEFORE;
        return "";
      }
      waiting = waiting.slice(found.index + found[0].length);
      isInside = true;
    }
    const [, whole = "", quote] = STRING.exec(waiting) ?? [];
    isOver = quote === '"';
    const raw = whole.replace(HALF_CHARACTER, "");
    waiting = waiting.slice(raw.length);
    const text = isBlank ? unescapeJson(raw).trimStart() : blanks + unescapeJson(raw);
    isBlank &&= text === "";
    const shown = text.trimEnd();
    blanks = text.slice(shown.length);
    return shown;
  };
}

/** A JSON string's inside, where line breaks may stand as they are. */
function unescapeJson(raw: string): string {
  try {
    return JSON.parse(`"${raw.replaceAll(/\p{Cc}/gu, escapeControl)}"`) as string;
  } catch {
    return "";
  }
}

const escapeControl = (control: string): string =>
  `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;
