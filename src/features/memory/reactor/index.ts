import * as z from "zod";
import { defineReactor, NOTHING_TO_SAY, type StepOutcome, type Reaction } from "../../../engine/index.ts";
import {
  answerStep,
  EngramId,
  isEvent,
  stepOrigin,
  originKey,
  UserId,
  type AnnotatedEngram,
  type Annotation,
  type Closing,
  type Entry,
  type Event,
  type EventId,
  type Remembered,
} from "../../../kernel/index.ts";

// An engram has the id of its answer. An answer is stored once, and an event annotates it once.

/** Whether answers are stored, the memory owner, and when engrams merge and retire. */
export const MemorySettings = z.strictObject({
  user: UserId,
  /** false: nothing is stored, and annotations are dropped. */
  write: z.boolean(),
  mergeAt: z.number(),
  retireAt: z.int().positive(),
});
export type MemorySettings = z.infer<typeof MemorySettings>;

/** The topic of a note, not of a failure: the settings turn memory off. */
const OFF = "memory-off";
const NOT_REMEMBERED = "not-remembered";

const EVENTS = [
  "answer-given",
  "synthesis-given",
  "deliberation-closed",
  "grade-given",
  "preference-given",
  "feedback-given",
] as const;
type MemoryEvent = Event<(typeof EVENTS)[number]>;

/** Stores answers, and later their grades, comparisons and feedback. */
export const memory = defineReactor({
  name: "memory",
  on: EVENTS,
  emits: ["engram-written", "engram-annotated", "note-taken", "reaction-failed"],
  settings: MemorySettings,
  switch: "memory",
  work: {
    "answer-given": "ingesting",
    "synthesis-given": "ingesting",
    "deliberation-closed": "ingesting",
    "grade-given": "updating-score",
    "preference-given": "annotating",
    "feedback-given": "annotating",
  },
  shouldReact: (event, before, { user }) => taskOf(event, before, user) !== undefined,
  async react(event, reaction) {
    const task = taskOf(event, reaction.history, reaction.settings.user);
    if (task?.answer) return remember(reaction, task.answer);
    if (!task?.annotations.length) return NOTHING_TO_SAY;
    for (const annotation of task.annotations) await annotate(reaction, annotation);
    return undefined;
  },
});

type RememberedAnswer = Event<"answer-given" | "synthesis-given">;

/** An answer to store, or annotations of stored ones. */
type MemoryTask =
  | { readonly answer: RememberedAnswer }
  | { readonly answer?: never; readonly annotations: readonly Annotating[] };

/** What an event gives memory to do; undefined where that is nothing. */
function taskOf(event: MemoryEvent, history: readonly Entry[], user: UserId): MemoryTask | undefined {
  const { id, at } = event;
  switch (event.type) {
    case "answer-given":
      return event.data.kind === "response" ? { answer: event } : undefined;
    case "synthesis-given":
      return { answer: event };
    case "deliberation-closed": {
      const answer = chosenAnswer(event, history);
      return answer && { answer };
    }
    case "grade-given": {
      const { call, feedback, of, rubric, score } = event.data;
      if (score === null) return undefined;
      const what = { kind: "grade" as const, score, feedback, rubric };
      const annotation = { event: id, by: call?.model ?? "critic", at, what };
      return { annotations: [{ step: "annotate", of, annotation }] };
    }
    case "preference-given":
      return { annotations: annotatePair(event) };
    case "feedback-given": {
      const of = answerSpokenOf(event, history);
      const by = event.data.by ?? user;
      if (of === undefined) return undefined;
      return {
        annotations: saidIn(event).map((what, index) => ({
          step: `annotate/${what.kind}`,
          of,
          // An event's id, and a word.
          annotation: { event: index === 0 ? id : (`${id}/${what.kind}` as EventId), by, at, what },
        })),
      };
    }
  }
}

/** The answer that a closing chooses, where it is nobody's response and no synthesis: those are remembered as they come. */
function chosenAnswer(
  { data }: Event<"deliberation-closed">,
  history: readonly Entry[],
): Event<"answer-given"> | undefined {
  const answer = answerIn(data, history);
  return answer && isEvent(answer, "answer-given") && answer.data.kind !== "response" ? answer : undefined;
}

/** The answer that feedback is about: the one that it names, else the deliberation's own. */
function answerSpokenOf({ data }: Event<"feedback-given">, history: readonly Entry[]): EventId | undefined {
  if (data.of !== undefined) return data.of;
  const closed = history.find((entry) => isEvent(entry, "deliberation-closed"));
  return closed && answerIn(closed.data, history)?.id;
}

function answerIn(closing: Closing, history: readonly Entry[]): Entry | undefined {
  const step = answerStep(closing);
  return step && history.find((entry) => originKey(entry.origin) === stepOrigin(step));
}

function saidIn({ data: { thumb, text, outcome } }: Event<"feedback-given">): Annotation["what"][] {
  const words = text === undefined || text === "" ? {} : { text };
  const said: Annotation["what"][] = [
    ...(thumb === undefined ? [] : [{ kind: "thumb" as const, thumb, ...words }]),
    ...(outcome === undefined ? [] : [{ kind: "outcome" as const, outcome, ...words }]),
  ];
  return said.length === 0 && words.text !== undefined ? [{ kind: "comment", text: words.text }] : said;
}

