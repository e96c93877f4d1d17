import type { Entry } from "../kernel/index.ts";
import { pendingQuestions } from "./pending-questions.ts";
import { pendingSeats } from "./pending-seats.ts";

/** True for an open run that has asked a person something. */
export const isWaiting = (entries: readonly Entry[]): boolean =>
  pendingQuestions(entries) !== undefined || pendingSeats(entries).length > 0;
