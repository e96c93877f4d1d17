/** All error codes, each with the details that a caller needs to act on it. */
type Faults = {
  "deliberation-missing": { id: string };
  "deliberation-closed": { id: string; outcome: string };
  /** `at`: ISO 8601 in UTC. */
  "deliberation-forgotten": { id: string; at: string };
  "step-repeated": { key: string };
  "step-changed": { key: string };
  "step-ended-wrong": { key: string; type: string };
  "step-unrecorded": { key: string };
  "replay-differs": { key: string; what: string };
  /** What was shown of the answer while it was written is not its beginning. */
  "answer-differs": { id: string };
  "protocol-unknown": { name: string; version: number; shipped: string };
  "event-invalid": { type: string; why: string };
  "event-too-large": { type: string; bytes: number };
  /** `seq`: the place of the event that is missing or cannot be read. */
  "journal-damaged": { id: string; seq: number; why: string };
  "schema-newer": { what: string; found: number; known: number };
  "store-unavailable": { where: string; why: string };
  /** `names`: the reactors in the order in which each one answers the one before; `types`: what each answers. */
  "reactor-loops": { names: readonly string[]; types: readonly string[] };
  "text-missing": { digest: string };
  "template-slot": { template: string; slot: string };
  /** A request that cannot be carried out. `problem` names the invalid value and what is expected. */
  "invalid-request": { problem: string };
  "template-missing": { template: string };
  configuration: { why: string; next: string };
  /** A file that somebody else may have written names what only this user may allow. `names`: one text each, as it is shown. */
  untrusted: { file: string; names: readonly string[] };
  /** `needsKeyOf`: the provider whose key is missing. */
  authentication: { why: string; next: string; needsKeyOf?: string };
  /** `isUnpriced`: a price is not known, which a newer list may have. */
  budget: { why: string; next: string; isUnpriced?: boolean };
  /** None is configured, and no simulated one may stand in. */
  "no-model": { why: string; next: string };
};
export type FaultCode = keyof Faults;

const advise = (d: { why: string; next: string }): string => `${d.why}; ${d.next}`;
const explain: { [C in FaultCode]: (details: Faults[C]) => string } = {
  "deliberation-missing": (d) => `no run "${d.id}"`,
  "deliberation-closed": (d) => `run ${d.id} is closed (${d.outcome}); fork it to continue`,
  "deliberation-forgotten": (d) => `run ${d.id} was forgotten at ${d.at}; what it cost still counts`,
  "step-repeated": (d) => `step "${d.key}" was started twice in one run; give each step its own key`,
  "step-changed": (d) =>
    `step "${d.key}" is recorded with different input; a protocol that changed needs a new version`,
  "step-ended-wrong": (d) => `step "${d.key}" may not end in "${d.type}"`,
  "step-unrecorded": (d) => `step "${d.key}" is not on the journal`,
  "replay-differs": (d) => `replay differs at "${d.key}": ${d.what}`,
  "answer-differs": (d) =>
    `what was shown of run ${d.id} while it was written is not its answer: its writer failed or began again`,
  "protocol-unknown": (d) =>
    `this version of Parley has no protocol ${d.name}@${d.version} (it has ${d.shipped}); fork it to use one of these`,
  "event-invalid": (d) => `an event "${d.type}" cannot be recorded: ${d.why}`,
  "event-too-large": (d) => `an event "${d.type}" of ${d.bytes} bytes is over the limit of 4 MB`,
  "journal-damaged": (d) => `run ${d.id} cannot be read: event ${d.seq} ${d.why}`,
  "schema-newer": (d) =>
    `${d.what} uses schema ${d.found}; this version supports up to ${d.known}; install a newer Parley`,
  "store-unavailable": (d) => `the store at ${d.where} cannot be used: ${d.why}`,
  "reactor-loops": ({ names, types }) =>
    names.length === 1
      ? `reactor "${names[0]}" listens to "${types[0]}", which it emits itself; remove the type from its "on" or "emits"`
      : `reactors answer each other in a circle: ${names.map((name, index) => `"${name}" (on "${types[index]}")`).join(" → ")} → "${names[0]}"; remove one of these types from an "on" or "emits"`,
  "text-missing": (d) => `the text ${d.digest} that a deliberation pins is not in the store`,
  "template-slot": (d) =>
    `the template "${d.template}" and this use of it disagree about the slot {{${d.slot}}}: an override must have it where it is not empty`,
  "invalid-request": (d) => d.problem,
  "template-missing": (d) => `the deliberation pins no template "${d.template}"`,
  untrusted: (d) => `${d.file} is not trusted as it is now, and names ${d.names.join(", ")}`,
  ...{ configuration: advise, authentication: advise, budget: advise, "no-model": advise },
};

/** The only error class. Match on `code`, which survives JSON and duplicate installs, not on `instanceof`. */
export class Fault<C extends FaultCode = FaultCode> extends Error {
  override readonly name = "Fault";
  readonly code: C;
  readonly details: Faults[C];
  constructor(code: C, details: Faults[C], options?: ErrorOptions) {
    super(explain[code](details), options);
    this.code = code;
    this.details = details;
  }
}

/** What is wrong with what was asked for or configured, and what to do about it. */
export const refusal = (why: string, next: string): Fault<"configuration"> =>
  new Fault("configuration", { why, next });

export const isFault = <C extends FaultCode>(error: unknown, code?: C): error is Fault<C> =>
  error instanceof Error &&
  error.name === "Fault" &&
  (code === undefined || ("code" in error && error.code === code));

/** For `catch`: no events of a run that was forgotten. @throws any other error */
export function unlessForgotten(error: unknown): readonly never[] {
  if (isFault(error, "deliberation-forgotten")) return [];
  throw error;
}

export type Unreadable = "journal-damaged" | "schema-newer" | "text-missing" | "deliberation-forgotten";
const UNREADABLE = /^(?:journal-damaged|schema-newer|text-missing|deliberation-forgotten)$/;

/** True if a run cannot be read: damaged, forgotten, without a text that it pins, or written to by a newer version. Other runs can be read. */
export const isUnreadable = (error: unknown): error is Fault<Unreadable> =>
  isFault(error) && UNREADABLE.test(error.code);
