import type { VNode } from "preact";
import { isEvent, type Entry } from "../../kernel/index.ts";
import type { ShownRun } from "../folds.ts";
import { isServed } from "../served.ts";
import { withMoreWords } from "../strings.ts";

/** What a run can be looked at as. */
export type ViewName =
  "room" | "reviews" | "debate" | "contributions" | "steps" | "forest" | "record" | "events" | "fork";

type View = (props: { readonly shown: ShownRun }) => VNode | null;

/** Each is loaded when it is opened. */
export const VIEWS: { readonly [name in ViewName]: () => Promise<View> } = {
  room: async () => (await import("./view-room.tsx")).Room,
  reviews: async () => (await import("./view-reviews.tsx")).Reviews,
  debate: async () => (await withMoreWords(import("./view-debate.tsx"))).Rounds,
  contributions: async () => (await import("./view-contributions.tsx")).Contributions,
  steps: async () => (await import("./view-steps.tsx")).Steps,
  forest: async () => (await withMoreWords(import("./view-forest.tsx"))).Cycle,
  record: async () => (await withMoreWords(import("./view-record.tsx"))).Record,
  events: async () => (await withMoreWords(import("./view-events.tsx"))).Events,
  fork: isServed ? async () => (await import("./view-fork.tsx")).Fork : () => VIEWS.room(),
};

/** From which seq on a run has something to show in each view; of no seq, it has nothing. */
export function viewsSince(entries: readonly Entry[]): ReadonlyMap<ViewName, number> {
  const since = new Map<ViewName, number>([
    ["room", 0],
    ["steps", 0],
    ["record", 0],
    ["events", 0],
  ]);
  for (const entry of entries) {
    for (const name of viewsBegunBy(entry)) if (!since.has(name)) since.set(name, entry.seq);
  }
  return since;
}

/** The views that this entry gives something to show. What a vote's members gave can be measured as well. */
function viewsBegunBy(entry: Entry): readonly ViewName[] {
  if (isEvent(entry, "standing-reached")) return ["reviews", "contributions"];
  if (isEvent(entry, "review-given")) return ["reviews"];
  if (isEvent(entry, "contribution-measured")) return ["contributions"];
  if (isEvent(entry, "synthesis-given")) return entry.data.claims === undefined ? [] : ["contributions"];
  if (!isEvent(entry, "deliberation-opened")) return [];
  const { name } = entry.data.protocol;
  return name === "debate" || name === "forest" ? [name] : [];
}

/** In the order of the tabs. */
const ORDER = "room reviews debate forest contributions steps record events".split(" ") as ViewName[];

/** The views of which a run has something to show at a seq; running it again is among them while it is asked for. */
export function viewsOf(
  since: ReadonlyMap<ViewName, number>,
  { at, asked }: { readonly at: number | undefined; readonly asked: string },
): readonly ViewName[] {
  const all = ORDER.filter((name) => (since.get(name) ?? Infinity) <= (at ?? Number.MAX_SAFE_INTEGER));
  return isServed && asked === "fork" ? [...all, "fork"] : all;
}
