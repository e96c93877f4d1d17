import * as z from "zod";
import {
  callOf,
  hostOf,
  isEvent,
  numberSources,
  readSources,
  sourcesInResult,
  type Entry,
  type NumberedSource,
  type Opening,
  type WebSource,
} from "../kernel/index.ts";
import { ownStepOf } from "./answer-event.ts";

/** A page of the web that answers rest on. */
export const ResultSource = z.strictObject({
  /** Its number in this run, from 1, as answers cite it. */
  n: z.int().positive(),
  url: z.string(),
  host: z.string(),
  title: z.string().nullable(),
  /** Whose answers name it, by id. */
  by: z.array(z.string()),
});
export type ResultSource = z.infer<typeof ResultSource>;

/** What a call of a tool found, which is `tool`, or a reply named; `nth` is the call's number, or the turn's. */
type Mention = {
  readonly count: number;
  readonly step: string;
  readonly tool?: string;
  readonly nth: number;
  readonly sources: readonly WebSource[];
};

/** The step that a turn or a call of a tool belongs to, and its number. */
const PART = /^(.*)\/(?:turn|tool)-(\d+)$/;

/** The sources of a run's answers, in the numbers under which its prompts had them. */
export function sourcesFold() {
  const mentions: Mention[] = [];
  const answers: {
    readonly count: number;
    readonly step: string;
    readonly by: string;
    readonly order: number;
  }[] = [];
  return {
    take(entry: Entry, count: number): void {
      const own = ownStepOf(entry);
      if (own === undefined) return;
      const [, step = own, number = "1"] = PART.exec(own) ?? [];
      const at = { count, step, nth: Number(number) };
      const call = callOf(entry);
      if (isEvent(entry, "tool-called"))
        mentions.push({ ...at, tool: entry.data.tool, sources: sourcesInResult(entry.data.result) });
      else if (call?.ok && call.sources) mentions.push({ ...at, sources: call.sources });
      // A refinement comes after what it refines, which has the same round in a debate.
      if (isEvent(entry, "answer-given")) {
        const { by, kind, round } = entry.data;
        answers.push({ count, step, by, order: 2 * round + (kind === "refinement" ? 1 : 0) });
      } else if (isEvent(entry, "synthesis-given"))
        answers.push({ count, step, by: entry.data.by, order: Infinity });
    },
    /** As the first `count` entries have them. */
    read(count: number, { participants }: Pick<Opening, "participants">): ResultSource[] {
      if (mentions.length === 0) return [];
      const seat = (id: string) => participants.findIndex((one) => one.id === id);
      const given = answers.filter((one) => one.count <= count);
      given.sort((one, other) => one.order - other.order || seat(one.by) - seat(other.by));
      let known: readonly NumberedSource[] = [];
      const namedBy = new Map<number, Set<string>>();
      for (const { step, by } of given) {
        const search = participants[seat(by)]?.search ?? [];
        const own = mentions.filter((one) => one.count <= count && one.step === step);
        own.sort((one, other) => Number(!one.tool) - Number(!other.tool) || one.nth - other.nth);
        const searched = own.filter(({ tool }) => tool === undefined || search.includes(tool));
        const numbered = numberSources(known, readSources(searched.flatMap(({ sources }) => sources)));
        known = [...known, ...numbered.filter(({ n }) => !namedBy.has(n))];
        for (const { n } of numbered) namedBy.set(n, (namedBy.get(n) ?? new Set()).add(by));
      }
      return known.map(({ n, url, title = null }) => {
        return { n, url, host: hostOf(url), title, by: [...(namedBy.get(n) ?? [])] };
      });
    },
  };
}
