import { join } from "node:path";
import type { FileContext } from "../../../config/paths.ts";
import { displayPath, refuse } from "../../../config/text-file.ts";
import { digestOf } from "../../../engine/index.ts";
import type { SeatedParticipant } from "../../../engine/opening-part.ts";
import type { GatePool } from "../../../gates/pool.ts";
import { bindGates, type BoundProfileGate } from "../../../gates/profile.ts";
import type { DomainDescription, DomainPlace } from "../../../gates/tasks.ts";
import {
  familyOf,
  Fault,
  isEvent,
  ParticipantId,
  type Entry,
  type Executor,
  type ModelRef,
} from "../../../kernel/index.ts";
import { forest as forestProtocol, forestDigest, FOREST_TEXTS } from "../protocol/index.ts";
import { forestAfter, forestLog, logLine, notesOf } from "../protocol/history.ts";
import { asJson, ForestCheck, ForestSettings } from "../protocol/settings.ts";
import { cycleNumber, Forest } from "../protocol/state.ts";
import { familyProblem, ForestValidationError, validateForest } from "../protocol/validation.ts";
import { routeWeather, type TreeWeather } from "../protocol/weather.ts";
import { checkModelRef, type AppContext } from "../../../app/context.ts";
import { appendLog, cyclesAt, keepsCycle, readForest, writeForest } from "./archive.ts";
import {
  withAcceptedThresholds,
  proposedIn,
  readAmendments,
  writeAmendments,
  HANDOFF_FILES,
} from "./handoffs.ts";
import { programIn } from "../../../config/trust.ts";
import { codeDigest, domainPath, readForestFile, readGateScript, type ForestFile } from "./file.ts";
import { choosePanel } from "../../../app/panel.ts";
import { openMeasurement, resumable, type ResumableWork, type Resumed } from "../../../app/resumable.ts";

// The archive is a projection: a cycle's files are written from its journal, when it has ended well, and never changed.

/** A forest in a folder, with its domain loaded and its gates bound. */
export type OpenForest = {
  readonly folder: string;
  readonly archive: string;
  readonly file: ForestFile;
  /** After its newest cycle. */
  readonly forest: Forest;
  readonly warnings: readonly string[];
  readonly domain: DomainDescription;
  readonly gates: readonly BoundProfileGate[];
};

