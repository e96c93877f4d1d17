import { textDigest, type AnyProtocol, type ForkChanges } from "../engine/index.ts";
import {
  Fault,
  isVoice,
  Json,
  type DeliberationId,
  type Opening,
  type Participant,
} from "../kernel/index.ts";
import { Strategy } from "../protocols/council/settings.ts";
import { checkModelRef, refuseUnknownPrices, type AppContext } from "./context.ts";
import { findOpening } from "./lookup.ts";
import { budgetFrom, chooseStrategy, protocolSettings, refuseUnreadGoal, seatPanel } from "./opening.ts";
import { protocolNamed } from "./registry.ts";

/**
 * Returns the changes of a fork: only settings of the request (`mode`, `effort`, `strategy`, `goal`, `chair` and caps), not
 * those from files or the environment. `without` names members to leave out, by id or name.
 * @throws Fault `configuration` for a setting that the parent's protocol does not have
 */
export async function forkChanges(
  context: AppContext,
  parent: DeliberationId,
  { without = [] }: { readonly without?: readonly string[] | undefined },
): Promise<ForkChanges> {
  const opening = findOpening(await context.store.read(parent), parent).data;
  const { protocols, requested, settings, store } = context;
  const protocol = await protocolNamed(protocols, opening.protocol.name);
  const changed: Record<string, Json> = {};
  let { templates } = opening;
  if (requested.has("mode")) changed["mode"] = settings.mode;
  if (requested.has("effort") && settings.effort !== undefined) changed["effort"] = settings.effort;
  if (requested.has("strategy")) {
    const strategy = chooseStrategy(context);
    const digest = textDigest(strategy.directive);
    await store.putText(digest, strategy.directive);
    changed["strategy"] = Json.parse(strategy.settings);
    templates = { ...templates, strategy: digest };
  } else if (requested.has("goal")) {
    if (opening.settings["strategy"] === undefined) {
      const why = `a deliberation by ${protocol.name} has no goal to change`;
      throw new Fault("configuration", { why, next: "leave goal out" });
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
    throw new Fault("configuration", { why, next: `leave ${unknown} out` });
  }
  const participants = await newParticipants(context, { opening, seats: protocol.seats }, without);
  // Caps from files or the environment apply to new deliberations only.
  const own = Object.fromEntries(Object.entries(settings).filter(([key]) => requested.has(key)));
  const budget = { ...opening.budget, ...budgetFrom(own) };
  if (budget.usd !== undefined) refuseUnknownPrices(context, participants);
  return {
    settings: protocolSettings(protocol, { ...opening.settings, ...changed }),
    templates,
    participants,
    budget,
  };
}

async function newParticipants(
  context: AppContext,
  { opening, seats }: { readonly opening: Opening; readonly seats: AnyProtocol["seats"] },
  without: readonly string[],
): Promise<Participant[]> {
  const members = opening.participants.filter(isVoice);
  const left = without.map((name) => {
    const member = members.find(
      ({ id, persona }) => id === name || persona.name.toLowerCase() === name.toLowerCase(),
    );
    if (member) return member.id;
    const next = `name one of ${members.map(({ id }) => id).join(", ")}`;
    throw new Fault("configuration", { why: `there is no member "${name}" to leave out`, next });
  });
  const kept = opening.participants.filter(({ id }) => !left.includes(id));
  if (left.length > 0 && !kept.some(isVoice)) {
    throw new Fault("configuration", {
      why: "leaving these out would remove every member",
      next: "keep at least one",
    });
  }
  const { requested, settings, store } = context;
  if (!requested.has("chair")) return kept;
  const chairs = await Promise.all(settings.chair.map((ref) => checkModelRef(context, ref)));
  const pinned = await Promise.all(
    seatPanel(
      context,
      seats.filter(({ filledBy }) => filledBy === "chair"),
      { members: [], chairs, reviewers: [], synthesizers: [], judges: [] },
    ).map(async ({ persona, ...chair }): Promise<Participant> => {
      const digest = textDigest(persona.instructions);
      await store.putText(digest, persona.instructions);
      return { ...chair, persona: { ...persona, instructions: digest } };
    }),
  );
  return [...kept.filter(({ seat }) => seat !== "chair"), ...pinned];
}
