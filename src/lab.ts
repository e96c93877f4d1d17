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
export { type Bench as RecordedBench, BenchReport, BenchRow, type ListedBench } from "./contract/bench.ts";
export { Contributions, MemoryReport } from "./contract/knowledge.ts";
export {
  prepareBench,
  runBench,
  type BenchOptions,
  type BenchRun,
  type BenchSpec,
  type BenchStop,
  type PreparedBench,
} from "./lab/bench/bench.ts";
export {
  listBenches,
  readBench,
  recordBench,
  type BenchPage,
  type BenchRecord,
} from "./lab/bench/recorded.ts";
export type { BenchDefinition } from "./lab/bench/definition.ts";
export { readBenchTasks, type TaskColumns } from "./lab/bench/tasks.ts";
export { benchReport } from "./lab/bench/report.ts";
export type { BenchTask } from "./lab/bench/row.ts";
export { benchMarkdown } from "./lab/bench/markdown.ts";
export { benchSvg } from "./reports/bench-plot.ts";

export { gradingTask, labeledTask, preferenceTask, readLabeledFile } from "./features/judging/app/tasks.ts";
export { judgedWork } from "./views/judged-work.ts";
export { Validation, summarizeValidation } from "./features/judging/protocol/judge/view.ts";
export { openJudge, type JudgeRequest, type JudgeTask } from "./app/judge.ts";

export { openEvaluation, type EvaluationRequest } from "./lab/eval/evaluation.ts";

export { measureContributions, type MeasureRequest } from "./lab/contributions/leave-one-out.ts";
export { contributionsText } from "./lab/contributions/text.ts";

export { prepareAblation, runAblation, type AblationRun, type AblationSpec } from "./lab/ablation/ablate.ts";
export { MemoryAblation } from "./lab/ablation/report.ts";
export { memoryAblationText } from "./lab/ablation/text.ts";
export { memoryReport } from "./lab/ablation/memory-stats.ts";

export { subjectKnown, SUBJECTS } from "./interop/local2/subjects.ts";
export { readStoryFile, storyFiles, type Story } from "./lab/story/file.ts";
export type { Subjects } from "./lab/story/foreign.ts";
export { runStory, storyPorts, type StoryOptions, type StoryPorts } from "./lab/story/story.ts";
export { StoryReport, StoryReports } from "./lab/story/checks.ts";
export { storiesLine, storyText } from "./lab/story/text.ts";
export type { Resumed } from "./app/resumable.ts";
