import { plural } from "./language.ts";

// The words of what shows benches.

export const bench = {
  empty: "No bench is on record yet.",
  emptyNext:
    "`parley bench tasks.jsonl` fills this screen: it puts questions with known answers to one model, to a vote and to a council, and records how often each is right and at what cost. `parley tasks > tasks.jsonl` makes such questions.",
  tasks: (count: number) => plural(count, "task", "tasks"),
  finished: (done: string, all: string) => `${done} of ${all} finished`,
  simulated: "simulated models",
  simulatedNote:
    "Simulated models gave these answers. They show how the arms behave under a set skill, and nothing about real models.",
  openNote: (done: string, all: string) =>
    `${done} of ${all} are finished. What is not finished counts nowhere; the same command continues.`,
  failedNote: (count: number) =>
    `${plural(count, "run", "runs")} failed for lack of replies. They are not scored: parley bench --retry-failed asks again.`,
  tooFewTasks: (least: string) =>
    `Fewer than ${least} tasks: too few for any claim about which arm is better.`,
  seed: (seed: string) => `seed ${seed}`,
  noSeed: "random seeds",
  plot: "Accuracy over cost",
  plotSubtitle: "A point for each arm, by its number in the table, with its 95 % interval.",
  plotHint: "A click on a point shows the runs behind it.",
  nothing: "No arm has finished a question yet",
  axis: { usd: "US dollars per question", tokens: "tokens per question", calls: "model calls per question" },
  arms: "Arms",
  armsHint:
    "Cost, calls and latency (the longest chain of calls) are means per question; a missing answer counts as wrong.",
  number: "No.",
  arm: "Arm",
  accuracy: "Accuracy (95 %)",
  interval: "Interval",
  n: "n",
  cost: "Cost",
  calls: "Calls",
  latency: "Latency",
  notFinished: "Open",
  flips: "What deliberating changed",
  flipsHint: "Each answer beside what the same run's own drafts elect. Numbers lead to the runs behind them.",
  drafts: "Drafts",
  answer: "Answer",
  changes: {
    "right-wrong": "Right to wrong",
    "wrong-right": "Wrong to right",
    "right-none": "Right to none",
    "none-right": "None to right",
  },
  p: "p",
  pairs: "Between arms",
  pairsHint:
    "Paired by question: how often only one of two arms was right, the difference in percentage points, and p by McNemar's exact test, adjusted for all pairs.",
  pair: "Arms",
  onlyOne: "Only one right",
  difference: "Difference (95 %)",
  adjusted: "p, adjusted",
  reading: "Reading",
  better: (arm: string) => `${arm} is better`,
  preferredTo: (arm: string) => `Preferred to ${arm} (95 %)`,
  noDifference: "no significant difference",
  underpowered: "too few differ",
  noPairs: "no common questions yet",
  judged: "Open questions, judged",
  judgedHint: (judge: string) =>
    `${judge} compared the answers in both orders. A preference that changes with the order is a tie.`,
  wonTiedLost: "Won, tied, lost",
  rows: (arm: string) => `Runs of ${arm}`,
  change: "Only",
  everyRow: "all runs",
  task: "Task",
  outcome: "Outcome",
  result: "Result",
  results: { right: "right", wrong: "wrong", none: "no answer", open: "no right answer known" },
  draftsElect: "Drafts elect",
  noRows: "No run of this arm fits.",
  closeRows: "Hide the runs",
  toRows: (arm: string) => `Show the runs of ${arm}`,
};
