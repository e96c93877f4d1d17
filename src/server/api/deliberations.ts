import * as z from "zod";
import { EventPage, Listed, RecordedEvent } from "../../contract/runs.ts";
import { exportText } from "../../app/export.ts";
import { listRuns } from "../../app/lookup.ts";
import type { exportForms } from "../../app/registry.ts";
import {
  attachmentsOf,
  DeliberationId,
  Digest,
  isEvent,
  isPicture,
  SeriesId,
  type Entry,
} from "../../kernel/index.ts";
import { publicEntry, type EventTexts } from "../../views/public-entry.ts";
import { veilEntries } from "../../views/veil.ts";
import { openOnce } from "../opening.ts";
import { opening, operation, type HttpOperation, type AskingForm, type Operation } from "../operation.ts";
import { beginFollowing, followingSink } from "../patience.ts";
import { Problem, REFUSALS, Refused, type HttpReply } from "../problem.ts";
import { sendParts } from "../reply.ts";
import { readAll, readOnly, shownReader, type ReadShown, missing, readingContext } from "../results.ts";
import { moment, route, whole, type RouteCall } from "../route.ts";
import { NewRequest, Result } from "./schemas.ts";

const TAG = "Deliberations";
export const OfRun = z.strictObject({ id: z.string().describe("The id of the deliberation.") });

const texts = z.enum(["full", "head"]).optional();
const after = whole(0, 1_000_000_000).optional();
/** Seqs of events, with commas. */
const only = z
  .string()
  .regex(/^[1-9]\d{0,8}(?:,[1-9]\d{0,8}){0,199}$/, "only is at most 200 seqs with commas")
  .transform((text) => text.split(",").map(Number))
  .optional();

/** What models are shown of a question, whatever protocol it is for. */
const ASKED = ["question", "models", "context", "previous", "maxCostUsd", "maxCalls"];

/** The tools that ask by protocols; models are shown these fields too. */
export const askingTools = (asks: readonly (readonly [protocol: string, form: AskingForm])[]): Operation => ({
  tools: asks.flatMap(([protocol, { fields, ...form }]) => {
    const { operation } = openDeliberation;
    const own = { name: protocol, preset: { protocol }, fields: [...ASKED, ...fields] };
    return operation ? [{ operation, form: { ...form, ...own } }] : [];
  }),
});

const openDeliberation = opening("openDeliberation", "deliberations", {
  ...{ tag: TAG, needs: "write" },
  body: NewRequest,
  example: { question: "Should our job queue move to PostgreSQL?", maxCostUsd: 0.5 },
  summary: "Put a question before models",
  headers: { "Idempotency-Key": "A name for the request: a repeat of it joins the same deliberation." },
  replies: { 402: Problem },
  run(me, asked) {
    me.checkDepth();
    refuseForeignFields(asked);
    const request: Record<string, unknown> = asked; // The library checks it, field by field.
    return openOnce(me, me.named(asked), (named) =>
      me.parley.open({ ...request, question: asked.question, request: named.request }, named),
    );
  },
});

