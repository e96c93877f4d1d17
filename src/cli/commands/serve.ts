import { existsSync } from "node:fs";
import { join } from "node:path";
import { openConfigured } from "../../app/configured.ts";
import { issueLink, listCredentials } from "../../app/credentials.ts";
import { Fault } from "../../kernel/index.ts";
import { surfacesOf } from "../../server/api/index.ts";
import { startServer } from "../../server/server.ts";
import manifest from "../../../package.json" with { type: "json" };
import type { Io, Values } from "../command.ts";
import { withoutModels } from "../connect.ts";
import type { SERVE } from "../server-commands.ts";
import { jsonLine } from "../../reports/printable.ts";
import { quoteValue } from "../../text/words.ts";
import { interruptible, withParley } from "../session.ts";

const GRACE_MS = 10_000;
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

/** Serves until Ctrl-C or SIGTERM, or prints a link. The first line on stdout is the address: on a terminal, as a link. */
export const serve = (io: Io, options: Values<typeof SERVE>, what?: string): Promise<void> =>
  interruptible(async (signal) => {
    if (what !== undefined) return printLink(io, options, what);
    const { output, env, cwd, protocols, features } = io;
    const { host = "127.0.0.1", port, maxDrives, json } = options;
    const base = baseOf(options);
    const publicUrls = options.publicUrl?.map(urlOf);
    const configured = await openConfigured({
      env,
      cwd,
      ...{ protocols, features },
      flags: {},
      isServed: true,
      ...withoutModels(options),
    });
    const { parley, context } = configured;
    const { principal } = context;
    const log = (line: string, isWhole = false) =>
      isWhole ? void process.stderr.write(`${line}\n`) : output.note(line);
    try {
      if (
        !LOOPBACK.test(host) &&
        !(await listCredentials(context, principal.organization)).some(({ kind }) => kind === "key")
      ) {
        const why = `others can reach ${host}, and there is no key that they would need`;
        throw new Fault("configuration", { why, next: "parley serve keys new NAME, and then serve again" });
      }
      const server = await startServer({
        ...{ parley, principal, host, port, base, publicUrls, maxDrives },
        surfaces: await surfacesOf(features ?? []),
        features,
        page: options.page ? pageFolder() : undefined,
        config: { version: manifest.version, place: { env, cwd }, maxDepth: 0 },
        log,
      }).catch((error: unknown) => {
        throw refusedAddress(error, { host, port });
      });
      // What is not a terminal may be kept: no secret goes there unasked.
      const { terminal } = output.stdout;
      await output.result(json ? jsonLine({ url: server.url }) : `${terminal ? server.link : server.url}\n`);
      const notes = [
        ...configured.renamed,
        "A link signs browsers in for ten minutes; a new one: parley serve link",
        "Programs send a key: parley serve keys new NAME",
        "Press Ctrl-C to stop.",
      ];
      for (const note of notes) server.log(note, "info");
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener("abort", () => resolve(), { once: true });
      });
      server.log("Stopping: what runs gets 10 s to reach a recorded step", "info");
      await server.stop(GRACE_MS);
    } finally {
      await parley.close();
    }
  });

/** Prints a new link to the server over this store that started last, wherever stdout goes: it was asked for. */
const printLink = (io: Io, { json }: Values<typeof SERVE>, what: string): Promise<void> =>
  withParley(io, {}, async (context) => {
    const { credentials, principal } = context;
    const refuse = (why: string, next: string) => new Fault("configuration", { why, next });
    if (what !== "link")
      throw refuse(`serve takes link, or nothing (got ${quoteValue(what)})`, "parley serve link");
    const all = await credentials.list(principal.organization);
    const url = all.find(({ kind }) => kind === "link")?.name;
    if (url === undefined) throw refuse("no server was started over this store", "parley serve");
    const link = await issueLink(context, principal, url);
    await io.output.result(json ? jsonLine({ url, link }) : `${link}\n`);
  });

/** Where the build put the page: beside the command's own files, also for a command that runs from its sources. */
function pageFolder(): string | undefined {
  const own = import.meta.dirname;
  return [join(own, "web"), join(own, "../../../dist/web")].find((folder) =>
    existsSync(join(folder, "index.html")),
  );
}

/** `/`, or the path with a slash at both ends. @throws Fault `configuration` */
function baseOf({ basePath = "/" }: Pick<Values<typeof SERVE>, "basePath">): string {
  const path = `/${basePath.replaceAll(/^\/+|\/+$/g, "")}/`.replace("//", "/");
  if (/^\/(?:[\w.~-]+\/)*$/.test(path)) return path;
  const why = `--base-path must be a path of letters, digits and -._~ (got ${quoteValue(basePath)})`;
  throw new Fault("configuration", { why, next: "--base-path /parley/" });
}

/** @throws Fault `configuration` */
function urlOf(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  const why = `--public-url must be an http or https URL (got ${quoteValue(text)})`;
  throw new Fault("configuration", { why, next: "--public-url https://example.org/parley/" });
}

/** What the system says of an address, in words. */
function refusedAddress(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const refuse = (why: string, next: string) => new Fault("configuration", { why, next });
  if (code === "EADDRINUSE") return refuse(`port ${port} is in use`, "--port 0, which takes a free one");
  if (code === "EACCES") return refuse(`port ${port} may not be listened on`, "--port 7317");
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return refuse(`${host} is not an address of this machine`, "--host 127.0.0.1");
  return error;
}
