import * as z from "zod";
import type { Json, Message, ReplySchema, Rubric } from "../../kernel/index.ts";
import { fence, materialText, type Desk } from "../../prompts/material.ts";
import { defineTemplate, type Template } from "../../prompts/template.ts";
import { texts } from "./templates/index.ts";

/**
 * How a judge is asked: `prometheus` in the layout that the models of that name were trained on (Prometheus 2, Kim et al.
 * 2024, arXiv 2405.01535), answered by `Feedback: … [RESULT] 4`; `json` in plain words, answered by a JSON object.
 */
export const JudgeForm = z.enum(["prometheus", "json"]);
export type JudgeForm = z.infer<typeof JudgeForm>;

/** The models that were trained on a layout of their own say so in their names. */
export const chooseJudgeForm = (model: string): JudgeForm =>
  /prometheus/i.test(model) ? "prometheus" : "json";

const GRADE_SLOTS = ["question", "answer", "reference", "rubric"] as const;
const gradeTemplates = {
  json: defineTemplate("judge-grade", GRADE_SLOTS, texts["judge-grade"]),
  prometheus: defineTemplate("judge-grade-prometheus", GRADE_SLOTS, texts["judge-grade-prometheus"]),
};
const preferenceTemplates = {
  json: defineTemplate(
    "judge-preference",
    ["question", "answers", "reference", "rubric"],
    texts["judge-preference"],
  ),
  prometheus: defineTemplate(
    "judge-preference-prometheus",
    ["question", "first", "second", "reference", "rubric"],
    texts["judge-preference-prometheus"],
  ),
};

export const judgeTemplates = [...Object.values(gradeTemplates), ...Object.values(preferenceTemplates)];

/** What every judge is shown beside the answers. A reference is an answer that deserves full marks. */
export type JudgedQuestion = {
  readonly form: JudgeForm;
  readonly question: string;
  /** What was asked and answered before in the conversation, oldest first, as far as the question may rest on it. */
  readonly turns?: readonly {
    readonly question: string;
    readonly answer: string;
    /** The answer, as it is shown, that follows this turn; undefined where all do. */
    readonly before?: "A" | "B";
  }[];
  /** What was given with the question. */
  readonly context?: readonly { readonly name: string; readonly text: string }[];
  readonly reference?: string | undefined;
  readonly rubric: Rubric;
};

export const judgeTemplate = (kind: "grade" | "preference", form: JudgeForm): Template =>
  kind === "grade" ? gradeTemplates[form] : preferenceTemplates[form];

/** A tool's call that an answer rests on, and what it gave. */
export type ToolEvidence = { readonly tool: string; readonly arguments: Json; readonly result: Json };

type GradePrompt = JudgedQuestion & { readonly answer: string; readonly evidence?: readonly ToolEvidence[] };

/** Asks for a grade of one answer, beside what its tools gave; `parseGrade` reads what comes back. */
export const gradePrompt = (desk: Desk, prompt: GradePrompt): Message[] =>
  gradeTemplates[prompt.form].render(desk, {
    ...sharedParts(desk, prompt),
    answer: answerText(desk, prompt),
    rubric: fence(desk, { kind: "rubric", label: prompt.rubric.name, text: rubricText(prompt.rubric) }),
  });

/** Asks which of two answers is better: the first shown is A, the second B; `parsePreference` reads what comes back. */
export function preferencePrompt(
  desk: Desk,
  prompt: JudgedQuestion & { readonly first: string; readonly second: string },
): Message[] {
  const first = fence(desk, { kind: "answer", label: "A", text: prompt.first });
  const second = fence(desk, { kind: "answer", label: "B", text: prompt.second });
  const values = {
    ...sharedParts(desk, prompt),
    // A comparison has no use for the anchors, and Prometheus was trained without them here.
    rubric: fence(desk, { kind: "rubric", label: prompt.rubric.name, text: prompt.rubric.criteria }),
  };
  return prompt.form === "json"
    ? preferenceTemplates.json.render(desk, { ...values, answers: `${first}\n\n${second}` })
    : preferenceTemplates.prometheus.render(desk, { ...values, first, second });
}

/** The answer, then what its tools gave: templates that were pinned before judges were shown any hold both. */
function answerText(desk: Desk, { form, answer, evidence = [] }: GradePrompt): string {
  const text = fence(desk, { kind: "answer", label: "", text: answer });
  if (evidence.length === 0) return text;
  const heading = form === "prometheus" ? ["###Tool results that the response rests on:"] : [];
  const results = evidence.map((used, index) =>
    fence(desk, { kind: "evidence", label: String(index + 1), text: evidenceText(used) }),
  );
  return [text, "", ...heading, results.join("\n\n")].join("\n");
}

const evidenceText = ({ tool, arguments: given, result }: ToolEvidence): string =>
  [
    `Tool: ${tool}`,
    `Arguments: ${JSON.stringify(given)}`,
    `Result: ${typeof result === "string" ? result : JSON.stringify(result)}`,
  ].join("\n");

const GradeReply = z.strictObject({ feedback: z.string(), score: z.literal([1, 2, 3, 4, 5]) });
const PreferenceReply = z.strictObject({ reason: z.string(), winner: z.enum(["A", "B", "tie"]) });

/** The JSON Schema of the reply, for providers that can hold a model to it; none where the form is not JSON. */
export const judgeSchema = (kind: "grade" | "preference", form: JudgeForm): ReplySchema | undefined =>
  form === "json"
    ? { name: kind, schema: z.toJSONSchema(kind === "grade" ? GradeReply : PreferenceReply) as Json } // a JSON Schema is JSON
    : undefined;

const sharedParts = (
  desk: Desk,
  { form, question, turns = [], context = [], reference }: JudgedQuestion,
): { question: string; reference: string } => {
  const heading = form === "prometheus" ? "###Reference Answer (Score 5):\n" : "";
  return {
    question: [
      ...turns.map((turn, index) =>
        fence(desk, {
          kind: "turn",
          label: turnLabel(turns, index),
          text: `Question: ${turn.question}\nAnswer: ${turn.answer}`,
        }),
      ),
      materialText(desk, { question, context }),
    ].join("\n\n"),
    reference:
      reference === undefined ? "" : heading + fence(desk, { kind: "reference", label: "", text: reference }),
  };
};

/** `1 of the conversation before`, or `1 of the conversation before answer A`: counted from 1 for each. */
function turnLabel(turns: NonNullable<JudgedQuestion["turns"]>, index: number): string {
  const before = turns[index]?.before;
  const nth = turns.slice(0, index + 1).filter((turn) => turn.before === before).length;
  return `${nth} of the conversation before${before === undefined ? "" : ` answer ${before}`}`;
}

const rubricText = ({ criteria, anchors }: Rubric): string =>
  [`[${criteria}]`, ...Object.entries(anchors).map(([score, anchor]) => `Score ${score}: ${anchor}`)].join(
    "\n",
  );