export const deliberationOperations: readonly HttpOperation[] = [
  openDeliberation,
  operation("listDeliberations", "GET deliberations", {
    ...{ tag: TAG, needs: "read", isKept: true },
    summary: "List and search deliberations, newest first",
    query: z.strictObject({
      status: z.string().max(40).optional().describe("Such as `answered`, `failed`, `open` or `waiting`."),
      protocol: z.string().max(60).optional(),
      user: z.string().max(100).optional(),
      /** `name:value`; repeated for several. */
      label: z.union([Label(), z.array(Label()).max(16)]).optional(),
      q: z.string().max(1_000).optional().describe("Words of the question."),
      since: moment().optional(),
      until: moment().optional(),
      series: SeriesId.optional(),
      limit: whole(1, 200).optional(),
      after: DeliberationId.optional(),
    }),
    output: Listed,
    tools: [
      {
        ...{ name: "list", title: "List deliberations", place: 6, isCore: true },
        fields: ["status", "protocol", "q", "limit", "after"],
        names: { q: "search" },
        preset: { limit: 20 },
        words: ({ data }) =>
          data.map((one) => `${one.id}  ${one.status}  ${one.protocol}  ${one.question}`).join("\n") ||
          "There are none.",
      },
    ],
    async run(me, { label = [], q, limit = 50, after: before, ...filter }) {
      const labels = Object.fromEntries([label].flat().map(splitLabel));
      const found = await listRuns(me.context().store, {
        ...filter,
        search: q,
        limit: limit + 1,
        before,
        labels,
      });
      const data = found.slice(0, limit).map(({ organization: _organization, ...shown }) => shown);
      return { data, next: found.length > limit ? (data.at(-1)?.id ?? null) : null };
    },
  }),
  route("get", "deliberations/{id}", {
    ...{ name: "getDeliberation", tag: TAG, needs: "read", params: OfRun },
    summary: "Get the result so far",
    headers: { "If-None-Match": "An ETag: 304 as long as nothing more is recorded." },
    replies: { 200: Result, 304: { type: "", description: "Nothing more is recorded" }, ...REFUSALS },
    async handle({ results, caller: { principal }, params: { id }, request }) {
      const { etag, bytes } = await results.of(principal, id);
      const headers = { etag, "cache-control": "private, no-cache" };
      if (isUnchanged(request.headers["if-none-match"], headers.etag)) return { status: 304, headers };
      return { status: 200, headers, content: { type: "application/json", bytes } };
    },
  }),
  route("get", "deliberations/{id}/events", {
    ...{ name: "listEvents", tag: "Journal", needs: "read", params: OfRun },
    summary: "Read or follow the journal, as JSON, NDJSON or server-sent events by Accept",
    query: z.strictObject({ after, limit: whole(1, 1_000).optional(), only, texts }),
    headers: { "Last-Event-ID": "For server-sent events: the seq after which to go on." },
    replies: {
      200: [
        EventPage,
        { type: "application/x-ndjson", description: "An event a line" },
        { type: "text/event-stream", description: "The events recorded, live text, and the state" },
      ],
      204: { type: "", description: "The deliberation has ended, and there is nothing more to follow" },
      ...REFUSALS,
      406: Problem,
    },
    async handle(call) {
      const accept = String(call.request.headers.accept ?? "*/*");
      const { query, params, parley, caller } = call;
      const { texts: how = "full", limit = 1_000, after: from = 0 } = query;
      const isPage = !accept.includes("application/x-ndjson");
      if (accept.includes("text/event-stream")) return followEvents(call, how);
      const read = await shownReader(parley, caller.principal, params.id);
      if (!isPage && !query.only) return lineReply(call, linesAfter(read, from, how));
      const shown = query.only
        ? (await readOnly(read, query.only)).filter(({ seq }) => seq > from)
        : await read(from, isPage ? limit + 1 : undefined);
      if (!isPage) return { status: 200, content: { type: LINES, bytes: linesOf(shown, how) } };
      if (!/application\/(?:json|\*)|\*\/\*/.test(accept)) {
        const detail = "the journal is JSON, NDJSON or server-sent events";
        const next = "Accept: application/json, application/x-ndjson or text/event-stream";
        throw new Refused({ status: 406, code: "not-acceptable", detail, next });
      }
      const page = shown.slice(0, limit);
      const next = shown.length > limit ? (page.at(-1)?.seq ?? null) : null;
      return { status: 200, body: { data: page.map((entry) => publicEntry(entry, how)), next } };
    },
  }),
  operation("getEvent", "GET deliberations/{id}/events/{seq}", {
    ...{ tag: "Journal", needs: "read" },
    summary: "Get one event, whole",
    params: OfRun.extend({ seq: whole(1, 1_000_000_000) }),
    output: RecordedEvent,
    async run({ parley, caller }, { id, seq }) {
      const [entry] = await readOnly(await shownReader(parley, caller.principal, id), [seq]);
      if (!entry) throw missing(id);
      return publicEntry(entry) as z.infer<typeof RecordedEvent>; // it is one
    },
  }),
  route("get", "deliberations/{id}/attachments/{digest}", {
    ...{ name: "getAttachment", tag: "Journal", needs: "read" },
    summary: "Get a picture or document that went with the question",
    params: OfRun.extend({ digest: Digest.describe("The digest in the opening's context.") }),
    replies: { 200: { type: "*/*", description: "Its bytes" }, ...REFUSALS },
    async handle({ parley, caller: { principal }, params: { id, digest } }) {
      const { entries } = await readAll(parley, principal, id);
      const opening = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
      const found = opening && attachmentsOf(opening).find((one) => one.digest === digest);
      if (!found) throw missing(id);
      const { store } = readingContext(parley, principal);
      const bytes = Buffer.from(await store.text(digest), "base64");
      // A stranger's file: a browser that shows it may run and load nothing.
      const headers = {
        "content-security-policy": "default-src 'none'; sandbox",
        ...(isPicture(found) ? {} : { "content-disposition": "attachment" }),
      };
      return { status: 200, headers, content: { type: found.mediaType, bytes } };
    },
  }),
];

/** A run in one of these formats. */
export const exportOperation = (forms: ReturnType<typeof exportForms>): HttpOperation =>
  route("get", "deliberations/{id}/export", {
    ...{ name: "exportDeliberation", tag: "Journal", needs: "read", params: OfRun },
    summary: "Export as a document, a page or data",
    query: z.strictObject({ format: z.enum([...forms.keys()]).optional() }),
    replies: { 200: { type: "*/*", description: "The file" }, ...REFUSALS },
    async handle({ parley, caller: { principal }, params, query: { format = "md" } }) {
      const { id, entries } = await readAll(parley, principal, params.id);
      const bytes = await exportText(readingContext(parley, principal), exportable(entries), { format });
      const { type = "", ending = format } = forms.get(format) ?? {};
      const headers = {
        "content-disposition": `attachment; filename="parley-${id}.${ending}"`,
        // What models wrote is in it: a browser that shows it may run and load nothing.
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      };
      return { status: 200, headers, content: { type, bytes } };
    },
  });

