/**
 * Measures deliberations: benchmarks, LLM-as-judge, contributions, memory ablation, and conversation tests.
 *
 * Every function takes the context of a request, as `parley.context()` gives it.
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
export {
  type Bench as RecordedBench,
  BenchReport,
  BenchRow,
  type ListedBench,
} from "./features/bench/contract.ts";
export { Contributions } from "./features/contributions/contract.ts";
export { MemoryReport } from "./features/memory/contract.ts";
export {
  prepareBench,
  runBench,
  type BenchOptions,
  type BenchRun,
  type BenchSpec,
  type BenchStop,
  type PreparedBench,
} from "./features/bench/app/bench.ts";
export {
  listBenches,
  readBench,
  recordBench,
  type BenchPage,
  type BenchRecord,
} from "./features/bench/app/recorded.ts";
export type { BenchDefinition } from "./features/bench/app/recorded.ts";
export { readBenchTasks, type BenchTask, type TaskColumns } from "./app/tasks.ts";
export { benchReport } from "./features/bench/app/report.ts";
export { benchMarkdown } from "./features/bench/app/markdown.ts";
export { benchSvg } from "./features/bench/protocol/report-plot.ts";
export { gradingTask, labeledTask, preferenceTask, readLabeledFile } from "./features/judging/app/tasks.ts";
export { judgedWork } from "./views/judged-work.ts";
export { Validation, summarizeValidation } from "./features/judging/protocol/judge/view.ts";
export { openJudge, type JudgeRequest, type JudgeTask } from "./app/judge.ts";
export { openEvaluation, type EvaluationRequest } from "./features/debate/app/evaluation.ts";
export { measureContributions, type MeasureRequest } from "./features/contributions/app/leave-one-out.ts";
export { contributionsText } from "./features/contributions/app/text.ts";
export {
  prepareAblation,
  runAblation,
  type AblationRun,
  type AblationSpec,
} from "./features/bench/app/ablation/ablate.ts";
export { MemoryAblation } from "./features/bench/app/ablation/report.ts";
export { memoryAblationText } from "./features/bench/app/ablation/text.ts";
export { memoryReport } from "./features/memory/app/stats.ts";
export { subjectKnown, SUBJECTS } from "./interop/local2/subjects.ts";
export { readStoryFile, storyFiles, type Story } from "./features/stories/app/file.ts";
export type { Subjects } from "./features/stories/app/foreign.ts";
export { runStory, storyPorts, type StoryOptions, type StoryPorts } from "./features/stories/app/story.ts";
export { StoryReport, StoryReports } from "./features/stories/app/checks.ts";
export { storiesLine, storyText } from "./features/stories/app/text.ts";
export type { Resumed } from "./app/resumable.ts";
