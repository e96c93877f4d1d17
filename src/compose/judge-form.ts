import type { JudgeForm } from "../prompts/index.ts";

/** The models that were trained on a layout of their own say so in their names. */
export const judgeFormOf = (model: string): JudgeForm => (/prometheus/i.test(model) ? "prometheus" : "json");
