import * as z from "zod";
import { SessionList } from "../../contract/runs.ts";
import { listCredentials } from "../../app/credentials.ts";
import { deletion, operation, type HttpOperation } from "../operation.ts";
import { REFUSALS, Refused } from "../problem.ts";
import { readingContext } from "../results.ts";
import { route, type RouteCall } from "../route.ts";

const NONE = { type: "", description: "Done; without a body." };

type SessionCall = Pick<RouteCall<unknown, unknown, unknown>, "parley" | "caller">;

const usedBy = ({ caller: { credential } }: SessionCall) => credential.session ?? credential;

/** The sessions of the person who asks. */
async function ownSessions({ parley, caller: { principal } }: SessionCall) {
  const all = await listCredentials(readingContext(parley, principal), principal.organization);
  return all.filter(({ kind, principal: { user } }) => kind === "session" && user === principal.user);
}

async function endSession({ parley, caller: { principal } }: SessionCall, id: string): Promise<void> {
  const { credentials, world } = readingContext(parley, principal);
  await credentials.revoke(principal.organization, id, new Date(world.now()).toISOString());
}

export const sessionOperations: readonly HttpOperation[] = [
  route("post", "session", {
    ...{ name: "signIn", tag: "Sessions", needs: "read", replies: { 204: NONE, ...REFUSALS } },
    summary: "Sign a browser in with the key that the request has, by a cookie",
    handle: async ({ access, request, caller }) => ({
      status: 204,
      headers: { "set-cookie": await access.signIn(caller, request.headers["user-agent"]) },
    }),
  }),
  route("delete", "session", {
    ...{ name: "signOut", tag: "Sessions", needs: "read", replies: { 204: NONE, ...REFUSALS } },
    summary: "Sign the browser out: its session ends, and a key stays",
    async handle(call) {
      const { kind, id } = usedBy(call);
      if (kind === "session") await endSession(call, id);
      return { status: 204, headers: { "set-cookie": call.access.signedOut } };
    },
  }),
  operation("listSessions", "GET sessions", {
    ...{ tag: "Sessions", needs: "read", output: SessionList },
    summary: "List the caller's own sessions, the newest first",
    async run(me) {
      const data = (await ownSessions(me)).map(({ id, name, createdAt, until }) => ({
        ...{ id, name, createdAt, until, current: id === usedBy(me).id },
      }));
      return { data };
    },
  }),
  deletion("endSession", "sessions/{id}", {
    tag: "Sessions",
    needs: "write",
    params: z.strictObject({ id: z.string() }),
    done: NONE.description,
    summary: "End one of the caller's own sessions",
    async run(me, { id }) {
      if (!(await ownSessions(me)).some((one) => one.id === id))
        throw new Refused({ status: 404, code: "not-found", detail: "you have no such session" });
      await endSession(me, id);
    },
  }),
];
