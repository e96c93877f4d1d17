import { realpathSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import * as z from "zod";
import { PackEntry, PromptEntry, PromptList, StrategyEntry } from "../../contract/library.ts";
import { missingIn, removeEntry, showEntry, writeEntry, type EntryText } from "../../app/library.ts";
import { promptLibrary, type PromptInForce } from "../../app/prompt-library.ts";
import { LibraryName, type FileRefusal } from "../../config/library-file.ts";
import { nearestAbove, configFolder, knownHome, type FileContext } from "../../config/paths.ts";
import { isFault } from "../../kernel/index.ts";
import { Problem, REFUSALS, Refused, refusalOf } from "../problem.ts";
import { readingContext } from "../results.ts";
import { route, type ApiRoute, type RouteCall } from "../route.ts";
import { EntryBody } from "./schemas.ts";

// SHELF-1. What is read and written over HTTP has a name, and no path: not in a request, not in a reply, not in a refusal. Else: a client
//     reads or writes any file of the server's machine.

export const TAG = "Library";
const Named = z.strictObject({ name: z.string() });
const REMOVED = { type: "", description: "It is removed" };

export type LibraryCall<P, B = unknown> = RouteCall<P, unknown, B>;

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
export function accepted<T extends { readonly ok: true }>(found: T | FileRefusal): T {
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

const packView = (entry: EntryText, place: FileContext) => {
  const pack = entry.loaded?.pack;
  return {
    ...fileFields(entry, place),
    pack: pack ? { title: pack.name, protocol: pack.protocol, settings: pack.settings } : null,
  };
};

const promptView = ({ problem, ...prompt }: PromptInForce, place: FileContext) => ({
  ...prompt,
  replaced: prompt.from !== "built-in",
  problem: problem === null ? null : hidePaths(problem, place),
});

/** The operations on the entries of one kind. */
function entryRoutes(
  kind: "strategies" | "packs",
  {
    noun,
    schema,
    view,
  }: {
    readonly noun: "Strategy" | "Pack";
    readonly schema: z.ZodType;
    readonly view: (entry: EntryText, place: FileContext) => unknown;
  },
): readonly ApiRoute[] {
  const a = `a ${noun.toLowerCase()}`;
  return [
    route("get", `${kind}/{name}`, {
      ...{ name: `get${noun}`, tag: TAG, needs: "read", params: Named },
      summary: `Show ${a}: its text, and what it comes to`,
      replies: { 200: schema, ...REFUSALS },
      handle: ({ config: { place }, params: { name } }) =>
        withoutPaths(place, () => {
          const entry = showEntry(kind, name, place);
          if (!entry) throw refusedBy(missingIn(kind, name, place));
          return { status: 200, body: view(entry, place) };
        }),
    }),
    route("post", `${kind}/{name}`, {
      ...{ name: `write${noun}`, tag: TAG, needs: "manage", params: Named, body: EntryBody },
      example: { text: "name: Mine\ndescription: Of my own\n" },
      summary: `Write ${a} of one's own, in place of what there is`,
      replies: { 200: schema, ...REFUSALS, 409: Problem },
      handle: ({ config: { place }, params: { name }, body }) =>
        withoutPaths(place, () => {
          checkName(name);
          const { entry } = accepted(writeEntry(kind, { name, ...body }, place));
          return { status: 200, body: view(entry, place) };
        }),
    }),
    route("delete", `${kind}/{name}`, {
      ...{ name: `remove${noun}`, tag: TAG, needs: "manage", params: Named },
      summary: `Remove ${a} of one's own`,
      replies: { 204: REMOVED, ...REFUSALS, 409: Problem },
      handle: ({ config: { place }, params: { name } }) =>
        withoutPaths(place, () => {
          checkName(name);
          accepted(removeEntry(kind, name, place));
          return { status: 204 };
        }),
    }),
  ];
}

const promptsOf = ({ parley, caller: { principal }, config: { place } }: LibraryCall<unknown>) =>
  promptLibrary(readingContext(parley, principal).protocols, place);

const promptRoutes: readonly ApiRoute[] = [
  route("get", "prompts", {
    ...{ name: "listPrompts", tag: TAG, needs: "read" },
    summary: "List the prompts that protocols ask with, and what stands in their place",
    replies: { 200: PromptList, ...REFUSALS },
    handle: (call) =>
      withoutPaths(call.config.place, async () => {
        const all = (await promptsOf(call)).list();
        return { status: 200, body: { data: all.map((one) => promptView(one, call.config.place)) } };
      }),
  }),
  route("get", "prompts/{name}", {
    ...{ name: "getPrompt", tag: TAG, needs: "read", params: Named },
    summary: "Show a prompt: its text and its slots",
    replies: { 200: PromptEntry, ...REFUSALS },
    handle: (call) =>
      withoutPaths(call.config.place, async () => {
        const prompts = await promptsOf(call);
        const prompt = prompts.list().find(({ name }) => name === call.params.name);
        if (!prompt) throw refusedBy(prompts.missing(call.params.name));
        return { status: 200, body: promptView(prompt, call.config.place) };
      }),
  }),
  route("post", "prompts/{name}", {
    ...{ name: "writePrompt", tag: TAG, needs: "manage", params: Named, body: EntryBody },
    example: { text: "Answer in one sentence.\n" },
    summary: "Write a prompt of one's own, in place of the one that ships",
    replies: { 200: PromptEntry, ...REFUSALS, 409: Problem },
    handle: (call) =>
      withoutPaths(call.config.place, async () => {
        const { name } = call.params;
        checkName(name);
        const { prompt } = accepted((await promptsOf(call)).write({ name, ...call.body }));
        return { status: 200, body: promptView(prompt, call.config.place) };
      }),
  }),
  route("delete", "prompts/{name}", {
    ...{ name: "removePrompt", tag: TAG, needs: "manage", params: Named },
    summary: "Remove a prompt of one's own: the one that ships is in force again",
    replies: { 204: REMOVED, ...REFUSALS, 409: Problem },
    handle: (call) =>
      withoutPaths(call.config.place, async () => {
        checkName(call.params.name);
        accepted((await promptsOf(call)).remove(call.params.name));
        return { status: 204 };
      }),
  }),
];

export const libraryRoutes: readonly ApiRoute[] = [
  ...entryRoutes("strategies", { noun: "Strategy", schema: StrategyEntry, view: strategyView }),
  ...entryRoutes("packs", { noun: "Pack", schema: PackEntry, view: packView }),
  ...promptRoutes,
];
