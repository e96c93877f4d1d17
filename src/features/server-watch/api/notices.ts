import { createHmac } from "node:crypto";
import { consume, limitTime } from "../../../engine/index.ts";
import { isEvent, refusal, timeOf, workOf, type Entry, type Opening } from "../../../kernel/index.ts";
import { isToolSeat } from "../../../protocols/phases/client-tools.ts";
import { createHttp, exchangeWhole } from "../../../models/http.ts";
import type { WatchedServer } from "../../../server/operation.ts";
import { pendingQuestions } from "../../../views/pending-questions.ts";

// A notice goes to the operator's address alone, as it was set before the server started, and a redirect is not followed. Else: a
//     client of the server has it send requests elsewhere.
// Its place in the journal is passed once it was taken, or is a day old. Else: a kill loses it.
// It has ids, names and an address, and no word that somebody asked or answered. Else: whoever hears of a run reads it.
// It is signed as Standard Webhooks are, and its id is made of its event: whoever takes it twice knows it.

/** The name of the cursor in the store, and of the lease: of several servers over one store, one sends. */
const NAME = "notify";
const SECRET = "PARLEY_NOTIFY_SECRET";
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
const TIMEOUT_MS = 15_000;
/** The longest pause between two tries; the first is a second, and each is three times the one before. */
const MAX_PAUSE_MS = 600_000;
/** How long after its event a notice is still worth sending. */
const MAX_AGE_MS = 86_400_000;
/** Of a reply, which says nothing but its status. */
const MAX_REPLY = 1_000;
const GONE = 410;

/** What happened to a run, as it is sent. */
export type Notice = {
  readonly type: "run.ended" | "run.waiting";
  /** When it was recorded, ISO 8601 in UTC. */
  readonly timestamp: string;
  readonly data: {
    readonly run: string;
    readonly organization: string;
    readonly protocol: string;
    /** How it ended, or `waiting`. */
    readonly status: string;
    /** Where it is shown. */
    readonly url: string;
    /** The person that is waited for; null for whoever asked. Only of a run that waits. */
    readonly person?: string | null;
  };
};

export type NoticeOptions = {
  readonly url: string;
  readonly noted: (outcome: "delivered" | "retried" | "dropped") => void;
  readonly log: (line: string) => void;
};

