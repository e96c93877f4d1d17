import * as z from "zod";
import type { ServerFeature } from "../server/operation.ts";
import type { AnyProtocol, Registry } from "../engine/index.ts";
import { explainIssue, joinWithOr } from "../config/explain.ts";
import { settingTypes, type SettingKey } from "../config/settings.ts";
import { refusal } from "../kernel/index.ts";
import { jsonText } from "../reports/printable.ts";
import { EXIT } from "./exits.ts";
import type { Output } from "./output.ts";

/** What every command gets. */
export type Io = {
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The built-in protocols, those of features, and of whoever runs the program. */
  readonly protocols: Registry<AnyProtocol>;
  readonly features?: readonly Feature[] | undefined;
  /** Every command, or the one of a name, for what tells about them. */
  readonly commands?: (name?: string) => Promise<readonly CommandRow[]>;
};

/** One option of a command: how it is written, what help says about it, and what it is in the command. */
export type CommandOption<T> = {
  /** As commander writes it: `-n, --limit <n>`. */
  readonly flags: string;
  readonly description: string;
  readonly schema: z.ZodType<T>;
  /** What help shows as the default. */
  readonly shownDefault?: string | number;
  /** Another spelling, which help does not show. */
  readonly alias?: string;
  /** How it was written before, as `flags`: still read, with a note, and not in help. */
  readonly old?: string;
  /** What help says about its `--no-` form, where it has both. */
  readonly off?: string;
  readonly isRepeated?: boolean;
  /** Its value is a list with commas; given again, it adds to the list. */
  readonly isList?: boolean;
  /** Its value is the id of a run. */
  readonly isRun?: boolean;
  /** The setting that it gives, where that is named otherwise. */
  readonly setting?: SettingKey;
  readonly isRequired?: boolean;
  readonly isHidden?: boolean;
  /** The key of an option that cannot be given beside this one. */
  readonly conflicts?: string | string[];
};
export type CommandOptions = { readonly [key: string]: CommandOption<unknown> };

export type Values<O extends CommandOptions> = {
  readonly [K in keyof O]: O[K] extends CommandOption<infer T> ? T : never;
};

/** A command: what help says about it, and what runs it. */
export type Command = {
  readonly name: string;
  /** Older names, which help does not show. */
  readonly aliases?: readonly string[];
  /** Whether it is what its group does where no command is named. */
  readonly isUsual?: boolean;
  /** As commander writes them: `<id> [file]`. */
  readonly arguments?: string | undefined;
  /** What it does: a verb first, one clause, at most 60 characters. */
  readonly summary: string;
  /** More about it, under its own help. */
  readonly details?: string;
  readonly options: CommandOptions;
  /** Whether its arguments are the words of a question to models. */
  readonly asks?: boolean;
  /** Two command lines, without `parley`. */
  readonly examples: readonly [string, string];
  /** Commands below it: what follows its name is one of these where one is called so, else its own argument. */
  readonly commands?: readonly CommandRow[];
  /** Runs it with values as the command line gave them. @throws Fault `configuration` for one that cannot be used */
  run(io: Io, given: Readonly<Record<string, unknown>>, args: readonly string[]): Promise<number>;
};

/** Commands below one word. */
export type CommandGroup = Pick<Command, "name" | "summary" | "aliases"> & {
  readonly commands: readonly CommandRow[];
};

export type CommandRow = Command | CommandGroup;

export const isCommand = (row: CommandRow): row is Command => "run" in row;

/** Every command among these rows and below them, with the words that name it. */
export const listCommands = (
  rows: readonly CommandRow[],
  above: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly command: Command }[] =>
  rows.flatMap((row) => {
    const path = [...above, row.name];
    return [...(isCommand(row) ? [{ path, command: row }] : []), ...listCommands(row.commands ?? [], path)];
  });

