import { isEvent, type Entry } from "../../kernel/index.ts";
import { features } from "../../features-web.ts";
import type { RunView } from "../feature.ts";
import { language } from "../language.ts";
import { isServed } from "../served.ts";
import { t, withMoreWords } from "../strings.ts";

/** A way to look at a run, loaded when it is opened. */
type View = { readonly title: () => string; readonly load: () => Promise<RunView> };

const room = async () => (await import("./view-room.tsx")).Room;

const BROUGHT = features.flatMap(({ views = [] }) => views);

/** What a run can be looked at as, in the order of the tabs. */
export const VIEWS: ReadonlyMap<string, View> = new Map<string, View>([
  ["room", { title: () => t.run.views.room, load: room }],
  [
    "reviews",
    { title: () => t.run.views.reviews, load: async () => (await import("./view-reviews.tsx")).Reviews },
  ],
  ...BROUGHT.map(({ path, title, load }): [string, View] => [path, { title: () => title[language], load }]),
  ["steps", { title: () => t.run.views.steps, load: async () => (await import("./view-steps.tsx")).Steps }],
  [
    "record",
    {
      title: () => t.run.views.record,
      load: async () => (await withMoreWords(import("./view-record.tsx"))).Record,
    },
  ],
  [
    "events",
    {
      title: () => t.run.views.events,
      load: async () => (await withMoreWords(import("./view-events.tsx"))).Events,
    },
  ],
  [
    "fork",
    {
      title: () => t.run.views.fork,
      load: isServed ? async () => (await import("./view-fork.tsx")).Fork : room,
    },
  ],
]);

/** From which seq on a run has something to show in each view; of no seq, it has nothing. */
export function viewsSince(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const since = new Map(["room", "steps", "record", "events"].map((name) => [name, 0]));
  for (const entry of entries) {
    const brought = BROUGHT.flatMap((view) => (view.begins(entry) ? view.path : []));
    for (const name of [...viewsBegunBy(entry), ...brought]) if (!since.has(name)) since.set(name, entry.seq);
  }
  return since;
}

/** The views that this entry gives something to show. */
function viewsBegunBy(entry: Entry): readonly string[] {
  if (isEvent(entry, "standing-reached") || isEvent(entry, "review-given")) return ["reviews"];
  // A view of one protocol has its name.
  return isEvent(entry, "deliberation-opened") ? [entry.data.protocol.name] : [];
}

/** The views of which a run has something to show at a seq; running it again is among them while it is asked for. */
export const viewsOf = (
  since: ReadonlyMap<string, number>,
  { at = Number.MAX_SAFE_INTEGER, asked }: { readonly at: number | undefined; readonly asked: string },
): readonly string[] =>
  [...VIEWS.keys()].filter((name) =>
    name === "fork" ? isServed && asked === name : (since.get(name) ?? Infinity) <= at,
  );
