import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** @typedef {typeof import("../src/internal.ts") & { template(name: string): string }} Parley A build's parts, and its templates by name. */
/** @typedef {import("../src/internal.ts").NewDeliberation} NewDeliberation */
/** @typedef {import("../src/internal.ts").ModelsOptions} ModelsOptions */

/**
 * The parts of a build (engine, protocols, models, stores): its `parley/internal`, or the library of a build from before there
 * was one. Its templates are those of the sources beside it.
 *
 * @param {string} dist @returns {Promise<Parley>}
 */
export async function loadParley(dist) {
  const [file = "index.mjs"] = ["internal.mjs"].filter((name) => existsSync(join(dist, name)));
  const parts = await import(pathToFileURL(join(dist, file)).href);
  const sources = join(dirname(dist), "src");
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" });
  /** @type {Map<string, string>} */
  const read = new Map();
  const template = (/** @type {string} */ name) => {
    const path = files.find((one) => basename(one) === `${name}.md`);
    if (path === undefined) throw new Error(`there is no ${name}.md in ${sources}`);
    const text = read.get(name) ?? readFileSync(join(sources, path), "utf8");
    read.set(name, text);
    return text;
  };
  return { ...parts, template };
}

export const WAVES = 3;
export const CALLS_PER_COUNCIL = 9;
export const CALL_MS = 200;

/** What the simulated models are asked for: 160 ms of silence, then the text in pieces over 40 ms. */
const PACE = "delay=160&latency=40";

const MEMBERS = ["ada", "ben", "cleo", "dora"];

/**
 * Four members and a chair on one question: four drafts, four reviews, one synthesis.
 *
 * @param {Parley} parley
 * @param {{ seed: string, chair?: string }} options `chair`: what else the chair's model is asked for
 * @returns {NewDeliberation}
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
  return /** @type {NewDeliberation} */ (
    /** @type {unknown} */ ({
      question: "A shop sells 17 boxes of 23 pens each and gets 12 pens back. How many pens are sold?",
      context: [],
      protocol: { name: parley.council.name, version: parley.council.version },
      settings: parley.council.settings.parse({}),
      participants: [
        ...MEMBERS.map((name) => seat(name, "member", PACE)),
        seat("eve", "chair", chair === "" ? PACE : chair),
      ],
      templates: { ...textsOf(parley, parley.council), strategy: "Weigh every answer by its reasons." },
      seed,
      budget: {},
      organization: "local",
    })
  );
}

const UNCAPPED = { provider: 100_000, model: 100_000 };
/** What the builds before 2026-11-22 call it, for `--against`; newer ones do not read it. */
const BEFORE = { caps: UNCAPPED };

/**
 * An engine as a service would set it up: a store, one provider, and caps that do not hold back what the
 * service wants to run at once (16 calls a provider and 8 a model by default).
 *
 * @param {Parley} parley
 * @param {{ url: string, store: string, substitutes?: ModelsOptions["substitutes"], protocols?: readonly import("../src/internal.ts").AnyProtocol[], onRequest?: (request: import("../src/kernel/index.ts").ModelRequest) => void }} options `onRequest` sees each call before it is made
 */
export async function service(parley, { url, store: path, substitutes, protocols = [], onRequest }) {
  const store = await parley.openStore(path);
  const models = parley.createModels({
    env: {},
    compatible: { bench: { url: `${url}/v1`, local: true } },
    limits: { concurrency: UNCAPPED, ...BEFORE },
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

/**
 * The texts of a protocol's templates; an older build only names them.
 *
 * @param {Parley} parley @param {{ templates: readonly unknown[] }} protocol @returns {Record<string, string>}
 */
export const textsOf = (parley, { templates }) =>
  Object.fromEntries(
    /** @type {(string | { name: string, text: string })[]} */ (templates).flatMap((one) => {
      if (typeof one !== "string") return [[one.name, one.text]];
      return one === "strategy" ? [] : [[one, parley.template(one)]];
    }),
  );
