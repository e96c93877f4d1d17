import * as z from "zod";
import { SessionList } from "../../contract/runs.ts";
import { listCredentials } from "../../app/credentials.ts";
import { Problem, REFUSALS, Refused } from "../problem.ts";
import { readingContext } from "../results.ts";
import { route, type ApiRoute, type RouteCall } from "../route.ts";

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

export const sessionRoutes: readonly ApiRoute[] = [
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
  route("get", "sessions", {
    ...{ name: "listSessions", tag: "Sessions", needs: "read", replies: { 200: SessionList, ...REFUSALS } },
    summary: "List the caller's own sessions, the newest first",
    async handle(call) {
      const data = (await ownSessions(call)).map(({ id, name, createdAt, until }) => ({
        ...{ id, name, createdAt, until, current: id === usedBy(call).id },
      }));
      return { status: 200, body: { data } };
    },
  }),
  route("delete", "sessions/{id}", {
    ...{ name: "endSession", tag: "Sessions", needs: "write", params: z.strictObject({ id: z.string() }) },
    summary: "End one of the caller's own sessions",
    replies: { 204: NONE, ...REFUSALS, 404: Problem },
    async handle(call) {
      const { id } = call.params;
      if (!(await ownSessions(call)).some((one) => one.id === id))
        throw new Refused({ status: 404, code: "not-found", detail: "you have no such session" });
      await endSession(call, id);
      return { status: 204 };
    },
  }),
];
