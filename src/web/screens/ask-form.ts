import type { Signal } from "@preact/signals";
import { namesIn } from "../lists.ts";
import type { Attached } from "./ask-context.tsx";

export const PROTOCOLS = ["ask", "council", "debate", "respond"] as const;
export type AskProtocol = (typeof PROTOCOLS)[number];

/** The settings of a form, by their names in a request, and the protocols that take them. */
const FIELDS = {
  strategy: ["ask", "council"],
  effort: ["ask"],
  mode: ["council"],
  chair: ["ask", "council"],
  personas: ["ask", "council"],
  rounds: ["debate"],
  until: ["debate"],
  clarify: ["debate"],
  maxCostUsd: PROTOCOLS,
  seed: PROTOCOLS,
  pack: ["ask", "council"],
} as const satisfies { readonly [field: string]: readonly AskProtocol[] };
export type AskField = keyof typeof FIELDS;
export const askFields = Object.keys(FIELDS) as AskField[];

/** The seats that a person can have, by protocol. */
const PANEL = ["member", "reviewer", "judge", "tie-break"] as const;
export type PanelSeat = (typeof PANEL)[number];
export const PEOPLE_IN: { readonly [protocol in AskProtocol]: readonly PanelSeat[] } = {
  ...{ ask: PANEL, council: PANEL },
  debate: ["member", "judge"],
  respond: [],
};

/** A person who takes part. A seat that a link names may be none. */
export type InvitedPerson = { readonly name: string; readonly seat: string };

export type AskForm = {
  readonly question: Signal<string>;
  readonly protocol: Signal<AskProtocol>;
  readonly models: Signal<readonly string[]>;
  readonly context: Signal<readonly Attached[]>;
  readonly seats: Signal<readonly InvitedPerson[]>;
  readonly values: { readonly [field in AskField]: Signal<string> };
};

export const takesField = (protocol: AskProtocol, field: AskField): boolean =>
  (FIELDS[field] as readonly AskProtocol[]).includes(protocol);

/** The people of `NAME:SEAT,…`, as an address has them; whoever has no seat is a member. */
export const peopleIn = (text: string): readonly InvitedPerson[] =>
  namesIn(text).map((one) => {
    const at = one.lastIndexOf(":");
    return at < 0
      ? { name: one, seat: "member" }
      : { name: one.slice(0, at).trim(), seat: one.slice(at + 1).trim() };
  });

/** A value as a request has it. What is no number is sent as it was written, and refused in the server's words. */
function sentValue(field: AskField, value: string): unknown {
  if (field === "effort" || field === "rounds" || field === "maxCostUsd")
    return Number.isFinite(Number(value)) ? Number(value) : value;
  if (field === "chair" || field === "personas") return namesIn(value);
  return field === "clarify" ? value === "true" : value;
}

/** What is sent: fields that are empty, or that the protocol does not take, are left out. */
export function bodyOf(
  { question, protocol, models, context, seats, values }: AskForm,
  previous: string | undefined,
): object {
  const given = askFields.flatMap((field) => {
    const value = values[field].value.trim();
    return value === "" || !takesField(protocol.value, field)
      ? []
      : [[field, sentValue(field, value)] as const];
  });
  // Where the protocol has no seat for people they are not sent, as is a row without a name: it has just been added.
  const people = PEOPLE_IN[protocol.value].length === 0 ? [] : seats.value.filter(({ name }) => name !== "");
  return {
    question: question.value,
    protocol: protocol.value,
    ...(models.value.length > 0 ? { models: models.value } : {}),
    ...(context.value.length > 0 ? { context: context.value } : {}),
    ...(people.length > 0 ? { seats: people } : {}),
    ...(previous === undefined ? {} : { previous }),
    ...Object.fromEntries(given),
  };
}
