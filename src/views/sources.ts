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

type NamedSources = {
  readonly count: number;
  readonly step: string;
  readonly by: string;
  /** Where it stands among the sources of its step: what tools found, by call, then what replies named, by turn. */
  readonly place: number;
  readonly sources: readonly WebSource[];
};

/** The step that a turn or a call of a tool belongs to, and its number. */
const PART = /^(.*)\/(turn|tool)-(\d+)$/;
/** Behind every call of a tool. */
const FIRST_REPLY = 1_000_000;

/** The sources of a run's answers, in the numbers under which its prompts had them. */
export function sourcesFold() {
  const named: NamedSources[] = [];
  const answered = new Map<string, { readonly count: number; readonly by: string; readonly round: number }>();
  return {
    take(entry: Entry, count: number): void {
      const step = ownStepOf(entry);
      if (step === undefined) return;
      const [, root = step, kind, number] = PART.exec(step) ?? [];
      if (isEvent(entry, "tool-called")) {
        const { by, tool, result } = entry.data;
        named.push({
          count,
          step: root,
          by: `${by} ${tool}`,
          place: Number(number),
          sources: sourcesInResult(result),
        });
        return;
      }
      const call = callOf(entry);
      if (call?.ok && call.sources)
        named.push({
          count,
          step: root,
          by: "",
          place: FIRST_REPLY + (kind ? Number(number) : 1),
          sources: call.sources,
        });
      if (isEvent(entry, "answer-given", "synthesis-given")) {
        const { by } = entry.data;
        // A refinement comes after what it refines, which has the same round in a debate.
        const round = isEvent(entry, "synthesis-given")
          ? Infinity
          : entry.data.round + (entry.data.kind === "refinement" ? 0.5 : 0);
        answered.set(root, { count, by, round });
      }
    },
    /** As the first `count` entries have them. */
    read(count: number, { participants }: Pick<Opening, "participants">): ResultSource[] {
      if (named.length === 0) return [];
      const isSearch = ({ by }: NamedSources): boolean =>
        by === "" ||
        participants.some(
          ({ id, search }) => Array.isArray(search) && search.some((tool) => by === `${id} ${tool}`),
        );
      const seat = (id: string) => participants.findIndex((one) => one.id === id);
      const answers = [...answered]
        .filter(([, one]) => one.count <= count)
        .sort(([, one], [, other]) => one.round - other.round || seat(one.by) - seat(other.by));
      let known: readonly NumberedSource[] = [];
      const by = new Map<number, Set<string>>();
      for (const [step, answer] of answers) {
        const own = named
          .filter((one) => one.step === step && one.count <= count && isSearch(one))
          .sort((one, other) => one.place - other.place);
        const numbered = numberSources(known, readSources(own.flatMap(({ sources }) => sources)));
        known = [...known, ...numbered.filter(({ n }) => !by.has(n))];
        for (const { n } of numbered) by.set(n, (by.get(n) ?? new Set()).add(answer.by));
      }
      return known.map(({ n, url, title }) => {
        return { n, url, host: hostOf(url), title: title ?? null, by: [...(by.get(n) ?? [])] };
      });
    },
  };
}
