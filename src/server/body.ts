import type { IncomingMessage } from "node:http";
import { Refused } from "./problem.ts";

/** The largest body, in bytes; and of one that may hold pictures and documents. */
export const MAX_BODY = 2_000_000;
export const MAX_ATTACHED_BODY = 30_000_000;
/** How deep its arrays and objects may stand in each other. */
const MAX_DEPTH = 100;

/**
 * A request's body as JSON.
 * @throws Refused 413, 415 and 400 for what is too large, not JSON by its type, or not UTF-8 or JSON by its content
 */
export async function readJson(
  request: IncomingMessage,
  most: number,
): Promise<{ readonly text: string; readonly json: unknown }> {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
  const bytes = await readBytes(request, most);
  if (bytes.length === 0) return { text: "", json: undefined };
  if (type !== "application/json" && !type.endsWith("+json")) {
    const detail = `the body is ${type === "" ? "of no type" : type.slice(0, 60)}, not JSON`;
    throw new Refused({ status: 415, code: "not-json", detail, next: "send Content-Type: application/json" });
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const json: unknown = JSON.parse(text);
    checkForm(json);
    return { text, json };
  } catch (error) {
    if (error instanceof Refused) throw error;
    const why = error instanceof SyntaxError ? error.message.slice(0, 200) : "it is not UTF-8";
    throw new Refused({ status: 400, code: "not-json", detail: `the body is not JSON: ${why}` });
  }
}

/** Neither deeper than what reads it in turn can bear, nor with a name that objects have of their own. @throws Refused 400 */
export function checkForm(json: unknown): void {
  const refuse = (detail: string) => new Refused({ status: 400, code: "invalid-request", detail });
  const rest: (readonly [value: unknown, depth: number])[] = [[json, 0]];
  for (let one = rest.pop(); one; one = rest.pop()) {
    const [value, depth] = one;
    if (typeof value !== "object" || value === null) continue;
    if (depth >= MAX_DEPTH) throw refuse(`the body is nested over ${MAX_DEPTH} deep`);
    if (Object.hasOwn(value, "__proto__")) throw refuse("the body has a field __proto__");
    for (const inner of Object.values(value)) rest.push([inner, depth + 1]);
  }
}

async function readBytes(request: IncomingMessage, most: number): Promise<Buffer> {
  const tooLarge = () => {
    const detail = `the body has more than ${most / 1_000_000} MB`;
    return new Refused({ status: 413, code: "body-too-large", detail, headers: { connection: "close" } });
  };
  if (Number(request.headers["content-length"] ?? 0) > most) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  // A request that is left before its end stays open for its reply. Without an encoding, it comes as bytes.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
