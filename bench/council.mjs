import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../scripts/root.mjs";

/** @typedef {typeof import("../src/index.ts")} Parley */
/** @typedef {import("../src/index.ts").Asked} Asked */
/** @typedef {import("../src/index.ts").ModelsOptions} ModelsOptions */

/** @param {string} dist the folder of a build @returns {Promise<Parley>} the library as it is published */
export const loadParley = (dist) => import(pathToFileURL(join(dist, "index.mjs")).href);

export const WAVES = 3;
export const CALLS_PER_COUNCIL = 9;
export const CALL_MS = 200;

/** What the simulated models are asked for: 160 ms of silence, then the text in pieces over 40 ms. */
const PACE = "delay=160&latency=40";

const MEMBERS = ["ada", "ben", "cleo", "dora"];

/** @type {Map<string, string>} */
const templates = new Map();

/** A template of the sources, read once. @param {string} name */
export function template(name) {
  const text = templates.get(name) ?? readFileSync(join(root, "src/prompts/templates", `${name}.md`), "utf8");
  templates.set(name, text);
  return text;
}

/**
 * Four members and a chair on one question: four drafts, four reviews, one synthesis.
 *
 * @param {Parley} parley
 * @param {{ seed: string, chair?: string }} options `chair`: what else the chair's model is asked for
 * @returns {Asked}
 */
export function asked(parley, { seed, chair = "" }) {
  const seat = (/** @type {string} */ name, /** @type {string} */ kind, /** @type {string} */ pace) => ({
    id: name,
    seat: kind,
    persona: { name, instructions: `You are ${name}. Be brief, and say what you are unsure of.` },
    model: `compatible/bench/${name}?${pace}`,
    family: null,
  });
  // The branded names are checked when the engine opens it.
  return /** @type {Asked} */ (
    /** @type {unknown} */ ({
      question: "A shop sells 17 boxes of 23 pens each and gets 12 pens back. How many pens are sold?",
      context: [],
      protocol: { name: parley.council.name, version: parley.council.version },
      settings: parley.CouncilSettings.parse({}),
      participants: [
        ...MEMBERS.map((name) => seat(name, "member", PACE)),
        seat("eve", "chair", chair === "" ? PACE : chair),
      ],
      templates: {
        ...Object.fromEntries(
          parley.council.templates.flatMap((name) => (name === "strategy" ? [] : [[name, template(name)]])),
        ),
        strategy: "Weigh every answer by its reasons.",
      },
      seed,
      budget: {},
      organization: "local",
    })
  );
}

/**
 * An engine as a service would set it up: a store, one provider, and caps that do not hold back what the
 * service wants to run at once (16 calls a provider and 8 a model by default).
 *
 * @param {Parley} parley
 * @param {{ url: string, store: string, substitutes?: ModelsOptions["substitutes"], protocols?: readonly import("../src/index.ts").AnyProtocol[], onRequest?: (request: import("../src/kernel/index.ts").ModelRequest) => void }} options `onRequest` sees each call before it is made
 */
export async function service(parley, { url, store: path, substitutes, protocols = [], onRequest }) {
  const store = await parley.openStore(path);
  const models = parley.createModels({
    env: {},
    compatible: { bench: { url: `${url}/v1`, local: true } },
    limits: { caps: { provider: 100_000, model: 100_000 } },
    substitutes,
  });
  const frames = parley.localFrames();
  const engine = parley.createEngine({
    store,
    models: onRequest
      ? {
          ...models,
          complete: (request, options) => {
            onRequest(request);
            return models.complete(request, options);
          },
        }
      : models,
    frames,
    world: parley.systemWorld,
    protocols: [parley.council, ...protocols],
    reactors: [],
  });
  return {
    engine,
    frames,
    store,
    close: async () => {
      await models.close();
      await store[Symbol.asyncDispose]();
    },
  };
}
