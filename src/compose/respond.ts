import { resolve } from "node:path";
import { loadPersonas, personaOf, readContext } from "../config/index.ts";
import type { Asked } from "../engine/index.ts";
import {
  familyOf,
  Fault,
  isEvent,
  type ModelRef,
  OrganizationId,
  ParticipantId,
  type DeliberationId,
  type Event,
  type UserId,
} from "../kernel/index.ts";
import { RESPOND_TEMPLATES } from "../prompts/index.ts";
import { respond } from "../protocols/respond/index.ts";
import { createFileTools } from "../tools/index.ts";
import { budgetOf, refuseUnknownPrices, settingsOf, templatesOf } from "./convene.ts";
import { latestTurn, placeAfter, turnsBefore } from "./conversation.ts";
import { checkedRef, findPanel } from "./panel.ts";
import type { Parley } from "./parley.ts";
import { reactionPlan } from "./reaction-plan.ts";
import { recallOf } from "./reactions.ts";

/** A question to one respondent, and what of its deliberation is not as the settings say. */
export type Responding = {
  readonly question: string;
  readonly files?: readonly string[];
  readonly stdin?: string | undefined;
  /** A folder that the respondent may read in. */
  readonly folder?: string | undefined;
  /** The turn that it follows. */
  readonly previous?: DeliberationId | undefined;
  /** Whose memory, instead of the settings' user. */
  readonly user?: UserId | undefined;
};

/** A deliberation on this question, as it will be opened, and what its owner should know before it starts. @throws Fault */
export async function conveneRespond(
  parley: Parley,
  given: Responding,
): Promise<{ readonly asked: Asked; readonly notes: readonly string[] }> {
  const question = given.question.trim();
  if (question === "") {
    const next = 'ask one: parley respond "What is 17 * 23?"';
    throw new Fault("configuration", { why: "the question is empty", next });
  }
  const { cwd, env, settings, store, world } = parley;
  const organization = OrganizationId.parse(settings.organization);
  const user = given.user ?? settings.user;
  const { participants, notes } = await respondentsOf(parley);
  const budget = budgetOf(settings);
  const place = given.previous === undefined ? undefined : await placeAfter(store, given.previous, user);
  const history = await turnsBefore(
    store,
    { previous: given.previous, organization },
    { by: "A", most: settings.historyTurns },
  );
  const folder = given.folder === undefined ? undefined : resolve(cwd, given.folder);
  const own = settingsOf(respond, {
    ...(settings.respondTokens === undefined ? {} : { maxOutputTokens: settings.respondTokens }),
    ...(settings.callTimeoutMs === undefined ? {} : { callTimeoutMs: settings.callTimeoutMs }),
    recall: recallOf(parley, { ...settings, user }),
    ...(folder === undefined
      ? {}
      : { contextFolder: folder, tools: { specs: (await createFileTools(folder)).specs, limit: 5 } }),
  });
  const reactions = reactionPlan(parley, {
    answering: participants.map(({ model }) => model),
    pairwise: settings.respondentB,
    user,
  });
  if (budget.usd !== undefined)
    refuseUnknownPrices(parley, [...participants, ...reactions.models.map((model) => ({ model }))]);
  return {
    notes: [...notes, ...reactions.notes],
    asked: {
      question,
      context: await readContext({
        files: given.files ?? [],
        stdin: given.stdin,
        mostBytes: settings.maxContextBytes,
        cwd,
        env,
      }),
      protocol: { name: respond.name, version: respond.version },
      settings: own,
      participants,
      templates: templatesOf([...RESPOND_TEMPLATES, ...reactions.templates], parley),
      reactions: {
        ...reactions.settings,
        // The second respondent answers as the first does.
        ...(settings.respondentB ? { "respondent-b": own } : {}),
      },
      history,
      ...place,
      seed: settings.seed ?? world.id(),
      budget,
      organization,
      user,
    },
  };
}

/**
 * Opens it, or finds it open (`fresh: false`) where the same question stands in its place of the conversation already.
 * @throws Fault `configuration` when another question has taken the place
 */
export async function openRespond(
  parley: Parley,
  asked: Asked,
): Promise<{ readonly fresh: boolean; readonly opened: Event<"deliberation-opened"> }> {
  const found = await parley.engine.open(parley.world.id(), asked);
  if (found.fresh || found.opened.data.question === asked.question) return found;
  const latest = (await latestTurn(parley.store, asked)) ?? found.opened.deliberation;
  const open = !(await parley.store.read(latest)).some((entry) => isEvent(entry, "deliberation-closed"));
  throw new Fault("configuration", {
    why: `the conversation has gone on: ${asked.previous} has been followed by another question`,
    next: open
      ? `${latest} is under way or was broken off: parley resume ${latest}, or parley cancel ${latest}, then --continue ${latest}`
      : `follow its latest turn: --continue ${latest}`,
  });
}

type Seated = Asked["participants"][number];

/** The first respondent, and the second where there is to be one. */
async function respondentsOf(
  parley: Parley,
): Promise<{ readonly participants: readonly Seated[]; readonly notes: readonly string[] }> {
  const { settings } = parley;
  const found =
    settings.models[0] === undefined
      ? await findPanel(parley)
      : { members: [checkedRef(parley, settings.models[0])], notes: [] };
  const [model] = found.members;
  if (model === undefined) {
    const next = "name one: --model provider/model; parley models lists what can be reached";
    throw new Fault("configuration", { why: "there is no model to answer", next });
  }
  const persona = personaOf(loadPersonas(parley), "respondent");
  const seat = (
    id: string,
    { name, ref, temperature }: { name: string; ref: ModelRef; temperature: number | undefined },
  ): Seated => ({
    id: ParticipantId.parse(id),
    seat: name,
    persona: { name: persona.name, instructions: persona.instructions },
    model: ref,
    family: familyOf(ref, settings.families),
    ...(temperature === undefined ? {} : { temperature }),
  });
  const first = seat("A", {
    name: "respondent",
    ref: model,
    temperature: settings.temperature ?? persona.temperature,
  });
  if (!settings.respondentB) return { participants: [first], notes: found.notes };
  const other = settings.modelB === undefined ? model : checkedRef(parley, settings.modelB);
  const second = seat("B", { name: "respondent-b", ref: other, temperature: settings.temperatureB });
  return { participants: [first, second], notes: found.notes };
}
