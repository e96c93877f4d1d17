const PARTS = /^=== (?:system|user) ===\r?$/m;
const PLACEHOLDER = /\{\{|\}\}|\{([a-z_]+)\}/g;

/** LoCAL2's placeholders, and the slots of a judge's template that have the same. */
const SLOTS: ReadonlyMap<string, string> = new Map([
  ...["answer", "rubric"].map((name) => [name, name] as const),
  ...([
    ["query", "question"],
    ["answer_a", "first"],
    ["answer_b", "second"],
  ] as const),
]);

/** What LoCAL2's prompts may leave out: its comparison has no rubric, and neither of the two has a reference. */
const OPTIONAL = ["rubric", "reference"];

/**
 * A prompt of LoCAL2's judge (`{query}`, `{answer}`, `{answer_a}`, `{answer_b}`, `{rubric}`; `{{` is a brace) as a template
 * with these slots. Slots that it leaves out stand above its first part, where nothing is rendered. Undefined for a text in
 * Parley's own form, and for one that does not show everything that is to be judged.
 */
export function local2Template(text: string, slots: readonly string[]): string | undefined {
  if (PARTS.test(text)) return undefined;
  const used = [...text.matchAll(PLACEHOLDER)].flatMap(([, name]) =>
    name === undefined ? [] : [SLOTS.get(name) ?? ""],
  );
  const unused = slots.filter((slot) => !used.includes(slot));
  if (!used.every((slot) => slots.includes(slot)) || unused.some((slot) => !OPTIONAL.includes(slot)))
    return undefined;
  // As Python's `format` has it, unless the text has braces that `format` would refuse.
  const doubled = !/[{}]/.test(text.replace(PLACEHOLDER, ""));
  const body = text.replace(PLACEHOLDER, (braces, name: string | undefined) =>
    name === undefined ? (doubled ? braces.slice(1) : braces) : `{{${SLOTS.get(name)}}}`,
  );
  return `Not shown: ${unused.map((slot) => `{{${slot}}}`).join(" ")}\n=== user ===\n${body}`;
}
