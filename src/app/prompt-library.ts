import {
  checkText,
  conflict,
  findOwnFile,
  removeOwnFile,
  writeOwnFile,
  type FileRefusal,
} from "../config/library-file.ts";
import { loadTemplates, overriddenPrompts, type Folder } from "../config/named-files.ts";
import type { FileContext } from "../config/paths.ts";
import {
  loadAll,
  textDigest,
  type AnyProtocol,
  type PromptTemplate,
  type Registry,
} from "../engine/index.ts";
import { local2Template } from "../interop/local2/prompts.ts";
import { isFault, type Digest, refusal } from "../kernel/index.ts";
import { mayLeaveOut, templateProblem } from "../prompts/template.ts";
import { checkUnchanged, missingEntry, type NewEntry } from "./library.ts";

/** A prompt as it is in force: the user's own text, or the one that ships. */
export type PromptInForce = {
  readonly name: string;
  readonly protocols: readonly string[];
  readonly slots: readonly { readonly name: string; readonly required: boolean }[];
  /** The text in force; in place of a file that cannot be read, the one that ships. */
  readonly text: string;
  /** The digest of `text`, as openings pin it. */
  readonly digest: Digest;
  /** The text that ships. */
  readonly shipped: string;
  readonly from: Folder["from"];
  /** Why the text in its place cannot be used; null where it can. */
  readonly problem: string | null;
};

type PromptLibrary = {
  /** Every prompt that protocols ask with, by name, as the files are now. */
  list(): readonly PromptInForce[];
  /** @throws Fault `configuration` for a text that cannot be rendered, with its line */
  write(given: NewEntry): { readonly ok: true; readonly prompt: PromptInForce } | FileRefusal;
  /** Removes the user's own text: the one that ships is in force again. */
  remove(name: string): { readonly ok: true } | FileRefusal;
  missing(name: string): FileRefusal;
};

/** The prompts of these protocols, with a user's own texts over them. Nothing comes between what is read and what is written. */
export async function promptLibrary(
  registry: Registry<AnyProtocol>,
  place: FileContext,
): Promise<PromptLibrary> {
  const protocols = await loadAll<AnyProtocol>(registry);
  const templates = new Map(protocols.flatMap((one) => one.templates.map((each) => [each.name, each])));
  const names = [...templates.keys()].sort();
  const textOf = (template: PromptTemplate): PromptInForce => {
    const { name, slots, text: shipped } = template;
    const file = overriddenPrompts(place).find((one) => one.name === name);
    const { text, problem } = file ? inForce(template, place) : { text: shipped, problem: null };
    return {
      ...{ name, text, shipped, problem, digest: textDigest(text), from: file?.from ?? "built-in" },
      protocols: protocols
        .filter((one) => one.templates.some((other) => other.name === name))
        .map((one) => one.name),
      slots: slots.map((slot) => ({ name: slot, required: !mayLeaveOut(slot) })),
    };
  };
  const missing = (name: string): FileRefusal => missingEntry("prompts", name, names);
  return {
    missing,
    list: () => names.flatMap((name) => templates.get(name) ?? []).map(textOf),
    write({ name, text, digest }) {
      const template = templates.get(name);
      if (!template) return missing(name);
      const own = findOwnFile("prompts", name, place);
      if (!own.ok) return own;
      const changed = checkUnchanged(textOf(template).digest, digest);
      if (changed) return changed;
      const written = checkText("prompts", { name, text });
      const { slots } = template;
      const problem = templateProblem(local2Template(written, slots) ?? written, slots);
      if (problem !== undefined)
        throw refusal(
          `${name}.md${lineOf(written, problem)}: ${problem}`,
          `its slots are ${slots.map((slot) => `{{${slot}}}`).join(", ")}`,
        );
      writeOwnFile(own.path, written);
      return { ok: true, prompt: textOf(template) };
    },
    remove(name) {
      const template = templates.get(name);
      if (!template) return missing(name);
      if (textOf(template).from === "built-in")
        return conflict(
          `the prompt ${name} ships with the program, and cannot be removed`,
          "write one of your own, which stands in its place",
        );
      const own = findOwnFile("prompts", name, place);
      if (!own.ok) return own;
      removeOwnFile(own.path);
      return { ok: true };
    },
  };
}

/** A template's text in force, or why it cannot be used. */
function inForce(template: PromptTemplate, place: FileContext) {
  try {
    const [{ text: written } = template] = loadTemplates([template], place);
    const text = local2Template(written, template.slots) ?? written;
    return { text, problem: templateProblem(text, template.slots) ?? null };
  } catch (error) {
    if (!isFault(error)) throw error;
    return { text: template.text, problem: error.message };
  }
}

/** `:LINE` of the slot that a problem names, where the text has it. */
function lineOf(text: string, problem: string): string {
  const at = text.indexOf(/\{\{\w+\}\}/.exec(problem)?.[0] ?? "\0");
  return at < 0 ? "" : `:${text.slice(0, at).split("\n").length}`;
}
