/**
 * Measures deliberations: benchmarks, LLM-as-judge, contributions, memory ablation, and conversation tests.
 *
 * Every function takes the context of a request, as `parley.context()` gives it.
 *
 * @example
 * ```ts
 * import { prepareBench, readBenchTasks, runBench } from "@parley-llm/parley/lab";
 *
 * const place = { cwd: process.cwd(), env: process.env };
 * const tasks = readBenchTasks("tasks.jsonl", place);
 * const bench = await prepareBench(context, { file: "tasks.jsonl", tasks, arms: ["single", "council"] });
 * const { report } = await runBench(context, bench, { signal, concurrency: 4, retryFailed: false });
 * ```
 */
export { type Bench as RecordedBench, BenchReport, BenchRow, type ListedBench } from "../contract/bench.ts";
export { Contributions, MemoryReport } from "../contract/knowledge.ts";
export {
  prepareBench,
  runBench,
  type BenchOptions,
  type BenchRun,
  type BenchSpec,
  type BenchStop,
  type PreparedBench,
} from "./bench/bench.ts";
export { listBenches, readBench, recordBench, type BenchPage, type BenchRecord } from "./bench/recorded.ts";
export type { BenchDefinition } from "./bench/definition.ts";
export { readBenchTasks, type TaskColumns } from "./bench/tasks.ts";
export { benchReport } from "./bench/report.ts";
export type { BenchTask } from "./bench/row.ts";
export { benchMarkdown } from "./bench/markdown.ts";
export { benchSvg } from "../reports/bench-plot.ts";

export { gradingTask, labeledTask, preferenceTask, readLabeledFile } from "./judge/tasks.ts";
export { judgedWork } from "../protocols/judge/view-items.ts";
export { Validation, summarizeValidation } from "../protocols/judge/view-validation.ts";
export { openJudge, type JudgeRequest, type JudgeTask } from "./judge/judge.ts";

export { openEvaluation, type EvaluationRequest } from "./eval/evaluation.ts";

export { measureContributions, type MeasureRequest } from "./contributions/leave-one-out.ts";
export { contributionsText } from "./contributions/text.ts";

export { prepareAblation, runAblation, type AblationRun, type AblationSpec } from "./ablation/ablate.ts";
export { MemoryAblation } from "./ablation/report.ts";
export { memoryAblationText } from "./ablation/text.ts";
export { memoryReport } from "./ablation/memory-stats.ts";

export { subjectKnown, SUBJECTS } from "../interop/local2/subjects.ts";
export { readStoryFile, storyFiles, type Story } from "./story/file.ts";
export type { Subjects } from "./story/foreign.ts";
export { runStory, storyPorts, type StoryOptions, type StoryPorts } from "./story/story.ts";
export { StoryReport, StoryReports } from "./story/checks.ts";
export { storiesLine, storyText } from "./story/text.ts";
export type { Resumed } from "../app/resumable.ts";
