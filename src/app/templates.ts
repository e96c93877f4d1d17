import type { Resources } from "../config/resources.ts";
import { displayPath } from "../config/text-file.ts";
import { loadAll, type AnyProtocol, type PromptTemplate, type Registry } from "../engine/index.ts";
import { refusal } from "../kernel/index.ts";
import { templateProblem } from "../prompts/template.ts";
import { findNearest } from "../text/words.ts";

type Prompts = Pick<Resources, "prompts" | "overriddenPrompts">;

/**
 * Returns each template's text by name: the user's override, which may be a prompt of LoCAL2's, or the built-in text.
 * @throws Fault `configuration` for an override with other slots or of an unknown template
 */
export async function templatesInForce(
  templates: readonly PromptTemplate[],
  resources: Prompts,
  registry: Registry<AnyProtocol>,
): Promise<Record<string, string>> {
  const known = templates.map(({ name }) => name);
  // Load the other protocols only if an override may belong to one of them.
  if (resources.overriddenPrompts().some(({ name }) => !known.includes(name)))
    refuseUnknownPrompts(resources, [
      ...known,
      ...(await shippedTemplates(registry)).map(({ name }) => name),
    ]);
  const inForce: Record<string, string> = {};
  for (const { name, slots, text: written, path } of resources.prompts(templates)) {
    const foreign = path === undefined ? undefined : await import("../interop/local2/prompts.ts");
    const text = foreign?.local2Template(written, slots) ?? written;
    const problem = templateProblem(text, slots);
    if (problem !== undefined) {
      const next = `its slots are ${slots.map((slot) => `{{${slot}}}`).join(", ")}`;
      throw refusal(`the prompt ${path ?? name} cannot be used: ${problem}`, next);
    }
    inForce[name] = text;
  }
  return inForce;
}

function refuseUnknownPrompts(resources: Prompts, known: readonly string[]): void {
  const unknown = resources.overriddenPrompts().find(({ name }) => !known.includes(name));
  if (!unknown) return;
  const next = `the nearest is ${findNearest(unknown.name, known)}.md; rename or remove the file`;
  throw refusal(`${displayPath(unknown.path)} overrides no prompt`, next);
}

export async function shippedTemplates(registry: Registry<AnyProtocol>): Promise<readonly PromptTemplate[]> {
  const all = (await loadAll<AnyProtocol>(registry)).flatMap(({ templates }) => templates);
  return [...new Map(all.map((template) => [template.name, template])).values()];
}
