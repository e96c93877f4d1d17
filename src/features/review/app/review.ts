import { contextsOf, windowOf } from "../../../app/context-window.ts";
import { estimateOpening } from "../../../app/estimate.ts";
import type { AppContext } from "../../../app/context.ts";
import { assembleOpening, seatPanel } from "../../../app/opening.ts";
import { choosePanel } from "../../../app/panel.ts";
import { seatPersonas } from "../../../app/personas/seating.ts";
import { protocolNamed } from "../../../app/registry.ts";
import { openPrepared, withPack } from "../../../app/start.ts";
import type { RunEstimate } from "../../../contract/figures.ts";
import type { NewDeliberation } from "../../../engine/index.ts";
import type { Note, SeatedParticipant } from "../../../engine/opening-part.ts";
import { refusal, THINKING_REPLY_TOKENS, type DeliberationId } from "../../../kernel/index.ts";
import { neededTokens, promptTokens } from "../../../prompts/context-window.ts";
import { fenceText } from "../../../prompts/material.ts";
import { formatNumber, pluralize } from "../../../text/format.ts";
import type { ReviewSection } from "../protocol/view.ts";
import type { Verdict } from "../protocol/work.ts";
import type { Change } from "./change.ts";

/** Prompts' own words, and what findings and objections take beside the change. */
const PROMPT_TOKENS = 6_000;
/** A window that nobody declared is guessed: what is this much longer is left to the provider to refuse. */
const GUESS = 1.6;

/** A review that is ready to be opened, or the verdict where nobody need be asked. */
export type PreparedReview = { readonly context: AppContext; readonly notes: readonly Note[] } & (
  { readonly opening: NewDeliberation } | { readonly section: ReviewSection }
);

/**
 * Seats the reviewers, and fits the change to what their models take.
 * @throws Fault `configuration`, `authentication`, `budget`
 */
export async function prepareReview(
  given: AppContext,
  change: Change,
  { pack: name }: { readonly pack?: string | undefined } = {},
): Promise<PreparedReview> {
  const { context, panel, seated, pack, notes: seating } = await seatReviewers(given, name);
  if (panel.notes.some(({ code }) => code === "simulated-models"))
    throw refusal(
      "no model is connected, and simulated ones do not decide on a change unless they are named",
      "connect a model, or name simulated ones for a try: sim/ada, sim/bo, sim/cy",
    );
  const fitted = fitToWindows(context, change, seated);
  const notes = [...panel.notes, ...seating, ...fitted.left];
  const early = verdictBefore(change, seated, fitted);
  if (early) return { context, notes, section: sectionBefore(change, seated, early) };
  const { files, texts, title, rules, rulesFrom, base, pins, ignored, unseen } = change;
  const shown = texts.filter(({ path }) => fitted.shown.has(path));
  const { callTimeoutMs, patienceMs, reviewTokens: maxOutputTokens } = context.settings;
  const diffOnly = texts.flatMap(({ path }) => (fitted.shown.has(path) ? [] : [path]));
  const settings = {
    ...{ rules, rulesFrom, base, pins, ignored, unseen, diffOnly },
    ...{ maxOutputTokens, callTimeoutMs, patienceMs },
  };
  const { opening, notes: more } = await assembleOpening(context, {
    protocol: await protocolNamed(context.protocols, "review"),
    question: `Review ${title}`,
    context: [
      { name: "diff", text: files.map(({ text }) => text).join("") },
      ...shown.map(({ path, text }) => ({ name: `file ${path}`, text })),
    ],
    reactions: false,
    pack: pack?.id,
    part: { settings: definedOnly(settings), participants: fitted.participants, answering: [], notes: [] },
  });
  return { context, notes: [...notes, ...more], opening };
}

/** The reviewers of a pack, or of the settings. @throws Fault `configuration`, `authentication` */
export async function seatReviewers(given: AppContext, name: string | undefined) {
  const pack = name === undefined ? undefined : given.resources.pack(name);
  const { context, notes } = await seatPersonas(pack ? withPack(given, pack.settings) : given);
  const panel = await choosePanel(context);
  const seats = [{ name: "reviewer", filledBy: "models", min: 1, max: 26 } as const];
  return { context, panel, pack, notes, seated: seatPanel(context, seats, panel) };
}

const definedOnly = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** Opens a review that has been prepared. */
export async function openReview(
  context: AppContext,
  opening: NewDeliberation,
): Promise<{ readonly id: DeliberationId }> {
  const contexts = await contextsOf(context, opening);
  const { opened } = await openPrepared(context, { opening: contexts ? { ...opening, contexts } : opening });
  return { id: opened.deliberation };
}

export const estimateReview = (context: AppContext, opening: NewDeliberation): Promise<RunEstimate> =>
  estimateOpening(context, { opening });

