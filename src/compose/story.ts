import type { Story } from "../config/index.ts";
import {
  EngramId,
  Fault,
  isEvent,
  UserId,
  type DeliberationId,
  type Entry,
  type World,
} from "../kernel/index.ts";
import {
  checksOf,
  isSimulated,
  shownAnswer,
  storyChecks,
  turnChecks,
  type KeptEngram,
  type StoryReport,
} from "../projections/index.ts";
import type { Settings } from "./parley.ts";

// J1. A story sees no memory but its own, and leaves none to anybody: it has a user of its own.
// J2. A turn is over when everything that reacts to it is: what is checked does not change any more.

/** What a turn came to, all reactions included. */
export type StoryTurn = { readonly id: DeliberationId; readonly entries: readonly Entry[] };

/** What a story works with. */
export type StoryPorts = {
  /** Asks, in the conversation that `previous` is the last turn of; resolves when the answer is given and all reactions to it have ended. */
  readonly converse: (asked: {
    readonly question: string;
    readonly previous: DeliberationId | undefined;
    readonly user: UserId;
    readonly signal: AbortSignal;
  }) => Promise<StoryTurn>;
  /** What whoever asks this should know before it starts. @throws Fault for what cannot work */
  readonly notes: (question: string, user: UserId) => Promise<readonly string[]>;
  /** Those that are there. */
  readonly engrams: (user: UserId, ids: readonly EngramId[]) => Promise<readonly KeptEngram[]>;
  readonly world: Pick<World, "id" | "sleep">;
};

export type StoryOptions = {
  readonly signal: AbortSignal;
  /** Waits between turns as long as the story says; needless, since every turn waits for its reactions. */
  readonly delays?: boolean;
  readonly onNote?: (note: string) => void;
  /** Before a turn is asked, counted from 1, */
  readonly onTurn?: (turn: number, query: string) => void;
  /** and when it has been checked. */
  readonly onChecked?: (turn: StoryReport["turns"][number]) => void;
};

/** Runs a story turn by turn and checks it; null where it was interrupted. */
export async function runStory(
  ports: StoryPorts,
  story: Story,
  { signal, delays = false, onNote, onTurn, onChecked }: StoryOptions,
): Promise<StoryReport | null> {
  const user = storyUser(story.id, ports.world);
  const turns: StoryReport["turns"] = [];
  const entries: Entry[] = [];
  let previous: DeliberationId | undefined;
  for (const note of await ports.notes(story.turns[0]?.query ?? "", user)) onNote?.(note);
  for (const [index, turn] of story.turns.entries()) {
    if (delays && index > 0 && story.delayMs > 0) await ports.world.sleep(story.delayMs, signal);
    if (signal.aborted) return null;
    onTurn?.(index + 1, turn.query);
    const asked = { question: turn.query, previous: turn.newSession ? undefined : previous, user, signal };
    const said = await unlessAborted(ports.converse(asked), signal);
    if (!said) return null;
    previous = said.id;
    const inOrder = [...said.entries].sort((a, b) => a.seq - b.seq);
    entries.push(...inOrder);
    const checked = {
      query: turn.query,
      deliberation: said.id,
      answer: shownAnswer(inOrder),
      checks: turnChecks(turn, inOrder),
    };
    turns.push(checked);
    onChecked?.(checked);
  }
  const ids = entries.flatMap((entry) =>
    isEvent(entry, "answer-given") && entry.data.kind === "response" ? [EngramId.parse(entry.id)] : [],
  );
  const engrams = story.engrams.length > 0 ? await ports.engrams(user, ids) : [];
  const checks = storyChecks(story, { entries, engrams });
  const { file, id, title } = story;
  const ok = checksOf({ turns, checks }).every((one) => one.ok !== false);
  return { file, id, title, ok, simulated: isSimulated(entries), user, turns, checks };
}

/** A user whom nobody else is. */
function storyUser(id: string, world: StoryPorts["world"]): UserId {
  const word = id.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(0, 40);
  return UserId.parse(`story-${word}-${world.id()}`.slice(0, 100));
}

/** What a promise comes to, or undefined as soon as nobody waits for it any more. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    const first = await Promise.race([promise, aborted]);
    return signal.aborted ? undefined : first;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

type Flags = Readonly<Record<string, unknown>>;

/** The flags that a story runs under: those that were given, then what it says itself. */
export function storyFlags({ defaults }: Pick<Story, "defaults">, { model: given, ...flags }: Flags): Flags {
  const { model, judge, ...same } = defaults;
  const models = flags["models"] ?? (given === undefined ? undefined : [given]);
  return {
    ...same,
    ...(judge === undefined ? {} : { judge: [judge] }),
    ...(model === undefined ? {} : { models: [model] }),
    ...Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)),
    ...(models === undefined ? {} : { models }),
  };
}

/** @throws Fault `configuration` for a story that needs what the settings do not give */
export function refuseUnmet(
  { file, needs }: Pick<Story, "file" | "needs">,
  { critic, judge, respondentB }: Pick<Settings, "critic" | "judge" | "respondentB">,
): void {
  const refusal = (why: string, next: string) =>
    new Fault("configuration", { why: `${file} needs ${why}`, next });
  if (needs.includes("judge") && (critic === "off" || (critic === "auto" && judge.length === 0)))
    throw refusal("a judge, and nobody grades", "name one with --judge");
  if (needs.includes("respondent-b") && !respondentB)
    throw refusal("a second respondent, and there is none", "add --respondent-b");
}
