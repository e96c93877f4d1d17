import { callOf, isEventType, type Entry } from "../kernel/index.ts";

// What a fold makes of an entry that was given out whole and read back is what it makes of the entry, but for the reply of a call whose
// text the event holds: the text stands in its place.

/** How much of a text stands in an event that is given out with `texts=head`, in UTF-16 units; an ellipsis follows where it was cut. */
const HEAD = 200;

/** Whether an event is given out with its texts whole, or with the head of each and without its step's digest, which no list shows and nothing compresses. */
export type EventTexts = "full" | "head";

/** An event as a service gives it out: without the store's cursor, and a call's reply where the event holds its text. (STREAM-1) */
export function publicEntry(entry: Entry, texts: EventTexts = "full"): Readonly<Record<string, unknown>> {
  const { cursor: _cursor, ...shown } = entry;
  if (shown.type === "unknown") return { ...shown, ...shown.data };
  const call = callOf(entry);
  const data =
    call?.ok === true && "text" in shown.data
      ? { ...shown.data, call: { ...call, reply: undefined } }
      : shown.data;
  if (texts === "full") return { ...shown, data };
  const { digest: _digest, ...origin } = { digest: undefined, ...shown.origin };
  return { ...shown, data: headsOf(data), origin };
}

/** An event as folds read it, from what `publicEntry` gave out and JSON carried. */
export function readPublicEntry(given: Readonly<Record<string, unknown>>): Entry {
  const { type, data, seq } = given;
  if (!isEventType(String(type)) || typeof data !== "object" || data === null)
    return { ...given, cursor: seq, type: "unknown", data: { type, data } } as unknown as Entry;
  // Whoever gave it out had read it from a journal.
  const entry = { ...given, cursor: seq } as unknown as Entry;
  const call = callOf(entry);
  if (call?.ok !== true || typeof call.reply === "string") return entry;
  const reply = "text" in data && typeof data.text === "string" ? data.text : "";
  return { ...entry, data: { ...data, call: { ...call, reply } } } as Entry;
}

/** A value with the head of every text in it; the value itself where no text is longer. */
function headsOf(value: unknown): unknown {
  if (typeof value === "string") return value.length > HEAD ? `${value.slice(0, HEAD)}…` : value;
  if (typeof value !== "object" || value === null) return value;
  let heads: { [key: string]: unknown } | undefined;
  for (const [key, whole] of Object.entries(value)) {
    const head = headsOf(whole);
    if (head === whole) continue;
    heads ??= (Array.isArray(value) ? [...value] : { ...value }) as { [key: string]: unknown };
    heads[key] = head;
  }
  return heads ?? value;
}

/** Whether any text in a value is the head of a longer one, as far as it can be told. */
export function hasCutText(value: unknown): boolean {
  if (typeof value === "string") return value.length === HEAD + 1 && value.endsWith("…");
  return typeof value === "object" && value !== null && Object.values(value).some(hasCutText);
}
