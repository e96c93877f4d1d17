import { createHash } from "node:crypto";
import { loadParley, textsOf } from "./council.mjs";

const LOCAL = /** @type {import("../src/kernel/index.ts").OrganizationId} */ ("local");
/** Trials at the same time. */
const AT_ONCE = 8;
/** How often a judge keeps to the place instead of to what it prefers: a split, which is a tie. */
const SPLITS = 0.15;

/** A number from 0 to 1 that follows from these. @param {...unknown} parts */
const chance = (...parts) =>
  createHash("sha256").update(JSON.stringify(parts)).digest().readUInt32BE(0) / 2 ** 32;

/**
 * Trials by the real protocol, with judges that prefer a child's answer as often as was planted. A child that is its parent
 * renamed gets the parent's answers in other words, and half of the preferences; that it beats an answer without a persona
 * is planted, so that only its parent stands in its way.
 * @type {import("./harness.mjs").Measurement}
 */
export async function evolution({ dist, quick }) {
  const parley = await loadParley(dist);
  const children = quick ? 40 : 200;
  const renamed = await tryChildren(parley, { name: "renamed", children, parent: 0.5, none: 0.7 });
  const equal = await tryChildren(parley, { name: "equal", children, parent: 0.5, none: 0.5 });
  const better = await tryChildren(parley, { name: "better", children, parent: 0.7, none: 0.7 });
  const siblings = await tryChildren(parley, {
    name: "siblings",
    children,
    parent: 0.5,
    none: 0.7,
    isFamily: true,
  });
  const share = (/** @type {Tried} */ { accepted }) => (100 * accepted) / children;
  return {
    rows: [
      { name: "accepted, of children that are their parents", value: share(renamed), unit: "%", target: 5 },
      { name: "accepted, of those that are no better at all", value: share(equal), unit: "%", target: 5 },
      {
        name: "accepted, of siblings of one parent that are it",
        value: share(siblings),
        unit: "%",
        target: 5,
      },
      {
        name: "accepted, of children planted at 0.7",
        value: share(better),
        unit: "%",
        target: 80,
        least: true,
      },
      { name: "questions a trial, of those planted", value: better.questions / children, unit: "" },
      { name: "questions a trial, of those renamed", value: renamed.questions / children, unit: "" },
    ],
    notes: [
      `${children} children each; judges split on ${100 * SPLITS} % of the pairs; at most 150 questions a trial`,
    ],
    raw: { renamed, equal, better, siblings },
  };
}

/** @typedef {{ accepted: number, questions: number, calls: number }} Tried */
/** @typedef {{ name: string, children: number, parent: number, none: number, isFamily?: boolean }} Planted */

/** @param {import("./council.mjs").Parley} parley @param {Planted} planted @returns {Promise<Tried>} */
async function tryChildren(parley, planted) {
  let calls = 0;
  /** @type {import("../src/kernel/index.ts").Models} */
  const models = {
    quote: () => ({ tokensIn: 0, tokensOut: 0, usd: 0 }),
    async complete({ model, messages }) {
      calls += 1;
      const text = messages.map((one) => one.text).join("\n");
      return callOf(model, model.startsWith("sim/judge") ? judge(planted, text) : answer(text));
    },
  };
  const store = await parley.openStore(":memory:");
  const engine = parley.createEngine({
    ...{ store, models, frames: parley.localFrames(), world: parley.systemWorld },
    ...{ protocols: [parley.trial], reactors: [], ports: {} },
  });
  const tried = { accepted: 0, questions: 0 };
  const left = Array.from({ length: planted.children }, (_, nth) => nth).values();
  const worker = async () => {
    for (const nth of left) {
      const { opened } = await engine.open(`${planted.name}/${nth}`, openingOf(parley, planted, nth));
      await engine.drive(opened.deliberation, { signal: new AbortController().signal });
      const entries = await store.for(LOCAL).read(opened.deliberation);
      const verdict = entries.find((entry) => entry.type === "trial-decided");
      if (verdict?.type !== "trial-decided")
        throw new Error(`trial ${nth} of ${planted.name} has no verdict`);
      if (verdict.data.accepted) tried.accepted += 1;
      tried.questions += entries.filter(
        (entry) => "step" in entry.origin && /^question-\d+\/child$/.test(entry.origin.step),
      ).length;
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return { ...tried, calls };
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

/** An answer that says whose it is. @param {string} text */
function answer(text) {
  const seat = text.includes("be CHILD") ? "child" : text.includes("be PARENT") ? "parent" : "none";
  return `This is how ${seat} sees it.`;
}

/** Prefers the child's answer as often as was planted; now and then what it is shown first. @param {Planted} planted @param {string} text */
function judge({ name, parent, none }, text) {
  const question = /What of question \d+ in trial \d+\?/.exec(text)?.[0];
  const rival = text.includes("how parent sees it") ? "parent" : "none";
  const first = text.indexOf("how child sees it") < text.indexOf(`how ${rival} sees it`) ? "A" : "B";
  const isSplit = chance("split", name, question, rival) < SPLITS;
  const isBetter = chance("better", name, question, rival) < (rival === "parent" ? parent : none);
  const winner = isSplit ? "A" : isBetter ? first : first === "A" ? "B" : "A";
  return JSON.stringify({ reason: "so it seems", winner });
}

/** @param {import("../src/kernel/index.ts").ModelRef} model @param {string} reply @returns {import("../src/kernel/index.ts").Call} */
const callOf = (model, reply) => ({
  ...{ ok: true, model, family: null, reply, finish: "stop", latencyMs: 0, attempts: 1 },
  tokens: { in: 0, out: 0, cached: null, reasoning: null },
  cost: { usd: 0, source: "provider" },
});

/** @param {import("./council.mjs").Parley} parley @param {Planted} planted @param {number} nth */
function openingOf(parley, { name, isFamily = false }, nth) {
  const seats = { child: `be CHILD ${nth}`, parent: isFamily ? "be PARENT" : `be PARENT ${nth}`, none: "" };
  const version = (/** @type {string} */ text) => createHash("sha256").update(text).digest("hex");
  const items = Array.from({ length: parley.TRIAL_TEST.most }, (_, index) => ({
    name: `question-${index + 1}`,
  }));
  const anchors = { 1: "No.", 2: "Hardly.", 3: "In part.", 4: "Mostly.", 5: "Yes." };
  // The branded names are checked when the engine opens it.
  return /** @type {import("./council.mjs").NewDeliberation} */ (
    /** @type {unknown} */ ({
      question: `Is child ${nth} better?`,
      context: items.map(({ name: item }, index) => ({
        name: `${item}/question`,
        text: `What of question ${index + 1} in trial ${nth}?`,
      })),
      protocol: { name: parley.trial.name, version: parley.trial.version },
      settings: {
        child: { id: `child-${nth}`, version: version(seats.child) },
        parent: { id: "parent", version: version(seats.parent) },
        ...{ items, form: {}, rubric: { name: "right", criteria: "Is it right?", anchors } },
        alpha: parley.siblingAlpha(parley.TRIAL_TEST.alpha, isFamily ? nth + 1 : 1),
      },
      participants: [
        ...Object.entries(seats).map(([seat, instructions]) => ({
          ...{ id: seat, seat, model: "sim/model", family: "a", persona: { name: seat, instructions } },
        })),
        {
          ...{ id: "judge-1", seat: "judge", model: "sim/judge-1", family: "b" },
          persona: { name: "Judge", instructions: "" },
        },
      ],
      templates: textsOf(parley, parley.trial),
      seed: `${name}/${nth}`,
      budget: {},
      organization: "local",
    })
  );
}
