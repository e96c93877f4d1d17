import { headingOf } from "../text/instruction-parts.ts";
import { findNearest, quoteValue } from "../text/words.ts";
import type { FolderFile } from "./named-files.ts";
import { displayPath, MEGABYTE, readTextFile, refuse } from "./text-file.ts";
import { isMapping, parseYaml, type YamlFile } from "./yaml.ts";

const FENCE = /^ {0,3}(?:`{3}|~{3})/;

/**
 * A persona in Markdown as the YAML file that says the same: its front matter, and its instructions, as one text or, where
 * it has headings (# or ##), by these in any order.
 * @throws Fault `configuration` for no front matter, a heading that is none of the parts, and one that stands twice
 */
export function readPersonaMarkdown(
  { path, text: given }: Pick<FolderFile, "path" | "text">,
  parts: readonly string[],
): YamlFile {
  const written = given ?? readTextFile({ path, kind: "persona", maxBytes: MEGABYTE });
  const text = written.replaceAll("\r\n", "\n");
  const name = displayPath(path);
  const [whole, front = ""] = /^---[ \t]*\n((?:.*\n)*?)---[ \t]*(?:\n|$)/.exec(text) ?? [];
  if (whole === undefined) {
    const next = "begin it with ---, lines such as id: critic and name: Critic, and --- again";
    throw refuse(`${name}:1:1: a persona in Markdown begins with its id and name`, next);
  }
  // A line before it, so that places are those of the file.
  const head = parseYaml(`\n${front}`, path);
  if (head.value !== null && !isMapping(head.value))
    throw refuse(`${head.place([], "value")}: it must be a mapping`, "write lines such as id: critic");
  if (isMapping(head.value) && Object.hasOwn(head.value, "instructions"))
    throw refuse(
      `${head.place(["instructions"], "key")}: instructions stand below the second ---`,
      "move them there",
    );
  const from = whole.split("\n").length;
  const body = readBody(text.slice(whole.length), { parts, place: (line) => `${name}:${from + line}:1` });
  return {
    ...{ path, text },
    value: { ...head.value, ...(body.value === "" ? {} : { instructions: body.value }) },
    place: ([first, part], at) =>
      first === "instructions"
        ? `${name}:${from + (body.lines.get(String(part)) ?? 0)}:1`
        : head.place([...(first === undefined ? [] : [first])], at),
  };
}

type BodyPlaces = { readonly parts: readonly string[]; readonly place: (line: number) => string };

/** The text below the front matter, by its parts where it has headings; and the line of each. */
function readBody(text: string, { parts, place }: BodyPlaces) {
  const found = new Map<string, string[]>();
  const lines = new Map<string, number>();
  let current: string[] = [];
  const before = current;
  let isFenced = false;
  for (const [index, line] of text.split("\n").entries()) {
    if (FENCE.test(line)) isFenced = !isFenced;
    const title = isFenced ? undefined : /^#{1,2}[ \t]+(.+?)[ \t#]*$/.exec(line)?.[1];
    if (title === undefined) {
      current.push(line);
      continue;
    }
    const part = title
      .toLowerCase()
      .replace(/^\d+[.)]\s*/, "")
      .replaceAll(/[\s_]+/g, "-");
    const nearest = findNearest(part, parts) ?? "";
    if (!parts.includes(part))
      throw refuse(
        `${place(index)}: ${quoteValue(title)} is none of the six parts`,
        `did you mean "${headingOf(nearest)}"? A heading within a part takes ###`,
      );
    if (found.has(part))
      throw refuse(`${place(index)}: the part ${quoteValue(title)} stands twice`, "put them together");
    current = [];
    found.set(part, current);
    lines.set(part, index);
  }
  const intro = before.join("\n").trim();
  if (found.size === 0) return { value: intro, lines };
  if (intro !== "")
    throw refuse(`${place(0)}: there is text before the first heading`, "move it into one of the parts");
  const value = Object.fromEntries([...found].map(([part, own]) => [part, own.join("\n").trim()]));
  return { value, lines };
}
