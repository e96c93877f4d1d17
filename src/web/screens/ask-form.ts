import type { Signal } from "@preact/signals";
import { features } from "../../features-web.ts";
import { ASK_FIELDS, type AskedBy, type PanelSeat } from "../feature.ts";
import { namesIn } from "../lists.ts";
import type { Attached } from "./ask-parts.tsx";

/** How a question can be put, by protocol. */
export const ASKED_BY: ReadonlyMap<string, AskedBy> = new Map(
  features.flatMap(({ runs = {} }) =>
    Object.entries(runs).flatMap(([protocol, { form }]) => (form ? [[protocol, form] as const] : [])),
  ),
);

/** What every protocol takes. */
const COMMON = ["maxCostUsd", "seed"] as const;
export const askFields = [...ASK_FIELDS, ...COMMON];
export type FormField = (typeof askFields)[number];

/** A person who takes part. A seat that a link names may be none. */
export type InvitedPerson = { readonly name: string; readonly seat: string };

export type AskForm = {
  readonly question: Signal<string>;
  readonly protocol: Signal<string>;
  readonly models: Signal<readonly string[]>;
  readonly context: Signal<readonly Attached[]>;
  readonly seats: Signal<readonly InvitedPerson[]>;
  readonly values: { readonly [field in FormField]: Signal<string> };
};

export const takesField = (protocol: string, field: FormField): boolean =>
  [...COMMON, ...(ASKED_BY.get(protocol)?.fields ?? [])].includes(field);

/** The seats that a person can have. */
export const seatsFor = (protocol: string): readonly PanelSeat[] => ASKED_BY.get(protocol)?.seats ?? [];

/** The people of `NAME:SEAT,…`, as an address has them; whoever has no seat is a member. */
export const peopleIn = (text: string): readonly InvitedPerson[] =>
  namesIn(text).map((one) => {
    const at = one.lastIndexOf(":");
    return at < 0
      ? { name: one, seat: "member" }
      : { name: one.slice(0, at).trim(), seat: one.slice(at + 1).trim() };
  });

/** A value as a request has it. What is no number is sent as it was written, and refused in the server's words. */
function sentValue(field: FormField, value: string): unknown {
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
  const people = seatsFor(protocol.value).length === 0 ? [] : seats.value.filter(({ name }) => name !== "");
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
