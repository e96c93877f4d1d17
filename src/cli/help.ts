import type { HelpConfiguration } from "commander";
import { wrap } from "../reports/text-width.ts";
import { longFlag, type FirstHeading } from "./command.ts";

/** The commands in the list of all, by what they are for; what is not named here is a protocol's, and asks. */
const COMMAND_GROUPS: { readonly [heading: string]: readonly string[] } = {
  "Memory and library": ["memory", "personas", "strategies", "packs"],
  Runs: [
    ...["list", "show", "open", "resume", "retry", "fork", "replay", "export", "cost"],
    ...["feedback", "answer", "cancel", "rm"],
  ],
  Evaluate: [],
  Setup: [...["init", "keys", "models", "tools", "config", "doctor", "trust", "store", "completion", "help"]],
  Serve: ["serve", "worker", "watch", "sim-server"],
};

/** The commands of the first screen of help, by what they are for, without those of features. */
const FIRST_HELP: { readonly [heading in FirstHeading]: readonly string[] } = {
  Ask: [],
  Runs: ["list", "show", "resume", "fork", "export", "cost"],
  Test: [],
  Setup: ["init", "keys", "models", "doctor", "serve"],
};
/** Under what the first screen of help has a command that no feature brings; undefined where it does not have it. */
export const firstHeading = (name: string): FirstHeading | undefined =>
  FIRST_HEADINGS.find((heading) => FIRST_HELP[heading].includes(name));
const FIRST_HEADINGS = ["Ask", "Runs", "Test", "Setup"] as const;

const DOCS = "https://www.npmjs.com/package/@parley-llm/parley";

/** The first screen of help: of 80 columns and 24 lines. */
export function firstHelp(
  rows: readonly { readonly name: string; readonly summary: string; readonly first: FirstHeading }[],
  width: number,
): string {
  const place = ({ name, first }: (typeof rows)[number]) =>
    (FIRST_HELP[first].indexOf(name) + 1 || FIRST_HELP[first].length + 1) - 1;
  const groups = FIRST_HEADINGS.map((heading) => ({
    heading,
    under: rows.filter(({ first }) => first === heading).sort((a, b) => place(a) - place(b)),
  }));
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  const line = (heading: string, name: string, text: string) => {
    const start = `${heading.padEnd(7)}${name}`;
    return `${start}${indent(wrap(text, width - start.length), start.length).trimStart()}`;
  };
  return [
    ...wrap('Usage: parley "QUESTION", or parley COMMAND (its options: --help)', width),
    "",
    ...groups.flatMap(({ heading, under }) =>
      under.map(({ name, summary }, nth) =>
        line(nth === 0 ? heading : "", `${name.padEnd(nameWidth)}  `, summary),
      ),
    ),
    line("More", "", "parley help more, parley help settings, parley help environment"),
    line("Docs", "", DOCS),
    "",
  ].join("\n");
}

type Headed = { readonly name: string; readonly heading?: string };

export const commandGroup = ({ name, heading }: Headed): string =>
  heading ?? Object.entries(COMMAND_GROUPS).find(([, names]) => names.includes(name))?.[0] ?? "Ask";

/** Commands in the order of the list: those of protocols come first, those of features last under their heading. */
export const byCommandGroup = <T extends Headed>(rows: readonly T[]): readonly T[] => {
  const headings = Object.keys(COMMAND_GROUPS);
  const names = Object.values(COMMAND_GROUPS).flat();
  const place = (row: T) => {
    const own = names.indexOf(row.name);
    return (
      headings.indexOf(commandGroup(row)) * names.length +
      (own < 0 && "heading" in row ? names.length - 1 : own)
    );
  };
  return [...rows].sort((a, b) => place(a) - place(b));
};

/** Options under headings, where a command has many. */
const OPTION_GROUPS = {
  Models: [
    ...["models", "model", "chair", "reviewers", "synthesizer", "judge", "critic", "respondent-b", "model-b"],
    ...["temperature", "temperature-b", "persona", "system", "agents", "map-models", "pack", "config"],
  ],
  Question: [
    ...["context", "folder", "problem-description", "continue", "question", "reference", "seat"],
    ...["seat-timeout", "user", "no-memory", "question-field", "answer-field", "options-field", "kind-field"],
  ],
  Method: [
    ...["strategy", "goal", "mode", "effort", "rounds", "until", "topology", "proposals", "clarify", "seed"],
    ...["without", "arms", "samples", "rubric", "form", "repeat", "again", "retry-failed", "delays"],
  ],
  Budget: ["max-cost-usd", "max-total-tokens", "timeout", "dry-run", "concurrency"],
  Output: [
    ...["output", "out", "format", "table", "report", "details", "second", "json", "events", "quiet"],
    ...["verbose", "no-wait", "on-degraded", "schema", "code"],
  ],
};
/** A command with more options than this has them under headings. */
const MAX_UNGROUPED = 8;

