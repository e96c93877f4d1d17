const HEADING = /^#{1,6}\s+\**([^#*]+?)\**:?\s*#*$/;

/** No sections are looked for beyond so many UTF-16 units from the end of a reply. */
export const MAX_SECTIONED_LENGTH = 256 * 1024;

/** The lines of a markdown text, each with its heading's words. A heading inside a code block is not one. */
export function* markdownLines(
  text: string,
): Generator<{ readonly line: string; readonly heading: string | undefined; readonly isCode: boolean }> {
  let code: string | undefined;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const [, fence] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (code === undefined) code = fence;
    else if (fence?.startsWith(code)) code = undefined;
    const isCode = code !== undefined;
    yield { line, isCode, heading: isCode ? undefined : HEADING.exec(line)?.[1] };
  }
}