/** Opens the forest in a folder, an absolute path, and lets this process run its gates. @throws Fault */
export async function openForest(
  context: AppContext,
  { folder, signal, ...place }: FileContext & { readonly folder: string; readonly signal: AbortSignal },
  pool: GatePool,
): Promise<OpenForest> {
  const read = readForestFile(folder, place);
  const { file } = read;
  const newest = cyclesAt(folder).at(-1) ?? folder;
  const { forest, warnings: upgraded } = readForest(newest);
  const warnings = [...upgraded];
  try {
    validateForest(forest);
  } catch (error) {
    if (!(error instanceof ForestValidationError)) throw error;
    throw refuse(
      `${displayPath(newest)} is not valid: ${error.message}`,
      "correct it, or go on from an earlier cycle",
    );
  }
  const where: DomainPlace = { domain: domainPath(read), folder, soil: file.soil };
  const described = await pool.describe(where, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw refuse(
      `the domain ${file.domain} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      `correct soil in ${displayPath(join(folder, "forest.yaml"))}`,
    );
  });
  const archive = join(folder, "archive");
  const bound = bindGates(described.gates, file.gates, (script) => readGateScript(script, folder));
  const gates = withAcceptedThresholds(bound, readAmendments(archive));
  if (!gates.some(({ needs_handoff }) => needs_handoff))
    warnings.push(
      "no gate is the aligner's, so nothing can become a fruit: add the domain's (G7) under gates",
    );
  const domain = {
    ...described,
    soil: digestOf({ domain: file.domain, soil: described.soil, code: codeDigest(read) }),
  };
  context.grounds.add(domain.soil, executorOf(pool, where, described.soil));
  return { folder, archive, file, forest, warnings, domain, gates };
}

/** Runs what a cycle asks in the pool. */
const executorOf = (pool: GatePool, place: DomainPlace, digest: string): Executor => ({
  async execute(given, signal) {
    const check = ForestCheck.parse(given);
    if (check.check === "compile")
      return { ok: true, metrics: asJson(await pool.compile(place, check.texts, signal)) };
    const { gate, candidate, accepted: fruits, seed } = check;
    // Its working folder is another one: a file of the forest's is named whole.
    const [program, ...args] = (gate.command ?? []).map((word) => programIn(word, place.folder) ?? word);
    const task = {
      ...{ kind: "check" as const, place, gate: gate.name, candidate, thresholds: gate.thresholds },
      ...{ accepted: fruits, seed, soil: digest, timeMs: gate.time_limit_ms, script: gate.script },
    };
    const found = await pool.check(
      program === undefined ? task : { ...task, command: [program, ...args] },
      signal,
    );
    return { ok: true, metrics: asJson(found) };
  },
});

/** A cycle that can be opened, or found where it was begun. */
export type PreparedCycle = { readonly context: AppContext; readonly work: ResumableWork };

/** Opens a cycle, or finds it where it was begun. @throws Fault before anything is recorded or spent */
export const openCycle = ({ context, work }: PreparedCycle): Promise<Resumed> => resumable(context, work);

/** Prepares the next cycle: nothing is recorded, and no model is called. @throws Fault also for a skeptic of the gardener's family */
export async function prepareCycle(
  context: AppContext,
  garden: OpenForest,
  { again = false }: { readonly again?: boolean } = {},
): Promise<PreparedCycle> {
  const { file, forest, domain, gates } = garden;
  const cycle = cycleNumber(forest.cycle_id) + 1;
  const { participants, pair } = await seatRoles(context, file, gates);
  const { callTimeoutMs, draftTokens } = context.settings;
  const settings = {
    ...{ cycle, gates, execution: file.execution, weather: file.weather },
    deliberation: { ...file.deliberation, ...pair },
    ...{ parallel_gardeners: file.parallel_gardeners, evolution: file.evolution },
    ...{ seed_scoring_weights: file.seed_scoring_weights, quarantine_threshold: file.quarantine_threshold },
    domain: { name: domain.name, soil: domain.soil, seed: file.seed },
    ...(callTimeoutMs === undefined ? {} : { callTimeoutMs }),
    ...(draftTokens === undefined ? {} : { maxOutputTokens: draftTokens }),
  };
  const seeded: AppContext = {
    ...context,
    settings: {
      ...context.settings,
      seed: `${file.seed}/${cycle}`,
      ...(file.handoff_timeout_ms === undefined ? {} : { seatTimeoutMs: file.handoff_timeout_ms }),
    },
  };
  const measurement = await openMeasurement(seeded, {
    protocol: forestProtocol,
    question: `${forest.research_goal} (cycle ${cycle})`,
    texts: [
      { name: FOREST_TEXTS.state, text: JSON.stringify(forest) },
      { name: FOREST_TEXTS.language, text: domain.language },
      { name: FOREST_TEXTS.rubric, text: domain.rubric },
    ],
    part: { settings, participants },
    identity: ({ templates, settings: own }) => ({
      ...{ templates, settings: own, folder: garden.folder },
      participants: participants.map(({ id, model }) => ({ id, model })),
    }),
    again,
  });
  const work: ResumableWork = {
    ...measurement,
    isBudgetEach: true,
    changes: ({ opened, entries }, nth, budget) => {
      const before = ForestSettings.parse(opened.data.settings);
      return {
        budget,
        settings: asJson({ ...before, again: { ...before.again, ...lostSteps(entries, nth) } }) as never,
      };
    },
  };
  return { context: seeded, work };
}

/** The steps that a fork has to ask anew, by the key that they have without having been asked again; what a repair has mended is not. */
function lostSteps(entries: readonly Entry[], nth: number): Record<string, number> {
  const steps = new Map(
    entries.flatMap((entry) => ("step" in entry.origin ? [[entry.origin.step as string, entry]] : [])),
  );
  const lost = [...steps].filter(([step, entry]) => {
    const repaired = steps.get(`${step}/repair`);
    return entry.type === "degradation-noted" && (!repaired || repaired.type === "degradation-noted");
  });
  return Object.fromEntries(lost.map(([step]) => [step.replace(/\/again-\d+$/, ""), nth]));
}

type Role = "gardener" | "skeptic" | "inspector" | "diverger" | "aligner";

/** Who has which role. @throws Fault `configuration` also for a skeptic of the gardener's family */
async function seatRoles(context: AppContext, file: ForestFile, gates: readonly BoundProfileGate[]) {
  const { deliberation, inspector_model, diverger, aligner } = file;
  const usual = await usualPair(context, file);
  const isDebated = deliberation.max_debate_rounds > 0;
  const gardener = deliberation.gardener_model ?? usual.gardener;
  const skeptic = deliberation.skeptic_model ?? usual.skeptic;
  const inspector = inspector_model ?? skeptic;
  const wanted: readonly (readonly [Role, string])[] = [
    ["gardener", gardener],
    ...(isDebated ? [["skeptic", skeptic] as const] : []),
    ["inspector", inspector],
    ["diverger", diverger ?? gardener],
    ...(gates.some(({ needs_handoff }) => needs_handoff) ? [["aligner", aligner ?? inspector] as const] : []),
  ];
  const participants: SeatedParticipant[] = [];
  for (const [role, who] of wanted) {
    if (who === "none") continue;
    const model = await modelOf(context, file, who);
    const persona = { name: `${role.charAt(0).toUpperCase()}${role.slice(1)}`, instructions: "" };
    const family = familyOf(model, context.settings.families);
    participants.push({ id: ParticipantId.parse(role), seat: role, persona, model, family });
  }
  const of = (role: Role) => participants.find(({ seat }) => seat === role);
  const [first, second] = [of("gardener"), of("skeptic")];
  const problem = isDebated && first ? familyProblem(first, second) : undefined;
  if (problem) throw new Fault("configuration", problem);
  return {
    participants,
    pair: { gardener_model: first?.model ?? gardener, skeptic_model: second?.model ?? skeptic },
  };
}

/** The first model of the panel, and the first of another family. */
async function usualPair(context: AppContext, { deliberation }: ForestFile) {
  if (deliberation.gardener_model !== undefined && deliberation.skeptic_model !== undefined)
    return { gardener: "", skeptic: "" };
  const { members } = await choosePanel(context);
  const family = (ref: string) => familyOf(ref, context.settings.families);
  const [first = "none"] = members;
  const gardener = deliberation.gardener_model ?? first;
  const other = members.find((ref) => family(ref) !== null && family(ref) !== family(gardener));
  return { gardener, skeptic: other ?? first };
}

/** @throws Fault `configuration` for a bare name that nothing explains */
async function modelOf(context: AppContext, { models }: ForestFile, who: string): Promise<ModelRef> {
  const named = Object.hasOwn(models, who) ? (models[who] ?? who) : who;
  if (named === "me") return checkModelRef(context, `human/${context.principal.user}`);
  if (named === HANDOFF_FILES) return checkModelRef(context, `human/${HANDOFF_FILES}`);
  if (!named.includes("/"))
    throw refuse(
      `${named} is no model that can be called`,
      `say which one it is in forest.yaml: models: {${named}: provider/model}`,
    );
  return checkModelRef(context, named);
}

export type SavedCycle = { readonly forest: Forest; readonly folder: string; readonly amendments: number };

/**
 * Writes what a cycle that has ended well comes to: its log, its proposals of amendments, and its folder. Doing it
 * again changes nothing. @throws Fault `replay-differs` where the journal tells another forest than the cycle has recorded
 */
export function saveCycle(
  { archive, forest: before }: Pick<OpenForest, "archive" | "forest">,
  entries: readonly Entry[],
): SavedCycle {
  const after = forestAfter(before, entries);
  const saved = notesOf(entries, "validate_post_save")[0]?.data.body as { forest?: unknown } | undefined;
  if (saved?.forest !== forestDigest(after))
    throw new Fault("replay-differs", {
      key: "validate_post_save",
      what: "the forest that its events come to",
    });
  const proposed = proposedIn(entries, cycleNumber(after.cycle_id));
  return keepsCycle(archive, () => {
    appendLog(archive, forestLog(entries).map(logLine));
    writeAmendments(archive, proposed);
    return { forest: after, folder: writeForest(archive, after), amendments: proposed.length };
  });
}

/**
 * Writes the archive that a cycle's journal alone tells: the forest before it, the forest after it, and its log. @throws Fault
 * `configuration` for a run that is no cycle that has ended well
 */
export async function exportArchive(
  { text }: Pick<AppContext["store"], "text">,
  entries: readonly Entry[],
  folder: string,
): Promise<{ readonly archive: string; readonly forest: Forest }> {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  const pinned = opened?.data.context.find(({ name }) => name === FOREST_TEXTS.state);
  if (opened?.data.protocol.name !== "forest" || !pinned)
    throw refuse("this run is no cycle of a forest", "name a run of the protocol forest");
  if (notesOf(entries, "validate_post_save").length === 0)
    throw refuse(
      `${opened.deliberation} has not ended well, so nothing of the forest has changed`,
      "go on with it: forest cycle",
    );
  const forest = Forest.parse(JSON.parse(await text(pinned.text)));
  const archive = join(folder, "archive");
  writeForest(archive, forest);
  return { archive, forest: saveCycle({ archive, forest }, entries).forest };
}

export const nextWeather = ({ forest, file }: Pick<OpenForest, "forest" | "file">): readonly TreeWeather[] =>
  Object.values(routeWeather(forest, cycleNumber(forest.cycle_id), { config: file.weather }).trees);
