import * as options from "./options.ts";
import { exportForms, exportsIn } from "../app/registry.ts";
import {
  choice,
  defineCommand,
  type Command,
  type CommandRow,
  type Feature,
  flag,
  text,
  type CommandGroup,
} from "./command.ts";
import { SERVER_COMMANDS } from "./server-commands.ts";
import type { CatalogKind } from "../config/catalog.ts";
import { JSON_FLAG } from "./options.ts";

const KEYS: readonly Command[] = [
  defineCommand("set <words...>", "Store a provider's key: typed unseen, or from stdin", {
    details:
      "PROVIDER is openai, anthropic, … or compatible/NAME. The keychain keeps it where there is one, else a file of yours alone.",
    examples: ["keys set openai", "keys set anthropic < key.txt"],
    run: async (io, _given, words) => (await import("./commands/keys.ts")).setKey(io, words),
  }),
  defineCommand("list", "List whose keys are known and where, never a key", {
    options: options.JSON_FLAG,
    examples: ["keys list", "keys list --json"],
    run: async (io, given) => (await import("./commands/keys.ts")).list(io, given),
  }),
  defineCommand("remove <provider>", "Remove a stored key", {
    examples: ["keys remove openai", "keys remove compatible/lab"],
    run: async (io, _given, [provider = ""]) => (await import("./commands/keys.ts")).remove(io, provider),
  }),
];

const NEW = {
  project: flag("--project", "write to this project: its .parley, not your own folder"),
  from: text("--from <id>", "start with a copy of this one"),
};

const CATALOGS: readonly CommandGroup[] = [
  {
    ...catalogGroup("personas", {
      noun: "persona",
      id: "historian",
      summary: "List, write, breed and try personas",
    }),
    aliases: ["persona"],
  },
  catalogGroup("strategies", {
    noun: "strategy",
    id: "balanced",
    summary: "List, write and check strategies",
  }),
  catalogGroup("packs", { noun: "pack", id: "risk-review", summary: "List, write and check packs" }),
];

