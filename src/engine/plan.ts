import { DeliberationId, Fault, type Event, type ModelRequest } from "../kernel/index.ts";
import {
  loadPinned,
  checkInput,
  settingsOf,
  type CheckedInput,
  type DeliberationInput,
  type OpeningChecks,
} from "./opening.ts";
import type { ProtocolContext } from "./protocol.ts";

// No course of a run makes more calls than its plan allows, repairs and fallbacks included; a request that is sent again after a failure of
// its connection is not in the plan.

/** What a protocol plans from: its opening's pinned texts and settings, without steps or ports. */
export type PlanContext<S = unknown> = Omit<ProtocolContext<S>, "run" | "ports"> & {
  /** The tokens at most that memory adds to a prompt. */
  readonly memoryTokens: number;
};

/** How many calls: on the shortest course, on the usual one, and at most. */
export type CallCount = { readonly low: number; readonly expected: number; readonly high: number };

/** Calls of one kind by one participant. */
export type PlannedCall = CallCount & {
  /** One of them, with the prompt that it has without the replies that it shows. */
  readonly request: ModelRequest;
  /** The tokens at most of each earlier reply that the prompt shows. */
  readonly shows: readonly number[];
};

/** A phase of a protocol's run. */
export type PlannedPhase = {
  readonly name: string;
  readonly calls: readonly PlannedCall[];
  /** Of two phases with different courses, a run has only one: `final answers` or `open question`. */
  readonly course?: string;
  /** Whether its calls give the answer that reactions grade. */
  readonly answers?: true;
};

/** The phases of a run; null where its protocol declares none. */
export type Plan = readonly PlannedPhase[] | null;

/** Plans the run of an opening that is not recorded. @throws Fault as `open` does */
export async function planRun(
  checks: Pick<OpeningChecks, "models" | "protocols">,
  input: DeliberationInput | CheckedInput,
  { memoryTokens }: Pick<PlanContext, "memoryTokens">,
): Promise<{ readonly plan: Plan; readonly context: PlanContext }> {
  const { protocol, opening, texts } = "texts" in input ? input : await checkInput(checks, input);
  const deliberation = DeliberationId.parse("estimate");
  const byDigest: ReadonlyMap<string, string> = texts;
  const text = (digest: string): Promise<string> => {
    const pinned = byDigest.get(digest);
    if (pinned === undefined) throw new Fault("text-missing", { digest });
    return Promise.resolve(pinned);
  };
  // `loadPinned` reads these two fields of the event.
  const opened = { data: opening, deliberation } as Event<"deliberation-opened">;
  const { text: _text, ...pinned } = await loadPinned({ text }, opened);
  // The protocol's schema has parsed the settings, so they have the type of its context.
  const context = { ...pinned, memoryTokens, settings: settingsOf(protocol, opening.settings) as never };
  return { plan: protocol.plan?.(context) ?? null, context };
}
