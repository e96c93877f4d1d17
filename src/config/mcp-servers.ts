import * as z from "zod";
import { toAbsolute, type FileContext } from "./paths.ts";
import { isMapping } from "./yaml.ts";

/** `${NAME}` or `${env:NAME}`: the variable of the user's environment that a server is given, as other clients write it. */
const VARIABLE = /\$\{(?:env:)?([A-Za-z_]\w*)\}/g;

const word = { expects: "one line of text", example: "npx" };
const line = z
  .string()
  .min(1)
  .max(4_000)
  .regex(/^\P{Cc}*$/u)
  .meta(word);
function nameSchema(what: string, example: string) {
  return z
    .record(z.string().regex(/^[^\p{Cc}\s=:]{1,200}$/u), z.string().max(20_000))
    .meta({ expects: `a mapping of ${what} to texts`, example, secret: true });
}

const McpServer = z
  .strictObject({
    type: z
      .enum(["stdio", "http", "streamable-http", "sse"])
      .meta({ expects: "stdio, http, streamable-http or sse", example: "http" })
      .optional(),
    command: line.optional(),
    args: z
      .array(z.string().max(20_000))
      .max(200)
      .meta({ expects: "a list of texts", example: '["-y", "some-server"]', secret: true })
      .optional(),
    /** Variables of the server's process, beside those that every program needs. */
    env: nameSchema("variables", "{SEARCH_KEY: '${SEARCH_KEY}'}").optional(),
    cwd: line.meta({ expects: "a folder", example: "." }).optional(),
    url: z
      .string()
      .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))
      .meta({ expects: "an http or https URL", example: "https://example.com/mcp" })
      .optional(),
    headers: nameSchema("headers", "{Authorization: 'Bearer ${SEARCH_KEY}'}").optional(),
  })
  .refine(({ type, command, args, env, cwd, url, headers }) =>
    url === undefined
      ? command !== undefined && headers === undefined && (type ?? "stdio") === "stdio"
      : [command, args, env, cwd].every((one) => one === undefined) && type !== "stdio",
  )
  .meta({
    expects: "a mapping with a command (and args, env, cwd), or with a url (and type, headers)",
    example: "{command: npx, args: [-y, some-server]}",
    secret: true,
  });

/** The servers whose tools participants may name, in the form in which other clients read them. */
export const McpServers = z
  .record(
    // Two underscores stand between a server and its tool where a model is told of them.
    z
      .string()
      .regex(/^(?!.*__)[A-Za-z0-9](?:[\w-]{0,30}[A-Za-z0-9-])?$/)
      .meta({
        noun: "a name for a server",
        expects: "one word of at most 32 letters, digits, dashes and single underscores",
        example: "search",
      }),
    McpServer,
  )
  .meta({ expects: "a mapping of names to servers", example: "{search: {command: search-server}}" });

/** A server in words, for trust and lists: what is run or reached, and which variables of the user it is given; no value of them. */
export function describeServer(server: unknown): string {
  if (!isMapping(server)) return "";
  const { command, args, cwd, url, env, headers } = server;
  const own = [env, headers].flatMap((one) => (isMapping(one) ? Object.entries(one) : []));
  const variables = own.flatMap(([, value]) =>
    [...String(value).matchAll(VARIABLE)].map(([, name]) => `$${name}`),
  );
  const words = [command, ...(Array.isArray(args) ? args : []), url].filter((one) => one !== undefined);
  return [
    words.map(String).join(" "),
    ...(typeof cwd === "string" ? [`in ${cwd}`] : []),
    ...(own.length === 0 ? [] : [`with ${[...new Set(own.map(([name]) => name))].join(", ")}`]),
    ...(variables.length === 0 ? [] : [`from ${[...new Set(variables)].join(", ")} of your environment`]),
  ].join(", ");
}

/** Servers as a file names them, with their folders relative to the file's own. */
export function resolveServers(raw: unknown, place: Pick<FileContext, "cwd" | "env">): unknown {
  if (!isMapping(raw)) return raw;
  return Object.fromEntries(
    Object.entries(raw).map(([name, server]) =>
      isMapping(server) && typeof server["cwd"] === "string"
        ? [name, { ...server, cwd: toAbsolute(server["cwd"], place) }]
        : [name, server],
    ),
  );
}
