import * as z from "zod";
import { callOf, isEvent, workOf, type Entry, type Event } from "../../../kernel/index.ts";
import { growForest, underWeather, type TreeGrowth } from "./growth.ts";
import { NurseryDecision } from "./seeds.ts";
import { type Forest, ForestSeed, ResultRecord } from "./state.ts";
import type { ForestWeather } from "./weather.ts";

const SowNote = z.object({
  tree_id: z.string(),
  seeds: z.array(ForestSeed),
  decisions: z.array(NurseryDecision),
});
export const ClassifyNote = z.object({
  tree_id: z.string(),
  seed_id: z.string(),
  formula: z.string(),
  record: ResultRecord,
});
export type ClassifyNote = z.infer<typeof ClassifyNote>;

export const notesOf = (entries: readonly Entry[], topic: string): readonly Event<"note-taken">[] =>
  entries.filter(
    (entry): entry is Event<"note-taken"> => isEvent(entry, "note-taken") && entry.data.topic === topic,
  );

/** The weather that a cycle's journal has; undefined before it was routed. */
export const weatherIn = (entries: readonly Entry[]): ForestWeather | undefined =>
  // The protocol's own note.
  notesOf(entries, "route")[0]?.data.body as ForestWeather | undefined;

const inOrder = <T extends { readonly origin: Entry["origin"] }>(entries: readonly T[]): T[] =>
  entries.toSorted((one, other) => compareKeys(keyOf(one), keyOf(other)));

/** The step that an event is of; empty for what no step recorded. */
export const keyOf = ({ origin }: { readonly origin: Entry["origin"] }): string =>
  "step" in origin ? origin.step : "";

/** By parts, numbers by their value: `candidate-10` after `candidate-9`. */
const compareKeys = (one: string, other: string): number => one.localeCompare(other, "en", { numeric: true });

/** The forest after a cycle that has ended well. */
export function forestAfter(before: Forest, entries: readonly Entry[]): Forest {
  const weather = weatherIn(entries);
  if (!weather) return before;
  const growths = new Map<string, { seeds: ForestSeed[]; results: TreeGrowth["results"][number][] }>();
  const growthOf = (tree_id: string) => {
    const known = growths.get(tree_id) ?? { seeds: [], results: [] };
    growths.set(tree_id, known);
    return known;
  };
  for (const { data } of inOrder(notesOf(entries, "sow"))) {
    const { tree_id, seeds } = SowNote.parse(data.body);
    growthOf(tree_id).seeds.push(...seeds);
  }
  for (const { data } of inOrder(notesOf(entries, "classify"))) {
    const { tree_id, ...result } = ClassifyNote.parse(data.body);
    growthOf(tree_id).results.push(result);
  }
  const all = [...growths].map(([tree_id, growth]) => ({ tree_id, ...growth }));
  return growForest(underWeather(before, weather), all);
}

/** A line of `events.jsonl`. */
export type ForestLogLine = {
  readonly ts: string;
  readonly agent: string;
  readonly role: string;
  readonly action: string;
  readonly target: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly reason: string;
  readonly cycle: number;
  readonly initiative: "rainforest_lab";
};

type Words = Pick<ForestLogLine, "action" | "target" | "inputs" | "outputs" | "reason">;

const parseObject = (text: string): Record<string, unknown> => {
  const data: unknown = JSON.parse(text);
  return typeof data === "object" && data !== null ? { ...data } : { text };
};

/** Makes a line of the log, about `target` where it does not say another. */
const lineOf =
  (target: string, usual: Partial<Words> = {}) =>
  (action: string, more: Partial<Words>): Words => ({
    ...{ action, target, inputs: {}, outputs: {}, reason: "" },
    ...usual,
    ...more,
  });

const listIn = (said: Record<string, unknown>, name: string): readonly unknown[] =>
  Array.isArray(said[name]) ? (said[name] as unknown[]) : [];

/** What an event is called in the log, with what it carries; none where it is no step of a role. */
function wordsOf(entry: Entry, of: string): readonly Words[] {
  const kind = workOf(entry)?.kind;
  const line = lineOf(of);
  if (isEvent(entry, "answer-given")) {
    const said = parseObject(entry.data.text);
    if (kind === "divergence") {
      const candidates = listIn(said, "candidates");
      const outputs = { candidate_count: candidates.length, candidates };
      return [line("handoff_divergence", { outputs, reason: "other formulations were asked for" })];
    }
    const reason =
      kind === "revise"
        ? "a mechanism was replaced by one without its weaknesses"
        : "hypotheses were mined for this tree";
    return [line("mine", { inputs: { tree_id: of, round: entry.data.round }, outputs: said, reason })];
  }
  if (isEvent(entry, "critique-given")) {
    const { text, verdict = null, severity = null } = entry.data;
    const said = parseObject(text);
    const inputs = { kind: kind === "challenge" ? "fruit_candidate" : "hypothesis" };
    const risks = [...listIn(said, "weaknesses"), ...listIn(said, "alt_explanations")];
    const outputs = { verdict, severity, risks };
    const challenge = { inputs, outputs, reason: "recorded only: no gate is changed by it" };
    const amendment = said["gate_amendment"];
    const proposed = { inputs, outputs: { amendment }, reason: "a person decides about it" };
    return [
      line("skeptic_challenge", challenge),
      ...(amendment == null ? [] : [line("gate_amendment_proposed", proposed)]),
    ];
  }
  if (isEvent(entry, "round-closed")) {
    const { round, in: into, culled, revised, proceeded } = entry.data;
    const inputs = { tree_id: of, round, in: into.length };
    const outputs = { culled: culled.length, revised: revised.length, proceeded: proceeded.length };
    return [line("debate_round", { inputs, outputs, reason: "a round of the debate has ended" })];
  }
  if (isEvent(entry, "gate-decided")) {
    const { gate, outcome, metrics, mode, because } = entry.data;
    const inputs = { gate, execution_mode: mode };
    return [line("gate", { inputs, outputs: { outcome, metrics }, reason: because || outcome })];
  }
  if (isSeatEvent(entry)) {
    const { step, person } = entry.data;
    if (isEvent(entry, "seat-opened"))
      return [line("handoff_request", { inputs: { step, to: person }, reason: "it was handed to a person" })];
    if (isEvent(entry, "seat-answered"))
      return [line("handoff_response", { inputs: { step, from: person }, reason: "a person answered" })];
    return [
      line("handoff_timeout", { inputs: { step, to: person }, reason: entry.data.why || "the time was up" }),
    ];
  }
  return isEvent(entry, "note-taken") ? noteWords(entry, of) : [];
}

