import * as z from "zod";
import {
  defineProtocol,
  type AnyProtocol,
  type NewDeliberation,
  type StepOutcome,
  type ProtocolContext,
  type Protocol,
  type SeatSpec,
} from "../engine/index.ts";
import {
  Participant,
  ModelRequest,
  OrganizationId,
  type Call,
  type Closing,
  type ParticipantId,
} from "../kernel/index.ts";

/** A deliberation of a toy: members and perhaps a chair, by name; a member's model is `sim/NAME`. */
export function toyAsked(
  protocol: string,
  {
    members = ["ada", "bob", "cyd"],
    ...changes
  }: { readonly members?: readonly string[] } & Partial<NewDeliberation> = {},
): NewDeliberation {
  const seat = (name: string, seated: string) => toyParticipant(name, seated);
  return {
    question: "why?",
    context: [],
    protocol: { name: protocol, version: 1 },
    settings: {},
    participants: [...members.map((name) => seat(name, "member")), seat("chair", "chair")],
    templates: {},
    seed: "seed",
    budget: {},
    organization: OrganizationId.parse("local"),
    ...changes,
  };
}

/** The templates of a protocol as they ship, by name, for an opening to pin; its other texts say little. */
export const shippedTextsOf = ({
  templates,
  texts = [],
}: Pick<AnyProtocol, "templates" | "texts">): Record<string, string> =>
  Object.fromEntries([
    ...templates.map(({ name, text }) => [name, text]),
    ...texts.map((name) => [name, "Weigh what is shown."]),
  ]);

/**
 * An opening of a protocol on its shipped templates: everybody of `models` and of the other fields in the seats that the
 * protocol fills with them. A name's model is `sim/NAME`, its persona `be NAME`.
 */
export function openingFor(
  protocol: Pick<AnyProtocol, "name" | "version" | "seats" | "templates" | "texts">,
  {
    models = ["ada", "bob", "cyd"],
    chair = ["chair"],
    reviewers = [],
    synthesizer = [],
    judge = [],
    people = [],
    ...changes
  }: { readonly [field in SeatSpec["filledBy"]]?: readonly string[] } & Partial<NewDeliberation> = {},
): NewDeliberation {
  const given = { models, chair, reviewers, synthesizer, judge, people };
  return toyAsked(protocol.name, {
    protocol: { name: protocol.name, version: protocol.version },
    participants: protocol.seats.flatMap(({ name, filledBy, max }) =>
      given[filledBy].slice(0, max).map((one) => toyParticipant(one, name)),
    ),
    templates: shippedTextsOf(protocol),
    ...changes,
  });
}

const Seated = Participant.omit({ persona: true });

export function toyParticipant(
  name: string,
  seat: string,
  instructions = `be ${name}`,
): NewDeliberation["participants"][number] {
  const persona = { name, instructions };
  const { id, model, family } = Seated.parse({ id: name, seat, model: `sim/${name}`, family: null });
  return { id, seat, model, family, persona };
}

/** A request to a participant's model: two calls with one text are one request. */
export const toyRequest = (who: Pick<Participant, "model">, text: string): ModelRequest =>
  ModelRequest.parse({ model: who.model, messages: [{ role: "user", text }], maxOutputTokens: 100 });

/** The reply as an answer; a final failure as a degradation. */
export const answerOf =
  (by: ParticipantId, kind: "draft" | "response" = "draft") =>
  (call: Call): StepOutcome<"answer-given" | "degradation-noted"> =>
    call.ok
      ? { type: "answer-given", data: { by, kind, round: 1, text: call.reply, final: null } }
      : failureOf(by)(call.failure.code);

export const failureOf =
  (participant: ParticipantId) =>
  (why: string): StepOutcome<"degradation-noted"> => ({
    type: "degradation-noted",
    data: { what: "an answer", why, weakens: "one voice fewer", participant },
  });

export const noSettings = z.strictObject({});

type NoSettings = z.infer<typeof noSettings>;

/** What a protocol of a few lines declares beside its name and its work. */
export const TOY = {
  version: 1,
  summary: "does a little, for one test",
  seats: [],
  settings: noSettings,
  templates: [],
} satisfies Partial<Protocol<NoSettings>>;

/** A protocol of a few lines, for one test. */
export const toyProtocol = (
  deliberate: (context: ProtocolContext<NoSettings>) => Promise<Closing>,
  { name = "toy", version = 1 } = {},
): Protocol<NoSettings> => defineProtocol({ ...TOY, name, version, deliberate });

export const nothingToSay: Closing = { outcome: "inconclusive", why: "toy", best: null };
