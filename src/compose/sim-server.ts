import { simServer } from "../sim/index.ts";
import { factsLoader } from "./facts-loader.ts";
import type { Place } from "./parley.ts";

export type SimServerOptions = Pick<Place, "env" | "cwd"> & {
  readonly port: number;
  readonly host: string;
  readonly key: string | undefined;
};

/** Serves the simulated models over HTTP until closed; `url` names the port that was taken. */
export const startSimServer = ({
  port,
  host,
  key,
  ...place
}: SimServerOptions): ReturnType<typeof simServer> =>
  simServer({ port, host, key, loadFacts: factsLoader(place) });
