import * as z from "zod";
import { isAsked, usualProtocol } from "../app/registry.ts";
import { settingKeys, settingName } from "../config/settings.ts";
import { listNames, loadNamed, type AnyProtocol, type Registry } from "../engine/protocol.ts";
import {
  defineSurface,
  longFlag,
  readOptions,
  setting,
  splitList,
  type AnySurface,
  type Command,
  type CommandOption,
  type CommandOptions,
  type CommandRow,
  type Declared,
  type Feature,
  type FirstHeading,
  type Io,
  type LazyRow,
} from "./command.ts";
import { COMMANDS, writingCommands } from "./commands.ts";
import { byCommandGroup, firstHeading } from "./help.ts";
import * as options from "./options.ts";

/** The usual surface: it asks a question, and shows the result. */
const ASKING = defineSurface({
  arguments: "[question...]",
  options: {
    ...options.PACK,
    ...options.CONTINUE,
    ...options.ATTACHMENTS,
    ...options.TOOLS,
    ...options.SEATS,
    ...options.SEED,
    ...options.LIMITS,
    ...options.DRY_RUN,
    ...options.SHOWING,
  },
  run: async (io, given, call) => (await import("./commands/question.ts")).askQuestion(io, given, call),
});

/** The names of commands that ask in a form of their own. */
const surfaceNames = (features: readonly Feature[]): readonly string[] => [
  ...features.flatMap(({ surfaces = {} }) => Object.keys(surfaces)),
];

/** The surface of a name, loaded where a feature brings it; of any other protocol, the usual one. */
async function surfaceNamed(name: string, features: readonly Feature[]): Promise<AnySurface> {
  const brought = features.find(({ surfaces = {} }) => Object.hasOwn(surfaces, name))?.surfaces?.[name];
  return (await brought?.load?.()) ?? ASKING;
}

/**
 * The command that a protocol's declaration makes; undefined where there is no such protocol, or one that cannot be asked a
 * question because it has no seat for models.
 */
async function protocolCommand(
  name: string,
  registry: Registry<AnyProtocol>,
  features: readonly Feature[],
): Promise<Command | undefined> {
  const surface = await surfaceNamed(name, features);
  const protocol = await loadNamed(registry, surface.protocol ?? name);
  if (!protocol || !isAsked(protocol)) return undefined;
  const { settings, own } = declaredOptions(protocol);
  return {
    ...surface,
    name,
    asks: surface.arguments !== undefined,
    summary: surface.summary ?? protocol.summary,
    options: { ...settings, ...own, ...surface.options },
    examples: surface.examples ?? [
      `${name} "Should we move our queue to Postgres?" --context docs/queue.md`,
      `${name} "What is 17 * 23?" --json`,
    ],
    async run(io, given, args) {
      const declared = {
        ...{ protocol: protocol.name, args },
        settings: await settingsIn(io, { ...settings, ...surface.options }, given),
        own: readOptions(
          Object.fromEntries(Object.entries(own).filter(([key]) => given[key] !== undefined)),
          given,
        ),
      };
      // The surface's own schemas have read them.
      return surface.run(io, readOptions(surface.options, given) as never, declared);
    },
  };
}

/** What was given as settings, under the settings' own names; of `@FILE` the text in it. @throws Fault `configuration` */
async function settingsIn(io: Io, options: CommandOptions, given: Declared["settings"]) {
  const named = Object.entries(options).filter(([key, one]) => one.setting && given[key] !== undefined);
  const values = readOptions(Object.fromEntries(named), given);
  const renamed = named.map(([key, one]) => [one.setting ?? key, values[key]] as const);
  const others = Object.entries(given).filter(([key]) => !Object.hasOwn(values, key));
  const { system } = given;
  if (typeof system === "string" && system.startsWith("@"))
    others.push(["system", (await import("./input.ts")).readTextOf(io, system.slice(1))]);
  return Object.fromEntries([...others, ...renamed]);
}

/** The options of a protocol: those that are settings everywhere, and its own. */
function declaredOptions({ seats, texts = [], settings, request, opening }: AnyProtocol): {
  readonly settings: CommandOptions;
  readonly own: CommandOptions;
} {
  const fields = [settings, request].flatMap((schema) =>
    schema instanceof z.ZodObject ? Object.entries(schema.shape) : [],
  );
  const declared = fields.flatMap(([key, schema]): [string, CommandOption<unknown>][] => {
    // Every field of a classic object schema is a classic schema.
    const { flag: flags, description = "" } = (schema as z.ZodType).meta() ?? {};
    return typeof flags === "string" ? [[key, optionOf(flags, description, schema as z.ZodType)]] : [];
  });
  const isSetting = ([key]: readonly [string, unknown]) => settingKeys.has(settingName(key));
  return {
    settings: {
      ...Object.assign({}, ...seats.map(seatOption)),
      ...(opening ? {} : options.MEMBERS),
      ...(texts.includes("strategy") ? options.STRATEGY : {}),
      ...Object.fromEntries(
        declared.filter(isSetting).map(([key, { flags, description }]) => [key, setting(flags, description)]),
      ),
    },
    own: Object.fromEntries(declared.filter((one) => !isSetting(one))),
  };
}

