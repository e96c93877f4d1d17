import type { CatalogKind } from "../../config/catalog.ts";
import { refusal } from "../../kernel/index.ts";
import { oneLine } from "../../reports/printable.ts";
import { findNearest } from "../../text/words.ts";
import {
  isCommand,
  longFlag,
  type Command,
  type CommandOption,
  type CommandRow,
  type Io,
} from "../command.ts";
import { usualName } from "../protocol-command.ts";

// The scripts know nothing: they ask `parley completion words -- WORDS`, which reads the program's own definitions. So they need no
// renewal, and no model and no server is asked.

/** What could come next, and a few words on it. */
type Candidate = readonly [value: string, about: string];

const FILES: readonly Candidate[] = [[":files", ""]];
const MAX_RUNS = 30;
const MAX_ABOUT_LENGTH = 60;

/** Prints a shell's script, or what could come next after `words`. */
export async function completion(io: Io, [shell = "", ...words]: readonly string[]): Promise<void> {
  if (shell === "words") {
    const found = await candidates(io, words).catch((): readonly Candidate[] => []);
    const lines = found.map(([value, about]) =>
      about === "" ? value : `${value}\t${oneLine(about, MAX_ABOUT_LENGTH)}`,
    );
    await io.output.result(lines.map((line) => `${line}\n`).join(""));
    return;
  }
  const script = SCRIPTS.get(shell);
  if (script === undefined)
    throw refusal(
      `there is no completion for "${oneLine(shell, 40)}"`,
      `parley completion ${findNearest(shell, [...SCRIPTS.keys()]) ?? "bash"}; there are ${[...SCRIPTS.keys()].join(", ")}`,
    );
  await io.output.result(script);
}

async function candidates(io: Io, words: readonly string[]): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? "";
  const [first, ...rest] = words.slice(0, -1);
  const rowsOf = async (name?: string) => (await io.commands?.(name)) ?? [];
  if (first === undefined) return beginning(current, (await rowsOf()).map(summaryOf));
  // What begins with no command is a question.
  const row = (await rowsOf(first))[0] ?? (await rowsOf(usualName(io)))[0];
  return row ? belowRow(io, row, { args: rest, current, kind: kindOf(row.name) }) : [];
}

async function belowRow(io: Io, row: CommandRow, line: Line): Promise<readonly Candidate[]> {
  const [next, ...args] = line.args;
  const below = row.commands?.find(({ name }) => name === next);
  if (below) return belowRow(io, below, { ...line, args });
  const names = next === undefined ? beginning(line.current, (row.commands ?? []).map(summaryOf)) : [];
  return [...names, ...(isCommand(row) ? await forCommand(io, row, line) : [])];
}

const summaryOf = ({ name, summary }: CommandRow): Candidate => [name, summary];
const kindOf = (name: string): CatalogKind | undefined => CATALOG_KINDS.find((kind) => kind === name);
const CATALOG_KINDS = ["personas", "strategies", "packs"] as const;

type Line = {
  readonly args: readonly string[];
  readonly current: string;
  readonly kind: CatalogKind | undefined;
};

