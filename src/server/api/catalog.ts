import * as z from "zod";
import { ModelList, RunEstimate, Usage } from "../../contract/figures.ts";
import { Catalog, ConfigReply } from "../../contract/library.ts";
import { configSources } from "../../app/checkup.ts";
import { usageSince } from "../../app/usage.ts";
import { modelTable } from "../../app/model-table.ts";
import type { StartRequest } from "../../app/start.ts";
import { readCatalog } from "../../config/catalog.ts";
import { COST_KEYS } from "../../views/cost.ts";
import { pluralize } from "../../text/format.ts";
import { operation, type HttpOperation } from "../operation.ts";
import { Problem } from "../problem.ts";
import { moment } from "../route.ts";
import { refuseForeignFields } from "./deliberations.ts";
import { NewRequest } from "./schemas.ts";

/** Names and texts that are installed: of one kind. */
const catalogOf = (kind: "personas" | "strategies" | "packs") =>
  operation(`list${kind.charAt(0).toUpperCase()}${kind.slice(1)}`, `GET ${kind}`, {
    ...{ tag: "Catalog", needs: "read", output: Catalog },
    summary: `List the ${kind} that a request may name`,
    async run({ config }) {
      const used = readCatalog(kind, config.place).filter(({ state }) => state === "used");
      // Where a file lies is nobody's business but the server's.
      const data = used.map(({ name, description, text, from, missing }) => ({
        ...{ name, description, text, from, missing },
      }));
      return { data };
    },
  });

export const catalogOperations: readonly HttpOperation[] = [
  operation("estimate", "POST estimate", {
    ...{ tag: "Catalog", needs: "read" },
    body: NewRequest,
    example: { question: "Should our job queue move to PostgreSQL?" },
    summary: "Say what a question would take in calls, tokens and dollars; no model is called",
    output: RunEstimate,
    replies: { 402: Problem },
    tools: [
      {
        ...{ name: "estimate", title: "Estimate a question", place: 14, isCore: true },
        fields: ["question", "protocol", "models", "context", "pack"],
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
  operation("listModels", "GET models", {
    ...{ tag: "Catalog", needs: "read" },
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
  catalogOf("personas"),
  catalogOf("strategies"),
  catalogOf("packs"),
  operation("getConfig", "GET config", {
    ...{ tag: "Catalog", needs: "operate", output: ConfigReply },
    summary: "Show every setting, its value and where it comes from",
    async run({ config }) {
      const rows = Object.entries(configSources(config.place)).map(([name, { value, from }]) => [
        ...[name, { value: value ?? null, from }],
      ]);
      return Object.fromEntries(rows) as z.input<typeof ConfigReply>; // what files say is JSON
    },
  }),
  operation("getUsage", "GET usage", {
    ...{ tag: "Catalog", needs: "read", output: Usage },
    summary: "Add up what recorded calls cost",
    query: z.strictObject({ by: z.enum(COST_KEYS).optional(), since: moment().optional() }),
    async run(me, { by = "model", since }) {
      const { store, credentials } = me.context();
      const keys = await credentials.list(store.organization);
      return usageSince(store, { by, since, timeZone: "UTC", keys });
    },
  }),
];
