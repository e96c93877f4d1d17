import { Refused, problemReply } from "../problem.ts";
import { route, type ApiRoute } from "../route.ts";
import type { ApiSurface } from "../server.ts";
import { actionRoutes } from "./actions.ts";
import { busRoutes } from "./bus.ts";
import { catalogRoutes } from "./catalog.ts";
import { deliberationRoutes } from "./deliberations.ts";
import { feedRoutes } from "./feed.ts";
import { knowledgeRoutes } from "./knowledge.ts";
import { libraryRoutes } from "./library.ts";
import { openApiDocument } from "./openapi.ts";
import { sessionRoutes } from "./sessions.ts";

export const apiRoutes: readonly ApiRoute[] = [
  ...deliberationRoutes,
  ...feedRoutes,
  ...actionRoutes,
  ...catalogRoutes,
  ...knowledgeRoutes,
  ...libraryRoutes,
  ...busRoutes,
  ...sessionRoutes,
];

/** The native API. */
export const nativeApi: ApiSurface = {
  prefix: "api/v1/",
  routes: [
    ...apiRoutes,
    {
      ...route("get", "openapi.json", {
        ...{ name: "getDocument", tag: "Catalog", needs: "read", replies: {} },
        summary: "The document of this API",
        handle: () => Promise.reject(new Refused({ status: 404, code: "not-found", detail: "" })),
      }),
      // Whoever may not call the API may know what it takes.
      answer: async (_exchange, { config: { version }, publicUrl: url, access: { cookie } }) => ({
        status: 200,
        body: openApiDocument(apiRoutes, { version, url, cookie }),
      }),
    },
  ],
  refuse: problemReply,
};
