import type { Parley } from "../../../app/parley.ts";
import { askedProtocols } from "../../../app/registry.ts";
import { choosePanel } from "../../../app/panel.ts";
import { estimateOpening, withoutKeys } from "../../../app/estimate.ts";
import { prepareOpening } from "../../../app/start.ts";
import { readCatalog } from "../../../config/catalog.ts";
import { isFault, isVoice, type Principal } from "../../../kernel/index.ts";
import { findNearest } from "../../../text/words.ts";
import { Refused } from "../../../server/problem.ts";
import { route, type ApiRoute, type Services } from "../../../server/route.ts";
import type { ChosenModel } from "./fields.ts";
import * as z from "zod";

const PREFIX = "parley/";
/** How long a list of models is believed. */
const BELIEVED_MS = 60_000;

type Known = Pick<Services, "config" | "parley">;

async function modelsOf({ parley, config }: Known): Promise<ChosenModel[]> {
  const protocols = await askedProtocols(parley.context().protocols);
  return [
    ...protocols.map(({ name, settings, seats }) => ({
      ...{ id: `${PREFIX}${name}`, asked: { protocol: name } },
      hasEffort: settings instanceof z.ZodObject && "effort" in settings.shape,
      isAlone: seats.every(({ filledBy, max }) => filledBy !== "models" || max === 1),
    })),
    ...readCatalog("packs", config.place)
      .filter(({ state }) => state === "used")
      .map(({ name: pack }) => ({
        id: `${PREFIX}${pack}`,
        asked: { pack },
        hasEffort: true,
        isAlone: false,
      })),
  ];
}

/** What a model's name stands for. @throws Refused 404 with the nearest */
export async function chooseModel(services: Known, given: string): Promise<ChosenModel> {
  const id = given.startsWith(PREFIX) ? given : `${PREFIX}${given}`;
  const models = await modelsOf(services);
  const chosen = models.find((one) => one.id === id);
  if (chosen) return chosen;
  const ids = models.map((one) => one.id);
  const detail = `there is no model ${JSON.stringify(given.slice(0, 100))}`;
  const next = `the nearest is ${findNearest(id.slice(0, 70), ids)}; GET models lists all`;
  const errors = [{ pointer: "model", detail: "there is no such model" }];
  throw new Refused({ status: 404, code: "model_not_found", detail, next, errors });
}

type ListedModel = Readonly<Record<string, unknown>>;
type Believed = { readonly at: number; readonly key: string; readonly list: readonly ListedModel[] };
const listCache = new WeakMap<Parley, Believed>();

async function listAll(services: Services, principal: Principal): Promise<readonly ListedModel[]> {
  const models = await modelsOf(services);
  const key = `${principal.organization} ${models.map(({ id }) => id).join(" ")}`;
  const now = services.world.now();
  const known = listCache.get(services.parley);
  if (known?.key === key && now - known.at < BELIEVED_MS) return known.list;
  const list = await Promise.all(models.map((one) => entryOf(services, principal, one)));
  listCache.set(services.parley, { at: now, key, list });
  return list;
}

/** A protocol or a pack as a model: who would take part, and about what it would cost. */
async function entryOf(services: Services, principal: Principal, { id, asked }: ChosenModel) {
  const head = { id, object: "model", created: 0, owned_by: "parley" };
  try {
    const context = withoutKeys(services.parley.context({}, { principal }));
    const panel = context.settings.models.length > 0 ? undefined : await choosePanel(context);
    const prepared = await prepareOpening(context, { question: "?", ...asked }, panel ? { panel } : {});
    const { participants } = prepared.opening;
    const { total } = await estimateOpening(context, prepared);
    const voices = participants.filter((one) => isVoice(one)).map(({ model }) => model);
    const simulated = participants.some(({ model }) => model.startsWith("sim/"));
    return {
      ...head,
      description: `${simulated ? "simulated " : ""}${id.slice(PREFIX.length)}: ${[...new Set(voices)].join(", ")}`,
      parley: {
        protocol: prepared.opening.protocol.name,
        members: voices,
        families: [...new Set(participants.flatMap(({ family }) => family ?? []))],
        estimate_usd: total?.usd?.expected ?? null,
        simulated,
      },
    };
  } catch (error) {
    if (!isFault(error)) throw error;
    return { ...head, description: `cannot be used: ${error.message}`, parley: { problem: error.message } };
  }
}

const HttpReply = z.looseObject({});

async function show(services: Services, principal: Principal, id: string) {
  const chosen = await chooseModel(services, id);
  return { status: 200, body: (await listAll(services, principal)).find((one) => one["id"] === chosen.id) };
}

export const modelRoutes: readonly ApiRoute[] = [
  route("get", "models", {
    ...{ name: "models", tag: "OpenAI", needs: "read", replies: { 200: HttpReply } },
    summary: "List protocols and packs as models",
    handle: async (call) => ({
      status: 200,
      body: { object: "list", data: await listAll(call, call.caller.principal) },
    }),
  }),
  route("get", "models/{id}", {
    ...{ name: "model", tag: "OpenAI", needs: "read", replies: { 200: HttpReply } },
    summary: "Show one",
    params: z.strictObject({ id: z.string() }),
    handle: (call) => show(call, call.caller.principal, call.params.id),
  }),
  route("get", "models/{owner}/{name}", {
    ...{ name: "modelOf", tag: "OpenAI", needs: "read", replies: { 200: HttpReply } },
    summary: "Show one",
    params: z.strictObject({ owner: z.string(), name: z.string() }),
    handle: (call) => show(call, call.caller.principal, `${call.params.owner}/${call.params.name}`),
  }),
];
