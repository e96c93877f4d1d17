import type { Listening, SimServerConfig } from "./server/server.ts";

export { createSim, type LoadFacts } from "./sim.ts";
export type { SimServer } from "./server/server.ts";

/** Serves the simulated models over HTTP; the server's code is loaded by the first call. */
export async function simServer(options: SimServerConfig): Promise<Listening> {
  const { startSimServer } = await import("./server/server.ts");
  return startSimServer(options);
}
