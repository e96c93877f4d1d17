import * as z from "zod";
import { isFault } from "../../../kernel/index.ts";
import { deletion, operation, type HttpOperation } from "../../../server/operation.ts";
import { Refused } from "../../../server/problem.ts";
import { whole } from "../../../server/route.ts";
import { pluralize } from "../../../text/format.ts";
import { findEngram, forgetEngram, listFacts, pinFact, searchMemory, showEngram } from "../app/memory.ts";
import { memoryReport } from "../app/stats.ts";
import { MemoryEngram, MemoryFacts, MemoryReport, MemorySearch, PinBody, Pinned } from "../contract.ts";

const OfEngram = z.strictObject({ id: z.string().max(200) });

export const operations: readonly HttpOperation[] = [
  operation("searchMemory", "GET memory/search", {
    ...{ tag: "Memory", needs: "read" },
    summary: "Search what is remembered of earlier answers; without words, the newest",
    query: z.strictObject({
      q: z.string().max(1_000).optional(),
      limit: whole(1, 200).optional().describe("How many rows at most; 20 by default."),
      retired: z.boolean().optional().describe("Whether retired entries are listed, and no other."),
    }),
    output: MemorySearch.meta({ id: "MemorySearch" }),
    tools: [
      {
        name: "memory_search",
        title: "Search memory",
        place: 13,
        names: { q: "query" },
        words: ({ engrams }) => `${pluralize(engrams.length, "entry")} found.`,
      },
    ],
    run: (me, { q: words = "", limit = 20, retired = false }) =>
      searchMemory(me.context(), { words, limit, retired }),
  }),
  operation("getEngram", "GET memory/engrams/{id}", {
    ...{ tag: "Memory", needs: "read", params: OfEngram },
    summary: "Show one memory entry, and everything said about it",
    output: MemoryEngram.meta({ id: "MemoryEngram" }),
    run: (me, { id }) => orMissing(() => showEngram(me.context(), id)),
  }),
  operation("listFacts", "GET memory/facts", {
    ...{ tag: "Memory", needs: "read" },
    summary: "List the pinned facts",
    output: MemoryFacts.meta({ id: "MemoryFacts" }),
    run: (me) => listFacts(me.context()),
  }),
  operation("pinFact", "POST memory/facts", {
    ...{ tag: "Memory", needs: "write", body: PinBody.meta({ id: "PinBody" }) },
    example: { fact: "We run PostgreSQL 16." },
    summary: "Pin a fact",
    status: 201,
    output: Pinned.meta({ id: "Pinned" }),
    run: (me, { fact }) => pinFact(me.context(), fact),
  }),
  deletion("forgetFact", "memory/facts/{id}", {
    ...{ tag: "Memory", needs: "write", params: OfEngram },
    summary: "Delete a fact or a memory entry for good",
    done: "It is deleted",
    async run(me, { id }) {
      const { engram } = await orMissing(() => findEngram(me.context(), id));
      await forgetEngram(me.context(), engram.engram.id);
    },
  }),
  operation("getMemoryStats", "GET memory/stats", {
    ...{ tag: "Memory", needs: "read" },
    summary: "Compare models by wins, losses, ties and scores",
    output: MemoryReport.meta({ id: "MemoryStats" }),
    run: (me) => memoryReport(me.context()),
  }),
];

/** An entry that nobody has is missing, as a deliberation is. */
async function orMissing<T>(find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    if (!isFault(error, "configuration")) throw error;
    const { why, next } = error.details;
    throw new Refused({ status: 404, code: "not-found", detail: why, next });
  }
}
