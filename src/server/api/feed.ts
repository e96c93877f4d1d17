import { once } from "node:events";
import type { ServerResponse } from "node:http";
import * as z from "zod";
import type { DeliberationId } from "../../kernel/index.ts";
import { END, MAX_BEHIND_FRAMES, type Sink } from "../followers.ts";
import { beginFollowing, followingSink } from "../patience.ts";
import { REFUSALS, Refused, type HttpReply } from "../problem.ts";
import { readAll } from "../results.ts";
import { route, type ApiRoute, type RouteCall } from "../route.ts";

// One connection follows several deliberations with the bytes of their own streams. `event: of` stands before those of another deliberation
// than the last, so that nothing is encoded twice. The end of one leaves the others.

const MAX_FOLLOWED = 64;

const FeedQuery = z.strictObject({
  /** A deliberation, and the seq after which to go on; repeated for several. */
  of: z.union([Of(), z.array(Of()).min(1).max(MAX_FOLLOWED)]),
  texts: z.enum(["full", "head"]).optional(),
});

export const feedRoutes: readonly ApiRoute[] = [
  route("get", "feed", {
    ...{ name: "followFeed", tag: "Journal", needs: "read", query: FeedQuery },
    summary: "Follow up to 64 deliberations on one connection, each after the seq that is given",
    replies: {
      200: {
        type: "text/event-stream",
        description:
          "The streams of the deliberations; `event: of` has the id of the one that what follows belongs to",
      },
      204: { type: "", description: "All have ended, and there is nothing more to follow" },
      ...REFUSALS,
    },
    handle: followFeed,
  }),
];

async function followFeed(
  call: RouteCall<unknown, z.infer<typeof FeedQuery>, unknown>,
): Promise<HttpReply | undefined> {
  const { parley, followers, request, response, signal, caller, query } = call;
  const wanted = wantedIn([query.of].flat());
  // Whoever may not see one of them is told so before anything is sent.
  const all = await Promise.all(
    wanted.map(async ({ id, after }) => ({ ...(await readAll(parley, caller.principal, id)), after })),
  );
  if (request.method === "HEAD") {
    beginFollowing(response);
    response.end();
    return undefined;
  }
  const feed = createFeed(
    response,
    all.map(({ id }) => id),
  );
  signal.addEventListener("abort", feed.close, { once: true });
  const over: DeliberationId[] = [];
  const { texts = "full" } = query;
  const { organization } = caller.principal;
  for (const { id, entries, after } of all) {
    await untilDrained(response, signal);
    if (feed.isClosed()) return undefined;
    const unfollow = await followers.follow({ id, entries, after, texts, organization }, feed.sinkOf(id));
    if (unfollow) feed.closes(unfollow);
    else over.push(id);
  }
  if (over.length === all.length) return { status: 204 };
  for (const id of over) {
    feed.sinkOf(id).write(END);
    feed.sinkOf(id).end(true);
  }
  return undefined;
}

/** What several followers write to one connection. */
function createFeed(response: ServerResponse, ids: readonly DeliberationId[]) {
  const connection = followingSink(response);
  const open = new Set(ids);
  const unfollows: (() => void)[] = [];
  let last: DeliberationId | undefined;
  let isClosed = false;
  const close = () => {
    isClosed = true;
    for (const unfollow of unfollows.splice(0)) unfollow();
  };
  return {
    sinkOf(id: DeliberationId): Sink {
      const name = Buffer.from(`event: of\ndata: ${id}\n\n`);
      return {
        ...connection,
        write(bytes) {
          if (isClosed) return;
          if (last !== id) connection.write(name);
          last = id;
          connection.write(bytes);
        },
        // All are told to at the same time, and the connection is one.
        comment(bytes) {
          const [first] = open;
          if (first === id && !isClosed) connection.comment(bytes);
        },
        end(isOver) {
          open.delete(id);
          if (isClosed || (isOver && open.size > 0)) return;
          connection.end(isOver);
          close();
        },
      };
    },
    /** Is called when the connection ends. */
    closes(unfollow: () => void): void {
      if (isClosed) unfollow();
      else unfollows.push(unfollow);
    },
    isClosed: () => isClosed,
    close,
  };
}

/** Resolves when a reader has taken most of what was written, or has gone. */
async function untilDrained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  const { socket } = response;
  while (socket && !signal.aborted && response.writableLength > MAX_BEHIND_FRAMES)
    await once(socket, "drain", { signal }).catch(() => undefined);
}

type Wanted = { readonly id: string; readonly after: number };

/** @throws Refused 400 for one that comes twice */
function wantedIn(given: readonly string[]): readonly Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const one of given) {
    const [id = "", seq] = one.split(":");
    if (wanted.has(id)) {
      const detail = `of names ${id} twice`;
      const next = "name each deliberation once, with the seq that was seen last";
      throw new Refused({ status: 400, code: "invalid-request", detail, next });
    }
    wanted.set(id, { id, after: Number(seq) });
  }
  return [...wanted.values()];
}

function Of() {
  return z.string().regex(/^[^:]{1,100}:\d{1,9}$/, "of is ID:SEQ");
}
