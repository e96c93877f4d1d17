import { spawn } from "node:child_process";
import {
  findInCatalog,
  nounOf,
  readCatalog,
  writeNew,
  type CatalogEntry,
  type CatalogKind,
} from "../../config/catalog.ts";
import { toAbsolute } from "../../config/paths.ts";
import { refusal } from "../../kernel/index.ts";
import { oneLine, printable } from "../../reports/printable.ts";
import { wrap } from "../../reports/text-width.ts";
import { documentText, print, type Io, type Values } from "../command.ts";
import { EXIT } from "../exits.ts";
import type { JSON_FLAG } from "../options.ts";

type Printing = Values<typeof JSON_FLAG>;

const placeOf = ({ cwd, env }: Io) => ({ cwd, env });

const STATES = { used: "", shadowed: ", shadowed", hidden: ", hidden", hides: ", hides it", unreadable: "" };
const whereOf = ({ from, state, problem }: CatalogEntry): string =>
  problem === null ? `(${from}${STATES[state]})` : `(${from}, cannot be read)`;

const INDENT = "    ";

const publish = ({ text: _text, missing: _missing, ...entry }: CatalogEntry) => entry;

export async function list(io: Io, kind: CatalogKind, options: Printing): Promise<void> {
  const entries = readCatalog(kind, placeOf(io));
  const linesOf = (entry: CatalogEntry, width: number) => [
    `${oneLine(entry.name)} ${whereOf(entry)}`,
    ...wrap(oneLine(entry.problem ?? entry.description, 600), width - INDENT.length).map(
      (line) => `${INDENT}${line}`,
    ),
  ];
  await print(
    io,
    { json: options.json, value: entries.map(publish) },
    ({ width }) => entries.flatMap((entry) => linesOf(entry, width)).join("\n") + "\n",
  );
}

export async function show(
  io: Io,
  kind: CatalogKind,
  { json, id }: Printing & { id: string },
): Promise<void> {
  const [entry, ...below] = findInCatalog(kind, id, placeOf(io));
  if (entry.problem !== null) throw refusal(entry.problem, `parley ${kind} check`);
  const file = entry.from === "built-in" ? "" : `${oneLine(entry.path)}\n`;
  const others = below.map((other) => `${whereOf(other)} ${oneLine(other.path)}\n`);
  await print(
    io,
    { json, value: { ...entry, shadows: below.map(({ from, path }) => ({ from, path })) }, readable: true },
    (face) => {
      const about = wrap(oneLine(entry.description, 600), face.width).join("\n");
      const text = printable(entry.text);
      const head = `${oneLine(entry.name)} ${whereOf(entry)}\n${file}${others.join("")}${about}\n`;
      // A pack's text is YAML.
      return `${head}\n${kind === "packs" ? `${text}\n` : documentText(`${text}\n`, face)}`;
    },
  );
}

/** One line for each file that cannot be used; exit 1 where there is one. Parts that a persona lacks are named. */
export async function check(
  io: Io,
  kind: CatalogKind,
  { json, files }: Printing & { files: readonly string[] },
) {
  const paths = files.map((file) => toAbsolute(file, io));
  const all = readCatalog(kind, placeOf(io));
  const unknown = paths.find((path) => !all.some((entry) => entry.path === path));
  if (unknown !== undefined)
    throw refusal(
      `${oneLine(unknown)} is none of the ${kind} that are looked for`,
      `put it into .parley/${kind}, then parley ${kind} check`,
    );
  const entries = paths.length === 0 ? all : all.filter(({ path }) => paths.includes(path));
  const wrong = entries.filter(({ problem }) => problem !== null);
  const lines = entries.flatMap(({ name, path, problem, missing }) => {
    if (problem !== null) return [`${oneLine(problem, 1_000)}\n`];
    return missing.length === 0 ? [] : [`${oneLine(path)}: ${oneLine(name)} has no ${missing.join(", ")}\n`];
  });
  const sum = `${entries.length - wrong.length} of ${entries.length} ${kind} can be used\n`;
  const value = entries.map(({ name, from, path, problem, missing }) => ({
    name,
    from,
    path,
    problem,
    missing,
  }));
  await print(io, { json, value }, () => [...lines, sum].join(""));
  return wrong.length === 0 ? EXIT.answered : EXIT.refusedByCheck;
}

type Created = { readonly id: string; readonly project: boolean; readonly from: string | undefined };

export async function create(io: Io, kind: CatalogKind, { id, project, from }: Created): Promise<void> {
  const place = placeOf(io);
  const like = from === undefined ? undefined : findInCatalog(kind, from, place)[0];
  await io.output.result(`${oneLine(writeNew(kind, { id, project, like }, place))}\n`);
}

/** Opens a file in the user's editor; of one that ships, a copy in the user's folder. */
export async function edit(io: Io, kind: CatalogKind, id: string): Promise<number> {
  const place = placeOf(io);
  const [program = "", ...args] = (io.env["VISUAL"] || io.env["EDITOR"] || "").split(/\s+/).filter(Boolean);
  if (program === "")
    throw refusal("no editor is named", `set VISUAL or EDITOR, e.g. EDITOR=nano parley ${kind} edit ${id}`);
  const [entry] = findInCatalog(kind, id, place);
  const path = entry.from === "built-in" ? writeNew(kind, { id, like: entry }, place) : entry.path;
  if (entry.from === "built-in") io.output.note(`Copied the ${nounOf(kind)} ${id} to ${oneLine(path)}`);
  const code = await new Promise<number | null>((resolve, reject) => {
    const editor = spawn(program, [...args, path], { stdio: "inherit" });
    editor.on("exit", resolve);
    editor.on("error", () => {
      const next = "correct VISUAL or EDITOR";
      reject(refusal(`the editor ${oneLine(program)} cannot be started`, next));
    });
  });
  return code === 0 ? check(io, kind, { json: false, files: [path] }) : EXIT.refusedByCheck;
}