/** A command or a group, loaded where one of them is run, or help shows them. */
export type LazyRow = Pick<CommandGroup, "name" | "aliases"> & {
  /** Of a group, and of none but its first feature. */
  readonly summary?: string;
  /** Over it in the list of all commands. */
  readonly heading: string;
  /** Under what the first screen of help has it, if it does. */
  readonly first?: FirstHeading;
  /** What people type for it, by what follows its name. */
  readonly meant?: Readonly<Record<string, string>>;
  /** What it was called, with what follows its name now: the first of these words, unless one of them is there. */
  readonly was?: Readonly<Record<string, readonly string[]>>;
  /** The command, or those of a group; of a group that another feature has as well, those that it adds. */
  readonly load: (features: readonly Feature[]) => Promise<Command | readonly Command[]>;
};

/** The headings of the first screen of help. */
export type FirstHeading = "Ask" | "Runs" | "Test" | "Setup";

/** What one feature brings, whole: everything behind it is loaded on use. */
export type Feature = ServerFeature & {
  readonly commands?: readonly LazyRow[];
  /** By name, commands that ask in the form of a protocol, but for what a declaration alone makes. */
  readonly surfaces?: { readonly [name: string]: LazySurface };
  /** The protocols that a chat can put its last question before, each with what help says of that command. */
  readonly chat?: { readonly [protocol: string]: string };
};

/** A surface of a feature; without `load`, the usual one of a protocol. */
export type LazySurface = { readonly first?: FirstHeading; readonly load?: () => Promise<AnySurface> };

/** What a command line says of a protocol's run. */
export type Declared = {
  readonly protocol: string;
  /** Settings as they were given: read together with files and the environment. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The protocol's own settings, read by the schemas that it declares. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly args: readonly string[];
};

/** What the command of a protocol has beside what the protocol declares. */
export type Surface<O extends CommandOptions> = {
  readonly protocol?: string;
  readonly summary?: string;
  readonly details?: string;
  readonly arguments?: string;
  readonly options: O;
  readonly examples?: readonly [string, string];
  run(io: Io, given: Values<O>, call: Declared): Promise<number>;
};
/** A surface whose options are not known statically. */
export type AnySurface = Omit<Surface<CommandOptions>, "run"> & {
  // Method bivariance lets every Surface<O> in; its options are read by their own schemas first.
  run(io: Io, given: never, call: Declared): Promise<number>;
};
export const defineSurface = <O extends CommandOptions>(surface: Surface<O>): AnySurface => surface;

type Definition<O extends CommandOptions> = Pick<
  Command,
  "aliases" | "details" | "examples" | "isUsual" | "commands"
> & {
  readonly options?: O;
  /** Gives its exit code; none is that of success. */
  run(io: Io, options: Values<O>, args: readonly string[]): Promise<number | void>;
};

/**
 * Defines a command whose `run` is typed by its options. `usage` is its name, and its arguments after it.
 * @example
 * ```ts
 * defineCommand("list", "List runs, newest first", {
 *   options: { limit: integer("-n, --limit <n>", "maximum number of runs", { min: 1, max: 10_000, or: 20 }) },
 *   examples: ["list", "list --limit 5"],
 *   run: async (io, { limit }) => (await import("./commands/history.ts")).list(io, limit),
 * });
 * ```
 */
// An empty record has no options; `{}` is the one type that says so and lets any be inferred.
export function defineCommand<O extends CommandOptions = Record<never, never>>(
  usage: string,
  summary: string,
  definition: Definition<O>,
): Command {
  // Without options, `O` is the empty record.
  const { options = {} as O } = definition;
  const [name = "", ...words] = usage.split(" ");
  return {
    ...definition,
    ...{ name, summary, options },
    arguments: words.length > 0 ? words.join(" ") : undefined,
    run: (io, given, args) =>
      definition.run(io, readOptions(options, given), args).then((exit) => exit ?? EXIT.answered),
  };
}

/** Reads the values of options. @throws Fault `configuration` that names the option, the value and what is expected */
export function readOptions<O extends CommandOptions>(
  options: O,
  given: Readonly<Record<string, unknown>>,
): Values<O> {
  const values = Object.entries(options).map(([key, { flags, schema }]) => {
    const read = schema.safeParse(given[key], { reportInput: true });
    if (read.success) return [key, read.data] as const;
    const { say, next } = explainIssue(schema, read.error);
    throw refusal(say(longFlag(flags)), next ?? "correct it");
  });
  return Object.fromEntries(values) as Values<O>; // Each was read by its own schema.
}

/** `--limit` of `-n, --limit <n>`. */
export const longFlag = (flags: string): string => /--[a-zA-Z-]+/.exec(flags)?.[0] ?? flags;

/** The entries of a text with commas between them. */
export function splitList(text: string): string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);
}

