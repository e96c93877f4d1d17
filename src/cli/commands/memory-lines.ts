/** A longer line is handed on cut, one character longer than what may be: whoever takes it refuses it by its length. */
const LONGEST = 4 * 1024 * 1024;

/** The lines of a text that comes in pieces, without their breaks; never more than one long line is held. */
export async function* boundedLines(
  pieces: AsyncIterable<string>,
  longest = LONGEST,
): AsyncGenerator<string> {
  let line = "";
  for await (const piece of pieces) {
    const [first = "", ...rest] = piece.split("\n");
    line = grown(line, first, longest);
    for (const next of rest) {
      yield ended(line);
      line = grown("", next, longest);
    }
  }
  if (line !== "") yield ended(line);
}

const grown = (line: string, more: string, longest: number): string => (line + more).slice(0, longest + 1);

const ended = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