/** Sends notices of the runs that clients of servers over this store have opened. @throws Fault `configuration` for an address or a secret that cannot be one */
export async function createNotices({ context }: Pick<WatchedServer, "context">, options: NoticeOptions) {
  const { env, world, process } = context;
  const { store } = process;
  const address = addressOf(options.url);
  const keys = readSecrets(env[SECRET]);
  // Its place is there before the first client is, so that of what they open nothing is left out.
  if ((await store.cursor(NAME)) === undefined) await store.advance(NAME, undefined, await store.end());

  /** Whether everyone has said what it would ask: from then on the questions wait, all together. */
  const hasAsked = (entry: Entry) => isEvent(entry, "roster-fixed") && workOf(entry)?.of === "clarification";
  const noticeOf = async (entry: Entry, url: string): Promise<Notice | undefined> => {
    const { deliberation: run } = entry;
    const organization = await store.findOrganization(run);
    if (organization === undefined) return undefined; // forgotten since
    const [opened, ...rest] = await store.for(organization).read(run, 0, hasAsked(entry) ? entry.seq : 1);
    if (!opened || !isEvent(opened, "deliberation-opened") || !opened.data.client) return undefined;
    if (hasAsked(entry) && !pendingQuestions([opened, ...rest])) return undefined;
    return noticeFor(entry, { ...opened.data, url: `${url}d/${encodeURIComponent(run)}` });
  };
  const post = async (entry: Entry, body: string, signal: AbortSignal) => {
    const http = createHttp({ env });
    const id = `${entry.deliberation}_${entry.seq}`;
    const headers = { ...signHeaders({ id, at: world.now(), body }, keys), accept: "*/*" };
    const late = () => new Error("no reply came in time");
    const limit = limitTime({ world, signal, ms: TIMEOUT_MS, reason: late });
    try {
      const sent = { url: address, headers, body, signal: limit.signal };
      const { exchanged, head } = await exchangeWhole(http, sent, MAX_REPLY);
      if (head.status > 0) return { status: head.status, why: `HTTP ${head.status}` };
      return { status: 0, why: (exchanged.how === "broken" ? exchanged.error : late()).message };
    } finally {
      limit.end();
      await http.close();
    }
  };
  const isLate = (entry: Entry): boolean => world.now() - timeOf(entry) >= MAX_AGE_MS;
  const take = async (entry: Entry, signal: AbortSignal, url: string): Promise<void> => {
    const notice = isLate(entry) ? undefined : await noticeOf(entry, url);
    if (!notice) return;
    const body = JSON.stringify(notice);
    for (let pauseMs = 1_000; !signal.aborted; pauseMs = Math.min(3 * pauseMs, MAX_PAUSE_MS)) {
      const { status, why } = await post(entry, body, signal);
      if (status >= 200 && status < 300) return options.noted("delivered");
      if (signal.aborted) return;
      const isLast = status === GONE || isLate(entry);
      options.log(`notify: ${notice.type} of ${entry.deliberation}: ${why}${isLast ? ", given up" : ""}`);
      options.noted(isLast ? "dropped" : "retried");
      if (isLast) return;
      await world.sleep(pauseMs, signal);
    }
  };
  return {
    /** Sends until `signal` aborts, beginning where the last server stopped. `url`: of this server. Never rejects. */
    send: (url: string, signal: AbortSignal): Promise<void> =>
      consume(
        { store, world },
        { worker: process.worker, signal },
        {
          name: NAME,
          wants: (entry) =>
            (isEvent(entry, "deliberation-closed", "seat-opened") || hasAsked(entry)) &&
            entry.origin.by !== "adopted" &&
            // A client whose tools are called knows it: nobody is waited for.
            !isToolSeat(entry, "seat-opened"),
          take: (entry, until) => take(entry, until, url),
        },
      ).catch((error: unknown) => options.log(`notify: ${String(error)}`)),
  };
}

function noticeFor(
  entry: Entry,
  { url, protocol, organization }: Pick<Opening, "protocol" | "organization"> & { readonly url: string },
): Notice | undefined {
  const run = { run: entry.deliberation, organization, protocol: protocol.name };
  if (isEvent(entry, "deliberation-closed"))
    return { type: "run.ended", timestamp: entry.at, data: { ...run, status: entry.data.outcome, url } };
  const person = isEvent(entry, "seat-opened") ? entry.data.person : null;
  return { type: "run.waiting", timestamp: entry.at, data: { ...run, status: "waiting", url, person } };
}

/** What each try is sent with: the time is its own. */
function signHeaders(
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
  keys: readonly Buffer[],
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const signatures = keys.map(
    (key) => `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`,
  );
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

/** @throws Fault `configuration` */
function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url;
  const why = "notify-url must be an http or https URL without a password";
  throw refusal(why, "notify-url: https://hooks.example.org/parley");
}

/** The keys behind `whsec_…`, one, or, while they are changed, several with blanks between them. @throws Fault `configuration` */
function readSecrets(text = ""): readonly Buffer[] {
  const next = `set ${SECRET} to whsec_ and 32 random bytes: echo "whsec_$(openssl rand -base64 32)"`;
  const words = text.split(/\s+/).filter(Boolean);
  if (words.length === 0)
    throw refusal(`notify-url is set, and ${SECRET} is not: nothing would sign notices`, next);
  return words.map((word) => {
    const key = Buffer.from(word.slice("whsec_".length), "base64");
    const isOne = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(word);
    if (isOne && key.length >= MIN_SECRET_BYTES && key.length <= MAX_SECRET_BYTES) return key;
    const why = `${SECRET} must be whsec_ and ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes in base64`;
    throw refusal(why, next); // its value is not shown
  });
}
