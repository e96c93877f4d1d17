import type { LoadedPersona } from "../../config/personas.ts";
import type { PersonaStatus } from "../../contract/library.ts";
import { textDigest } from "../../engine/index.ts";
import { type Fault, type Digest, refusal } from "../../kernel/index.ts";

export const versionOf = ({ instructions }: Pick<LoadedPersona, "instructions">): Digest =>
  textDigest(instructions);

export type BredPersona = Pick<LoadedPersona, "instructions" | "lineage" | "accepted" | "retired">;

/** What a persona's file says; see `statusOf` for what its rankings say. */
export function fileStatus(persona: BredPersona): Exclude<PersonaStatus, "taken-back"> {
  if (persona.retired) return "retired";
  if (!persona.lineage) return "own";
  if (!persona.accepted) return "on-trial";
  return persona.accepted.version === versionOf(persona) ? "accepted" : "changed";
}

const WHY = {
  "on-trial": "is on trial and may not take part",
  changed: "was accepted with other instructions, and is on trial with these",
  retired: "is retired",
  "taken-back": "was taken back, and no parent of it can sit in its place",
};

/** Why a persona may not sit, and what to do. */
export const refusedSeat = (name: string, status: keyof typeof WHY): Fault =>
  refusal(
    `the persona ${name} ${WHY[status]}`,
    status === "retired" || status === "taken-back"
      ? "name another persona, or accept it again with a reason"
      : "let a trial decide, or accept it with a reason",
  );

/** The same persona, if its file lets it sit. @throws Fault `configuration` */
export function checkMaySit<T extends BredPersona & Pick<LoadedPersona, "name">>(persona: T): T {
  const status = fileStatus(persona);
  if (status === "own" || status === "accepted") return persona;
  throw refusedSeat(persona.name, status);
}
