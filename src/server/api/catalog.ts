import * as z from "zod";
import { ModelList, RunEstimate, Usage } from "../../contract/figures.ts";
import { Catalog, ConfigReply } from "../../contract/library.ts";
import { Inbox } from "../../contract/runs.ts";
import { configSources } from "../../app/checkup.ts";
import { usageSince } from "../../app/usage.ts";
import { modelTable } from "../../app/model-table.ts";
import type { StartRequest } from "../../app/start.ts";
import { readCatalog } from "../../config/catalog.ts";
import type { Principal } from "../../kernel/index.ts";
import { COST_KEYS } from "../../views/cost.ts";
import { pluralize } from "../../text/format.ts";
import { operation, type HttpOperation } from "../operation.ts";
import { Problem, REFUSALS } from "../problem.ts";
import { readingContext } from "../results.ts";
import { moment, route, type ApiRoute, type Services } from "../route.ts";
import { ASKED, refuseForeignFields } from "./deliberations.ts";
import { NewRequest } from "./schemas.ts";

const contextOf = ({ parley }: Pick<Services, "parley">, principal: Principal) =>
  readingContext(parley, principal);

/** Names and texts that are installed: of one kind. */
const catalogRoute = (kind: "personas" | "strategies" | "packs"): ApiRoute =>
  route("get", kind, {
    ...{ name: `list${kind.charAt(0).toUpperCase()}${kind.slice(1)}`, tag: "Catalog", needs: "read" },
    summary: `List the ${kind} that a request may name`,
    replies: { 200: Catalog, ...REFUSALS },
    async handle({ config }) {
      const used = readCatalog(kind, config.place).filter(({ state }) => state === "used");
      // Where a file lies is nobody's business but the server's.
      const data = used.map(({ name, description, text, from, missing }) => ({
        ...{ name, description, text, from, missing },
      }));
      return { status: 200, body: { data } };
    },
  });

export const catalogRoutes: readonly HttpOperation[] = [
  operation("post", "estimate", {
    name: "estimate",
    tag: "Catalog",
    needs: "read",
    body: NewRequest,
    example: { question: "Should our job queue move to PostgreSQL?", protocol: "council" },
    summary: "Say what a question would take in calls, tokens and dollars; no model is called",
    output: RunEstimate,
    replies: { 402: Problem },
    tools: [
      {
        name: "estimate",
        title: "Estimate a question",
        place: 14,
        fields: [...ASKED, "protocol", "seats", "pack"],
        words({ total }) {
          if (!total?.calls) return "It cannot be told.";
          const cost = total.usd ? `, about $${total.usd.expected.toFixed(4)}` : "";
          return `About ${pluralize(Math.round(total.calls.expected), "call")}${cost}.`;
        },
      },
    ],
    run({ parley, caller: { principal } }, asked) {
      refuseForeignFields(asked);
      return parley.estimate(asked as unknown as StartRequest, { principal }); // Checked by the library, field by field.
    },
  }),
  operation("get", "models", {
    name: "listModels",
    tag: "Catalog",
    needs: "read",
    summary: "List the models that can be reached, and what would make others reachable",
    output: ModelList,
    tools: [
      {
        name: "models",
        title: "List models",
        place: 15,
        hints: { openWorldHint: true },
        words: ({ models }) => models.map(({ ref }) => ref).join("\n"),
      },
    ],
    run: (me) => modelTable(me.context()),
  }),
  catalogRoute("personas"),
  catalogRoute("strategies"),
  catalogRoute("packs"),
  route("get", "config", {
    ...{ name: "getConfig", tag: "Catalog", needs: "operate" },
    summary: "Show every setting, its value and where it comes from",
    replies: { 200: ConfigReply, ...REFUSALS },
    async handle({ config }) {
      const rows = Object.entries(configSources(config.place)).map(([name, { value, from }]) => [
        name,
        { value: value ?? null, from },
      ]);
      return { status: 200, body: Object.fromEntries(rows) as Record<string, unknown> };
    },
  }),
  route("get", "usage", {
    ...{ name: "getUsage", tag: "Catalog", needs: "read" },
    summary: "Add up what recorded calls cost",
    query: z.strictObject({ by: z.enum(COST_KEYS).optional(), since: moment().optional() }),
    replies: { 200: Usage, ...REFUSALS },
    async handle(call) {
      const { by = "model", since } = call.query;
      const { store, credentials } = contextOf(call, call.caller.principal);
      const keys = await credentials.list(store.organization);
      return { status: 200, body: await usageSince(store, { by, since, timeZone: "UTC", keys }) };
    },
  }),
  route("get", "inbox", {
    ...{ name: "getInbox", tag: "People", needs: "read" },
    summary: "List everything that waits for the caller",
    replies: { 200: Inbox, ...REFUSALS },
    handle: async ({ parley, caller: { principal } }) => ({
      status: 200,
      body: { data: await parley.inbox({ principal }) },
    }),
  }),
];
