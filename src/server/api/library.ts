import { realpathSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import * as z from "zod";
import { PackEntry, PromptEntry, PromptList, StrategyEntry } from "../../contract/library.ts";
import { missingIn, removeEntry, showEntry, writeEntry, type EntryText } from "../../app/library.ts";
import { promptLibrary, type PromptInForce } from "../../app/prompt-library.ts";
import { usualProtocol } from "../../app/registry.ts";
import { LibraryName, type FileRefusal } from "../../config/library-file.ts";
import { nearestAbove, configFolder, knownHome, type FileContext } from "../../config/paths.ts";
import { isFault, type Json } from "../../kernel/index.ts";
import { Problem, Refused, refusalOf } from "../problem.ts";
import { deletion, operation, type DeepReadonly, type HttpOperation, type Me } from "../operation.ts";
import { EntryBody } from "./schemas.ts";

// SHELF-1. What is read and written over HTTP has a name, and no path: not in a request, not in a reply, not in a refusal. Else: a client
//     reads or writes any file of the server's machine.

export const TAG = "Library";
const Named = z.strictObject({ name: z.string() });
const REMOVED = "It is removed";

/** Carries out a piece of work, and says what it refuses without the server's folders (SHELF-1). */
export async function withoutPaths<T>(place: FileContext, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isFault(error)) throw error;
    const { detail, next, ...refusal } = refusalOf(error);
    throw new Refused({
      ...{ ...refusal, detail: hidePaths(detail, place) },
      ...(next === undefined ? {} : { next: hidePaths(next, place) }),
    });
  }
}

