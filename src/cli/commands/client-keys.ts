import { issueCredential, listCredentials, revokeKey } from "../../app/credentials.ts";
import { ModelRef, Scope, refusal } from "../../kernel/index.ts";
import { align } from "../../reports/labelled-rows.ts";
import type { KeyLimits } from "../../stores/credentials.ts";
import { quoteValue } from "../../text/words.ts";
import { oneLine } from "../../reports/printable.ts";
import { print, type Io, type Values } from "../command.ts";
import type { JSON_FLAG } from "../options.ts";
import type { NEW_KEY } from "../server-commands.ts";
import { withParley } from "../session.ts";

/** What a key may do unless somebody says otherwise: not to change what all share. */
const USUAL_SCOPES: readonly string[] = ["read", "write", "operate"] satisfies Scope[];

/** `5/day` as 5. @throws Fault `configuration` for anything else */
function readRate(flag: string, per: "day" | "minute", text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, digits = "", unit = per] = /^(\d{1,9}(?:\.\d{1,6})?)(?:\/(\w+))?$/.exec(text) ?? [];
  const amount = Number(digits);
  const isWhole = flag === "--max-cost-usd" || Number.isInteger(amount);
  if (amount > 0 && unit === per && isWhole) return amount;
  const why = `${flag} must be an amount per ${per} (got ${quoteValue(text)})`;
  throw refusal(why, `${flag} 5/${per}`);
}

/** @throws Fault `configuration` for what names no model, and for none at all */
function readModels(named: readonly string[]): string[] {
  const read = ModelRef.array().min(1).safeParse(named);
  if (read.success) return read.data;
  const why = `--models takes model references, provider/model (got ${quoteValue(named.join(","))})`;
  throw refusal(why, "--models openai/gpt-6.1-terra,mistral/mistral-large");
}

/** What the key may have, as it was given. @throws Fault `configuration` */
function limitsIn({ maxCostUsd, maxCalls, maxRequests, atOnce, models }: Values<typeof NEW_KEY>): KeyLimits {
  return {
    usdPerDay: readRate("--max-cost-usd", "day", maxCostUsd),
    callsPerDay: readRate("--max-calls", "day", maxCalls),
    requestsPerMinute: readRate("--max-requests", "minute", maxRequests),
    atOnce,
    models: models && readModels(models),
  };
}

/** Makes a key, and prints it: the only time that anybody sees it. */
export const create = (io: Io, options: Values<typeof NEW_KEY>, name: string): Promise<void> =>
  withParley(io, {}, async (context) => {
    const { scopes: asked = USUAL_SCOPES, until } = options;
    const read = Scope.array().min(1).safeParse(asked);
    if (!read.success) {
      const why = `--scopes takes read, write, operate and manage (got ${quoteValue(asked.join(","))})`;
      throw refusal(why, "--scopes read,write");
    }
    const principal = { ...context.principal, scopes: read.data };
    const limits = limitsIn(options);
    const { id, secret } = await issueCredential(context, { kind: "key", name, principal, until, limits });
    io.output.note(
      "Keep it now: it is not shown again. Send it as Authorization: Bearer KEY, or as x-api-key",
    );
    const value = { id, name, key: secret, scopes: read.data, limits };
    await print(io, { json: options.json, value }, () => `${secret}\n`);
  });

/** Lists the keys and the sessions that hold. */
export const list = (io: Io, options: Values<typeof JSON_FLAG>): Promise<void> =>
  withParley(io, {}, async (context) => {
    const keys = await listCredentials(context, context.principal.organization);
    const value = keys.map(({ id, kind, name, principal: { scopes }, createdAt, until, limits }) => ({
      ...{ id, kind, name, scopes, createdAt, until, limits },
    }));
    const rows = value.map(({ id, kind, name, scopes, createdAt, until }) => [
      ...[oneLine(name, 40), kind, id, scopes.join(","), createdAt.slice(0, 10)],
      until?.slice(0, 10) ?? "never",
    ]);
    const head = ["NAME", "KIND", "ID", "SCOPES", "MADE", "ENDS"];
    await print(io, { json: options.json, value }, ({ width }) =>
      rows.length === 0
        ? "There are no keys. Try: parley serve keys new ci\n"
        : `${align([head, ...rows], width).join("\n")}\n`,
    );
  });

/** Revokes a key, for every server over this store. */
export const revoke = (io: Io, key: string): Promise<void> =>
  withParley(io, {}, async (context) => {
    const { name, id } = await revokeKey(context, context.principal, key);
    io.output.note(`Revoked ${oneLine(name)} (${id})`);
  });
