/** Views: pure folds over recorded events. They also run in a browser. */
export { criticalPathMs } from "./views/critical-path.ts";
export { answerEvent, gradeOf, answerOfB, type AnswerGrade } from "./views/answer-event.ts";
export { progressView, type RunProgress } from "./views/progress.ts";
export { isClosed, Result, resultFold, resultOf } from "./views/result.ts";
export { isSimulated } from "./views/simulated.ts";
export { spending, type RunSpending } from "./views/spending.ts";
export { debateRecord } from "./features/debate/protocol/debate/view/debated.ts";
export { DebateRecord } from "./features/debate/protocol/debate/view/record.ts";
