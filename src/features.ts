import { clientApis } from "./features/client-apis/index.ts";
import { ask } from "./features/ask/index.ts";
import { bench } from "./features/bench/index.ts";
import { contributions } from "./features/contributions/index.ts";
import { local2Bus } from "./features/local2-bus/index.ts";
import { council } from "./features/council/index.ts";
import type { Feature } from "./features/feature.ts";
import { debate } from "./features/debate/index.ts";
import { evolution } from "./features/evolution/index.ts";
import { forest } from "./features/forest/index.ts";
import { mcp } from "./features/mcp/index.ts";
import { memory } from "./features/memory/index.ts";
import { judging } from "./features/judging/index.ts";
import { review } from "./features/review/index.ts";
import { respond } from "./features/respond/index.ts";
import { serverWatch } from "./features/server-watch/index.ts";
import { seats } from "./features/seats/index.ts";
import { stories } from "./features/stories/index.ts";
import { votes } from "./features/votes/index.ts";

/** The features that ship. What the first one asks by answers where no protocol is named. */
export const features: readonly Feature[] = [
  ...[ask, council, respond, seats, memory, bench, contributions, debate, evolution, votes, judging, forest],
  ...[review, stories, local2Bus, clientApis, serverWatch, mcp],
];
