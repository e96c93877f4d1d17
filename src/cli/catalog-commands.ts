import type { CatalogKind } from "../config/catalog.ts";
import { defineCommand, flag, text, type CommandGroup } from "./command.ts";
import { JSON_FLAG } from "./options.ts";

const NEW = {
  project: flag("--project", "write to this project: its .parley, not your own folder"),
  from: text("--from <id>", "start with a copy of this one"),
};

/** The commands over files of one kind: the same for all. */
function catalogGroup(kind: CatalogKind, { noun, id, summary }: Record<"noun" | "id" | "summary", string>) {
  const group: CommandGroup = {
    name: kind,
    summary,
    commands: [
      defineCommand("list", `List ${kind} and where each comes from`, {
        isUsual: true,
        options: JSON_FLAG,
        examples: [`${kind} list`, `${kind} list --json`],
        run: async (io, given) => (await import("./commands/catalog.ts")).list(io, kind, given),
      }),
      defineCommand("show <id>", `Show a ${noun} and what it shadows`, {
        options: JSON_FLAG,
        examples: [`${kind} show ${id}`, `${kind} show ${id} --json`],
        run: async (io, given, [one = ""]) =>
          (await import("./commands/catalog.ts")).show(io, kind, { ...given, id: one }),
      }),
      defineCommand("new <id>", `Write the file of a new ${noun}, to fill in`, {
        options: NEW,
        examples: [`${kind} new mine`, `${kind} new mine --project --from ${id}`],
        run: async (io, given, [one = ""]) =>
          (await import("./commands/catalog.ts")).create(io, kind, { ...given, id: one }),
      }),
      defineCommand("check [files...]", `Check the files of ${kind}; exit 1 on errors`, {
        options: JSON_FLAG,
        examples: [`${kind} check`, `${kind} check --json`],
        run: async (io, given, files) =>
          (await import("./commands/catalog.ts")).check(io, kind, { ...given, files }),
      }),
      defineCommand("edit <id>", `Edit a ${noun} in $VISUAL or $EDITOR`, {
        details: `Of a ${noun} that ships, a copy in your own folder is edited.`,
        examples: [`${kind} edit ${id}`, `${kind} edit mine`],
        run: async (io, _given, [one = ""]) => (await import("./commands/catalog.ts")).edit(io, kind, one),
      }),
    ],
  };
  return group;
}

const personas = catalogGroup("personas", {
  noun: "persona",
  id: "historian",
  summary: "List, write, breed and try personas",
});

export const CATALOGS: readonly CommandGroup[] = [
  { ...personas, aliases: ["persona"] },
  catalogGroup("strategies", {
    noun: "strategy",
    id: "balanced",
    summary: "List, write and check strategies",
  }),
  catalogGroup("packs", { noun: "pack", id: "risk-review", summary: "List, write and check packs" }),
];
