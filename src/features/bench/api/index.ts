import * as z from "zod";
import { DeliberationId } from "../../../kernel/index.ts";
import { OfRun } from "../../../server/api/deliberations.ts";
import { operation, type HttpOperation } from "../../../server/operation.ts";
import { missing } from "../../../server/results.ts";
import { whole } from "../../../server/route.ts";
import { listBenches, readBench } from "../app/recorded.ts";
import { Bench, BenchList, BenchReport } from "../contract.ts";

// Schemas that are published as they are have no name in themselves.
const NamedReport = BenchReport.meta({ id: "BenchReport" });
const NamedBench = Bench.extend({ report: NamedReport }).meta({ id: "Bench" });

export const operations: readonly HttpOperation[] = [
  operation("listBenches", "GET benches", {
    ...{ tag: "Knowledge", needs: "read", output: BenchList.meta({ id: "BenchList" }), isSlow: true },
    summary: "List recorded benches, newest first",
    query: z.strictObject({
      limit: whole(1, 200).optional(),
      /** `next` of the page before. */
      after: DeliberationId.optional(),
    }),
    async run(me, { limit = 50, after: before }) {
      const { benches, next } = await listBenches(me.context().store, { limit, before });
      return { data: benches, next };
    },
  }),
  operation("getBench", "GET benches/{id}", {
    ...{ tag: "Knowledge", needs: "read", params: OfRun, output: NamedBench, isSlow: true },
    summary: "Report on a recorded bench as it stands now; texts=head cuts answers to 200 characters",
    query: z.strictObject({ texts: z.enum(["full", "head"]).optional() }),
    async run(me, { id: given, texts }) {
      const id = DeliberationId.safeParse(given).data;
      const found = id && (await readBench(me.context().store, id));
      if (!found) throw missing(given);
      return { ...found, report: texts === "head" ? withHeads(found.report) : found.report };
    },
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
