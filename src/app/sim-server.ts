import { refusal } from "../kernel/index.ts";
import { createSim, simServer, type SimServer } from "../sim/index.ts";
import { factsLoader } from "./facts-loader.ts";
import type { FileContext } from "../config/paths.ts";
import { scriptsOf, type AppFeature } from "./registry.ts";

export type SimServerOptions = Pick<FileContext, "env" | "cwd"> & {
  readonly port: number;
  readonly host: string;
  readonly key: string | undefined;
  /** Whose prompts the models know, beside those that are built in. */
  readonly features: readonly AppFeature[];
};

const LOOPBACK = ["127.0.0.1", "::1", "localhost"];

/** Serves the simulated models over HTTP until closed; `url` contains the actual port. @throws Fault `configuration` if it cannot listen */
export async function startSimServer({
  port,
  host,
  key,
  features,
  ...place
}: SimServerOptions): Promise<SimServer> {
  // A client of the server can name a facts file, so only local clients may.
  const loadFacts = LOOPBACK.includes(host) ? factsLoader(place) : undefined;
  const sim = createSim({ loadFacts, scripts: scriptsOf(features) });
  const listening = await simServer({ port, host, key, sim });
  if (listening.ok) return listening.server;
  throw refusal(listening.reason, "choose another port or host");
}
