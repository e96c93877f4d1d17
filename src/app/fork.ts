import type { ForkEstimate } from "../contract/figures.ts";
import { textDigest, type AnyProtocol, type ForkChanges, type NewDeliberation } from "../engine/index.ts";
import {
  callOf,
  Fault,
  isOutage,
  isVoice,
  Json,
  type DeliberationId,
  type Digest,
  type Entry,
  type Labels,
  type Opening,
  type Participant,
  refusal,
} from "../kernel/index.ts";
import { CLIENT_TOOLS } from "../protocols/phases/reply.ts";
import { Strategy } from "../protocols/phases/panel/settings.ts";
import { speakerOf } from "../views/spending.ts";
import { pricesUsed, refuseUnknownPrices } from "./listed-models.ts";
import { checkModelRef, type AppContext } from "./context.ts";
import { estimateOpening, withoutKeys } from "./estimate.ts";
import { findOpening, resolveId } from "./lookup.ts";
import { refuseOtherModels } from "./ceilings.ts";
import {
  budgetFrom,
  chooseStrategy,
  lowestOf,
  protocolSettings,
  refuseUnreadGoal,
  pinAsked,
  seatPanel,
  type ClientParts,
} from "./opening.ts";
import type { OpenedRun, RequestSettings } from "./start.ts";
import { protocolNamed } from "./registry.ts";

export type ForkRequest = RequestSettings & {
  /** Members to leave out, by id or name. */
  readonly without?: readonly string[] | undefined;
  readonly request?: string | undefined;
  /** Reuses only what was recorded up to and including this `seq`; by default everything. */
  readonly upToSeq?: number | undefined;
  /** Refuses a parent that lost no call by network, rate, overload or credentials. Every fork asks anew what was lost so. */
  readonly retry?: boolean | undefined;
  readonly labels?: Labels | undefined;
};
type HowForked = Pick<ForkRequest, "without" | "retry">;
type ForkNames = Pick<ClientParts, "labels" | "client" | "clientTools"> &
  Pick<ForkRequest, "request" | "upToSeq">;

/** Whether an outage failed a call that is no reaction's. */
function isLost(entry: Entry): boolean {
  const call = callOf(entry);
  return entry.origin.by !== "reactor" && call?.ok === false && isOutage(call.failure);
}

/**
 * Returns the changes of a fork: only settings of the request (`mode`, `effort`, `strategy`, `goal`, `chair` and caps), not
 * those from files or the environment. `without` names members to leave out, by id or name. The texts that the changes name
 * are then in the store.
 * @throws Fault `configuration` for a setting that the parent's protocol does not have, and where there is nothing to retry
 */
async function forkChanges(
  context: AppContext,
  parent: DeliberationId,
  how: HowForked,
): Promise<ForkChanges> {
  const { changes, texts } = await planFork(context, parent, how);
  await context.store.putTexts(texts);
  return changes;
}

/** Opens a fork, for `resume` to drive. @throws Fault as `forkChanges` does, and for a parent that does not exist */
export async function forkRun(
  context: AppContext,
  parent: string,
  { request = context.world.id(), upToSeq, labels, client, clientTools, ...how }: HowForked & ForkNames,
): Promise<OpenedRun> {
  const from = await resolveId(context, parent);
  const changed = await forkChanges(context, from, how);
  const pinned = clientTools === undefined ? undefined : textDigest(clientTools);
  if (clientTools !== undefined && pinned) await context.store.putTexts(new Map([[pinned, clientTools]]));
  const changes = {
    ...changed,
    ...(pinned === undefined ? {} : { templates: { ...changed.templates, [CLIENT_TOOLS]: pinned } }),
    ...(labels === undefined ? {} : { labels }),
    ...(client === undefined ? {} : { client }),
    ...(context.askedIn === undefined ? {} : { folder: context.askedIn }),
  };
  const { fresh, opened } = await context.engine.fork(from, { request, changes, upToSeq, asksOutages: true });
  return { opened, fresh, notes: [] };
}

/**
 * Estimates a fork without recording anything: as a whole run, because which steps a change affects is known
 * only when they are reached.
 * @throws Fault as `forkChanges` does, and `invalid-request` for a seq that the parent does not have
 */
export async function estimateFork(
  given: AppContext,
  parent: DeliberationId,
  { upToSeq, ...how }: HowForked & { readonly upToSeq?: number | undefined },
): Promise<ForkEstimate> {
  const context = withoutKeys(given);
  const entries = await context.store.read(parent);
  if (upToSeq !== undefined && upToSeq > entries.length) {
    const problem = `${parent} has ${entries.length} events, and no seq ${upToSeq} to fork from`;
    throw new Fault("invalid-request", { problem });
  }
  const { data: opening } = findOpening(entries, parent);
  const { changes, texts } = await planFork(context, parent, how);
  const read = async (digest: Digest) => texts.get(digest) ?? (await context.store.text(digest));
  const estimate = await estimateOpening(context, {
    opening: await loadTexts({ ...opening, ...changes }, read),
  });
  const same = new Set<string>(
    changes.participants
      .filter((one) => opening.participants.some(({ id, model }) => id === one.id && model === one.model))
      .map(({ id }) => id),
  );
  const reusable = entries.filter(
    (entry) =>
      entry.seq <= (upToSeq ?? entries.length) &&
      (entry.origin.by === "protocol" || entry.origin.by === "adopted") &&
      callOf(entry) &&
      !isLost(entry) &&
      same.has(speakerOf(entry)),
  ).length;
  return { ...estimate, reusable };
}

