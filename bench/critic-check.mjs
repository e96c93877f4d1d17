/** @typedef {import("../src/kernel/index.ts").Entry} Entry */
/** @typedef {Awaited<ReturnType<typeof import("../src/internal.ts")["openStore"]>>} Store */
/** @typedef {import("../src/internal.ts").AnyReactor} AnyReactor */
/**
 * What became of the answers that were to be graded. `owed`: events that a reactor has not answered; `behind`: reactors
 * whose cursor is not at the journal's end; `whys`: of grades that are null, how often each was given.
 * @typedef {{ answers: number, graded: number, notOnce: number, whyless: number, whys: Record<string, number>, engrams: number, annotated: number, unremembered: number, unannotated: number, preferences: number, owed: number, behind: number }} Checked
 */

/** Whose deliberations are measured. */
const LOCAL = /** @type {import("../src/kernel/index.ts").OrganizationId} */ ("local");

/** Deliberations and engrams that are looked up at once. */
const AT_ONCE = 100;

/**
 * Reads everything again from the store; whoever measured has kept nothing, which would count as the heap's.
 *
 * @param {{ store: Store, needsReaction: typeof import("../src/internal.ts")["needsReaction"], reactors: readonly AnyReactor[], user: string, behind: number }} options `user`: whose memory the graded answers are in
 * @returns {Promise<Checked>}
 */
export async function check({ store, needsReaction, reactors, user, behind }) {
  /** @type {Checked} */
  const found = {
    ...{ answers: 0, graded: 0, notOnce: 0, whyless: 0, whys: {}, engrams: 0, annotated: 0 },
    ...{ unremembered: 0, unannotated: 0, preferences: 0, owed: 0, behind },
  };
  for await (const page of pagesOf(store)) {
    /** @type {Graded[]} */
    const answers = [];
    for (const id of page) {
      const entries = await store.for(LOCAL).read(id);
      found.owed += owedIn(entries, { reactors, needsReaction, user });
      const [opened] = entries;
      if (opened?.type !== "deliberation-opened" || !opened.data.reactions?.["critic"]) continue;
      found.preferences += entries.filter(({ type }) => type === "preference-given").length;
      answers.push(...answersIn(entries, found));
    }
    await lookUp(store, { answers, user }, found);
  }
  return found;
}

/** An answer, and how many scores it was given. @typedef {{ id: string, grades: number }} Graded */

/** @param {Store} store */
async function* pagesOf(store) {
  /** @type {Entry["deliberation"] | undefined} */
  let before;
  for (;;) {
    const page = await store.for(LOCAL).list({ limit: AT_ONCE, ...(before ? { before } : {}) });
    if (page.length === 0) return;
    yield page.map(({ id }) => id);
    before = page.at(-1)?.id;
  }
}

/** @param {readonly Entry[]} entries @param {Checked} found @returns {Graded[]} */
function answersIn(entries, found) {
  return entries.flatMap((answer) => {
    if (answer.type !== "answer-given") return [];
    const grades = entries.flatMap((one) =>
      one.type === "grade-given" && one.data.of === answer.id ? [one.data] : [],
    );
    found.answers += 1;
    if (grades.length !== 1) found.notOnce += 1;
    for (const { score, why } of grades) {
      if (score !== null) found.graded += 1;
      else if (!why) found.whyless += 1;
      else count(found.whys, why);
    }
    return [{ id: answer.id, grades: grades.filter(({ score }) => score !== null).length }];
  });
}

/** How many events no reactor has said anything to that owes them an answer. @param {readonly Entry[]} entries @param {Pick<Parameters<typeof check>[0], "reactors" | "needsReaction" | "user">} options Of the shipped reactors only memory decides by its settings. */
function owedIn(entries, { reactors, needsReaction, user }) {
  const settings = /** @type {const} */ ({ ok: true, value: { user } });
  const said = new Set(
    entries.map(({ origin }) => (origin.by === "reactor" ? `${origin.reactor} ${origin.event}` : "")),
  );
  return reactors.flatMap((reactor) =>
    entries.filter(
      (entry, index) =>
        needsReaction(reactor, entry, { before: entries.slice(0, index + 1), settings }) &&
        !said.has(`${reactor.name} ${entry.id}`),
    ),
  ).length;
}

/** Whether each answer has its engram, and the engram its grade. @param {Store} store @param {{ answers: readonly Graded[], user: string }} asked @param {Checked} found */
async function lookUp({ engrams }, { answers, user }, found) {
  const scope = /** @type {import("../src/kernel/index.ts").MemoryScope} */ ({ organization: "local", user });
  // An engram's id is its answer's.
  const ids = /** @type {import("../src/kernel/index.ts").EngramId[]} */ (answers.map(({ id }) => id));
  const stored = new Map(
    (await engrams.get(scope, ids)).map(({ engram, annotations }) => [String(engram.id), annotations]),
  );
  for (const { id, grades } of answers) {
    const annotations = stored.get(id);
    const own = annotations?.filter(({ what }) => what.kind === "grade").length ?? 0;
    if (annotations) found.engrams += 1;
    else found.unremembered += 1;
    found.annotated += own;
    if (own !== grades) found.unannotated += 1;
  }
}

/** Figures and ports stand for all of their kind. @param {Record<string, number>} whys @param {string} why */
function count(whys, why) {
  const kind = why.replace(/\d+(\.\d+)?/g, "N").slice(0, 90);
  whys[kind] = (whys[kind] ?? 0) + 1;
}
