import { pino } from "pino";
import type { Settings } from "../../../config/settings.ts";
import { callOf, isEvent, redactSecrets, workOf } from "../../../kernel/index.ts";
import type { ServedRequest, WatchedServer } from "../../../server/operation.ts";
import { modelName } from "./labels.ts";
import type { RunListener } from "./hearing.ts";

// A log of JSON lines has ids, names and figures: no question, no answer, no key, and of a URL the route alone. Else: who reads a log
//     reads what people asked, or acts as them.

/** The longest line of the server's own that is told whole, in characters. */
const MAX_LINE = 8_000;

/** Outcomes of a run that nobody has to look at. */
const FINE = ["answered", "waiting", "interrupted", "cancelled"];

export type ServerLog = RunListener & {
  line(line: string, level: "info" | "warn"): void;
  served(request: ServedRequest): void;
};

/** A log of JSON lines: each with a time, a level and a message that is the same for all of its kind. */
export function createLog({ log }: Pick<WatchedServer, "log">, level: Settings["logLevel"]): ServerLog {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => log(line.trimEnd()) },
  );
  return {
    line: (line, at) => logger[at](redactSecrets(line).slice(0, MAX_LINE)),
    served({ id, request: { method }, route, status, ms, key }) {
      const at = status >= 500 ? "error" : status === 0 ? "warn" : "info";
      logger[at]({ request: id, method, route, status, ms: Math.round(ms), key }, "request");
    },
    begun({ id, opening }) {
      const run = { run: id, protocol: opening.protocol.name };
      logger.info({ ...run, key: opening.client?.key }, "run begins");
      return {
        recorded(entry) {
          const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
          if (isEvent(entry, "deliberation-closed")) {
            const { outcome: status } = entry.data;
            logger[FINE.includes(status) ? "info" : "warn"]({ ...run, status }, "run ended");
          }
          if (!call) return;
          const { step, by } = { step: undefined, ...entry.origin };
          const line = {
            ...{ ...run, step, by, kind: workOf(entry)?.kind, model: modelName(call.model) },
            ...{ attempts: call.attempts, ms: Math.round(call.latencyMs) },
          };
          if (call.ok) logger.debug(line, "call");
          else logger.warn({ ...line, code: call.failure.code, http: call.failure.http }, "call failed");
        },
        ended(outcome) {
          if (outcome?.status === "waiting" || outcome?.status === "interrupted")
            logger.info({ ...run, status: outcome.status }, "run pauses");
          if (outcome === undefined) logger.error(run, "run cannot be driven");
        },
      };
    },
  };
}
