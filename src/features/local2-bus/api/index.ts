import { LRUCache } from "lru-cache";
import * as z from "zod";
import { FeedbackReply } from "../../../contract/runs.ts";
import { busJournal, envelopesOf, subjectKnown, type BusJournal } from "../../../interop/local2/subjects.ts";
import {
  DeliberationId,
  isEvent,
  type Cursor,
  type Entry,
  type OrganizationStore,
} from "../../../kernel/index.ts";
import { answerOfB } from "../../../views/answer-event.ts";
import { hasPeople, hideText } from "../../../views/veil.ts";
import { beginStream } from "../../../server/patience.ts";
import { REFUSALS, Refused } from "../../../server/problem.ts";
import { readAll } from "../../../server/results.ts";
import { route, type RouteCall, type ApiRoute } from "../../../server/route.ts";

// The bus is a projection of the journal: who comes back with the id of the last message gets every later one, once and in order.
// An id names an event and a message of it, and no place in the store: nobody reads from it how busy others are.

/** Journals that are kept, so that one event after another does not read them again. */
const MAX_JOURNALS = 500;
const PLACE = /^([a-z0-9]{1,40})\.(\d{1,12})\.(\d{1,3})$/;

/** The message after which a subscriber goes on. */
type BusPlace = { readonly deliberation: string; readonly seq: number; readonly nth: number };

const Subject = z.string().max(100);
const Session = z.string().max(100);

/** A message of LoCAL2's bus that a client publishes. */
const BusMessage = z
  .strictObject({
    subject: z.enum(["user.feedback", "reward.event"]),
    /** The deliberation; by default the one of `query_id`. */
    correlation_id: z.string().max(100).optional(),
    payload: z.strictObject({
      /** A deliberation, or the answer in it. */
      query_id: z.string().max(200).optional(),
      session_id: z.string().max(200).nullish(),
      sentiment: z.enum(["positive", "negative"]),
      text: z.string().max(4_000).optional(),
    }),
  })
  .meta({ id: "BusMessage" });

export const operations: readonly ApiRoute[] = [
  route("get", "bus", {
    ...{ name: "subscribeBus", tag: "Bus", needs: "read" },
    summary: "Subscribe to LoCAL2's messages, as server-sent events",
    query: z.strictObject({
      /** Repeated for several; `tool.` at its end stands for all that begin so. */
      subject: z.union([Subject, z.array(Subject).max(40)]).optional(),
      /** A deliberation, or the first one of a conversation. */
      conversation: Session.optional(),
      /** Where to begin without a Last-Event-ID: with what is there, or with what comes. */
      from: z.enum(["start", "now"]).optional(),
    }),
    headers: { "Last-Event-ID": "The id of the last message that was seen." },
    replies: {
      200: { type: "text/event-stream", description: "The messages, an envelope each" },
      ...REFUSALS,
    },
    async handle(call) {
      const { query, caller, parley, request } = call;
      const { store } = parley.context({}, { principal: caller.principal });
      const subjects = query.subject === undefined ? [] : [query.subject].flat();
      for (const one of subjects) checkSubject(one);
      const after = placeOf(request.headers["last-event-id"]);
      const from = after
        ? await cursorBefore(store, after)
        : query.from === "start"
          ? FIRST
          : await store.end();
      await deliver(call, { store, from, after, wants: wantsOf(subjects, query.conversation) });
      return undefined;
    },
  }),
  route("post", "bus", {
    ...{ name: "publishBus", tag: "Bus", needs: "write", body: BusMessage },
    example: {
      subject: "user.feedback",
      payload: { query_id: "0197", sentiment: "positive", text: "It held." },
    },
    summary: "Publish user.feedback or reward.event: a rating of an answer",
    replies: { 201: FeedbackReply, ...REFUSALS },
    async handle({ parley, caller: { principal }, body: { payload, correlation_id } }) {
      const named = correlation_id ?? payload.query_id ?? "";
      const { id, entries } = await readAll(parley, principal, named.split(/[^a-z0-9]/)[0] ?? "");
      const { sentiment, text, query_id } = payload;
      const second = query_id !== undefined && answerOfB(entries)?.id === query_id;
      const thumb = sentiment === "positive" ? ("up" as const) : ("down" as const);
      const feedback = { thumb, second, ...(text === undefined ? {} : { text }) };
      return { status: 201, body: await parley.feedback(id, feedback, { principal }) };
    },
  }),
];