/** A text in which files are named as they are called below the folders in which Parley looks for them. */
function hidePaths(text: string, place: FileContext): string {
  const project = nearestAbove(".parley", place);
  const known = [
    ...[configFolder(place), dirname(configFolder(place)), resolve(place.cwd), knownHome(place.env)],
    ...(project === undefined ? [] : [dirname(project), project]),
  ].filter((folder) => folder !== undefined && folder.length > 1);
  const folders = [...new Set(known.flatMap((folder) => [folder ?? "", realPath(folder ?? "")]))];
  return folders
    .sort((one, other) => other.length - one.length)
    .reduce((sum, folder) => sum.replaceAll(`${folder}${sep}`, "").replaceAll(folder, "a folder"), text);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** @throws Refused 404, 409 for what is not there, or is not to be changed */
export function requireAccepted<T extends { readonly ok: true }>(found: T | FileRefusal): T {
  if (found.ok) return found;
  throw refusedBy(found);
}

export function refusedBy({ code, why: detail, next }: FileRefusal): Refused {
  return code === "missing"
    ? new Refused({ status: 404, code: "not-found", detail, next })
    : new Refused({ status: 409, code: "conflict", detail, next });
}

/** @throws Refused 422 for what can be no file's name */
export function checkName(name: string, schema: z.ZodType = LibraryName): void {
  if (schema.safeParse(name).success) return;
  throw new Refused({
    ...{ status: 422, code: "invalid-request" },
    detail: `${JSON.stringify(name.slice(0, 60))} cannot be a name`,
    next: "take small letters, digits and dashes, 60 at most",
  });
}

/** What is said of every entry's file. */
export const fileFields = (
  { loaded: _loaded, state: _state, missing: _missing, ...entry }: EntryText,
  place: FileContext,
) => ({
  ...entry,
  shadows: [...entry.shadows],
  problem: entry.problem === null ? null : hidePaths(entry.problem, place),
});

const strategyView = (entry: EntryText, place: FileContext) => {
  const { directive, sees, needsGoal } = entry.loaded?.strategy ?? {};
  const isKnown = directive !== undefined && sees !== undefined && needsGoal !== undefined;
  return { ...fileFields(entry, place), strategy: isKnown ? { directive, sees, needsGoal } : null };
};

const packView = (entry: EntryText, place: FileContext, { parley }: Pick<Me, "parley">) => {
  const pack = entry.loaded?.pack;
  const { protocol = usualProtocol(parley.context().protocols) } = pack ?? {};
  return {
    ...fileFields(entry, place),
    // What a file says is JSON.
    pack: pack ? { title: pack.name, protocol, settings: pack.settings as Record<string, Json> } : null,
  };
};

const promptView = ({ problem, ...prompt }: PromptInForce, place: FileContext) => ({
  ...prompt,
  replaced: prompt.from !== "built-in",
  problem: problem === null ? null : hidePaths(problem, place),
});

type EntryOf<S extends z.ZodType> = {
  readonly noun: "Strategy" | "Pack";
  readonly output: S;
  readonly view: (entry: EntryText, place: FileContext, me: Pick<Me, "parley">) => DeepReadonly<z.input<S>>;
};

function entryOperations<S extends z.ZodType>(
  kind: "strategies" | "packs",
  { noun, output, view }: EntryOf<S>,
): readonly HttpOperation[] {
  const a = `a ${noun.toLowerCase()}`;
  return [
    operation(`get${noun}`, `GET ${kind}/{name}`, {
      ...{ tag: TAG, needs: "read", params: Named, output },
      summary: `Show ${a}: its text, and what it comes to`,
      run: ({ config: { place }, parley }, { name }) =>
        withoutPaths(place, () => {
          const entry = showEntry(kind, name, place);
          if (!entry) throw refusedBy(missingIn(kind, name, place));
          return view(entry, place, { parley });
        }),
    }),
    operation(`write${noun}`, `POST ${kind}/{name}`, {
      ...{ tag: TAG, needs: "manage", params: Named, body: EntryBody, output, replies: { 409: Problem } },
      example: { text: "name: Mine\ndescription: Of my own\n" },
      summary: `Write ${a} of one's own, in place of what there is`,
      run: ({ config: { place }, parley }, { name, ...body }) =>
        withoutPaths(place, () => {
          checkName(name);
          return view(requireAccepted(writeEntry(kind, { name, ...body }, place)).entry, place, { parley });
        }),
    }),
    deletion(`remove${noun}`, `${kind}/{name}`, {
      ...{ tag: TAG, needs: "manage", params: Named, done: REMOVED, replies: { 409: Problem } },
      summary: `Remove ${a} of one's own`,
      run: ({ config: { place } }, { name }) =>
        withoutPaths(place, () => {
          checkName(name);
          requireAccepted(removeEntry(kind, name, place));
        }),
    }),
  ];
}

/** Works on the prompts that are in force, and says nothing of where they lie. */
const onPrompts = <T>(
  me: Me,
  work: (prompts: Awaited<ReturnType<typeof promptLibrary>>, place: FileContext) => T,
) => {
  const { place } = me.config;
  return withoutPaths(place, async () => work(await promptLibrary(me.context().protocols, place), place));
};

const promptOperations: readonly HttpOperation[] = [
  operation("listPrompts", "GET prompts", {
    ...{ tag: TAG, needs: "read", output: PromptList },
    summary: "List the prompts that protocols ask with, and what stands in their place",
    run: (me) =>
      onPrompts(me, (prompts, place) => ({ data: prompts.list().map((one) => promptView(one, place)) })),
  }),
  operation("getPrompt", "GET prompts/{name}", {
    ...{ tag: TAG, needs: "read", params: Named, output: PromptEntry },
    summary: "Show a prompt: its text and its slots",
    run: (me, { name }) =>
      onPrompts(me, (prompts, place) => {
        const prompt = prompts.list().find((one) => one.name === name);
        if (!prompt) throw refusedBy(prompts.missing(name));
        return promptView(prompt, place);
      }),
  }),
  operation("writePrompt", "POST prompts/{name}", {
    ...{ tag: TAG, needs: "manage", params: Named, body: EntryBody },
    example: { text: "Answer in one sentence.\n" },
    summary: "Write a prompt of one's own, in place of the one that ships",
    ...{ output: PromptEntry, replies: { 409: Problem } },
    run: (me, { name, ...body }) =>
      onPrompts(me, (prompts, place) => {
        checkName(name);
        return promptView(requireAccepted(prompts.write({ name, ...body })).prompt, place);
      }),
  }),
  deletion("removePrompt", "prompts/{name}", {
    ...{ tag: TAG, needs: "manage", params: Named, done: REMOVED, replies: { 409: Problem } },
    summary: "Remove a prompt of one's own: the one that ships is in force again",
    run: (me, { name }) =>
      onPrompts(me, (prompts) => {
        checkName(name);
        requireAccepted(prompts.remove(name));
      }),
  }),
];

export const libraryOperations: readonly HttpOperation[] = [
  ...entryOperations("strategies", { noun: "Strategy", output: StrategyEntry, view: strategyView }),
  ...entryOperations("packs", { noun: "Pack", output: PackEntry, view: packView }),
  ...promptOperations,
];
