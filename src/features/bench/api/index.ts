import * as z from "zod";
import { DeliberationId } from "../../../kernel/index.ts";
import { OfRun } from "../../../server/api/deliberations.ts";
import { withPatience } from "../../../server/patience.ts";
import { REFUSALS } from "../../../server/problem.ts";
import { missing, readingContext } from "../../../server/results.ts";
import { route, whole, type ApiRoute } from "../../../server/route.ts";
import { listBenches, readBench } from "../app/recorded.ts";
import { Bench, BenchList, BenchReport } from "../contract.ts";

// Schemas that are published as they are have no name in themselves.
const NamedReport = BenchReport.meta({ id: "BenchReport" });
const NamedBench = Bench.extend({ report: NamedReport }).meta({ id: "Bench" });

export const operations: readonly ApiRoute[] = [
  route("get", "benches", {
    ...{ name: "listBenches", tag: "Knowledge", needs: "read" },
    summary: "List recorded benches, newest first",
    query: z.strictObject({
      limit: whole(1, 200).optional(),
      /** `next` of the page before. */
      after: DeliberationId.optional(),
    }),
    replies: { 200: BenchList.meta({ id: "BenchList" }), ...REFUSALS },
    handle: (call) =>
      withPatience(call, {}, async () => {
        const { store } = readingContext(call.parley, call.caller.principal);
        const { limit = 50, after: before } = call.query;
        const { benches, next } = await listBenches(store, { limit, before });
        return { status: 200, body: { data: benches, next } };
      }),
  }),
  route("get", "benches/{id}", {
    ...{ name: "getBench", tag: "Knowledge", needs: "read", params: OfRun },
    summary: "Report on a recorded bench as it stands now; texts=head cuts answers to 200 characters",
    query: z.strictObject({ texts: z.enum(["full", "head"]).optional() }),
    replies: { 200: NamedBench, ...REFUSALS },
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

/** The report with the beginnings of its answers: those to open questions are whole texts. */
function withHeads({ rows, ...report }: BenchReport): BenchReport {
  const cut = <T extends Pick<BenchReport["rows"][number], "answer">>(one: T): T =>
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
