import { realpathSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import * as z from "zod";
import {
  PackEntry,
  PersonaChanged,
  PersonaEntry,
  PersonaFamily,
  PromptEntry,
  PromptList,
  StrategyEntry,
} from "../../contract/library.ts";
import { Opened } from "../../contract/runs.ts";
import type { AppContext } from "../../app/context.ts";
import { missingIn, removeEntry, showEntry, writeEntry, type EntryText } from "../../app/library.ts";
import { prepareChild } from "../../app/personas/breed.ts";
import {
  decideOwn,
  editPersona,
  showPersona,
  withFiles,
  type ShownPersona,
} from "../../app/personas/change.ts";
import { recordEdit } from "../../app/personas/decide.ts";
import { readFamily } from "../../app/personas/lineage.ts";
import { versionOf } from "../../app/personas/status.ts";
import { prepareTrial } from "../../app/personas/trial.ts";
import { promptLibrary, type PromptInForce } from "../../app/prompt-library.ts";
import type { Resumed } from "../../app/resumable.ts";
import { LibraryName, type FileRefusal } from "../../config/library-file.ts";
import { nearestAbove, configFolder, knownHome, type FileContext } from "../../config/paths.ts";
import { PersonaId } from "../../config/settings.ts";
import { isFault, type Opening } from "../../kernel/index.ts";
import { checkDepth, clientRequest, openWorkOnce } from "../opening.ts";
import { Problem, Refused, refusalOf } from "../problem.ts";
import { readingContext, route, type ApiRoute, type HttpReply, type RouteCall } from "../route.ts";
import { openedReply, REFUSALS } from "./deliberations.ts";
import { BreedBody, DecisionBody, EntryBody, PersonaBody, Result, TrialBody } from "./schemas.ts";

// SHELF-1. What is read and written over HTTP has a name, and no path: not in a request, not in a reply, not in a refusal. Else: a client
//     reads or writes any file of the server's machine.

const TAG = "Library";
const Named = z.strictObject({ name: z.string() });
const OfPersona = z.strictObject({ id: z.string() });
const REMOVED = { type: "", description: "It is removed" };

type LibraryCall<P, B = unknown> = RouteCall<P, unknown, B>;

/** Carries out a piece of work, and says what it refuses without the server's folders (SHELF-1). */
async function withoutPaths<T>(place: FileContext, work: () => Promise<T> | T): Promise<T> {
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
function accepted<T extends { readonly ok: true }>(found: T | FileRefusal): T {
  if (found.ok) return found;
  throw refusedBy(found);
}

function refusedBy({ code, why: detail, next }: FileRefusal): Refused {
  return code === "missing"
    ? new Refused({ status: 404, code: "not-found", detail, next })
    : new Refused({ status: 409, code: "conflict", detail, next });
}

/** @throws Refused 422 for what can be no file's name */
function checkName(name: string, schema: z.ZodType = LibraryName): void {
  if (schema.safeParse(name).success) return;
  throw new Refused({
    ...{ status: 422, code: "invalid-request" },
    detail: `${JSON.stringify(name.slice(0, 60))} cannot be a name`,
    next: "take small letters, digits and dashes, 60 at most",
  });
}

/** What is said of every entry's file. */
const fileFields = (
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

const personaView = ({ entry, persona, status }: ShownPersona, place: FileContext) => ({
  ...fileFields(entry, place),
  ...{ id: entry.name, name: persona?.name ?? entry.name, description: persona?.description ?? "", status },
  version: persona ? versionOf(persona) : null,
  instructions: persona?.instructions ?? null,
  parts: persona?.parts ?? null,
  missing: [...entry.missing],
  model: persona?.model ?? null,
  temperature: persona?.temperature ?? null,
  tools: persona?.tools ?? [],
  lineage: persona?.lineage ?? null,
  accepted: persona?.accepted ?? null,
  retired: persona?.retired ?? null,
});

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

/** The process as a caller sees it who may change what all share, with personas as their files are now. */
const managing = (
  { parley, caller: { principal }, config: { place } }: LibraryCall<unknown>,
  settings: Readonly<Record<string, unknown>> = {},
): AppContext => withFiles(parley.context(settings, { principal, needs: "manage" }), place);

/** Opens a run of a persona, and answers as for every deliberation; what the run leaves to do is done when it has ended. */
async function openPersonaRun(
  call: LibraryCall<unknown, Readonly<Record<string, unknown>>>,
  asked: Readonly<Record<string, unknown>>,
  open: (client: Opening["client"]) => Promise<Resumed>,
): Promise<HttpReply | undefined> {
  checkDepth(call, call);
  const begun = await openWorkOnce(call, clientRequest(call, asked), open);
  const reply = await openedReply(call, begun);
  if (reply?.status === 200) await call.drives.ended(begun.opened.deliberation);
  return reply;
}

const OPENS = {
  headers: {
    "Idempotency-Key": "A name for the request: a repeat of it joins the same run.",
    Prefer: "wait=SECONDS gives the result in the reply, if it comes in time.",
  },
  replies: { 200: Result, 202: Opened, ...REFUSALS, 402: Problem, 409: Problem },
};

const personaRoutes: readonly ApiRoute[] = [
  // Before the paths with an id: `breed` is none.
  route("post", "personas/breed", {
    ...{ name: "breedPersona", tag: TAG, needs: "manage", body: BreedBody, ...OPENS },
    example: { parents: ["analyst", "historian"], name: "Archivist" },
    summary: "Breed a persona from two or three others; it is on trial until it is accepted",
    handle: (call) =>
      withoutPaths(call.config.place, () => {
        const { parents, name, again, ...settings } = call.body;
        const context = managing(call, settings);
        return openPersonaRun(call, { breed: true, ...call.body }, async (client) => {
          const prepared = await prepareChild(
            context,
            { parents, name, again: again ?? false, client },
            { onUnreadable: () => undefined },
          );
          return prepared.open();
        });
      }),
  }),
  route("get", "personas/{id}", {
    ...{ name: "getPersona", tag: TAG, needs: "read", params: OfPersona },
    summary: "Show a persona: its parts, its file, and where it stands",
    replies: { 200: PersonaEntry, ...REFUSALS },
    handle: ({ parley, caller: { principal }, config: { place }, params: { id } }) =>
      withoutPaths(place, async () => {
        const shown = await showPersona(readingContext(parley, principal), id, place);
        if (!shown) throw refusedBy(missingIn("personas", id, place));
        return { status: 200, body: personaView(shown, place) };
      }),
  }),
  route("get", "personas/{id}/lineage", {
    ...{ name: "getLineage", tag: TAG, needs: "read", params: OfPersona },
    summary: "Show whom a persona comes from and who comes from it, with trials and decisions",
    replies: { 200: PersonaFamily, ...REFUSALS },
    handle: ({ parley, caller: { principal }, config: { place }, params: { id } }) =>
      withoutPaths(place, async () => {
        const context = withFiles(readingContext(parley, principal), place);
        const persona = context.resources.personas().get(id);
        if (!persona) throw refusedBy(missingIn("personas", id, place));
        return { status: 200, body: await readFamily(context, persona) };
      }),
  }),
  route("post", "personas/{id}", {
    ...{ name: "editPersona", tag: TAG, needs: "manage", params: OfPersona, body: PersonaBody },
    example: { text: "name: Mine\ninstructions: Be brief.\n", why: "shorter answers" },
    summary: "Write a persona of one's own, in place of what there is; the edit is recorded",
    replies: { 200: PersonaChanged, ...REFUSALS, 409: Problem },
    handle: (call) =>
      withoutPaths(call.config.place, async () => {
        checkName(call.params.id, PersonaId);
        const { place } = call.config;
        const edit = { id: call.params.id, ...call.body };
        const { run, shown } = accepted(await editPersona(managing(call), edit, place));
        return { status: 200, body: { run, persona: personaView(shown, place) } };
      }),
  }),
  route("post", "personas/{id}/decision", {
    ...{ name: "decideOnPersona", tag: TAG, needs: "manage", params: OfPersona, body: DecisionBody },
    example: { decision: "accepted", why: "it won its trial" },
    summary: "Accept, retire or roll back a persona, with a reason; the decision is recorded",
    replies: { 200: PersonaChanged, ...REFUSALS, 409: Problem },
    handle: (call) =>
      withoutPaths(call.config.place, async () => {
        const { place } = call.config;
        const decision = { id: call.params.id, ...call.body };
        const { run, shown } = accepted(await decideOwn(managing(call), decision, place));
        return { status: 200, body: { run, persona: personaView(shown, place) } };
      }),
  }),
  route("post", "personas/{id}/trial", {
    ...{ name: "tryPersona", tag: TAG, needs: "manage", params: OfPersona, body: TrialBody, ...OPENS },
    example: { tasks: [{ question: "What is 17 * 23?", answer: "391" }] },
    summary: "Compare a bred persona with its parent and with none; it is accepted if it is better",
    handle: (call) =>
      withoutPaths(call.config.place, () => {
        const { against, tasks, again, ...settings } = call.body;
        const context = managing(call, settings);
        const child = context.resources.personas().get(call.params.id);
        if (!child) throw refusedBy(missingIn("personas", call.params.id, call.config.place));
        return openPersonaRun(call, { trial: child.id, ...call.body }, async (client) => {
          const prepared = await prepareTrial(context, {
            child,
            against,
            tasks,
            again: again ?? false,
            client,
          });
          await recordEdit(context, child);
          return prepared.open();
        });
      }),
  }),
];

export const libraryRoutes: readonly ApiRoute[] = [
  ...personaRoutes,
  ...entryRoutes("strategies", { noun: "Strategy", schema: StrategyEntry, view: strategyView }),
  ...entryRoutes("packs", { noun: "Pack", schema: PackEntry, view: packView }),
  ...promptRoutes,
];
