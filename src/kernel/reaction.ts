import { isEvent, type Entry } from "./envelope.ts";

/** The topic of the note by which a second respondent keeps which of its earlier answers it goes on from. */
export const OWN_TURNS = "own-turns";

/** Whether a reaction goes on after this entry of its: a turn that calls tools, the first of two orders, what was looked up. */
export const isOnTheWay = (entry: Entry): boolean =>
  isEvent(entry, "reply-received", "tool-called", "engrams-recalled") ||
  (isEvent(entry, "note-taken") && entry.data.topic === OWN_TURNS);