/** How the models of a seat are named. */
function seatOption({ filledBy, max }: AnyProtocol["seats"][number]): CommandOptions {
  if (filledBy === "chair") return options.CHAIR;
  if (filledBy === "reviewers") return options.REVIEWERS;
  if (filledBy === "synthesizer") return options.SYNTHESIZER;
  if (filledBy === "judge") return options.JUDGE;
  if (filledBy === "people") return {};
  return max === 1 ? options.MODEL : options.MODELS;
}

/** An option that is read by a declared schema from what the command line has: text, or nothing but its name. */
function optionOf(flags: string, description: string, schema: z.ZodType): CommandOption<unknown> {
  const kind = kindOf(schema);
  const read = (raw: unknown) => {
    if (typeof raw !== "string") return raw;
    if (kind === "array") return splitList(raw);
    return kind === "number" && raw.trim() !== "" && Number.isFinite(Number(raw)) ? Number(raw) : raw;
  };
  if (!flags.includes("<") && kind !== "boolean") throw new TypeError(`${longFlag(flags)} needs a <value>`);
  return { flags, description, schema: z.preprocess(read, schema) };
}

/** What a schema reads, below what wraps it. */
function kindOf(schema: z.core.$ZodType): string {
  const { def } = (schema as z.core.$ZodTypes)._zod; // One of the kinds that zod itself makes.
  return "innerType" in def ? kindOf(def.innerType) : def.type;
}

/** The commands of the first screen of help, and those of protocols that whoever runs the program has added. */
export async function firstRows(io: Io) {
  const { features = [] } = io;
  const surfaces = new Map(features.flatMap(({ surfaces: own = {} }) => Object.entries(own)));
  const shipped = new Set(features.flatMap(({ protocols = {} }) => Object.keys(protocols)));
  const headed: readonly (readonly [string, FirstHeading | undefined])[] = [
    ...declaredNames(io).map((name): [string, FirstHeading | undefined] => [
      name,
      surfaces.get(name)?.first ?? (shipped.has(name) ? undefined : "Ask"),
    ]),
    ...ownRows(io).map((row) => [row.name, "load" in row ? row.first : firstHeading(row.name)] as const),
  ];
  const rows = await Promise.all(
    [...new Map(headed)].map(async ([name, first]) => {
      const row = first && (await rowNamed(name, io));
      return row ? [{ name, summary: row.summary, first }] : [];
    }),
  );
  return rows.flat();
}

/** The commands that no protocol declares: the built-in ones, and those of features. */
export const ownRows = ({ features = [] }: Io): readonly (CommandRow | LazyRow)[] => [
  ...COMMANDS,
  ...writingCommands(features),
  ...features.flatMap(({ commands = [] }) => commands),
];

async function loadRow(row: CommandRow | LazyRow, features: readonly Feature[]): Promise<CommandRow> {
  if (!("load" in row)) return row;
  const { load, ...head } = row;
  const loaded = await load(features);
  return "run" in loaded ? { ...loaded, ...head } : { summary: "", ...head, commands: loaded };
}

/** Rows of one name as one: the first, with what is below the others. */
const mergeRows = (rows: readonly CommandRow[]): CommandRow | undefined => {
  const [first, ...others] = rows;
  if (!first || others.length === 0) return first;
  return { ...first, commands: rows.flatMap(({ commands = [] }) => commands) };
};

export async function rowNamed(name: string | undefined, io: Io): Promise<CommandRow | undefined> {
  const { protocols, features = [] } = io;
  const rows = ownRows(io);
  const own = rows.find((row) => row.name === name || row.aliases?.includes(name ?? ""));
  if (own)
    return mergeRows(
      await Promise.all(rows.filter((row) => row.name === own.name).map((row) => loadRow(row, features))),
    );
  return name === undefined ? undefined : protocolCommand(name, protocols, features);
}

/** The names of commands that protocols declare; some of these may turn out to have none. */
export const declaredNames = ({ protocols, features = [] }: Io): readonly string[] => [
  ...new Set([...surfaceNames(features), ...listNames(protocols)]),
];

/** Every command, those of protocols first: help needs what all of them say about themselves. */
export async function allRows(io: Io): Promise<readonly CommandRow[]> {
  const names = new Set(ownRows(io).map(({ name }) => name));
  const loaded = await Promise.all([...names].map((name) => rowNamed(name, io)));
  const rows = loaded.filter((row) => row !== undefined);
  const own = new Set(rows.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const declared = await Promise.all(
    declaredNames(io)
      .filter((name) => !own.has(name))
      .map((name) => rowNamed(name, io)),
  );
  return byCommandGroup([...declared.filter((row) => row !== undefined), ...rows]);
}

/** The command that asks where none is named. */
export const usualName = ({ protocols }: Io): string => usualProtocol(protocols);
