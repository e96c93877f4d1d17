import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { canonical, type Json } from "../kernel/index.ts";
import type { Compiled, Domain, DomainGate } from "./domain.ts";
import { runScript } from "./script.ts";
import {
  failedBy,
  readExecuted,
  readFinding,
  type DeclaredGate,
  type DomainPlace,
  type GateRun,
  type GateTask,
} from "./tasks.ts";

// The file that a worker thread runs. It alone loads domains.

/** The domains that ship. */
const SHIPPED: { readonly [name: string]: () => Promise<{ readonly default: unknown }> } = {
  factors: () => import("./factors/index.ts"),
  functions: () => import("./functions/index.ts"),
};

const RUBRIC = "Judge how well the evidence above fits the mechanism that the candidate claims, from 0 to 3.";

type Loaded = { readonly domain: Domain; readonly soil: unknown; readonly digest: string };

const loadedDomains = new Map<string, Promise<Loaded>>();
/** Forests are few; a thread that serves many forgets the oldest. */
const MAX_LOADED = 4;

function load(place: DomainPlace): Promise<Loaded> {
  const key = canonical(place);
  const known = loadedDomains.get(key);
  if (known) return known;
  const [oldest] = loadedDomains.keys();
  if (oldest !== undefined && loadedDomains.size >= MAX_LOADED) loadedDomains.delete(oldest);
  const loading = loadDomain(place);
  loadedDomains.set(key, loading);
  loading.catch(() => loadedDomains.delete(key));
  return loading;
}

async function loadDomain({ domain: name, folder, soil: settings }: DomainPlace): Promise<Loaded> {
  const shipped = Object.hasOwn(SHIPPED, name) ? SHIPPED[name] : undefined;
  if (!shipped && !isAbsolute(name))
    throw new Error(`there is no domain ${name}; there are ${Object.keys(SHIPPED).join(", ")}, or a folder`);
  const module = shipped
    ? await shipped()
    : ((await import(pathToFileURL(name).href)) as { default?: unknown });
  const domain = module.default;
  if (!isDomain(domain)) throw new Error(`${name} exports no domain by default: use defineDomain`);
  const names = domain.gates.map((gate) => gate.name);
  const twice = names.find((one, index) => names.indexOf(one) !== index);
  if (twice !== undefined) throw new Error(`it declares the gate ${twice} twice`);
  const { soil, digest } = await domain.load(settings, folder);
  return { domain, soil, digest };
}

const isDomain = (value: unknown): value is Domain =>
  typeof value === "object" &&
  value !== null &&
  ["load", "propose", "compile"].every(
    (name) => typeof (value as Record<string, unknown>)[name] === "function",
  ) &&
  Array.isArray((value as Record<string, unknown>)["gates"]);

function declareGate(gate: DomainGate): DeclaredGate {
  const { name, title, hard, thresholds = {}, provenance = "the domain's default" } = gate;
  const common = {
    name,
    title,
    hard,
    thresholds: { ...thresholds },
    provenance,
    ...(gate.ranges ? { ranges: gate.ranges } : {}),
  };
  if ("aligned" in gate) return { ...common, by: "aligner" };
  if ("script" in gate) return { ...common, by: "script", script: gate.script };
  if ("command" in gate) return { ...common, by: "command", command: [...gate.command] };
  return { ...common, by: "domain" };
}

/** Does one task. @throws Error with words for a person, of a domain that cannot be loaded */
export async function work(task: GateTask): Promise<unknown> {
  const { domain, soil, digest } = await load(task.place);
  switch (task.kind) {
    case "describe":
      return {
        ...{
          name: domain.name,
          soil: digest,
          language: String(domain.propose(soil)),
          rubric: domain.rubric ?? RUBRIC,
        },
        gates: domain.gates.map(declareGate),
      };
    case "compile":
      return task.texts.map((text) => compileText(domain, text, soil));
    case "check":
      return check(task, { domain, soil, digest });
  }
}

/** What a text compiles to; a domain that throws has refused it. */
function compileText(domain: Domain, text: string, soil: unknown): Compiled {
  try {
    const result: unknown = domain.compile(text, soil);
    const {
      ok,
      text: form,
      why,
    } = (typeof result === "object" && result !== null ? result : {}) as Record<string, unknown>;
    if (ok === true && typeof form === "string") return { ok, text: form };
    return {
      ok: false,
      why: typeof why === "string" ? why : "the domain's compile gave neither a text nor a reason",
    };
  } catch (error) {
    return {
      ok: false,
      why: error instanceof Error ? error.message.slice(0, 2_000) : String(error).slice(0, 2_000),
    };
  }
}

const SCRIPT_LIMITS = { memoryBytes: 64_000_000, maxOutput: 100_000 };

async function check(
  task: Extract<GateTask, { kind: "check" }>,
  { domain, soil, digest }: Loaded,
): Promise<GateRun> {
  const { candidate, thresholds, accepted, seed, script, timeMs } = task;
  if (digest !== task.soil) return failedBy("error", "the soil has changed since the cycle began");
  if (script !== undefined) {
    const input = { candidate, thresholds, accepted: [...accepted], seed } as Json;
    return readExecuted(await runScript({ source: script, entry: "check", input, timeMs, ...SCRIPT_LIMITS }));
  }
  const gate = domain.gates.find(({ name }) => name === task.gate);
  if (!gate || !("check" in gate)) return failedBy("error", `the domain has no gate ${task.gate} of its own`);
  try {
    return readFinding(await gate.check({ candidate, soil, thresholds, accepted, seed }));
  } catch (error) {
    return failedBy(
      "error",
      error instanceof Error ? error.message.slice(0, 2_000) : String(error).slice(0, 2_000),
    );
  }
}
