import { callOf, type DeliberationId, type Entry, type FailureCode } from "../kernel/index.ts";
import type { Parley } from "../compose/index.ts";
import { resultOf } from "../projections/index.ts";
import { answerText, eventLine, judgeReport, unpricedModels } from "../reports/index.ts";
import { EXIT, exitOf } from "./exits.ts";
import { interruption } from "./interruption.ts";
import type { Io } from "./command.ts";
import { createScreen, type Screen } from "./screen.ts";

/** How a deliberation is shown while it runs and when it has ended. */
export type Showing = {
  readonly json: boolean;
  readonly events: boolean;
  readonly quiet: boolean;
  readonly onDegraded: "accept" | "refuse";
};

/** Drives a deliberation to wherever it gets, shows it, and gives the exit code. Ctrl-C leaves it open and says how to go on. */
export async function conduct(
  io: Io,
  { parley, id, progress }: { parley: Parley; id: DeliberationId; progress?: (() => Screen) | undefined },
  showing: Showing,
): Promise<number> {
  const { output } = io;
  const stop = interruption();
  const screen =
    showing.quiet || showing.events
      ? undefined
      : (progress?.() ?? createScreen({ output: process.stderr, ...output.stderr }));
  const entries: Entry[] = [];
  let written = Promise.resolve();
  const onEntry = (entry: Entry) => {
    entries.push(entry);
    screen?.event(entry);
    if (!showing.events) return;
    written = written.then(() => output.result(`${eventLine(entry)}\n`));
    // Awaited at the end; what is recorded until then is worth more than what is shown.
    written.catch(() => undefined);
  };
  const unlisten =
    screen && parley.frames.listen((frame) => frame.deliberation === id && screen.frame(frame));
  try {
    const driven = await parley.engine.drive(id, { signal: stop.signal, onEntry });
    if (driven.status === "closed")
      await parley.engine.drain(id, { worker: parley.worker, signal: stop.signal });
    screen?.stop();
    await written;
    if (driven.status === "interrupted") {
      output.note(`Interrupted; everything so far is recorded. Go on with: parley resume ${id}`);
      return EXIT.interrupted;
    }
    if (driven.status === "waiting") {
      output.note(`Waiting for an answer to: ${driven.requests.join(", ")}. Go on with: parley resume ${id}`);
      return EXIT.answered;
    }
    return await finish(io, entries, showing);
  } finally {
    screen?.stop();
    unlisten?.();
    stop.release();
  }
}

/** Prints the outcome of a closed deliberation, and gives its exit code. */
export async function finish(
  { output }: Pick<Io, "output">,
  entries: readonly Entry[],
  showing: Showing,
): Promise<number> {
  const inOrder = [...entries].sort((a, b) => a.seq - b.seq);
  const result = resultOf(inOrder);
  if (!result) return EXIT.usage;
  const failures = inOrder.flatMap((entry): FailureCode[] => {
    const call = callOf(entry);
    return call && !call.ok ? [call.failure.code] : [];
  });
  const { color, columns: width } = output.stdout;
  const judged = judgeReport(inOrder, { color, width });
  if (showing.json) await output.result(`${JSON.stringify(result, undefined, 2)}\n`);
  else if (!showing.events && judged !== undefined) await output.result(judged);
  else if (!showing.events && result.answer !== null) {
    await output.result(answerText(result, { color, width, unpriced: unpricedModels(inOrder) }));
  }
  const exit = exitOf(result, failures, showing.onDegraded);
  if (exit !== EXIT.answered) output.note(outcomeLine(result, failures));
  return exit;
}

const outcomeLine = (
  result: { id: string; status: string; degraded: readonly { what: string; why: string }[] },
  failures: readonly FailureCode[],
) => {
  const why = result.degraded[0]?.why ?? "no reason was recorded";
  const codes: readonly FailureCode[] = result.status === "stopped-by-budget" ? ["over-budget"] : failures;
  const next =
    codes.map((code) => NEXT[code]).find((step) => step !== undefined) ?? `parley show ${result.id}`;
  return `parley: ${result.status}: ${why.replaceAll(/[\s\p{C}]+/gu, " ").slice(0, 600)}; next: ${next}`;
};

/** What a person can do about a failure. */
const NEXT: { readonly [code in FailureCode]?: string } = {
  unauthorised:
    "check the provider's key in the environment, then ask again (parley doctor shows which are set)",
  "out-of-credit": "top up at the provider, or choose other models with --models",
  "context-too-long": "shorten the question or give less --context",
  refused: "check the model's name with parley models, or rephrase",
  "rate-limited": "wait a while, then ask again",
  overloaded: "wait a while, then ask again, or choose other models with --models",
  network: "check the connection and the provider's URL (parley doctor), then ask again",
  "timed-out": "ask again, with a longer --timeout or other models",
  "over-budget":
    "raise --max-cost-usd, --max-tokens or --timeout, ask fewer models, or lower draft-tokens, review-tokens and synthesis-tokens in parley.yaml, which bound each reply",
};
