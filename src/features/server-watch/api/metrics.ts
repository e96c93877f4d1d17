import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { callOf, isEvent, timeOf, type Call } from "../../../kernel/index.ts";
import type { ServedRequest, WatchedServer } from "../../../server/operation.ts";
import { createModelLabels } from "./labels.ts";
import type { RunListener } from "./hearing.ts";

/** Up to the longest calls that there are: a model that thinks for ten minutes. */
const CALL_SECONDS = [0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640];
const RUN_SECONDS = [1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1_280, 3_600];

/** Figures since the start of this server, of the runs that it drives: they are told by what it records, and cost no query. */
export function createMetrics({ context: { settings }, gauges }: Pick<WatchedServer, "context" | "gauges">) {
  const registry = new Registry();
  const registers = [registry];
  const counter = <T extends string>(name: string, help: string, labelNames: readonly T[]) =>
    new Counter({ name: `parley_${name}`, help, labelNames, registers });
  const histogram = <T extends string>(
    name: string,
    help: string,
    { labelNames, buckets }: { readonly labelNames: readonly T[]; readonly buckets: number[] },
  ) => new Histogram({ name: `parley_${name}`, help, labelNames, buckets, registers });
  const gauge = (name: string, help: string, of: keyof ReturnType<typeof gauges>) =>
    new Gauge({
      ...{ name: `parley_${name}`, help, registers },
      collect() {
        this.set(gauges()[of]);
      },
    });
  gauge("drives_running", "Runs that are driven now.", "running");
  gauge("drives_waiting", "Runs that wait in line to be driven.", "waiting");
  gauge("followers", "Streams that follow a run now.", "followers");
  gauge(
    "loop_lag_seconds",
    "How late the event loop is, at the 99th percentile of the last second.",
    "lagSeconds",
  );
  const replies = counter("replies_total", "Replies, by status; 0 where the client went away first.", [
    "status",
  ]);
  const notices = counter("notices_total", "Notices to notify-url, by what became of them.", ["outcome"]);
  const runs = counter("runs_total", "Runs that ended, by protocol and how.", ["protocol", "status"]);
  const runSeconds = histogram("run_seconds", "From the opening of a run to its end.", {
    ...{ labelNames: ["protocol"], buckets: RUN_SECONDS },
  });
  const of = ["provider", "model"] as const;
  const calls = counter("calls_total", "Calls of models that ended, with all their attempts.", of);
  const failures = counter(
    "call_failures_total",
    "Calls of models that failed, by the code of the failure.",
    [...of, "code"],
  );
  const tokens = counter("tokens_total", "Tokens as providers report them.", [...of, "direction"]);
  const cost = counter("cost_usd_total", "What calls cost in US dollars, where that is known.", of);
  const unpriced = counter("calls_unpriced_total", "Calls whose cost nobody knows.", of);
  const callSeconds = histogram(
    "call_seconds",
    "From the first byte sent to the last received, all attempts together.",
    { ...{ labelNames: of, buckets: CALL_SECONDS } },
  );
  const labelsOf = createModelLabels(settings);

  const called = (call: Call): void => {
    const labels = labelsOf(call.model, call.ok);
    calls.inc(labels);
    if (!call.ok) failures.inc({ ...labels, code: call.failure.code });
    for (const [direction, count] of [
      ["input", call.tokens.in] as const,
      ["output", call.tokens.out] as const,
    ])
      if (count !== null) tokens.inc({ ...labels, direction }, count);
    if (call.cost.usd === null) unpriced.inc(labels);
    else cost.inc(labels, call.cost.usd);
    callSeconds.observe(labels, call.latencyMs / 1_000);
  };
  const listener: RunListener = {
    begun({ opening, recorded }) {
      const protocol = opening.protocol.name;
      return {
        recorded(entry) {
          const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
          if (call) called(call);
          if (!isEvent(entry, "deliberation-closed")) return;
          runs.inc({ protocol, status: entry.data.outcome });
          const [opened] = recorded();
          if (opened) runSeconds.observe({ protocol }, (timeOf(entry) - timeOf(opened)) / 1_000);
        },
      };
    },
  };
  return {
    ...listener,
    served: ({ status }: Pick<ServedRequest, "status">) => replies.inc({ status }),
    noted: (outcome: "delivered" | "retried" | "dropped") => notices.inc({ outcome }),
    /** All of them, in the text format of Prometheus. */
    text: async () => ({ type: registry.contentType, bytes: await registry.metrics() }),
  };
}
