import type { Parley } from "../../app/parley.ts";
import { choosePanel } from "../../app/panel.ts";
import { estimateOpening, withoutKeys } from "../../app/estimate.ts";
import { prepareOpening } from "../../app/start.ts";
import { readCatalog } from "../../config/catalog.ts";
import { isFault, type Principal } from "../../kernel/index.ts";
import { isVoice } from "../../kernel/index.ts";
import { findNearest } from "../../text/words.ts";
import { Refused } from "../problem.ts";
import { route, type ApiRoute, type Services } from "../route.ts";
import type { ChosenModel } from "./fields.ts";
import * as z from "zod";

const PREFIX = "parley/";
const PROTOCOLS = ["ask", "council", "debate", "respond"] as const;
/** How long a list of models is believed. */
const BELIEVED_MS = 60_000;

const packsOf = ({ config }: Pick<Services, "config">): readonly string[] =>
  readCatalog("packs", config.place).flatMap(({ name, state }) => (state === "used" ? [name] : []));

/** What a model's name stands for. @throws Refused 404 with the nearest */
export function chooseModel(services: Pick<Services, "config">, id: string): ChosenModel {
  const name = id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id;
  const protocol = PROTOCOLS.find((one) => one === name);
  if (protocol !== undefined) return { id: `${PREFIX}${name}`, protocol };
  const packs = packsOf(services);
  if (packs.includes(name)) return { id: `${PREFIX}${name}`, protocol: "pack", pack: name };
  const nearest = findNearest(name.slice(0, 60), [...PROTOCOLS, ...packs]);
  throw new Refused({
    ...{
      status: 404,
      code: "model_not_found",
      detail: `there is no model ${JSON.stringify(id.slice(0, 100))}`,
    },
    next: `the nearest is ${PREFIX}${nearest}; GET models lists all`,
    errors: [{ pointer: "model", detail: "there is no such model" }],
  });
}

type ListedModel = Readonly<Record<string, unknown>>;
type Believed = { readonly at: number; readonly key: string; readonly list: readonly ListedModel[] };
const believed = new WeakMap<Parley, Believed>();

async function listAll(services: Services, principal: Principal): Promise<readonly ListedModel[]> {
  const names = [...PROTOCOLS, ...packsOf(services)];
  const key = `${principal.organization} ${names.join(" ")}`;
  const now = services.world.now();
  const known = believed.get(services.parley);
  if (known?.key === key && now - known.at < BELIEVED_MS) return known.list;
  const list = await Promise.all(names.map((name) => entryOf(services, principal, name)));
  believed.set(services.parley, { at: now, key, list });
  return list;
}

/** A protocol or a pack as a model: who would take part, and about what it would cost. */
async function entryOf(services: Services, principal: Principal, name: string): Promise<ListedModel> {
  const id = `${PREFIX}${name}`;
  const chosen = chooseModel(services, id);
  const head = { id, object: "model", created: 0, owned_by: "parley" };
  try {
    const context = withoutKeys(services.parley.context({}, { principal }));
    const panel = context.settings.models.length > 0 ? undefined : await choosePanel(context);
    const { pack } = chosen;
    const asked = { question: "?", ...(pack === undefined ? { protocol: chosen.protocol } : { pack }) };
    const prepared = await prepareOpening(context, asked, panel ? { panel } : {});
    const { participants } = prepared.opening;
    const { total } = await estimateOpening(context, prepared);
    const voices = participants.filter((one) => isVoice(one)).map(({ model }) => model);
    const simulated = participants.some(({ model }) => model.startsWith("sim/"));
    return {
      ...head,
      description: `${simulated ? "simulated " : ""}${name}: ${[...new Set(voices)].join(", ")}`,
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
  const chosen = chooseModel(services, id);
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
