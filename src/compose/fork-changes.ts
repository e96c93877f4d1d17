import { textDigest, type ForkChanges } from "../engine/index.ts";
import {
  Fault,
  isEvent,
  isVoice,
  Json,
  type DeliberationId,
  type Opening,
  type Participant,
} from "../kernel/index.ts";
import { Strategy } from "../protocols/council/index.ts";
import { budgetOf, refuseUnknownPrices, seated, settingsOf, type Caps } from "./convene.ts";
import { checkedRef } from "./panel.ts";
import type { Parley } from "./parley.ts";
import { protocolOf } from "./registry.ts";
import { refuseUnreadGoal, strategyOf } from "./strategy.ts";

/** What a fork of this parent changes: what the command line says, and nothing that a file or the environment does. */
export async function forkChanges(
  parley: Parley,
  { parent, without }: { readonly parent: DeliberationId; readonly without: readonly string[] },
): Promise<ForkChanges> {
  const [opened] = await parley.store.read(parent);
  if (!opened || !isEvent(opened, "deliberation-opened"))
    throw new Fault("deliberation-missing", { id: parent });
  const opening = opened.data;
  const { given, settings } = parley;
  const protocol = protocolOf(opening.protocol.name);
  const changed: Record<string, Json> = {};
  let { templates } = opening;
  if (given("mode")) changed["mode"] = settings.mode;
  if (given("effort") && settings.effort !== undefined) changed["effort"] = settings.effort;
  if (given("strategy")) {
    const strategy = strategyOf(parley);
    const digest = textDigest(strategy.directive);
    await parley.store.putText(digest, strategy.directive);
    changed["strategy"] = Json.parse(strategy.settings);
    templates = { ...templates, strategy: digest };
  } else if (given("goal")) {
    // The directive stays the pinned one, wherever it once came from.
    const strategy = {
      ...Strategy.parse(opening.settings["strategy"]),
      ...(settings.goal === undefined ? {} : { goal: settings.goal }),
    };
    refuseUnreadGoal(strategy.name, await parley.store.text(templates["strategy"] ?? textDigest("")));
    changed["strategy"] = Json.parse(strategy);
  }
  const unknown = Object.keys(changed).find((key) => !(key in opening.settings));
  if (unknown !== undefined) {
    const why = `a deliberation by ${protocol.name} has no ${unknown} to change`;
    throw new Fault("configuration", { why, next: `drop --${unknown}` });
  }
  const participants = await newParticipants(parley, opening, without);
  const budget = { ...opening.budget, ...budgetOf(givenCaps(parley)) };
  if (budget.usd !== undefined) refuseUnknownPrices(parley, participants);
  return {
    settings: settingsOf(protocol, { ...opening.settings, ...changed }),
    templates,
    participants,
    budget,
  };
}

async function newParticipants(
  parley: Parley,
  opening: Opening,
  without: readonly string[],
): Promise<Participant[]> {
  const members = opening.participants.filter(isVoice);
  const left = without.map((named) => {
    const member = members.find(
      ({ id, persona }) => id === named || persona.name.toLowerCase() === named.toLowerCase(),
    );
    if (member) return member.id;
    const next = `its members are ${members.map(({ id }) => id).join(", ")}`;
    throw new Fault("configuration", { why: `there is no member "${named}" to leave out`, next });
  });
  const kept = opening.participants.filter(({ id }) => !left.includes(id));
  if (!kept.some(isVoice)) {
    throw new Fault("configuration", { why: "that leaves no member", next: "keep at least one" });
  }
  if (!parley.given("chair")) return kept;
  const chairs = seated(parley, {
    member: [],
    chair: parley.settings.chair.map((ref) => checkedRef(parley, ref)),
    judge: [],
  });
  const pinned = await Promise.all(
    chairs.map(async ({ persona, ...chair }): Promise<Participant> => {
      const digest = textDigest(persona.instructions);
      await parley.store.putText(digest, persona.instructions);
      return { ...chair, persona: { ...persona, instructions: digest } };
    }),
  );
  return [...kept.filter(({ seat }) => seat !== "chair"), ...pinned];
}

/** The caps that the command line gives; what the environment or a file says is for new deliberations. */
function givenCaps({ given, settings }: Parley): Caps {
  const { maxCostUsd, maxTokens, maxCalls, timeoutMs } = settings;
  return {
    maxCostUsd: given("max-cost-usd") ? maxCostUsd : undefined,
    maxTokens: given("max-tokens") ? maxTokens : undefined,
    maxCalls: given("max-calls") ? maxCalls : undefined,
    timeoutMs: given("timeout") ? timeoutMs : undefined,
  };
}
