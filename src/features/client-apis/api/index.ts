import type { ApiSurface } from "../../../server/route.ts";
import { chatRoutes } from "./chat.ts";
import { refuse } from "./errors.ts";
import { anthropicApi } from "./messages.ts";
import { modelRoutes } from "./models.ts";
import { responseRoutes } from "./responses.ts";

/** OpenAI's API, as far as its clients need it to ask. */
export const openAiApi: ApiSurface = {
  prefix: "v1/",
  routes: [...modelRoutes, ...chatRoutes, ...responseRoutes],
  refuse,
};

/** The longer prefix comes first. */
export const apis = [anthropicApi, openAiApi];
