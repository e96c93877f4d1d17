import * as z from "zod";
import type { Entry } from "../../../../kernel/index.ts";
import { judgedWork, Judgement, judgementOf } from "../../../../views/judged-work.ts";
import { Validation, summarizeValidation } from "./view-validation.ts";

/** What a judge's run adds to a result: its figures where its items are labelled, else its verdicts. */
export const sectionSchema = z.union([Validation, Judgement]);
export type JudgeSection = z.infer<typeof sectionSchema>;

export const sectionOf = (entries: readonly Entry[]): JudgeSection | undefined =>
  judgedWork(entries)?.items.some(({ label }) => label !== undefined) === true
    ? summarizeValidation(entries)
    : judgementOf(entries);