/**
 * Events as the service exports them in every format: nothing that a person must not see yet (VEIL-1), nor the store's cursor
 * (STREAM-1).
 */
const exportable = (entries: readonly Entry[]): readonly Entry[] =>
  veilEntries(entries).map((entry) => ({ ...entry, cursor: undefined }) as unknown as Entry); // no export reads it

/** Whether one of the ETags of an If-None-Match is this one; a proxy that compresses makes it a weak one. */
const isUnchanged = (given: string | undefined, etag: string): boolean =>
  given?.split(",").some((one) => ["*", etag].includes(one.trim().replace(/^W\//, ""))) ?? false;

/** Fields that a library's caller has, and a client says otherwise or not at all. @throws Refused 422 */
export function refuseForeignFields(body: Readonly<Record<string, unknown>>): void {
  const { protocolSettings } = body;
  const names = new Set([...Object.keys(body), ...Object.keys(protocolSettings ?? {})]);
  for (const [name, next] of Object.entries(FOREIGN_FIELDS))
    if (names.has(name))
      throw new Refused({ status: 422, code: "invalid-request", detail: `${name} is no field here`, next });
}

const FOREIGN_FIELDS: Readonly<Record<string, string>> = {
  request: "send it as the header Idempotency-Key",
  config: "give agents, rounds, models and the other fields of a debate",
  contextFolder: "send the texts as context",
};

const LINES = "application/x-ndjson";

const linesOf = (entries: readonly Entry[], texts: EventTexts): string =>
  entries.map((entry) => `${JSON.stringify(publicEntry(entry, texts))}\n`).join("");

/** So many events are read at once, so that nobody waits for a long journal but its reader. */
const MANY = 500;

/** All events after a seq, as parts of many lines. */
async function* linesAfter(read: ReadShown, from: number, texts: EventTexts): AsyncGenerator<string> {
  for (let [after, isMore] = [from, true]; isMore;) {
    const entries = await read(after, MANY);
    if (entries.length > 0) yield linesOf(entries, texts);
    after = entries.at(-1)?.seq ?? after;
    isMore = entries.length === MANY;
  }
}

/** A reply of lines: whole where they are few, else part by part. */
async function lineReply(
  { request, response }: Pick<RouteCall<unknown, unknown, unknown>, "request" | "response">,
  parts: AsyncGenerator<string>,
): Promise<HttpReply | undefined> {
  const first = await parts.next(); // what cannot be read at all is refused
  const second = first.done ? first : await parts.next();
  const bytes = first.done ? "" : first.value;
  if (second.done) return { status: 200, content: { type: LINES, bytes } };
  const all = async function* () {
    yield bytes;
    yield second.value;
    yield* parts;
  };
  await sendParts({ request, response, type: LINES, parts: all() });
  return undefined;
}

/** Follows the journal as server-sent events, until the deliberation and its reactions have ended. */
async function followEvents(
  call: RouteCall<
    { id: string },
    { after?: number | undefined; only?: readonly number[] | undefined },
    unknown
  >,
  texts: EventTexts,
): Promise<HttpReply | undefined> {
  const { parley, followers, request, response, signal, caller } = call;
  const last = request.headers["last-event-id"];
  if (call.query.only) {
    const detail = "server-sent events have no only";
    const next = "leave it out, or accept application/json";
    throw new Refused({ status: 400, code: "invalid-request", detail, next });
  }
  if (last !== undefined && !/^\d{1,15}$/.test(String(last))) {
    const detail = "Last-Event-ID is a number";
    throw new Refused({ status: 400, code: "invalid-request", detail, next: "send back the id of an event" });
  }
  const { id, entries } = await readAll(parley, caller.principal, call.params.id);
  if (request.method === "HEAD") {
    beginFollowing(response);
    response.end();
    return undefined;
  }
  const unfollow = await followers.follow(
    {
      ...{ id, entries, texts, organization: caller.principal.organization },
      after: last === undefined ? (call.query.after ?? 0) : Number(last),
    },
    followingSink(response),
  );
  if (!unfollow) return { status: 204 };
  if (signal.aborted) unfollow();
  else signal.addEventListener("abort", unfollow, { once: true });
  return undefined;
}

function Label() {
  return z.string().regex(/^[^:]{1,64}:[\s\S]{0,512}$/, "a label is NAME:VALUE");
}

const splitLabel = (label: string): [name: string, value: string] => {
  const at = label.indexOf(":");
  return [label.slice(0, at), label.slice(at + 1)];
};
