import * as z from "zod";
import { Bench, BenchList, type BenchReport } from "../../contract/bench.ts";
import { Leagues, Reactors, ShareList, VoteList, VoteMatrix } from "../../contract/knowledge.ts";
import type { AppContext } from "../../app/context.ts";
import type { ProjectionReading } from "../../app/projection.ts";
import { readLeagues, readMatrix, readShares, readVotePage } from "../../app/votes.ts";
import type { Parley } from "../../app/parley.ts";
import { watchOnce, type WatchMoment } from "../../app/watch.ts";
import { DeliberationId, type OrganizationId } from "../../kernel/index.ts";
import { withPatience } from "../patience.ts";
import { listBenches, readBench } from "../../lab/bench/recorded.ts";
import { missing, moment, readingContext, route, whole, type ApiRoute, type RouteCall } from "../route.ts";
import { OfRun, REFUSALS } from "./deliberations.ts";

const TAG = "Knowledge";
const player = z.enum(["persona", "model"]).optional();
/** Which runs count. */
const RUNS = {
  protocol: z.string().max(60).optional(),
  /** The kind of question: `comparison`, `procedure`, `explanation`, `fact` or `other`. */
  kind: z.string().max(40).optional(),
  since: moment().optional(),
};
/** Whom a vote names, as voter or as candidate. */
const NAMES = { persona: z.string().max(100).optional(), model: z.string().max(300).optional() };

export const knowledgeRoutes: readonly ApiRoute[] = [
  route("get", "league", {
    ...{ name: "getLeague", tag: TAG, needs: "read" },
    summary: "Compare personas or models by their reviewers' votes, with 95 % intervals, by kind of question",
    query: z.strictObject({ by: player, ...RUNS }),
    replies: { 200: Leagues, ...REFUSALS },
    handle: (call) =>
      overRuns(call, async (known, reading) => {
        const { by = "persona", ...runs } = call.query;
        return { by, leagues: await readLeagues(known, { by, ...runs }, reading) };
      }),
  }),
  route("get", "votes", {
    ...{ name: "listVotes", tag: TAG, needs: "read" },
    summary: "List who ranked whom, the newest run first",
    query: z.strictObject({
      ...{ ...NAMES, ...RUNS },
      limit: whole(1, 200).optional(),
      /** `next` of the page before. */
      after: z
        .string()
        .regex(/^[^:]{1,100}:\d{1,9}$/, "after is next of the page before")
        .optional(),
    }),
    replies: { 200: VoteList, ...REFUSALS },
    handle: (call) =>
      overRuns(call, async (known, reading) => {
        const { limit = 50, ...filter } = call.query;
        const { votes, next } = await readVotePage(known, { ...filter, limit }, reading);
        return { data: votes, next };
      }),
  }),
  route("get", "votes/matrix", {
    ...{ name: "getVoteMatrix", tag: TAG, needs: "read" },
    summary: "Show who ranked whom how high, by persona or by model",
    query: z.strictObject({ by: player, ...NAMES, ...RUNS }),
    replies: { 200: VoteMatrix, ...REFUSALS },
    handle: (call) =>
      overRuns(call, async (known, reading) => {
        const { by = "persona", ...filter } = call.query;
        return { by, cells: await readMatrix(known, { by, ...filter }, reading) };
      }),
  }),
  route("get", "contributions", {
    ...{ name: "listContributions", tag: TAG, needs: "read" },
    summary: "Compare what personas had of the answers, as claimed and as measured, with votes apart",
    query: z.strictObject({ split: z.enum(["none", "strategy"]).optional(), ...RUNS }),
    replies: { 200: ShareList, ...REFUSALS },
    handle: (call) =>
      overRuns(call, async (known, reading) => {
        const { split = "none", ...runs } = call.query;
        const byStrategy = split === "strategy";
        return { split, rows: await readShares(known, { byStrategy, ...runs }, reading) };
      }),
  }),
  route("get", "reactors", {
    ...{ name: "listReactors", tag: TAG, needs: "read" },
    summary:
      "Show what each reactor does, and what waits for it, over the newest 200 runs or those since a time",
    query: z.strictObject({ since: moment().optional() }),
    replies: { 200: Reactors, ...REFUSALS },
    handle: (call) =>
      withPatience(call, {}, async () => {
        const { report, unreadable } = await watchFor(call, call.query.since);
        const { at, deliberations } = report;
        const states = report.reactors.map(({ cursor: _cursor, ...state }) => state);
        return { status: 200, body: { at, deliberations, reactors: states, leftOut: unreadable } };
      }),
  }),
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

/** For so long what reactors do is told again: many may look at it, and each reading takes 200 journals. */
const TOLD_MS = 1_000;
type Told = { readonly at: number; readonly moment: Promise<WatchMoment> };
const told = new WeakMap<Parley, Map<OrganizationId, Told>>();

async function watchFor(
  { parley, caller, signal }: RouteCall<unknown, unknown, unknown>,
  since: number | undefined,
): Promise<WatchMoment> {
  const { process, reactors, world, principal } = readingContext(parley, caller.principal);
  const { organization } = principal;
  const watching = { store: process.store, organization, reactors, world };
  if (since !== undefined) return watchOnce(watching, { since, signal });
  const own = told.get(parley) ?? new Map<OrganizationId, Told>();
  told.set(parley, own);
  const before = own.get(organization);
  const at = world.now();
  if (before && at - before.at < TOLD_MS) return before.moment;
  // It is not only for the client that asks first.
  const moment = watchOnce(watching, { signal: new AbortController().signal });
  own.set(organization, { at, moment });
  return moment;
}

/** Replies with what all runs come to; the first time after many changes, that takes its time. */
function overRuns<T extends object>(
  call: RouteCall<unknown, unknown, unknown>,
  read: (known: AppContext, reading: ProjectionReading) => Promise<T>,
): ReturnType<typeof withPatience> {
  return withPatience(call, {}, async () => {
    const leftOut: string[] = [];
    const context = readingContext(call.parley, call.caller.principal);
    const body = await read(context, { onUnreadable: (id) => void leftOut.push(id) });
    return { status: 200, body: { ...body, leftOut } };
  });
}

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