type Fitted = {
  readonly participants: readonly SeatedParticipant[];
  /** The paths of the files that all of them can be shown whole. */
  readonly shown: ReadonlySet<string>;
  readonly left: readonly Note[];
  /** Tokens of the diff with what stands around it. */
  readonly needed: number;
};

/** Leaves out models that do not take the diff, and files that the others do not take beside it: those that changed most come first. */
function fitToWindows(context: AppContext, change: Change, seated: readonly SeatedParticipant[]): Fitted {
  const { files, texts, rules } = change;
  const reply = context.settings.reviewTokens ?? THINKING_REPLY_TOKENS;
  // Each line begins with its number.
  const numbered = files.map(({ text }) => text.replaceAll("\n", "\n99999 ")).join("");
  const needed = neededTokens([numbered, rules.instructions]) + PROMPT_TOKENS;
  const sized = seated.map((one) => ({ one, window: windowOf(one.model, context, needed + reply) }));
  const takes = ({ window: { contextTokens, soft } }: (typeof sized)[number]) =>
    needed <= contextTokens * (soft === undefined ? 1 : GUESS);
  const kept = sized.filter(takes);
  let room = Math.min(...kept.map(({ window }) => window.contextTokens - reply)) - needed;
  const addedIn = (path: string): number =>
    (files.find((file) => file.path === path)?.added ?? []).reduce(
      (sum, { from, to }) => sum + to - from + 1,
      0,
    );
  const shown = new Set<string>();
  for (const { path, text } of texts.toSorted((one, other) => addedIn(other.path) - addedIn(one.path))) {
    const fenced = fenceText({ kind: "file", label: path, text }, "0".repeat(16));
    const tokens = promptTokens({ messages: [{ role: "user", text: fenced }] });
    if (tokens > room) continue;
    room -= tokens;
    shown.add(path);
  }
  const left = sized
    .filter((one) => !takes(one))
    .map(({ one }): Note => ({
      code: "warning",
      text: `Left out: ${one.persona.name}, ${one.model} does not take so long a diff`,
    }));
  return { participants: kept.map(({ one }) => one), shown, left, needed };
}

type Early = { readonly verdict: Verdict; readonly why: string };

/** The verdict where it is known before anybody is asked. */
function verdictBefore(
  { files, ignored, unseen, rules }: Change,
  seated: readonly SeatedParticipant[],
  { participants, needed }: Fitted,
): Early | undefined {
  const cannot = (why: string): Early => ({ verdict: "inconclusive", why });
  if (files.length === 0 && unseen.length === 0)
    return ignored.length === 0
      ? cannot("there is no change to review")
      : {
          verdict: "pass",
          why: `the rules ignore ${pluralize(ignored.length, "changed file")}, and there is no other`,
        };
  const bytes = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes > rules.maxDiffKb * 1_000)
    return cannot(
      `the diff has ${formatNumber(Math.ceil(bytes / 1_000))} kB, and the rules allow ${rules.maxDiffKb}`,
    );
  if (seated.length < rules.reviewers)
    return cannot(`the rules need ${pluralize(rules.reviewers, "reviewer")}, and there is ${seated.length}`);
  if (participants.length < rules.reviewers)
    return cannot(
      `the diff takes about ${formatNumber(needed)} tokens, and ${participants.length} of ${pluralize(seated.length, "model")} take so many`,
    );
  return undefined;
}

const sectionBefore = (change: Change, seated: readonly SeatedParticipant[], early: Early): ReviewSection => {
  const { rules, rulesFrom, base, pins, ignored, unseen } = change;
  const reviewers = seated.map(({ id, persona, model }) => ({
    id,
    name: persona.name,
    model,
    review: false,
  }));
  const known = { rules, rulesFrom, base, pins, ignored, unseen, diffOnly: [] };
  return { ...early, ...known, findings: [], dropped: [], reviewers };
};

/** What of a recorded verdict is not so any more; empty where it still belongs to the change. */
export function differencesFrom(
  { pins, reviewers }: Pick<ReviewSection, "pins" | "reviewers">,
  change: Pick<Change, "pins">,
  models: readonly string[] | undefined,
): readonly string[] {
  const now = [...(models ?? [])].sort().join(", ");
  const then = reviewers
    .map(({ model }) => model)
    .sort()
    .join(", ");
  return [
    ...(["diff", "files", "rules"] as const).flatMap((key) =>
      pins[key] === change.pins[key] ? [] : [WHAT[key]],
    ),
    ...(models === undefined || now === then ? [] : [`the reviewers' models: ${now} in place of ${then}`]),
  ];
}

const WHAT = {
  diff: "the diff is another one",
  files: "the touched files stand otherwise",
  rules: "the rules of its base are others",
} as const;
