import * as z from "zod";
import type { AppContext } from "../../../app/context.ts";
import { missingIn } from "../../../app/library.ts";
import { versionOf } from "../../../app/personas/seating.ts";
import type { Resumed } from "../../../app/resumable.ts";
import type { FileContext } from "../../../config/paths.ts";
import { PersonaId } from "../../../config/settings.ts";
import { PersonaChanged, PersonaEntry, PersonaFamily } from "../../../contract/library.ts";
import { Opened } from "../../../contract/runs.ts";
import type { Opening } from "../../../kernel/index.ts";
import { openedReply, operation, type HttpOperation, type Me } from "../../../server/operation.ts";
import {
  requireAccepted,
  checkName,
  fileFields,
  refusedBy,
  TAG,
  withoutPaths,
} from "../../../server/api/library.ts";
import { EntryBody, Result } from "../../../server/api/schemas.ts";
import { checkDepth, clientRequest, openWorkOnce } from "../../../server/opening.ts";
import { Problem, REFUSALS, type HttpReply } from "../../../server/problem.ts";
import { route, settingFields, type RouteCall } from "../../../server/route.ts";
import { INSTRUCTION_PARTS } from "../../../text/instruction-parts.ts";
import { prepareChild } from "../app/breed.ts";
import { decideOwn, editPersona, showPersona, withFiles, type ShownPersona } from "../app/change.ts";
import { recordEdit, readFamily } from "../app/record.ts";
import { prepareTrial } from "../app/trial.ts";

const text = z.string();
const { text: LibraryText, digest } = EntryBody.shape;
const Why = text.trim().min(1).max(500);
const OfPersona = z.strictObject({ id: text });

const Parts = z.strictObject(
  Object.fromEntries(INSTRUCTION_PARTS.map((part) => [part, text.min(1).max(20_000).optional()])),
);

/** Its whole file, or all of its parts. */
const PersonaBody = z
  .union([
    z.strictObject({ text: LibraryText, why: Why.optional(), digest }),
    z.strictObject({ parts: Parts, why: Why.optional(), digest }),
  ])
  .meta({ id: "PersonaBody" });

const DecisionBody = z
  .strictObject({ decision: z.enum(["accepted", "retired", "rolled-back"]), why: Why })
  .meta({ id: "DecisionBody" });

/** The settings of a request that say who writes and judges, and what it may take. */
const workSettings = settingFields([
  ...["models", "chair", "judge", "seed", "callTimeoutMs", "timeoutMs"],
  ...["maxCalls", "maxTotalTokens", "maxCostUsd", "draftTokens", "reviewTokens"],
]);

const BreedBody = z
  .strictObject({
    ...workSettings,
    /** Two or three ids. */
    parents: z.array(text.max(60)).min(2).max(3),
    name: text.trim().min(1).max(80).optional(),
    /** Breeds once more what was bred before. */
    again: z.boolean().optional(),
  })
  .meta({ id: "BreedBody" });

const TrialBody = z
  .strictObject({
    ...workSettings,
    /** The parent to compare with; by default the first. */
    against: text.max(60).optional(),
    /** Instead of held-out questions; those without an answer are judged. */
    tasks: z
      .array(
        z.strictObject({
          ...{ question: text.min(1).max(20_000), context: text.max(20_000).optional() },
          answer: text.min(1).max(2_000).optional(),
        }),
      )
      .min(1)
      .max(150)
      .optional(),
    again: z.boolean().optional(),
  })
  .meta({ id: "TrialBody" });

const personaView = ({ entry, persona, status }: ShownPersona, place: FileContext) => ({
  ...fileFields(entry, place),
  ...{ id: entry.name, name: persona?.name ?? entry.name, description: persona?.description ?? "", status },
  version: persona ? versionOf(persona) : null,
  instructions: persona?.instructions ?? null,
  parts: (persona?.parts as Record<string, string> | undefined) ?? null, // none of them is undefined
  missing: [...entry.missing],
  model: persona?.model ?? null,
  temperature: persona?.temperature ?? null,
  tools: persona?.tools ?? [],
  lineage: persona?.lineage ?? null,
  accepted: persona?.accepted ?? null,
  retired: persona?.retired ?? null,
});

