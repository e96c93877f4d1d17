import * as z from "zod";
import { Leagues, VoteList, VoteMatrix } from "../../../contract/knowledge.ts";
import { RUN_FILTER } from "../../../server/api/knowledge.ts";
import { operation, overRuns, type HttpOperation } from "../../../server/operation.ts";
import { whole } from "../../../server/route.ts";
import { readLeagues, readMatrix, readVotePage } from "../app/votes.ts";

const player = z.enum(["persona", "model"]).optional();
/** Whom a vote names, as voter or as candidate. */
const NAMES = { persona: z.string().max(100).optional(), model: z.string().max(300).optional() };

export const operations: readonly HttpOperation[] = [
  operation("getLeague", "GET league", {
    ...{ tag: "Knowledge", needs: "read", output: Leagues, isSlow: true, isKept: true },
    summary: "Compare personas or models by their reviewers' votes, with 95 % intervals, by kind of question",
    query: z.strictObject({ by: player, ...RUN_FILTER }),
    run: (me, { by = "persona", ...runs }) =>
      overRuns(me, async (known, reading) => ({
        ...{ by, leagues: await readLeagues(known, { by, ...runs }, reading) },
      })),
  }),
  operation("listVotes", "GET votes", {
    ...{ tag: "Knowledge", needs: "read", output: VoteList, isSlow: true, isKept: true },
    summary: "List who ranked whom, the newest run first",
    query: z.strictObject({
      ...{ ...NAMES, ...RUN_FILTER },
      limit: whole(1, 200).optional(),
      /** `next` of the page before. */
      after: z
        .string()
        .regex(/^[^:]{1,100}:\d{1,9}$/, "after is next of the page before")
        .optional(),
    }),
    run: (me, { limit = 50, ...filter }) =>
      overRuns(me, async (known, reading) => {
        const { votes, next } = await readVotePage(known, { ...filter, limit }, reading);
        return { data: votes, next };
      }),
  }),
  operation("getVoteMatrix", "GET votes/matrix", {
    ...{ tag: "Knowledge", needs: "read", output: VoteMatrix, isSlow: true, isKept: true },
    summary: "Show who ranked whom how high, by persona or by model",
    query: z.strictObject({ by: player, ...NAMES, ...RUN_FILTER }),
    run: (me, { by = "persona", ...filter }) =>
      overRuns(me, async (known, reading) => ({
        ...{ by, cells: await readMatrix(known, { by, ...filter }, reading) },
      })),
  }),
];
