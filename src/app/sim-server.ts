import { refusal } from "../kernel/index.ts";
import { createSim, simServer, type SimServer } from "../sim/index.ts";
import { factsLoader } from "./facts-loader.ts";
import type { FileContext } from "../config/paths.ts";

export type SimServerOptions = Pick<FileContext, "env" | "cwd"> & {
  readonly port: number;
  readonly host: string;
  readonly key: string | undefined;
};

const LOOPBACK = ["127.0.0.1", "::1", "localhost"];

/**
 * Serves the simulated models over HTTP until closed; `url` contains the actual port.
 * @throws Fault `configuration` if it cannot listen
 */
export async function startSimServer({ port, host, key, ...place }: SimServerOptions): Promise<SimServer> {
  // A client of the server can name a facts file, so only local clients may.
  const sim = LOOPBACK.includes(host) ? createSim({ loadFacts: factsLoader(place) }) : createSim();
  const listening = await simServer({ port, host, key, sim });
  if (listening.ok) return listening.server;
  throw refusal(listening.reason, "choose another port or host");
}
