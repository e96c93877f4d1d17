const ESC = "\u001b";
// Strings (OSC, DCS, SOS, PM, APC) up to their end, then CSI sequences, then the two-byte escapes: ECMA-48.
// No repeated class contains a character that can begin a match, so that hostile text costs linear time.
const SEQUENCES = new RegExp(
  `(?:${ESC}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^${ESC}\u0007\u0080-\u009f]*(?:\u0007|\u009c|${ESC}\\\\)` +
    `|(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]` +
    `|${ESC}[ -/]*[0-~]`,
  "g",
);
/** Controls but newline and tab, and the marks that reorder the text around them on a screen. */
const CONTROLS = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * Foreign text made fit for a terminal and for a document: without escape sequences, control characters
 * (except newline and tab) and overrides of writing direction; every line break is `\n`; well-formed UTF-16.
 */
export const printable = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(SEQUENCES, "")
    .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll(CONTROLS, "");

/** Words of ASCII with a space between them, which are printable as they are. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** Foreign text as one printable line of at most `mostCharacters`, an ellipsis where it was cut. */
export function oneLine(text: string, mostCharacters = 400): string {
  if (text.length <= mostCharacters && PLAIN.test(text)) return text;
  // What stands far behind the cut is not even looked at.
  const head = text.slice(0, mostCharacters * 4 + 4_000);
  const line = printable(head).replaceAll(/\s+/g, " ").trim().normalize("NFC");
  return line.length > mostCharacters || head.length < text.length
    ? `${line.slice(0, mostCharacters - 1).toWellFormed()}…`
    : line;
}

/** A foreign text as one line of plain words: nothing in it is markdown. Cut at `mostCharacters`. */
export const inline = (text: string, mostCharacters = 2_000): string =>
  oneLine(text, mostCharacters)
    .replaceAll(/[\\`*[\]<>|~]/g, String.raw`\$&`)
    .replaceAll(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, String.raw`\_`)
    .replaceAll(/&(?=#|[A-Za-z]+\d*;)/g, String.raw`\&`)
    .replace(/^[#+-](?=[\s#-]|$)|(?<=^\d{1,9})[.)](?=\s|$)/, String.raw`\$&`);

/**
 * What JSON may hold as it is and a terminal would act on: DEL and the C1 controls, line ends that JSON has not, and the marks
 * that reorder text. Everything below a space is escaped in JSON anyway.
 */
const RAW_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** JSON text with these characters as escapes (`\\u009b`): it is read as the same value. */
export const escapeJson = (json: string): string =>
  json.replaceAll(RAW_IN_JSON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

// A cell is one line, and a record as many cells as its header, whatever stands in them (RFC 4180).
// CSV-2. No cell is a formula to a spreadsheet (OWASP, "CSV Injection"). Else: a model's text runs in the reader's spreadsheet.

/** A text as one cell of CSV of bounded length: what a spreadsheet would compute gets an apostrophe in front. */
export function csvCell(text: string, mostCharacters = 300): string {
  const line = oneLine(text, mostCharacters);
  const plain = /^[=+\-@]/.test(line) ? `'${line}` : line;
  return /[",]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** A value as JSON for people and programs, with a line's end; nothing in it acts on a terminal. */
export const jsonText = (value: unknown): string => `${escapeJson(JSON.stringify(value, undefined, 2))}\n`;

/** The same on one line. */
export const jsonLine = (value: unknown): string => `${escapeJson(JSON.stringify(value))}\n`;
