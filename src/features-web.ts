import { ask } from "./features/ask/web.ts";
import { bench } from "./features/bench/web.ts";
import { contributions } from "./features/contributions/web.ts";
import { council } from "./features/council/web.ts";
import { debate } from "./features/debate/web.ts";
import { evolution } from "./features/evolution/web.ts";
import { forest } from "./features/forest/web.ts";
import { judging } from "./features/judging/web.ts";
import { memory } from "./features/memory/web.ts";
import { review } from "./features/review/web.ts";
import { respond } from "./features/respond/web.ts";
import { seats } from "./features/seats/web.ts";
import type { FeatureScreens } from "./web/feature.ts";
import { votes } from "./features/votes/web.ts";

/** The features that the page can show. */
export const features: readonly FeatureScreens[] = [
  ask,
  seats,
  council,
  memory,
  votes,
  debate,
  contributions,
  bench,
  evolution,
  judging,
  review,
  forest,
  respond,
];
