import { exportForms } from "../../app/registry.ts";
import type { Access } from "../access.ts";
import { Refused, problemReply, type HttpReply } from "../problem.ts";
import type { HttpOperation, Operation, ServerFeature } from "../operation.ts";
import { route, type ApiRoute } from "../route.ts";
import type { ApiSurface } from "../route.ts";
import { actionOperations } from "./actions.ts";
import { catalogOperations } from "./catalog.ts";
import { askingTools, deliberationOperations, exportOperation } from "./deliberations.ts";
import { feedRoutes } from "./feed.ts";
import { knowledgeOperations } from "./knowledge.ts";
import { libraryOperations } from "./library.ts";
import { openApiDocument, openApiPage } from "./openapi.ts";
import { sessionOperations } from "./sessions.ts";

/** What every server can do, and what these features add. */
export async function operationsOf(features: readonly ServerFeature[]): Promise<readonly Operation[]> {
  const added = await Promise.all(features.map(async ({ operations }) => (await operations?.()) ?? []));
  const asks = features.flatMap(({ asks: own = {} }) => Object.entries(own));
  return [
    ...deliberationOperations,
    exportOperation(exportForms(features)),
    askingTools(asks),
    ...feedRoutes,
    ...actionOperations,
    ...catalogOperations,
    ...knowledgeOperations,
    ...libraryOperations,
    ...sessionOperations,
    ...added.flat(),
  ];
}

/** Those of them that have a route. */
export const apiRoutes = async (features: readonly ServerFeature[]): Promise<readonly HttpOperation[]> =>
  (await operationsOf(features)).filter((one) => one.path !== undefined);

/** The document of this API in one form, made once for a server. Whoever may not call the API may know what it takes. */
function ownRoute(
  { path, name }: { readonly path: string; readonly name: string },
  routes: readonly ApiRoute[],
  replyWith: (document: ReturnType<typeof openApiDocument>) => HttpReply,
): ApiRoute {
  const made = new WeakMap<Access, HttpReply>();
  return {
    ...route("get", path, {
      name,
      tag: "Catalog",
      needs: "read",
      replies: {},
      summary: "The document of this API",
      handle: () => Promise.reject(new Refused({ status: 404, code: "not-found", detail: "" })),
    }),
    async answer(_exchange, { config: { version }, publicUrl: url, access }) {
      const { cookie } = access;
      const reply = made.get(access) ?? replyWith(openApiDocument(routes, { version, url, cookie }));
      made.set(access, reply);
      return reply;
    },
  };
}

export async function nativeApi(features: readonly ServerFeature[]): Promise<ApiSurface> {
  const routes = await apiRoutes(features);
  return {
    prefix: "api/v1/",
    routes: [
      ...routes,
      ownRoute({ path: "openapi.json", name: "getDocument" }, routes, (body) => ({ status: 200, body })),
      ownRoute({ path: "", name: "showDocument" }, routes, (document) => ({
        status: 200,
        content: { type: "text/html; charset=utf-8", bytes: openApiPage(document) },
      })),
    ],
    refuse: problemReply,
  };
}

/** The native API, and those of other makers' clients. */
export async function surfacesOf(features: readonly ServerFeature[]): Promise<readonly ApiSurface[]> {
  const others = await Promise.all(features.flatMap(({ apis }) => (apis ? [apis(features)] : [])));
  return [await nativeApi(features), ...others.flat()];
}