async function forCommand(
  io: Io,
  command: Command,
  { args, current, kind }: Line,
): Promise<readonly Candidate[]> {
  const options = Object.entries(command.options).filter(([, { isHidden }]) => isHidden !== true);
  const named = (flag: string) => options.find(([, one]) => spellings(one).includes(flag));
  const [, inline, written] = /^(--[a-z-]+)=(.*)$/s.exec(current) ?? [];
  if (inline !== undefined && written !== undefined) {
    const found = beginning(written, await valuesOf(io, named(inline), written));
    return found.map(([value, about]) =>
      value.startsWith(":") ? [value, about] : [`${inline}=${value}`, about],
    );
  }
  const before = named(args.at(-1) ?? "");
  if (before && /[<[]/.test(before[1].flags)) return beginning(current, await valuesOf(io, before, current));
  if (current.startsWith("-"))
    return beginning(
      current,
      options.flatMap(([, one]) => flagsOf(one)),
    );
  return beginning(current, await argumentsOf(io, command, { args, kind }));
}

/** `-m` and `--models` of `-m, --models <refs>`. */
const spellings = ({ flags }: CommandOption<unknown>): readonly string[] =>
  flags.split(/[ ,]+/).filter((word) => word.startsWith("-"));

const flagsOf = (option: CommandOption<unknown>): Candidate[] => [
  [longFlag(option.flags), option.description],
  ...(option.off === undefined ? [] : [[`--no-${longFlag(option.flags).slice(2)}`, option.off] as const]),
];

const beginning = (current: string, all: readonly Candidate[]): readonly Candidate[] =>
  all.filter(([value]) => value.startsWith(":") || value.startsWith(current));

const MODELS = new Set([
  ...["models", "model", "chair", "reviewers", "synthesizer", "judge", "modelB", "criticModel"],
]);
const CATALOGS: { readonly [key: string]: CatalogKind | undefined } = {
  ...{ persona: "personas", personas: "personas", respondent: "personas" },
  ...{ strategy: "strategies", pack: "packs" },
};

/** What could stand behind an option; the last entry of a list is completed. */
async function valuesOf(
  io: Io,
  [key, option]: readonly [string, CommandOption<unknown>] | readonly [] = [],
  current: string,
): Promise<readonly Candidate[]> {
  if (key === undefined || option === undefined) return FILES;
  const words = await wordsFor(io, key, option);
  if (option.isList !== true || words === FILES) return words;
  const done = current.slice(0, current.lastIndexOf(",") + 1);
  return words.map(([value, about]) => [`${done}${value}`, about]);
}

async function wordsFor(io: Io, key: string, option: CommandOption<unknown>): Promise<readonly Candidate[]> {
  const kind = CATALOGS[key];
  if (kind !== undefined) return catalogIds(io, kind);
  if (MODELS.has(key)) return modelRefs(io);
  if (option.isRun === true) return runIds(io);
  const choices = choicesIn(option);
  return choices.length > 0 ? choices.map((value): Candidate => [value, ""]) : FILES;
}

/** The words that a schema takes, where it takes a few. */
function choicesIn({ schema, setting, flags }: CommandOption<unknown>): readonly string[] {
  const { options } = schema as { readonly options?: unknown };
  const inner =
    "unwrap" in schema
      ? (schema as { unwrap(): { readonly options?: unknown } }).unwrap().options
      : undefined;
  const all = [options, inner].find(Array.isArray);
  if (all) return all.filter((one) => typeof one === "string");
  return setting === undefined ? (CHOICES[longFlag(flags)] ?? []) : [];
}

/** The words of settings, which are checked elsewhere. */
const CHOICES: { readonly [flag: string]: readonly string[] | undefined } = {
  "--mode": ["consensus", "vote"],
  "--on-degraded": ["accept", "refuse"],
  "--critic": ["on", "off"],
};

/** What the next argument could be. */
async function argumentsOf(
  io: Io,
  { name, arguments: declared = "" }: Command,
  { args, kind }: Pick<Line, "args" | "kind">,
): Promise<readonly Candidate[]> {
  if (name === "completion") return [...SCRIPTS.keys()].map((shell): Candidate => [shell, ""]);
  if (kind !== undefined) return declared === "<id>" && name !== "new" ? catalogIds(io, kind) : FILES;
  if (/^[<[]id[>\]]/.test(declared) && args.every((word) => word.startsWith("-"))) return runIds(io);
  if (name === "models") return args.includes("test") ? modelRefs(io) : [["test", "one call of a model"]];
  return declared === "" ? [] : FILES;
}

async function catalogIds(io: Io, kind: CatalogKind): Promise<readonly Candidate[]> {
  const { readCatalog } = await import("../../config/catalog.ts");
  return readCatalog(kind, { cwd: io.cwd, env: io.env }).flatMap(({ name, description, state }) =>
    state === "used" ? [[name, description] as const] : [],
  );
}

async function runIds(io: Io): Promise<readonly Candidate[]> {
  const [{ withStore }, { listRuns }] = await Promise.all([
    import("../session.ts"),
    import("../../app/lookup.ts"),
  ]);
  const runs = await withStore(io, ({ store }) => listRuns(store, { limit: MAX_RUNS }));
  return [["last", "the newest run"], ...runs.map(({ id, question }): Candidate => [id, question])];
}

/** The models whose prices are known, and the simulated ones; a provider's own list would have to be asked for. */
async function modelRefs({ env }: Io): Promise<readonly Candidate[]> {
  const [{ findProvider }, { builtInLists, createCatalog }] = await Promise.all([
    import("../../models/providers.ts"),
    import("../../models/model-list.ts"),
  ]);
  const catalog = createCatalog([builtInLists]);
  const hasKey = (ref: string) =>
    (findProvider(ref.slice(0, ref.indexOf("/")))?.keyVariables ?? []).some(
      (variable) => (env[variable] ?? "") !== "",
    );
  const listed = catalog.models();
  const known = listed.filter(hasKey);
  return [
    ...(known.length > 0 ? known : listed).map((model): Candidate => {
      const price = catalog.price(model);
      return [model, price ? `$${price.in} in, $${price.out} out per million tokens` : ""];
    }),
    ["sim/ada", "simulated"],
    ["sim/bo", "simulated"],
    ["sim/cy", "simulated"],
  ];
}

const ASK = "parley completion words --";

const BASH = `# Completion of parley for bash: source <(parley completion bash)
_parley() {
  local cur="\${COMP_LINE:0:COMP_POINT}" word line
  local -a words
  # The shell's own words break at ":" and "=", which models and options have.
  read -ra words <<< "$cur"
  [[ $cur == *[[:space:]] ]] && words+=("")
  word="\${words[\${#words[@]}-1]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ":files" ]]; then
      compopt -o filenames
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word")
      return
    fi
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(${ASK} "\${words[@]:1}" 2>/dev/null)
  # What stands before the last of these is on the line already.
  local done="\${word%"\${word##*[:=]}"}" index
  for index in "\${!COMPREPLY[@]}"; do COMPREPLY[index]="\${COMPREPLY[index]#"$done"}"; done
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *, ]] && compopt -o nospace
}
complete -F _parley parley
`;

const ZSH = `#compdef parley
# Completion of parley for zsh: source <(parley completion zsh), after compinit
_parley() {
  local -a lines values
  local line files tab=$'\\t'
  lines=("\${(@f)$(${ASK} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    if [[ $line == ":files" ]]; then
      files=yes
      continue
    fi
    values+=("\${\${line%%$tab*}//:/\\\\:}:\${\${line#*$tab}//:/\\\\:}")
  done
  (( $#values )) && _describe parley values
  [[ -n $files ]] && _files
}
compdef _parley parley
`;

const FISH = `# Completion of parley for fish: parley completion fish | source
function __parley_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines (${ASK} $words[2..-1] 2>/dev/null)
    if contains -- ":files" $lines
        __fish_complete_path (commandline -ct)
    end
    string match -v -- ":files" $lines
end
complete -c parley -f -a '(__parley_complete)'
`;

const SCRIPTS: ReadonlyMap<string, string> = new Map([
  ["bash", BASH],
  ["zsh", ZSH],
  ["fish", FISH],
]);
