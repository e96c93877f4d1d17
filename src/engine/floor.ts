import { DeliberationId, Fault, pinnedTexts, type Event, type Store } from "../kernel/index.ts";
import { fenceMark, shuffled } from "./digest.ts";
import type { Floor } from "./protocol.ts";

/** What an opening pins, its texts loaded. */
export type Pinned = Omit<Floor, "ports" | "run" | "settings"> & {
  /** The text of a digest that the opening names. @throws Fault `text-missing` */
  readonly text: (digest: string | undefined) => string;
};

/** @throws Fault `text-missing` for a text that the store does not have */
export async function pinnedFloor(
  store: Pick<Store, "text">,
  { data: opening, deliberation }: Event<"deliberation-opened">,
): Promise<Pinned> {
  const texts = new Map<string, string>(
    await Promise.all(
      pinnedTexts(opening).map(async (digest) => [digest, await store.text(digest)] as const),
    ),
  );
  const text = (digest = "none"): string => {
    const found = texts.get(digest);
    if (found === undefined) throw new Fault("text-missing", { digest });
    return found;
  };
  // The same texts stand in many prompts.
  const marks = new Map<string, string>();
  return {
    question: opening.question,
    context: opening.context.map((one) => ({ name: one.name, text: text(one.text) })),
    history: (opening.history ?? []).map(({ question, answer }) => ({
      question: text(question),
      answer: text(answer),
    })),
    conversation: DeliberationId.parse(opening.series?.id ?? deliberation),
    seats: (seat) => opening.participants.filter((participant) => participant.seat === seat),
    instructions: (participant) => text(participant.persona.instructions),
    template: (name) => text(opening.templates[name]),
    mark(foreign) {
      const mark = marks.get(foreign) ?? fenceMark(opening.seed, foreign);
      marks.set(foreign, mark);
      return mark;
    },
    shuffled: (purpose, items) => shuffled(opening.seed, purpose, items),
    opening,
    text,
  };
}