/** The process as a caller sees it who may change what all share, with personas as their files are now. */
const managing = (
  { parley, caller: { principal }, config: { place } }: Pick<Me, "parley" | "caller" | "config">,
  settings: Readonly<Record<string, unknown>> = {},
): AppContext => withFiles(parley.context(settings, { principal, needs: "manage" }), place);

/** Opens a run of a persona, and answers as for every deliberation; what the run leaves to do is done when it has ended. */
async function openPersonaRun(
  call: RouteCall<unknown, unknown, Readonly<Record<string, unknown>>>,
  asked: Readonly<Record<string, unknown>>,
  open: (client: Opening["client"]) => Promise<Resumed>,
): Promise<HttpReply | undefined> {
  checkDepth(call, call);
  const begun = await openWorkOnce(call, clientRequest(call, asked), open);
  const reply = await openedReply(call, begun);
  if (reply?.status === 200) await call.drives.ended(begun.opened.deliberation);
  return reply;
}

const CHANGES = { output: PersonaChanged, replies: { 409: Problem } };

/** A persona after a change, and the run that has it on record. */
const changeOwn = (me: Me, change: (place: FileContext) => ReturnType<typeof editPersona>) =>
  withoutPaths(me.config.place, async () => {
    const { run, shown } = requireAccepted(await change(me.config.place));
    return { run, persona: personaView(shown, me.config.place) };
  });

const OPENS = {
  headers: {
    "Idempotency-Key": "A name for the request: a repeat of it joins the same run.",
    Prefer: "wait=SECONDS gives the result in the reply, if it comes in time.",
  },
  replies: { 200: Result, 202: Opened, ...REFUSALS, 402: Problem, 409: Problem },
};

export const routes: readonly HttpOperation[] = [
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
  operation("getPersona", "GET personas/{id}", {
    ...{ tag: TAG, needs: "read", params: OfPersona, output: PersonaEntry },
    summary: "Show a persona: its parts, its file, and where it stands",
    run: (me, { id }) =>
      withoutPaths(me.config.place, async () => {
        const shown = await showPersona(me.context(), id, me.config.place);
        if (!shown) throw refusedBy(missingIn("personas", id, me.config.place));
        return personaView(shown, me.config.place);
      }),
  }),
  operation("getLineage", "GET personas/{id}/lineage", {
    ...{ tag: TAG, needs: "read", params: OfPersona, output: PersonaFamily },
    summary: "Show whom a persona comes from and who comes from it, with trials and decisions",
    run: (me, { id }) =>
      withoutPaths(me.config.place, async () => {
        const context = withFiles(me.context(), me.config.place);
        const persona = context.resources.personas().get(id);
        if (!persona) throw refusedBy(missingIn("personas", id, me.config.place));
        return readFamily(context, persona);
      }),
  }),
  operation("editPersona", "POST personas/{id}", {
    ...{ tag: TAG, needs: "manage", params: OfPersona, body: PersonaBody, ...CHANGES },
    example: { text: "name: Mine\ninstructions: Be brief.\n", why: "shorter answers" },
    summary: "Write a persona of one's own, in place of what there is; the edit is recorded",
    run: (me, edit) =>
      changeOwn(me, (place) => {
        checkName(edit.id, PersonaId);
        return editPersona(managing(me), edit, place);
      }),
  }),
  operation("decideOnPersona", "POST personas/{id}/decision", {
    ...{ tag: TAG, needs: "manage", params: OfPersona, body: DecisionBody, ...CHANGES },
    example: { decision: "accepted", why: "it won its trial" },
    summary: "Accept, retire or roll back a persona, with a reason; the decision is recorded",
    run: (me, decision) => changeOwn(me, (place) => decideOwn(managing(me), decision, place)),
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