const isSeatEvent = (entry: Entry): entry is Event<"seat-opened" | "seat-answered" | "seat-expired"> =>
  isEvent(entry, "seat-opened") || isEvent(entry, "seat-answered") || isEvent(entry, "seat-expired");

function noteWords({ data: { topic, reason, body } }: Event<"note-taken">, of: string): readonly Words[] {
  const outputs = typeof body === "object" && body !== null && !Array.isArray(body) ? body : { result: body };
  const line = lineOf(of, { outputs, reason: reason || topic });
  if (topic === "sow") {
    const { seeds, decisions } = SowNote.parse(body);
    const routed = seeds.map(({ seed_id, status, seed_score }) => ({ seed_id, status, seed_score }));
    return [
      line("rank_and_route_seeds", { inputs: { seed_count: seeds.length }, outputs: { routed } }),
      ...decisions.map((decision) =>
        line("nursery_check", { target: decision.seed_id, outputs: { decision }, reason: decision.reason }),
      ),
    ];
  }
  if (topic === "alignment") return [line("handoff_g7_alignment", {})];
  if (topic === "classify") {
    const { record } = ClassifyNote.parse(body);
    const { gate_record, classification, classification_reason } = record;
    return [
      line("classify", {
        ...{ target: record.task_id, inputs: { gate_record }, reason: classification_reason },
        outputs: { classification, reason: classification_reason },
      }),
    ];
  }
  if (topic === "gardener_parallel_dispatch") {
    const { dispatch, ...inputs } = body as Record<string, unknown>;
    return [line(topic, { inputs, outputs: { dispatch } })];
  }
  if (topic === "judge") {
    const { mechanism, ...said } = body as Record<string, unknown>;
    return [line(topic, { inputs: { mechanism }, outputs: said })];
  }
  return [line(topic, {})];
}

/** Which part of a cycle a step belongs to: before the trees, in one of them, or after. */
const partOf = (key: string): number => (/^tree-\d/.test(key) ? 1 : key === "validate_post_save" ? 2 : 0);
const OPENING_ORDER = ["validate_pre", "route", "gardener_parallel_dispatch"];
/** The order of a tree's steps, by the second part of their keys. */
const STAGE_ORDER = [
  ...["mine", "round", "diverge", "judge", "evolve", "compile"],
  ...["sow", "evaluate", "challenge", "align", "classify"],
];

function rankOf(key: string): readonly [part: number, tree: string, stage: number, rest: string] {
  const part = partOf(key);
  if (part !== 1) return [part, "", OPENING_ORDER.indexOf(key), key];
  const [tree = "", stage = "", ...rest] = key.split("/");
  const known = STAGE_ORDER.findIndex((name) => stage === name || stage.startsWith(`${name}-`));
  // A round closes after its critiques and revisions.
  return [
    part,
    tree,
    known < 0 ? STAGE_ORDER.length : known,
    `${stage}/${rest[0] === "closed" ? "~" : rest.join("/")}`,
  ];
}

const compareRanks = (one: ReturnType<typeof rankOf>, other: ReturnType<typeof rankOf>): number =>
  one[0] - other[0] || compareKeys(one[1], other[1]) || one[2] - other[2] || compareKeys(one[3], other[3]);

/** The event log of a cycle, in the coordinator's order. */
export function forestLog(entries: readonly Entry[]): readonly ForestLogLine[] {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  if (!opened) return [];
  const before = z.object({ cycle: z.number() }).parse(opened.data.settings).cycle - 1;
  const seats = new Map(opened.data.participants.map(({ id, seat }) => [id as string, seat]));
  return entries
    .filter((entry) => !isEvent(entry, "deliberation-opened") && !isEvent(entry, "degradation-noted"))
    .map((entry) => ({ entry, key: logKey(entry) }))
    .toSorted((one, other) => compareRanks(rankOf(one.key), rankOf(other.key)))
    .flatMap(({ entry }) => {
      const work = workOf(entry);
      const call = callOf(entry);
      const by = work?.by ?? "coordinator";
      const role = seats.get(by) ?? by;
      return wordsOf(entry, work?.of ?? "forest").map((words): ForestLogLine => ({
        ...{ ts: entry.at, agent: call?.model ?? by, role, ...words },
        cycle: words.action === "validate_post_save" ? before + 1 : before,
        initiative: "rainforest_lab",
      }));
    });
}

/** The step that an entry is of, also where a client recorded it. */
const logKey = (entry: Entry): string => (isSeatEvent(entry) ? entry.data.step : keyOf(entry));

export const logLine = (line: ForestLogLine): string => JSON.stringify(sortKeys(line));

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}
