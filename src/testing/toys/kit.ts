import * as z from "zod";
import { defineProtocol, type Asked, type Ending, type Floor, type Protocol } from "../../engine/index.ts";
import {
  Participant,
  ModelRequest,
  OrganizationId,
  type Call,
  type Closing,
  type ParticipantId,
} from "../../kernel/index.ts";

/** A deliberation of a toy: members and perhaps a chair, by name; a member's model is `sim/NAME`. */
export function toyAsked(
  protocol: string,
  {
    members = ["ada", "bob", "cyd"],
    ...changes
  }: { readonly members?: readonly string[] } & Partial<Asked> = {},
): Asked {
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

const Seated = Participant.omit({ persona: true });

export function toyParticipant(
  name: string,
  seat: string,
  instructions = `be ${name}`,
): Asked["participants"][number] {
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
  (call: Call): Ending<"answer-given" | "degradation-noted"> =>
    call.ok
      ? { type: "answer-given", data: { by, kind, round: 1, text: call.reply, final: null } }
      : failureOf(by)(call.failure.code);

export const failureOf =
  (participant: ParticipantId) =>
  (why: string): Ending<"degradation-noted"> => ({
    type: "degradation-noted",
    data: { what: "an answer", why, weakens: "one voice fewer", participant },
  });

export const noSettings = z.strictObject({});

type NoSettings = z.infer<typeof noSettings>;

/** A protocol of a few lines, for one test. */
export const toyProtocol = (
  deliberate: (floor: Floor<NoSettings>) => Promise<Closing>,
  { name = "toy", version = 1 } = {},
): Protocol<NoSettings> => defineProtocol({ name, version, settings: noSettings, templates: [], deliberate });

export const nothingToSay: Closing = { outcome: "inconclusive", why: "toy", best: null };
