import { textDigest, type NewDeliberation } from "../../src/engine/index.ts";
import { review } from "../../src/features/review/protocol/index.ts";
import { ReviewRules, type Verdict } from "../../src/features/review/protocol/work.ts";
import { sectionOf } from "../../src/features/review/protocol/view.ts";
import type { ModelRequest } from "../../src/kernel/index.ts";
import { splitFenced } from "../../src/prompts/material.ts";
import { openingFor } from "../../src/testing/kit.ts";
import type { Script, ScriptedLine } from "../../src/testing/scripted-models.ts";
import { stage } from "../../src/testing/stage.ts";

/** A change that drops an `await`, in line 7 of `src/save.ts`; `more` are further lines that it adds behind it. */
export const faultyDiff = (more: readonly string[] = []): string =>
  [
    "diff --git a/src/save.ts b/src/save.ts",
    "index 1111111..2222222 100644",
    "--- a/src/save.ts",
    "+++ b/src/save.ts",
    `@@ -5,4 +5,${4 + more.length} @@`,
    " export async function save(text, write) {",
    '   if (text === "") return false;',
    "-  await write(text);",
    "+  write(text);",
    ...more.map((line) => `+${line}`),
    "   return true;",
    "",
  ].join("\n");

export type Settings = { readonly rules?: Partial<ReviewRules>; readonly unseen?: readonly object[] };

/** The opening of a review of a diff. */
export function reviewOpening(
  diff: string,
  { rules, unseen = [] }: Settings = {},
  changes: Parameters<typeof openingFor>[1] = {},
): NewDeliberation {
  const digest = textDigest(diff);
  return openingFor(review, {
    reviewers: ["ada", "bob", "cyd"],
    question: "Review 1 file",
    context: [{ name: "diff", text: diff }],
    settings: {
      rules: ReviewRules.parse(rules ?? {}),
      ...{ rulesFrom: "a test", base: null, pins: { diff: digest, files: digest, rules: digest } },
      ...{ ignored: [], unseen: unseen as never },
    },
    ...changes,
  });
}

/** What a prompt asks for, and the labels of the findings that it shows. */
export function askedIn({ messages }: ModelRequest) {
  const text = messages.map((message) => message.text).join("\n");
  const { pieces, outside } = splitFenced(text);
  const [, form = "none"] = /^\{"(findings|checks|stands)": \[/m.exec(outside) ?? [];
  const found = pieces.filter(({ kind }) => kind === "finding");
  return { text, form, found, labels: [...new Set(found.map(({ label }) => label))] };
}

/** A fault as a reviewer writes it. */
export const fault = (changes: object = {}) => ({
  ...{ file: "src/save.ts", from_line: 7, to_line: 7, severity: "major", kind: "correctness" },
  ...{ title: "The write is not awaited", why: "save returns before it is written" },
  ...changes,
});

export type Manner = (request: ModelRequest) => ScriptedLine;

type Says = {
  readonly findings?: readonly object[];
  readonly verdict?: (text: string) => string;
  readonly stand?: string;
};

/** A reviewer that always says the same. */
export const says =
  ({ findings = [], verdict = () => "reject", stand = "keep" }: Says): Manner =>
  (request) => {
    const { form, found, labels } = askedIn(request);
    if (form === "findings") return JSON.stringify({ findings });
    if (form === "checks")
      return JSON.stringify({
        checks: found.map(({ label, text }) => ({ finding: label, verdict: verdict(text), why: "so" })),
      });
    return JSON.stringify({ stands: labels.map((finding) => ({ finding, stand, why: "so" })) });
  };

/** A reviewer that sees the fault, knows it when others raise it, and stands by it. */
export const honest: Manner = says({
  findings: [fault()],
  verdict: (text) => (text.includes("not awaited") ? "confirm" : "reject"),
});

/** Plays a review of a diff, and tells how it ended. */
export async function playReview(
  diff: string,
  manners: Readonly<Record<string, Manner>>,
  settings: Settings = {},
) {
  const names = Object.keys(manners);
  const script: Script = Object.fromEntries(
    Object.entries(manners).map(([name, manner]) => [name, (request: ModelRequest) => manner(request)]),
  );
  const table = stage({ protocols: [review], script });
  const played = await table.play(reviewOpening(diff, settings, { reviewers: names }));
  const section = sectionOf(played.entries);
  const verdict: Verdict | null = section?.verdict ?? null;
  return { ...played, table, section, verdict };
}
