import type { Access } from "../access.ts";
import { Refused, problemReply } from "../problem.ts";
import { route, type ApiRoute, type HttpReply } from "../route.ts";
import type { ApiSurface } from "../server.ts";
import { actionRoutes } from "./actions.ts";
import { busRoutes } from "./bus.ts";
import { catalogRoutes } from "./catalog.ts";
import { deliberationRoutes } from "./deliberations.ts";
import { feedRoutes } from "./feed.ts";
import { knowledgeRoutes } from "./knowledge.ts";
import { libraryRoutes } from "./library.ts";
import { openApiDocument, openApiPage } from "./openapi.ts";
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

/** The document of this API in one form, made once for a server. Whoever may not call the API may know what it takes. */
function ownRoute(
  path: string,
  name: string,
  shown: (document: ReturnType<typeof openApiDocument>) => HttpReply,
): ApiRoute {
  const made = new WeakMap<Access, HttpReply>();
  return {
    ...route("get", path, {
      ...{ name, tag: "Catalog", needs: "read", replies: {} },
      summary: "The document of this API",
      handle: () => Promise.reject(new Refused({ status: 404, code: "not-found", detail: "" })),
    }),
    async answer(_exchange, { config: { version }, publicUrl: url, access }) {
      const { cookie } = access;
      const reply = made.get(access) ?? shown(openApiDocument(apiRoutes, { version, url, cookie }));
      made.set(access, reply);
      return reply;
    },
  };
}

/** The native API. */
export const nativeApi: ApiSurface = {
  prefix: "api/v1/",
  routes: [
    ...apiRoutes,
    ownRoute("openapi.json", "getDocument", (document) => ({ status: 200, body: document })),
    ownRoute("", "showDocument", (document) => ({
      ...{ status: 200, content: { type: "text/html; charset=utf-8", bytes: openApiPage(document) } },
    })),
  ],
  refuse: problemReply,
};
