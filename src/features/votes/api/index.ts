import * as z from "zod";
import { Leagues, VoteList, VoteMatrix } from "../../../contract/knowledge.ts";
import { RUN_FILTER } from "../../../server/api/knowledge.ts";
import { replyOverRuns } from "../../../server/patience.ts";
import { REFUSALS } from "../../../server/problem.ts";
import { route, whole, type ApiRoute } from "../../../server/route.ts";
import { readLeagues, readMatrix, readVotePage } from "../app/votes.ts";

const player = z.enum(["persona", "model"]).optional();
/** Whom a vote names, as voter or as candidate. */
const NAMES = { persona: z.string().max(100).optional(), model: z.string().max(300).optional() };

export const operations: readonly ApiRoute[] = [
  route("get", "league", {
    ...{ name: "getLeague", tag: "Knowledge", needs: "read" },
    summary: "Compare personas or models by their reviewers' votes, with 95 % intervals, by kind of question",
    query: z.strictObject({ by: player, ...RUN_FILTER }),
    replies: { 200: Leagues, ...REFUSALS },
    handle: (call) =>
      replyOverRuns(call, async (known, reading) => {
        const { by = "persona", ...runs } = call.query;
        return { by, leagues: await readLeagues(known, { by, ...runs }, reading) };
      }),
  }),
  route("get", "votes", {
    ...{ name: "listVotes", tag: "Knowledge", needs: "read" },
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
    replies: { 200: VoteList, ...REFUSALS },
    handle: (call) =>
      replyOverRuns(call, async (known, reading) => {
        const { limit = 50, ...filter } = call.query;
        const { votes, next } = await readVotePage(known, { ...filter, limit }, reading);
        return { data: votes, next };
      }),
  }),
  route("get", "votes/matrix", {
    ...{ name: "getVoteMatrix", tag: "Knowledge", needs: "read" },
    summary: "Show who ranked whom how high, by persona or by model",
    query: z.strictObject({ by: player, ...NAMES, ...RUN_FILTER }),
    replies: { 200: VoteMatrix, ...REFUSALS },
    handle: (call) =>
      replyOverRuns(call, async (known, reading) => {
        const { by = "persona", ...filter } = call.query;
        return { by, cells: await readMatrix(known, { by, ...filter }, reading) };
      }),
  }),
];
