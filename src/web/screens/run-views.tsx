import type { VNode } from "preact";
import { isEvent, type Entry } from "../../kernel/index.ts";
import type { ShownRun } from "../folds.ts";
import { isServed } from "../served.ts";

/** What a run can be looked at as. */
export type ViewName =
  "room" | "reviews" | "debate" | "contributions" | "steps" | "forest" | "record" | "events" | "fork";

type View = (props: { readonly shown: ShownRun }) => VNode | null;

/** Each is loaded when it is opened. */
export const VIEWS: { readonly [name in ViewName]: () => Promise<View> } = {
  room: async () => (await import("./view-room.tsx")).Room,
  reviews: async () => (await import("./view-reviews.tsx")).Reviews,
  debate: async () => (await import("./view-debate.tsx")).Rounds,
  contributions: async () => (await import("./view-contributions.tsx")).Contributions,
  steps: async () => (await import("./view-steps.tsx")).Steps,
  forest: async () => (await import("./view-forest.tsx")).Cycle,
  record: async () => (await import("./view-record.tsx")).Record,
  events: async () => (await import("./view-events.tsx")).Events,
  fork: isServed ? async () => (await import("./view-fork.tsx")).Fork : () => VIEWS.room(),
};

/** The views of which a run has something to show; running it again is among them while it is asked for. */
export function viewsOf(
  protocol: string | undefined,
  entries: readonly Entry[],
  asked: string,
): readonly ViewName[] {
  const has = (...types: readonly Entry["type"][]) => entries.some(({ type }) => types.includes(type));
  const claims = entries.some(
    (entry) => isEvent(entry, "synthesis-given") && entry.data.claims !== undefined,
  );
  return [
    "room",
    ...(has("review-given", "standing-reached") ? (["reviews"] as const) : []),
    ...(protocol === "debate" ? (["debate"] as const) : []),
    ...(protocol === "forest" ? (["forest"] as const) : []),
    ...(claims || has("contribution-measured") ? (["contributions"] as const) : []),
    "steps",
    "record",
    "events",
    ...(isServed && asked === "fork" ? (["fork"] as const) : []),
  ];
}
