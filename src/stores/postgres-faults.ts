import { Fault, isFault } from "../kernel/index.ts";

const KEPT = "nothing acknowledged was lost";

const NO_SERVER = "no server answers there; start it, or correct the host and port in DATABASE_URL";
const LATER = `the server is starting, stopping or recovering; run again in a moment: ${KEPT}`;
const PASSWORD = "the server refused the user or the password; correct them in DATABASE_URL";
const SPACE = `the server's disk is full; free space there and run the same command again: ${KEPT}`;

/** By PostgreSQL's SQLSTATE, or by the operating system's error code. */
const WHY: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", NO_SERVER],
  ["ENOTFOUND", NO_SERVER],
  ["EAI_AGAIN", NO_SERVER],
  ["EHOSTUNREACH", NO_SERVER],
  ["ENETUNREACH", NO_SERVER],
  ["ETIMEDOUT", NO_SERVER],
  ["ENOENT", NO_SERVER],
  [
    "EACCES",
    "this user may not use the server's socket; change its permissions, or connect by host and port",
  ],
  ["28P01", PASSWORD],
  ["28000", PASSWORD],
  ["3D000", "the server has no such database; create it, or correct its name in DATABASE_URL"],
  ["42501", "the user lacks the rights to it; grant them, or connect as the schema's owner"],
  ["25006", `the server is read-only; connect to the primary, then run again: ${KEPT}`],
  ["53100", SPACE],
  ["53200", `the server has no memory left; run again: ${KEPT}`],
  ["53300", "the server has no connection left; close some, or raise max_connections"],
  [
    "55P03",
    `another process has kept the journal locked for 30 s; end its transaction and run again: ${KEPT}`,
  ],
  ["57P03", LATER],
]);

/** SQLSTATEs and system errors after which another connection may well work. */
const LOST = new Set(["57P01", "57P02", "08000", "08003", "08006", "ECONNRESET", "EPIPE"]);

/** Whether the connection broke, so that nobody knows what became of its transaction. */
export const isLost = (error: unknown): boolean =>
  LOST.has(codeOf(error)) || (error instanceof Error && error.message.startsWith("Connection terminated"));

/** An error of the database or of the network as a fault; anything else as it is. */
export function postgresFault(error: unknown, where: string): Error {
  if (isFault(error)) return error;
  const plain = error instanceof Error ? error : new Error(String(error));
  const why = whyOf(plain);
  return why === undefined ? plain : new Fault("store-unavailable", { where, why }, { cause: error });
}

function whyOf(error: Error): string | undefined {
  const code = codeOf(error);
  if (isLost(error)) return `the connection broke; run again: ${KEPT}`;
  if (error.message.startsWith("timeout exceeded when trying to connect")) return NO_SERVER;
  const known = WHY.get(code);
  if (known !== undefined) return known;
  return /^[0-9A-Z]{5}$/.test(code) ? `PostgreSQL says: ${error.message} (${code})` : undefined;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
