import * as z from "zod";
import { listBenches, readBench } from "../../lab/bench/recorded.ts";
import type { BenchReport } from "../../lab/bench/report.ts";
import { DeliberationId } from "../../kernel/index.ts";
import { withPatience } from "../patience.ts";
import { missing, readingContext, route, whole, type ApiRoute } from "../route.ts";
import { OfRun, REFUSALS } from "./deliberations.ts";
import { Bench, BenchList } from "./schemas.ts";

const TAG = "Knowledge";

export const benchRoutes: readonly ApiRoute[] = [
  route("get", "benches", {
    ...{ name: "listBenches", tag: TAG, needs: "read" },
    summary: "List recorded benches, newest first",
    query: z.strictObject({
      limit: whole(1, 200).optional(),
      /** `next` of the page before. */
      after: DeliberationId.optional(),
    }),
    replies: { 200: BenchList, ...REFUSALS },
    handle: (call) =>
      withPatience(call, {}, async () => {
        const { store } = readingContext(call.parley, call.caller.principal);
        const { limit = 50, after: before } = call.query;
        const { benches, next } = await listBenches(store, { limit, before });
        return { status: 200, body: { data: benches, next } };
      }),
  }),
  route("get", "benches/{id}", {
    ...{ name: "getBench", tag: TAG, needs: "read", params: OfRun },
    summary: "Report on a recorded bench as it stands now; texts=head cuts answers to 200 characters",
    query: z.strictObject({ texts: z.enum(["full", "head"]).optional() }),
    replies: { 200: Bench, ...REFUSALS },
    handle: (call) =>
      withPatience(call, {}, async () => {
        const { store } = readingContext(call.parley, call.caller.principal);
        const id = DeliberationId.safeParse(call.params.id).data;
        const found = id && (await readBench(store, id));
        if (!found) throw missing(call.params.id);
        const report = call.query.texts === "head" ? withHeads(found.report) : found.report;
        return { status: 200, body: { ...found, report } };
      }),
  }),
];

const MAX_HEAD_LENGTH = 200;

type ScoredText = { readonly answer: string | null; readonly right: boolean | null };

/** The report with the beginnings of its answers: those to open questions are whole texts. */
function withHeads({ rows, ...report }: BenchReport): BenchReport {
  const cut = <T extends ScoredText>(one: T): T =>
    one.answer === null ? one : { ...one, answer: one.answer.slice(0, MAX_HEAD_LENGTH).toWellFormed() };
  return {
    ...report,
    rows: rows.map((row) => ({
      ...cut(row),
      control: row.control && cut(row.control),
      drafts: row.drafts.map(cut),
    })),
  };
}
