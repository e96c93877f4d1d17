import type { ServerWatch, WatchedServer } from "../../../server/operation.ts";
import { admitOrigins } from "./cors.ts";
import { hearRun, type RunListener } from "./hearing.ts";
import { createMetrics } from "./metrics.ts";

/** Watches over a server as its settings say. What nobody asked for is not loaded. @throws Fault `configuration` */
export async function watchService(server: WatchedServer): Promise<ServerWatch> {
  const { context, signal } = server;
  const { settings, world } = context;
  const metrics = createMetrics(server);
  const log =
    settings.logFormat === "json"
      ? (await import("./log.ts")).createLog(server, settings.logLevel)
      : undefined;
  const traces =
    settings.traces === "off" ? undefined : await (await import("./traces.ts")).openTraces(server);
  const notices =
    settings.notifyUrl === undefined
      ? undefined
      : await (
          await import("./notices.ts")
        ).createNotices(server, {
          url: settings.notifyUrl,
          noted: metrics.noted,
          log: (line) => (log ? log.line(line, "warn") : server.log(line)),
        });
  const listeners = [metrics, log, traces].flatMap((one): RunListener[] => (one ? [one] : []));
  let sending: Promise<void> | undefined;
  return {
    ...(log ? { log: log.line } : {}),
    served(request) {
      metrics.served(request);
      log?.served(request);
    },
    driven: (run) =>
      void hearRun(run, world.now(), listeners).catch((error: unknown) => server.log(String(error))),
    metrics: metrics.text,
    traceOf: traces?.traceOf,
    ...(settings.corsOrigins.length > 0 ? { admit: admitOrigins(settings.corsOrigins) } : {}),
    start(url) {
      sending = notices?.send(url, signal);
    },
    stop: async () => sending,
  };
}