type More = Partial<Omit<CommandOption<unknown>, "flags" | "description" | "schema">>;

const optionWith =
  <T>(schema: z.ZodType<T>, own: More = {}) =>
  (flags: string, description: string, more: More = {}): CommandOption<T> => ({
    ...own,
    ...more,
    flags,
    description,
    schema,
  });

export const text = optionWith(z.string().optional());
export const requiredText = optionWith(z.string(), { isRequired: true });
export const flag = optionWith(z.boolean().default(false));
/** `--no-…`: true unless it is given. */
export const negation = optionWith(z.boolean().default(true));
export const list = optionWith(z.string().transform(splitList).optional(), { isList: true });
export const repeatable = optionWith(z.array(z.string()).default([]), { isRepeated: true });
/** A setting: checked where all settings are, together with files and the environment. */
export const setting = optionWith(z.unknown());
export const listSetting = optionWith(z.unknown(), { isList: true });

/** The same under another name than the setting's, and checked under it. */
export const settingAs = (
  key: SettingKey,
  option: Omit<CommandOption<unknown>, "schema">,
): CommandOption<unknown> => ({ ...option, setting: key, schema: settingTypes[key].optional() });

/** An integer within limits; `or`, or undefined, where it is not given. */
export function integer<D extends number | undefined = undefined>(
  flags: string,
  description: string,
  { min, max, or }: { readonly min: number; readonly max: number; readonly or?: D },
): CommandOption<number | D> {
  const read = (raw: unknown) => (typeof raw === "string" && /^\d+$/.test(raw) ? Number(raw) : (raw ?? or));
  const number = z.int().min(min).max(max);
  const schema = z
    .preprocess(read, or === undefined ? number.optional() : number)
    .meta({ expects: `an integer from ${min} to ${max}` });
  const shown = or === undefined ? {} : { shownDefault: or };
  return { flags, description, schema: schema as z.ZodType<number | D>, ...shown }; // It is undefined only where `or` is.
}

/** One of a few words; undefined where it is not given. */
export function choice<const T extends string>(
  flags: string,
  description: string,
  values: readonly T[],
): CommandOption<T | undefined> {
  const [example] = values;
  return {
    flags,
    description,
    schema: z
      .enum(values)
      .meta({ expects: joinWithOr(values), example })
      .optional(),
  };
}

/** How wide the output is, whether it may have colors, and what renders Markdown where it is a terminal. */
export type Face = {
  readonly color: boolean;
  readonly width: number;
  readonly markdown?: ((text: string, width: number) => readonly string[]) | undefined;
};

/** The face of stdout. What renders Markdown is loaded only where somebody reads it. */
export async function faceOf({ stdout }: Output): Promise<Face> {
  const { color, columns: width, terminal } = stdout;
  if (!terminal) return { color, width };
  const { markdownLines, highlight } = await loadMarkdown();
  return { color, width, markdown: (text, cells) => markdownLines(text, { width: cells, color, highlight }) };
}

export async function loadMarkdown() {
  const [{ markdownLines, markdownRenderer, plainText }, { highlight }] = await Promise.all([
    import("../reports/terminal-markdown.ts"),
    import("../reports/highlight.ts"),
  ]);
  return { markdownLines, markdownRenderer, plainText, highlight };
}

/** Prints a value: as one JSON object, or in words for people; `readable`, where these have Markdown in them. */
export async function print(
  { output }: Pick<Io, "output">,
  { json, value, readable = false }: { json: boolean; value: unknown; readable?: boolean },
  words: (face: Face) => string,
): Promise<void> {
  const { color, columns: width } = output.stdout;
  if (json) await output.result(jsonText(value));
  else await output.result(words(readable ? await faceOf(output) : { color, width }));
}

/** A Markdown document as somebody reads it: rendered on a terminal, as it is elsewhere. */
export const documentText = (document: string, { markdown, width }: Face): string =>
  markdown ? `${markdown(document, width).join("\n")}\n` : document;
