import type { Message } from "../../../kernel/index.ts";
import { fence, type Desk, type ShownContext } from "../../../prompts/material.ts";
import { defineTemplate, replySchema } from "../../../prompts/template.ts";
import type { ChangedFile } from "../../../text/unified-diff.ts";
import { ChecksReply, FindingsReply, StandsReply } from "./replies.ts";
import { texts } from "./templates/index.ts";
import { KINDS, type By, type FindingCheck, type ReviewFinding, type MergedFinding } from "./work.ts";

export const findTemplate = defineTemplate(
  "review-find",
  ["material", "persona", "kinds"],
  texts["review-find"],
);
const ABOUT_FINDINGS = ["material", "persona", "findings", "labels"] as const;
export const checkTemplate = defineTemplate("review-check", ABOUT_FINDINGS, texts["review-check"]);
export const hearTemplate = defineTemplate("review-hear", ABOUT_FINDINGS, texts["review-hear"]);

export const findingsSchema = replySchema("review_findings", FindingsReply);
export const checksSchema = replySchema("review_checks", ChecksReply);
export const standsSchema = replySchema("review_stands", StandsReply);

/** What is under review: the diff's files in order, texts of files, and the rules' own words. */
export type ReviewMaterial = {
  readonly files: readonly ChangedFile[];
  readonly context: readonly ShownContext[];
  readonly instructions: string;
};

/** The name of the file whose text a context is; undefined for any other. */
const fileIn = ({ name }: ShownContext): string | undefined => /^file (.+)$/s.exec(name)?.[1];

/** What every prompt begins with, so that providers can cache it. */
function materialOf(desk: Desk, { files, context, instructions }: ReviewMaterial): string {
  const diff = files.map(numberLines).join("");
  return [
    ...(instructions === "" ? [] : [fence(desk, { kind: "rules", label: "", text: instructions })]),
    fence(desk, { kind: "diff", label: "", text: diff }),
    ...context.flatMap((one) => {
      const label = fileIn(one);
      return label === undefined ? [] : [fence(desk, { kind: "file", label, text: one.text })];
    }),
  ].join("\n\n");
}

/** A file's part of a diff with the number of each line that a hunk shows; of a removed line none, but where the file is deleted. */
function numberLines({ text, change }: ChangedFile): string {
  let next: number | undefined;
  // Only a line feed ends a line here, as in git.
  const lines = text.split("\n").map((line) => {
    const [, before, after] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? [];
    if (before !== undefined) {
      next = Number(change === "deleted" ? before : after);
      return line;
    }
    if (next === undefined || line === "") return line;
    const isCounted = line.startsWith(change === "deleted" ? "-" : "+") || line.startsWith(" ");
    const number = isCounted ? String(next) : "";
    if (isCounted) next += 1;
    return `${number.padStart(5)} ${line}`;
  });
  return lines.join("\n");
}

type ReviewPrompt = { readonly material: ReviewMaterial; readonly persona: string };

export const findPrompt = (desk: Desk, { material, persona }: ReviewPrompt): Message[] =>
  findTemplate.render(desk, { material: materialOf(desk, material), persona, kinds: KINDS.join(", ") });

const describe = ({ file, from, to, severity, kind, title, why }: ReviewFinding): string => {
  const lines = from === null ? "" : from === to ? `, line ${from}` : `, lines ${from} to ${to}`;
  return `${file}${lines}\n${severity}, ${kind}: ${title}\n${why}`;
};

/** Findings under the labels by which a reply names them, in the order given. */
export type Labelled = readonly { readonly label: string; readonly finding: MergedFinding }[];

/** Each finding in the words of all that raised it, whom nothing names. */
export const checkPrompt = (
  desk: Desk,
  { material, persona, labelled }: ReviewPrompt & { readonly labelled: Labelled },
): Message[] =>
  checkTemplate.render(desk, {
    material: materialOf(desk, material),
    persona,
    labels: labelled.map(({ label }) => label).join(", "),
    findings: labelled
      .map(({ label, finding }) =>
        fence(desk, {
          kind: "finding",
          label,
          text: [...new Set(finding.raised.map(describe))].join("\n\n"),
        }),
      )
      .join("\n\n"),
  });

/** What a reviewer said itself, and what the others say against it. */
export const hearPrompt = (
  desk: Desk,
  asked: ReviewPrompt & {
    readonly by: string;
    readonly labelled: Labelled;
    readonly checks: readonly By<FindingCheck>[];
  },
): Message[] =>
  hearTemplate.render(desk, {
    material: materialOf(desk, asked.material),
    persona: asked.persona,
    labels: asked.labelled.map(({ label }) => label).join(", "),
    findings: asked.labelled
      .flatMap(({ label, finding }) => [
        ...finding.raised
          .filter(({ by }) => by === asked.by)
          .map((own) => fence(desk, { kind: "finding", label, text: describe(own) })),
        ...asked.checks
          .filter((check) => check.finding === finding.id && check.by !== asked.by)
          .map(({ verdict, why }) => fence(desk, { kind: "objection", label, text: `${verdict}: ${why}` })),
      ])
      .join("\n\n"),
  });
