import { readShares } from "../../../app/projection.ts";
import * as z from "zod";
import { OfRun } from "../../../server/api/deliberations.ts";
import { RUN_FILTER } from "../../../server/api/knowledge.ts";
import { replyOverRuns } from "../../../server/patience.ts";
import { Problem, REFUSALS, Refused } from "../../../server/problem.ts";
import { readAll } from "../../../server/results.ts";
import { route, type ApiRoute } from "../../../server/route.ts";
import { ShareList } from "../../../contract/knowledge.ts";
import { Contributions, ContributionsBody } from "../contract.ts";

export const operations: readonly ApiRoute[] = [
  route("post", "deliberations/{id}/contributions", {
    ...{
      name: "measureContributions",
      tag: "Actions",
      needs: "write",
      params: OfRun,
      body: ContributionsBody.meta({ id: "ContributionsBody" }),
    },
    example: { calls: true, repeats: 19 },
    summary: "Say what each member gave to the answer: claimed, and measured where calls are allowed",
    replies: { 200: Contributions.meta({ id: "Contributions" }), ...REFUSALS, 402: Problem },
    async handle({ parley, caller: { principal }, params, body, signal }) {
      const { measureContributions } = await import("../app/leave-one-out.ts");
      const { id } = await readAll(parley, principal, params.id);
      const { calls = false, repeats = 2 } = body;
      const context = parley.context({}, { principal });
      const note = () => undefined;
      const measured = await measureContributions(context, { id, calls, repeats, signal, note });
      if (measured) return { status: 200, body: measured };
      const next = "ask again: everything so far is recorded";
      throw new Refused({
        status: 503,
        code: "interrupted",
        detail: "the measurement was interrupted",
        next,
      });
    },
  }),
  route("get", "contributions", {
    ...{ name: "listContributions", tag: "Knowledge", needs: "read" },
    summary: "Compare what personas had of the answers, as claimed and as measured, with votes apart",
    query: z.strictObject({ split: z.enum(["none", "strategy"]).optional(), ...RUN_FILTER }),
    replies: { 200: ShareList, ...REFUSALS },
    handle: (call) =>
      replyOverRuns(call, async (known, reading) => {
        const { split = "none", ...runs } = call.query;
        const byStrategy = split === "strategy";
        return { split, rows: await readShares(known, { byStrategy, ...runs }, reading) };
      }),
  }),
];