// A cursor of a store counts from 1.
const FIRST = 0 as Cursor;

/** @throws Refused 422 for a subject that never comes, with the reason */
function checkSubject(subject: string): void {
  if (subject.endsWith(".")) return;
  const known = subjectKnown(subject);
  if (known?.ok) return;
  const detail = known ? known.reason : `LoCAL2 has no subject ${JSON.stringify(subject)}`;
  throw new Refused({ status: 422, code: "invalid-request", detail });
}

function placeOf(header: string | readonly string[] | undefined): BusPlace | undefined {
  if (header === undefined) return undefined;
  const [, deliberation, seq, nth] = PLACE.exec(String(header)) ?? [];
  if (deliberation !== undefined) return { deliberation, seq: Number(seq), nth: Number(nth) };
  const detail = "Last-Event-ID is the id of a message of this bus";
  throw new Refused({ status: 400, code: "invalid-request", detail });
}

/** The cursor before a message's event, so that the rest of its messages comes too. */
async function cursorBefore(store: OrganizationStore, { deliberation, seq }: BusPlace): Promise<Cursor> {
  const id = DeliberationId.safeParse(deliberation).data;
  const [entry] = id === undefined || seq < 1 ? [] : await store.read(id, seq - 1);
  if (entry) return (entry.cursor - 1) as Cursor;
  throw new Refused({ status: 404, code: "not-found", detail: "there is no such message to go on from" });
}

type BusEnvelope = ReturnType<typeof envelopesOf>[number];

/** What one deliberation has said until `seq`. */
type KnownJournal = { readonly journal: BusJournal; readonly hides: boolean; seq: number };

const wantsOf =
  (subjects: readonly string[], conversation: string | undefined) =>
  ({ subject, correlation_id, metadata }: BusEnvelope): boolean =>
    (subjects.length === 0 ||
      subjects.some((one) => (one.endsWith(".") ? subject.startsWith(one) : subject === one))) &&
    (conversation === undefined || correlation_id === conversation || metadata.session_id === conversation);

type BusDelivery = {
  readonly store: OrganizationStore;
  readonly from: Cursor;
  readonly after: BusPlace | undefined;
  readonly wants: (message: BusEnvelope) => boolean;
};

/** Sends what is recorded after a cursor, and all that comes, until the client goes. */
async function deliver(
  call: Pick<RouteCall<unknown, unknown, unknown>, "config" | "response" | "signal">,
  { store, from, after, wants }: BusDelivery,
): Promise<void> {
  const { response, signal } = call;
  const stream = beginStream(call);
  const journals = new LRUCache<DeliberationId, KnownJournal>({ max: MAX_JOURNALS });
  for await (const batch of store.subscribe(from, signal)) {
    for (const entry of batch) {
      if (entry.type === "unreadable") continue;
      const { deliberation, seq } = entry;
      const kept = journals.get(deliberation);
      const known = kept?.seq === seq - 1 ? kept : await readBefore(store, entry);
      journals.set(deliberation, known);
      known.seq = seq;
      const shown = known.hides ? hideText(entry) : [entry];
      const messages = shown.flatMap((one) => {
        known.journal.add(one);
        return envelopesOf(one, known.journal);
      });
      for (const [nth, message] of messages.entries()) {
        const isSeen = after?.deliberation === deliberation && after.seq === seq && nth <= after.nth;
        if (!isSeen && wants(message)) stream.message(`${deliberation}.${seq}.${nth}`, message);
      }
    }
    if (response.writableLength > MAX_BEHIND) return void response.destroy();
  }
  stream.end();
}

/** A deliberation's journal before one of its entries: a message says what its journal said at its time. */
async function readBefore(store: OrganizationStore, { deliberation, seq }: Entry): Promise<KnownJournal> {
  const all = await store.read(deliberation);
  const opened = all.find((one) => isEvent(one, "deliberation-opened"));
  const hides = opened !== undefined && hasPeople(opened.data);
  const before = all.filter((one) => one.seq < seq);
  return { journal: busJournal(hides ? before.flatMap(hideText) : before), hides, seq: seq - 1 };
}

const MAX_BEHIND = 8_000_000;
