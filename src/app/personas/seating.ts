import type { LoadedPersona } from "../../config/personas.ts";
import type { Note } from "../../engine/opening-part.ts";
import type { AppContext } from "../context.ts";
import { listPersonas } from "../panel.ts";
import { adviceText, latestSummary } from "./advice.ts";
import type { PersonaStatus } from "../../contract/library.ts";
import { textDigest } from "../../engine/index.ts";
import { type Fault, type Digest, refusal } from "../../kernel/index.ts";

/** The members' personas as they may sit, with what their peers wrote where the settings say so. */
export type Seating = {
  readonly context: AppContext;
  readonly notes: readonly Note[];
  /** What peers wrote, in short, by the persona's id. */
  readonly advice: ReadonlyMap<string, string>;
};

/**
 * Checks who may sit, puts a parent in the place of a child that was taken back, and reads what peers wrote.
 * @throws Fault `configuration` for a persona that may not sit
 */
export async function seatPersonas(context: AppContext): Promise<Seating> {
  const { resources, settings } = context;
  const known = resources.personas();
  const instead = new Map<string, LoadedPersona>();
  const notes: Note[] = [];
  const advice = new Map<string, string>();
  let mayFeed: ((text: string) => boolean) | undefined;
  for (const id of new Set(listPersonas(context))) {
    const persona = known.get(id);
    if (!persona) continue; // It is refused where it is seated, with the nearest.
    const sits = await whoSits(context, persona);
    if (sits !== persona) {
      instead.set(id, sits);
      const text = `Note: ${persona.name} was taken back, because reviewers place it below the middle; ${sits.name}, its parent, sits instead`;
      notes.push({ code: "warning", text });
    }
    const summary = settings.personaFeedback ? await latestSummary(context.store, sits.id) : undefined;
    if (!summary) continue;
    mayFeed ??= await (await import("./held-out.ts")).heldOutFilter(context.store);
    const text = adviceText(summary, mayFeed);
    if (text !== "") advice.set(id, text);
  }
  const persona = (id: string): LoadedPersona => instead.get(id) ?? resources.persona(id);
  return {
    context: instead.size === 0 ? context : { ...context, resources: { ...resources, persona } },
    ...{ notes, advice },
  };
}

const MAX_GENERATIONS = 20;

/** This persona, or the nearest forebear that may sit where it was taken back. */
async function whoSits(context: AppContext, persona: LoadedPersona): Promise<LoadedPersona> {
  let sits = persona;
  for (let generation = 0; generation < MAX_GENERATIONS; generation += 1) {
    if (fileStatus(sits) === "own") return sits;
    // Loaded for those that were bred alone.
    const { status } = await (await import("./live.ts")).statusOf(context, sits);
    if (status === "own" || status === "accepted") return sits;
    const parent = context.resources.personas().get(sits.lineage?.parents[0]?.id ?? "");
    if (status !== "taken-back" || !parent) throw refusedSeat(sits.name, status);
    sits = parent;
  }
  throw refusedSeat(persona.name, "taken-back");
}

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
const refusedSeat = (name: string, status: keyof typeof WHY): Fault =>
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
