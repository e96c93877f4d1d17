import { readShares } from "../../../app/projection.ts";
import * as z from "zod";
import { OfRun } from "../../../server/api/deliberations.ts";
import { RUN_FILTER } from "../../../server/api/knowledge.ts";
import { operation, overRuns, type HttpOperation } from "../../../server/operation.ts";
import { Problem, Refused } from "../../../server/problem.ts";
import { readAll } from "../../../server/results.ts";
import { ShareList } from "../../../contract/knowledge.ts";
import { Contributions, ContributionsBody } from "../contract.ts";

export const operations: readonly HttpOperation[] = [
  operation("measureContributions", "POST deliberations/{id}/contributions", {
    ...{ tag: "Actions", needs: "write", params: OfRun, replies: { 402: Problem } },
    body: ContributionsBody.meta({ id: "ContributionsBody" }),
    example: { calls: true, repeats: 19 },
    summary: "Say what each member gave to the answer: claimed, and measured where calls are allowed",
    output: Contributions.meta({ id: "Contributions" }),
    async run({ parley, caller: { principal }, signal }, { id: given, calls = false, repeats = 2 }) {
      const { measureContributions } = await import("../app/leave-one-out.ts");
      const { id } = await readAll(parley, principal, given);
      const context = parley.context({}, { principal });
      const note = () => undefined;
      const measured = await measureContributions(context, { id, calls, repeats, signal, note });
      if (measured) return measured;
      const [detail, next] = ["the measurement was interrupted", "ask again: everything so far is recorded"];
      throw new Refused({ status: 503, code: "interrupted", detail, next });
    },
  }),
  operation("listContributions", "GET contributions", {
    ...{ tag: "Knowledge", needs: "read", output: ShareList, isSlow: true, isKept: true },
    summary: "Compare what personas had of the answers, as claimed and as measured, with votes apart",
    query: z.strictObject({ split: z.enum(["none", "strategy"]).optional(), ...RUN_FILTER }),
    run: (me, { split = "none", ...runs }) =>
      overRuns(me, async (known, reading) => {
        const byStrategy = split === "strategy";
        return { split, rows: await readShares(known, { byStrategy, ...runs }, reading) };
      }),
  }),
];
