import type { Entry } from "../kernel/index.ts";
import { questionFold } from "./pending-questions.ts";
import { seatFold } from "./pending-seats.ts";

/** True for an open run that has asked a person something. */
export function isWaiting(entries: readonly Entry[]): boolean {
  const fold = waitingFold();
  for (const entry of entries) fold.take(entry);
  return fold.read();
}

/** The same, entry by entry. */
export function waitingFold() {
  const questions = questionFold();
  const seats = seatFold();
  return {
    take(entry: Entry): void {
      questions.take(entry);
      seats.take(entry);
    },
    read: (): boolean => questions.read() !== undefined || seats.isOpen(),
  };
}
