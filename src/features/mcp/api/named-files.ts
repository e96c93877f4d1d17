import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { inputRequired, inputResponse, type InputRequiredResult } from "@modelcontextprotocol/server";
import { diffOf, fileBelow, topOf } from "../../../app/work-tree.ts";
import { isFault, refusal } from "../../../kernel/index.ts";
import { quoteValue, toOneLine } from "../../../text/words.ts";
import { capabilitiesOf, type McpCall } from "./session.ts";

// MCPS-9. What a call names is read below the folders that the server was started for, and of these below those that its client works
//     in, where it says so: a client's folders narrow, and never widen. Nothing is read so over HTTP. Else: an agent reads, and sends to
//     models, what nobody gave it.

type NamedTexts = readonly { readonly name: string; readonly text: string }[];
type NamingCall = Pick<McpCall, "ctx" | "roots" | "asking" | "declared"> & {
  readonly args: Readonly<Record<string, unknown>>;
};

/** The key of what a client answers about its folders. */
const ROOTS = "roots";

/**
 * A call with the texts of its `files` and its `diff` among its `context`; or the question for the client's folders, with whose answer it
 * calls again.
 * @throws Fault `configuration` for what may not be read
 */
export async function readNamedFiles<C extends NamingCall>(call: C): Promise<C | InputRequiredResult> {
  const { files, diff, ...args } = call.args;
  if (files === undefined && diff === undefined) return call;
  const { roots: own = [], ctx } = call;
  if (own.length === 0)
    throw refusal("this server reads no files", "start it in a Git work tree, or for a folder (--root DIR)");
  const offered = await clientFolders(call);
  if (offered && !Array.isArray(offered)) return offered as InputRequiredResult; // it is no list
  const roots = narrow(own, offered as readonly string[] | undefined);
  if (roots.length === 0)
    throw refusal(
      "the client works in no folder that this server may read",
      `let it work in ${own.map((root) => toOneLine(root, 200)).join(" or ")}, or start the server for its folder (--root DIR)`,
    );
  const named: { name: string; text: string }[] = [];
  for (const path of (files ?? []) as readonly string[])
    // as its schema has read them
    named.push(await readFile({ roots, own, signal: ctx.mcpReq.signal }, path));
  if (diff !== undefined) named.push(...(await readDiff(roots, diff as string)));
  return { ...call, args: { ...args, context: [...((args["context"] ?? []) as NamedTexts), ...named] } };
}

/** The folders that the client works in; undefined where it says nothing of them. */
async function clientFolders(call: NamingCall): Promise<readonly string[] | InputRequiredResult | undefined> {
  const { ctx, asking } = call;
  if (capabilitiesOf(call).roots === undefined) return undefined;
  if (asking === "request") {
    const { signal } = ctx.mcpReq;
    const { roots } = await ctx.mcpReq.send({ method: "roots/list" }, { signal });
    return roots.map(({ uri }) => uri);
  }
  const given = inputResponse(ctx.mcpReq.inputResponses, ROOTS);
  if (given.kind === "roots") return given.roots.map(({ uri }) => uri);
  return inputRequired({ inputRequests: { [ROOTS]: inputRequired.listRoots() } });
}

/** Of the server's folders, what is below the client's too. (MCPS-9) */
function narrow(own: readonly string[], uris: readonly string[] | undefined): readonly string[] {
  if (uris === undefined) return own;
  const offered = uris.flatMap((uri) => {
    try {
      return [realpathSync(fileURLToPath(uri))];
    } catch {
      return []; // not a folder of this machine
    }
  });
  const both = own.flatMap((mine) =>
    offered.flatMap((other) => (isBelow(mine, other) ? [other] : isBelow(other, mine) ? [mine] : [])),
  );
  return [...new Set(both)];
}

/** Whether a real path is a folder, or below it. */
function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/** A path is written from one of the folders on, also from the server's where the client's is deeper. */
async function readFile(
  { roots, own, signal }: { roots: readonly string[]; own: readonly string[]; signal: AbortSignal },
  path: string,
): Promise<NamedTexts[number]> {
  const others = isAbsolute(path) ? [] : own.filter((root) => !roots.includes(root));
  const read = async (one: string) => {
    const { path: name, text } = await fileBelow(roots, one, signal);
    return { name, text };
  };
  try {
    return await read(path);
  } catch (error) {
    if (!isFault(error, "configuration")) throw error;
    for (const root of others) {
      const found = await read(join(root, path)).catch(() => undefined);
      if (found) return found;
    }
    throw error;
  }
}

/** What has changed below the folders, a text for each work tree, and which changes are not in it. */
async function readDiff(roots: readonly string[], base: string): Promise<NamedTexts> {
  const tops = new Set(roots.flatMap((root) => topOf(root) ?? []));
  if (tops.size === 0)
    throw refusal("there is no Git work tree", "name files, or start the server in a work tree or below one");
  const named: { name: string; text: string }[] = [];
  for (const top of tops) {
    const isOurs = (path: string) => roots.some((root) => isBelow(root, join(top, path)));
    const { files, omitted, base: commit } = await diffOf(top, { base });
    const ours = files.filter(({ path, oldPath = path }) => isOurs(path) && isOurs(oldPath));
    if (ours.length > 0)
      named.push({
        name: `diff since ${toOneLine(base, 200)} (${commit?.slice(0, 12) ?? "all"})`,
        text: ours.map(({ text }) => text).join(""),
      });
    const lost = omitted.filter(({ path }) => isOurs(path));
    if (lost.length > 0)
      named.push({
        name: "changes that are not in the diff",
        text: lost.map(({ path, why }) => `${quoteValue(path)}: ${why}\n`).join(""),
      });
  }
  if (named.length === 0)
    throw refusal(`nothing has changed since ${quoteValue(base)}`, "name an earlier revision, or files");
  return named;
}
