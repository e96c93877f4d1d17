import type { AppContext, EffectiveSettings } from "../../../app/context.ts";
import { prepareOpening, start } from "../../../app/start.ts";
import {
  type DeliberationId,
  EngramId,
  type Entry,
  Fault,
  isEvent,
  UserId,
  type World,
} from "../../../kernel/index.ts";
import type { Note } from "../../../engine/opening-part.ts";
import { isSimulated } from "../../../views/simulated.ts";
import {
  checksOf,
  type KeptEngram,
  shownAnswer,
  storyChecks,
  type StoryReport,
  turnChecks,
} from "./checks.ts";
import type { Story } from "./file.ts";

// A story has a user of its own, so that it neither reads nor writes another memory.

type EndedTurn = { readonly id: DeliberationId; readonly entries: readonly Entry[] };

type StoryTurn = {
  readonly question: string;
  /** The last turn of the conversation that this one continues. */
  readonly previous?: DeliberationId | undefined;
  readonly user?: UserId | undefined;
};

export type StoryPorts = {
  /** Asks, and resolves when the answer is given and all reactions to it have ended. */
  readonly converse: (
    turn: StoryTurn & { readonly user: UserId; readonly signal: AbortSignal },
  ) => Promise<EndedTurn>;
  /** What the person who runs the story should know before it starts. @throws Fault for what cannot work */
  readonly notes: (question: string, user: UserId) => Promise<readonly string[]>;
  /** The memory entries that exist under these ids. */
  readonly engrams: (user: UserId, ids: readonly EngramId[]) => Promise<readonly KeptEngram[]>;
  readonly world: Pick<World, "id" | "sleep">;
};

export type StoryOptions = {
  readonly signal: AbortSignal;
  /** Waits between turns as long as the story says. No story needs it: every turn waits for its reactions. */
  readonly delays?: boolean;
  readonly onNote?: (note: string) => void;
  /** Called before a turn is asked; turns count from 1. */
  readonly onTurn?: (turn: number, query: string) => void;
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
  const interrupted = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const [first] = story.turns;
  for (const note of first ? await ports.notes(first.query, user) : []) onNote?.(note);
  for (const [index, turn] of story.turns.entries()) {
    if (delays && index > 0 && story.delayMs > 0) await ports.world.sleep(story.delayMs, signal);
    if (signal.aborted) return null;
    onTurn?.(index + 1, turn.query);
    const asked = { question: turn.query, previous: turn.newSession ? undefined : previous, user, signal };
    const conversed = ports.converse(asked).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    const ended = await Promise.race([conversed, interrupted]);
    if (!ended || signal.aborted) return null;
    previous = ended.id;
    const inOrder = [...ended.entries].sort((a, b) => a.seq - b.seq);
    entries.push(...inOrder);
    const checked = {
      query: turn.query,
      deliberation: ended.id,
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
  const results = checksOf({ turns, checks }).map((one) => one.ok);
  return {
    ...{ file, id, title, ok: !results.includes(false) },
    skipped: results.filter((result) => result === null).length,
    ...{ simulated: isSimulated(entries), user, turns, checks },
  };
}

/** A user of its own, so that no other memory is read or written. */
function storyUser(id: string, world: StoryPorts["world"]): UserId {
  const word = id.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(0, 40);
  return UserId.parse(`story-${word}-${world.id()}`.slice(0, 100));
}

type FlagValues = Readonly<Record<string, unknown>>;

/** The settings that a story runs under: those given on the outside come before its own defaults. */
export function storyFlags(
  { defaults }: Pick<Story, "defaults">,
  { model: flag, ...flags }: FlagValues,
): FlagValues {
  const { model, judge, ...same } = defaults;
  const models = flags["models"] ?? (flag === undefined ? undefined : [flag]);
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
  { critic, judge, respondentB }: Pick<EffectiveSettings, "critic" | "judge" | "respondentB">,
): void {
  const refusal = (why: string, next: string) =>
    new Fault("configuration", { why: `${file} needs ${why}`, next });
  if (needs.includes("judge") && (critic === "off" || (critic === "auto" && judge.length === 0)))
    throw refusal("a judge, and none is configured", "set judge to provider/model");
  if (needs.includes("respondent-b") && !respondentB)
    throw refusal("a second model (respondent B), and none is configured", "set respondent-b: true");
}

/** Asks one question and waits for everything that follows the answer. @throws Fault; the signal's reason when it aborts */
export async function converse(
  context: AppContext,
  { user, ...request }: StoryTurn,
  signal: AbortSignal,
): Promise<EndedTurn> {
  const own = user === undefined ? context : asUser(context, user);
  const run = await start(own, { ...request, protocol: "respond" }, { signal });
  await run.outcome();
  await run.reactions;
  signal.throwIfAborted();
  return { id: run.id, entries: await context.store.read(run.id) };
}

/** The same on another user's behalf: a story is a user of its own. */
const asUser = (context: AppContext, user: UserId): AppContext => ({
  ...context,
  principal: { ...context.principal, user },
  settings: { ...context.settings, user },
});

/** A story's conversations and memory, over everything that is open. */
export function storyPorts(context: AppContext, word: (note: Note) => string): StoryPorts {
  const { organization } = context.principal;
  return {
    world: context.world,
    notes: async (question, user) =>
      (
        await prepareOpening(asUser(context, UserId.parse(user)), { protocol: "respond", question })
      ).notes.map(word),
    converse: ({ signal, ...asked }) => converse(context, asked, signal),
    async engrams(user, ids) {
      const memory = await context.memory();
      const shown = await Promise.all(ids.map((id) => memory.show({ organization, user }, id)));
      return shown.flatMap((one) => (one.ok ? [one.engram] : []));
    },
  };
}