async function loadTexts(
  { history = [], reactions = {}, ...opening }: Opening,
  read: (digest: Digest) => Promise<string>,
): Promise<NewDeliberation> {
  const readAll = async <T>(values: Readonly<Record<string, Digest>>, parse: (text: string) => T) =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(values).map(async ([name, digest]) => [name, parse(await read(digest))] as const),
      ),
    );
  return {
    ...opening,
    context: await Promise.all(
      opening.context.map(async ({ name, text }) => ({ name, text: await read(text) })),
    ),
    participants: await Promise.all(
      opening.participants.map(async ({ persona, ...one }) => ({
        ...one,
        persona: { ...persona, instructions: await read(persona.instructions) },
      })),
    ),
    templates: await readAll(opening.templates, (text) => text),
    history: await Promise.all(
      history.map(async ({ question, answer, ...turn }) => ({
        ...turn,
        question: await read(question),
        answer: await read(answer),
      })),
    ),
    reactions: await readAll(reactions, (text) => Json.parse(JSON.parse(text))),
  };
}

async function planFork(
  context: AppContext,
  parent: DeliberationId,
  { without = [], retry = false }: HowForked,
): Promise<{
  readonly changes: ForkChanges & Required<Pick<ForkChanges, "participants" | "templates">>;
  readonly texts: ReadonlyMap<Digest, string>;
}> {
  const texts = new Map<Digest, string>();
  const entries = await context.store.read(parent);
  const opening = findOpening(entries, parent).data;
  if (retry && !entries.some(isLost)) {
    const why = `${parent} lost no call by network, rate, overload or credentials, so there is nothing to ask anew`;
    throw refusal(why, "fork it with changes, or ask again");
  }
  const { protocols, requested, settings, store } = context;
  const protocol = await protocolNamed(protocols, opening.protocol.name);
  const changed: Record<string, Json> = {};
  let { templates } = opening;
  if (requested.has("mode")) changed["mode"] = settings.mode;
  if (requested.has("effort") && settings.effort !== undefined) changed["effort"] = settings.effort;
  if (requested.has("strategy")) {
    const strategy = chooseStrategy(context);
    const digest = textDigest(strategy.directive);
    texts.set(digest, strategy.directive);
    changed["strategy"] = Json.parse(strategy.settings);
    templates = { ...templates, strategy: digest };
  } else if (requested.has("goal")) {
    if (opening.settings["strategy"] === undefined) {
      const why = `a deliberation by ${protocol.name} has no goal to change`;
      throw refusal(why, "leave goal out");
    }
    // The pinned directive stays.
    const strategy = {
      ...Strategy.parse(opening.settings["strategy"]),
      ...(settings.goal === undefined ? {} : { goal: settings.goal }),
    };
    refuseUnreadGoal(strategy.name, await store.text(templates["strategy"] ?? textDigest("")));
    changed["strategy"] = Json.parse(strategy);
  }
  const unknown = Object.keys(changed).find((key) => !(key in opening.settings));
  if (unknown !== undefined) {
    const why = `a deliberation by ${protocol.name} has no ${unknown} to change`;
    throw refusal(why, `leave ${unknown} out`);
  }
  const participants = await newParticipants(context, { opening, seats: protocol.seats, texts }, without);
  // Caps from files or the environment apply to new deliberations only.
  const own = Object.fromEntries(Object.entries(settings).filter(([key]) => requested.has(key)));
  const budget = lowestOf({ ...opening.budget, ...budgetFrom(own) }, context.client?.most);
  await refuseOtherModels(context, participants);
  if (budget.usd !== undefined) refuseUnknownPrices(context, participants);
  const changes = {
    settings: protocolSettings(protocol, { ...opening.settings, ...changed }),
    templates,
    participants,
    budget,
    prices: pricesUsed(
      context.catalog,
      participants.map(({ model }) => model),
    ),
  };
  return { changes, texts };
}

async function newParticipants(
  context: AppContext,
  {
    opening,
    seats,
    texts,
  }: { readonly opening: Opening; readonly seats: AnyProtocol["seats"]; readonly texts: Map<Digest, string> },
  without: readonly string[],
): Promise<Participant[]> {
  const members = opening.participants.filter(isVoice);
  const left = without.map((name) => {
    const member = members.find(
      ({ id, persona }) => id === name || persona.name.toLowerCase() === name.toLowerCase(),
    );
    if (member) return member.id;
    const next = `name one of ${members.map(({ id }) => id).join(", ")}`;
    throw refusal(`there is no member "${name}" to leave out`, next);
  });
  const kept = opening.participants.filter(({ id }) => !left.includes(id));
  if (left.length > 0 && !kept.some(isVoice))
    throw refusal("leaving these out would remove every member", "keep at least one");
  const { requested, settings } = context;
  if (!requested.has("chair")) return kept;
  const chairs = await Promise.all(settings.chair.map((ref) => checkModelRef(context, ref)));
  const seated = seatPanel(
    context,
    seats.filter(({ filledBy }) => filledBy === "chair"),
    { members: [], chairs, reviewers: [], synthesizers: [], judges: [] },
  );
  const asked = await Promise.all(seated.map((chair) => pinAsked(context, chair)));
  const pinned = asked.map(({ persona, ...chair }): Participant => {
    const digest = textDigest(persona.instructions);
    texts.set(digest, persona.instructions);
    return { ...chair, persona: { ...persona, instructions: digest } };
  });
  return [...kept.filter(({ seat }) => seat !== "chair"), ...pinned];
}