/** Every command that no protocol declares, but for those that write runs. */
export const COMMANDS: readonly CommandRow[] = [
  defineCommand("feedback [id] [rating] [words...]", "Rate an answer (up, down) or record its outcome", {
    options: options.FEEDBACK,
    examples: ['feedback ID up "saved us a week"', "feedback ID --outcome bad"],
    run: async (io, given, args) => (await import("./commands/feedback.ts")).feedback(io, given, args),
  }),
  defineCommand("list", "List runs, newest first", {
    options: options.LIST_RUNS,
    examples: ["list", 'list --protocol council --since 7d --words "queue postgres"'],
    run: async (io, given) => (await import("./commands/history.ts")).list(io, given),
  }),
  defineCommand("show [id]", "Show the result of a run; without an id, of the newest", {
    aliases: ["last"],
    options: options.SHOW,
    examples: ["show ID", "show ID --details"],
    run: async (io, given, [id = "last"]) => (await import("./commands/history.ts")).show(io, given, id),
  }),
  defineCommand("open [id]", "Open a run in the browser; without an id, the newest", {
    details: "Writes the run as one page, opens it, and prints where it is. BROWSER names another program.",
    options: options.JSON_FLAG,
    examples: ["open", "open ID --json"],
    run: async (io, given, [id = "last"]) => (await import("./commands/export.ts")).open(io, given, id),
  }),
  defineCommand("retry [id]", "Ask anew what a run lost by an outage", {
    details:
      "A fork that takes over all steps but those that failed by network, rate, overload or credentials, and what follows from them.",
    options: options.RETRY,
    examples: ["retry ID", "retry ID --dry-run"],
    run: async (io, given, [id = "last"]) =>
      (await import("./commands/runs.ts")).fork(io, given, { id, retry: true }),
  }),
  defineCommand("replay [id]", "Run again from the journal, without models, and compare", {
    options: options.JSON_FLAG,
    examples: ["replay ID", "replay ID --json"],
    run: async (io, given, [id = "last"]) => (await import("./commands/runs.ts")).replay(io, given, id),
  }),
  defineCommand("fork [id]", "Re-run with changes; unaffected steps are reused", {
    options: options.FORK,
    examples: ["fork ID --strategy risk-averse", "fork ID --without challenger --json"],
    run: async (io, given, [id = "last"]) =>
      (await import("./commands/runs.ts")).fork(io, given, { id, without: given.without }),
  }),
  {
    name: "store",
    summary: "Look after the store",
    commands: [
      defineCommand("show", "Show where runs are stored, and how many there are", {
        isUsual: true,
        options: options.JSON_FLAG,
        examples: ["store show", "store show --json"],
        run: async (io, given) => (await import("./commands/store.ts")).showStore(io, given),
      }),
      defineCommand("rebuild", "Read all runs again for votes and contributions", {
        details: "What these commands keep beside the runs is thrown away and made anew. No run changes.",
        options: { ...options.JSON_FLAG, ...options.QUIET },
        examples: ["store rebuild", "store rebuild --json"],
        run: async (io, given) => (await import("./commands/store.ts")).rebuild(io, given),
      }),
    ],
  },
  defineCommand("cost", "Add up what recorded calls cost", {
    options: options.COST,
    examples: ["cost --by day --since 2026-01-31", "cost --by persona --json"],
    run: async (io, given) => (await import("./commands/cost.ts")).cost(io, given),
  }),
  defineCommand("cancel <id>", "Close an unfinished run for good", {
    details: "What has come of its replies is kept with the run, and used for nothing.",
    examples: ["cancel ID", "cancel whx3"],
    run: async (io, _given, [id = ""]) => (await import("./commands/runs.ts")).cancel(io, id),
  }),
  defineCommand("rm <id...>", "Forget runs that have ended, with what memory took", {
    details:
      "What they cost stays in cost, and in the caps of keys. Forks and later turns keep what they hold themselves. " +
      "Of a run that has not ended: cancel it first.",
    options: { yes: options.YES },
    examples: ["rm ID", "rm whx3 7c2k --yes"],
    run: async (io, given, ids) => (await import("./commands/runs.ts")).rm(io, given, ids),
  }),
  defineCommand("watch", "Show the live status of background workers", {
    options: options.WATCH,
    examples: ["watch", "watch --once --json"],
    run: async (io, given) => (await import("./commands/watch.ts")).watchWorkers(io, given),
  }),
  defineCommand("worker", "Run background grading and memory for all runs", {
    aliases: ["react"],
    options: options.WORKER,
    examples: ["worker", "worker --backfill --quiet"],
    run: async (io, given) => (await import("./commands/watch.ts")).worker(io, given),
  }),
  defineCommand("models [words...]", "List models, test one, or take a list of prices (update)", {
    details:
      "A test makes one call, and prints its time, tokens, cost and the beginning of the reply. An update takes prices and facts from LiteLLM's or models.dev's list, which count where they are newer than the built-in ones; without FILE or URL, from where the last one was.",
    options: options.MODEL_LIST,
    examples: ["models test openai/gpt-6.1-terra", "models update https://models.dev/api.json"],
    run: async (io, given, words) => (await import("./commands/models.ts")).models(io, given, words),
  }),
  defineCommand("tools", "List the tools that models may be given, of servers too", {
    details:
      "Starts the servers that mcp-servers names. --tools gives tools by these names to whoever answers.",
    options: options.JSON_FLAG,
    examples: ["tools", "tools --json"],
    run: async (io, given) => (await import("./commands/models.ts")).tools(io, given),
  }),
  defineCommand("init", "Write a first parley.yaml from what is found here", {
    details:
      "Finds keys, Ollama and LM Studio, and asks at most three questions. It never overwrites a file.",
    options: options.INIT,
    examples: ["init", "init --yes --project"],
    run: async (io, given) => (await import("./commands/init.ts")).init(io, given),
  }),
  { name: "keys", summary: "Store, list and remove keys of providers", commands: KEYS },
  ...CATALOGS,
  defineCommand("config", "Show every setting, its value and its source", {
    options: options.JSON_FLAG,
    examples: ["config", "config --json"],
    run: async (io, given) => (await import("./commands/setup.ts")).config(io, given),
  }),
  defineCommand("trust [files...]", "Trust what this project's files name, as they are now", {
    details:
      "Models, endpoints, stores, tools, judges and files elsewhere that a project names take effect only then. Shows them first.",
    options: options.TRUST,
    examples: ["trust", "trust debate-config.json --yes"],
    run: async (io, given, files) => (await import("./commands/trust.ts")).trust(io, given, files),
  }),
  defineCommand("doctor", "Check the installation and the configuration", {
    options: options.DOCTOR,
    examples: ["doctor", "doctor --probe"],
    run: async (io, given) => (await import("./commands/setup.ts")).doctor(io, given),
  }),
  defineCommand("completion <shell> [words...]", "Print the completion script of a shell", {
    details:
      "SHELL is bash, zsh or fish. In bash, source <(parley completion bash) belongs into ~/.bashrc; in zsh likewise, behind " +
      "compinit; in fish, parley completion fish | source.",
    examples: ["completion bash", "completion fish"],
    run: async (io, _given, words) => (await import("./commands/completion.ts")).completion(io, words),
  }),
  ...SERVER_COMMANDS,
  defineCommand("sim-server", "Serve simulated models over real API protocols", {
    details: "Speaks the protocols of OpenAI, Anthropic and Ollama. PARLEY_SIM_KEY: the key that it expects.",
    options: options.SIM_SERVER,
    examples: ["sim-server", "sim-server --port 8080"],
    run: async (io, given) => (await import("./commands/simulate.ts")).simServer(io, given),
  }),
];

export function writingCommands(features: readonly Feature[]): readonly CommandRow[] {
  const forms = exportForms(features);
  const files = options.filesOf(features);
  const formats = choice("--format <format>", `output format: ${[...forms.keys()].join(", ")}`, [
    ...forms.keys(),
  ]);
  return [
    defineCommand("answer <id> [file]", "Answer the questions of a waiting run, and continue it", {
      details:
        'Asks on the terminal, or reads a file or a pipe (-): {"QUESTION-ID": "answer"}. "" skips a question.',
      options: { ...options.ANSWER, ...files },
      examples: ["answer ID --list", "answer ID answers.json -o solution.md"],
      run: async (io, given, [id = "", file]) =>
        (await import("./commands/runs.ts")).answer(io, given, { id, file }),
    }),
    defineCommand("resume [id]", "Continue an unfinished run", {
      details:
        "Recorded steps are reused. A finished run gets what is missing of its grading and memory. The caps that a run was opened " +
        "with stay; a fork may have others.",
      options: { ...options.RESUME, ...files },
      examples: ["resume ID", "resume ID --timeout 2m"],
      run: async (io, given, [id = "last"]) => (await import("./commands/runs.ts")).resume(io, given, id),
    }),
    defineCommand("export [id]", "Print a run as a document, a page or data", {
      details: [
        ...exportsIn(features).map(({ help }) => help),
        "adr is a decision record, local2 a record for other programs.",
      ].join(" "),
      aliases: ["report"],
      options: { ...options.EXPORT, format: { ...options.EXPORT.format, ...formats } },
      examples: ["export ID -o run.html", "export --all --since 2026-01-31 --format csv --table calls"],
      run: async (io, given, [run]) => (await import("./commands/export.ts")).exportRuns(io, given, run),
    }),
  ];
}

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