async function remember(reaction: Reaction<MemorySettings>, answer: RememberedAnswer): Promise<void> {
  const { ports, run, settings } = reaction;
  await run.effect(
    {
      key: "engram",
      outcomes: ["engram-written", "note-taken", "reaction-failed"],
      input: { of: answer.id },
    },
    async (signal): Promise<StepOutcome<"engram-written" | "note-taken" | "reaction-failed">> => {
      if (!settings.write) return { type: "note-taken", data: { topic: OFF, ...off(answer.id) } };
      if (!ports.memory) return failedReaction(answer.id, "there is no memory here");
      try {
        const { engram, cluster, unembedded } = await ports.memory.write(engramOf(reaction, answer), signal);
        return { type: "engram-written", data: { of: answer.id, engram, cluster, unembedded } };
      } catch (error) {
        signal.throwIfAborted();
        return failedReaction(answer.id, error instanceof Error ? error.message : String(error));
      }
    },
  );
}

const off = (of: EventId) => ({ reason: "memory is off in this deliberation", body: { of } });

const failedReaction = (of: EventId, why: string): StepOutcome<"reaction-failed"> => ({
  type: "reaction-failed",
  data: { code: NOT_REMEMBERED, why: why.slice(0, 1_000), detail: { of } },
});

function engramOf(
  { conversation, opening, settings, question, history }: Reaction<MemorySettings>,
  answer: RememberedAnswer,
): Remembered {
  const by = opening.participants.find(({ id }) => id === answer.data.by);
  const respondent = answer.type === "answer-given" ? (answer.data.respondent ?? null) : null;
  const others = respondent === null ? opening.participants : [];
  const models = [...new Set([...(by ? [by] : []), ...others].map(({ model }) => model))];
  return {
    id: EngramId.parse(answer.id),
    organization: opening.organization,
    user: settings.user,
    question,
    answer: answer.data.text,
    participant: answer.data.by,
    respondent,
    models,
    temperature: by?.temperature ?? null,
    deliberation: answer.deliberation,
    conversation,
    tools: history.some((entry) => isEvent(entry, "tool-called") && entry.data.by === answer.data.by),
    at: answer.at,
    mergeAt: settings.mergeAt,
  };
}

function annotatePair({ at, data, id }: Event<"preference-given">): Annotating[] {
  const { judge, of, orderSensitive, reason, winner } = data;
  const [first, second] = of;
  const sides = [
    ["A", first, second],
    ["B", second, first],
  ] as const;
  return sides.map(([side, answer, against]) => {
    const result = winner === "tie" ? "tied" : winner === side ? "won" : "lost";
    const other = EngramId.parse(against);
    const what = { kind: "preference", result, against: other, orderSensitive, reason } as const;
    const annotation = { event: id, by: judge ?? "critic", at, what };
    return { step: `annotate/${side}`, of: answer, annotation };
  });
}

type Annotating = { readonly step: string; readonly of: EventId; readonly annotation: Annotation };

async function annotate(
  reaction: Reaction<MemorySettings>,
  { step, of, annotation }: Annotating,
): Promise<void> {
  const { opening, ports, run, settings } = reaction;
  const lost = lossIn(reaction.history, of);
  await run.effect(
    {
      key: step,
      outcomes: ["engram-annotated", "note-taken", "reaction-failed"],
      input: { of, event: annotation.event },
    },
    async (): Promise<StepOutcome<"engram-annotated" | "note-taken" | "reaction-failed">> => {
      if (!settings.write) return lapse(of, annotation, { topic: OFF, why: off(of).reason });
      if (lost !== undefined) return lapse(of, annotation, { why: `its answer was not remembered: ${lost}` });
      if (!ports.memory) return lapse(of, annotation, { why: "there is no memory here" });
      const engram = EngramId.parse(of);
      const scope = { organization: opening.organization, user: settings.user, id: engram };
      const outcome = await ports.memory.annotate(scope, annotation, { against: settings.retireAt });
      if (outcome.state === "kept" || outcome.state === "gone")
        return lapse(of, annotation, WHY[outcome.state](outcome));
      const { retires } = outcome;
      return {
        type: "engram-annotated",
        data: { engram, annotation, ...(retires === null ? {} : { retires }) },
      };
    },
  );
}

type Lapse = { readonly topic?: string; readonly why: string };

const WHY: { readonly [state in "kept" | "gone"]: (outcome: AnnotatedEngram) => Lapse } = {
  kept: ({ lapsed }) => ({
    topic: "annotation-kept",
    why: `its engram is not there yet: it is kept for it${lapsed.length === 0 ? "" : `; for want of room what was kept for ${lapsed.join(", ")} is let go`}`,
  }),
  gone: () => ({ why: "its engram was forgotten" }),
};

/** Why an answer was not stored, if that is recorded. */
function lossIn(history: readonly Entry[], of: EventId): string | undefined {
  return history
    .filter((entry) => isEvent(entry, "reaction-failed"))
    .find(
      ({ data }) => data.code === NOT_REMEMBERED && JSON.stringify(data.detail) === JSON.stringify({ of }),
    )?.data.why;
}

const lapse = (
  of: EventId,
  { event, what }: Annotation,
  { topic, why }: Lapse,
): StepOutcome<"note-taken" | "reaction-failed"> => {
  const [words, about] = [why.slice(0, 1_000), { of, event, kind: what.kind }];
  return topic === undefined
    ? { type: "reaction-failed", data: { code: "annotation-lapsed", why: words, detail: about } }
    : { type: "note-taken", data: { topic, reason: words, body: about } };
};