/** The heading over an option of a command that has `count` of them; undefined for the usual one. */
export function optionGroup(flags: string, count: number): string | undefined {
  if (count <= MAX_UNGROUPED) return undefined;
  const name = longFlag(flags).slice(2);
  return Object.entries(OPTION_GROUPS).find(([, names]) => names.includes(name))?.[0];
}

/** Options in the order of their headings; those without one come last. */
export function byOptionGroup<T extends { readonly flags: string }>(options: readonly T[]): readonly T[] {
  const headings = Object.keys(OPTION_GROUPS);
  const place = ({ flags }: T) => {
    const at = headings.indexOf(optionGroup(flags, options.length) ?? "");
    return at < 0 ? headings.length : at;
  };
  return options.length <= MAX_UNGROUPED ? options : [...options].sort((a, b) => place(a) - place(b));
}

const INDENT = 2;
/** With fewer cells left beside the terms, descriptions stand below them. */
const MIN_BESIDE = 36;

export const indent = (lines: readonly string[], cells: number): string =>
  lines.map((line) => " ".repeat(cells) + line).join("\n");

export const helpLayout = (width: number): HelpConfiguration => ({
  helpWidth: width,
  minWidthToWrap: 1,
  subcommandTerm: (command) => command.name(),
  commandUsage: (command) => {
    const path = [command.name()];
    for (let above = command.parent; above; above = above.parent) path.unshift(above.name());
    const words = `${path.join(" ")} ${command.usage()}`;
    return hanging(words.split(" "), width - "Usage: ".length, INDENT);
  },
  formatItem(term, ...[termWidth, description]) {
    const beside = width - termWidth - 2 * INDENT;
    const start = `${" ".repeat(INDENT)}${term}`;
    if (description === "") return start;
    if (beside < MIN_BESIDE) return `${start}\n${indent(wrap(description, width - 6), 6)}`;
    const pad = " ".repeat(termWidth - term.length + INDENT);
    return `${start}${pad}${indent(wrap(description, beside), termWidth + 2 * INDENT).trimStart()}`;
  },
});

/** Words in lines of at most `width` cells, of which all but the first are indented. */
function hanging(words: readonly string[], width: number, indent: number): string {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(lines.length === 0 ? word : `${" ".repeat(indent)}${word}`);
  }
  return lines.join("\n");
}

/** Command lines as examples, which break between words and inside of a quotation only where it is too long. */
export function examplesText(lines: readonly string[], width: number): string {
  const examples = lines.map((line) => {
    const words = line.match(/"[^"]*"|\S+/g) ?? [];
    const fitting = words.flatMap((word) => (word.length > width - 6 ? word.split(" ") : [word]));
    return `  $ ${hanging(["parley", ...fitting], width - 6, 2)}`.replaceAll("\n", "\n    ");
  });
  return `\nExamples:\n${examples.join("\n")}\n`;
}

/** What stands below the list of all commands. */
export const epilogue = (width: number, usual: string): string => {
  const paragraph = (text: string) => `\n${wrap(text, width).join("\n")}\n`;
  return [
    paragraph(
      `A text that does not begin with a command is a question. One word is asked with "parley ${usual} WORD" only, and after -- every word is the question's.`,
    ),
    examplesText(
      [
        '"Should we move our queue to Postgres?" --context docs/queue.md',
        `${usual} "What is 17 * 23?" --models sim/ada,sim/bo,sim/cy --json`,
      ],
      width,
    ),
    paragraph(
      "Exit codes: 0 answered, 1 a check failed, 2 usage or configuration, 3 provider or network, 4 authentication, 5 stopped by budget, 6 degraded and --on-degraded refuse, 7 inconclusive, 8 waiting for answers, 130 interrupted",
    ),
  ].join("");
};
