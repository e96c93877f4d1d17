/** @typedef {import("../src/kernel/index.ts").Entry} Entry */
/** @typedef {Awaited<ReturnType<typeof import("../src/index.ts")["openStore"]>>} Store */
/** @typedef {import("../src/index.ts").AnyReactor} AnyReactor */
/**
 * What became of the answers that were to be graded. `owed`: events that a reactor has not answered; `behind`: reactors
 * whose cursor is not at the journal's end; `whys`: of grades that are null, how often each was given.
 * @typedef {{ answers: number, graded: number, notOnce: number, whyless: number, whys: Record<string, number>, engrams: number, annotated: number, unremembered: number, unannotated: number, preferences: number, owed: number, behind: number }} Checked
 */

/** Engrams that are looked up at once. */
const AT_ONCE = 100;

/**
 * Reads everything again from the store.
 *
 * @param {{ store: Store, owes: typeof import("../src/index.ts")["owes"], reactors: readonly AnyReactor[], asked: ReadonlyMap<string, readonly { id: string, user: string }[]>, behind: () => Promise<number> }} options
 * @returns {Promise<Checked>}
 */
export async function check({ store, owes, reactors, asked, behind }) {
  /** @type {Checked} */
  const found = {
    ...{ answers: 0, graded: 0, notOnce: 0, whyless: 0, whys: {}, engrams: 0, annotated: 0 },
    ...{ unremembered: 0, unannotated: 0, preferences: 0, owed: 0, behind: await behind() },
  };
  for (const [arm, all] of asked) {
    /** @type {{ id: string, user: string, grades: number }[]} */
    const answers = [];
    for (const { id, user } of all) {
      const entries = await store.read(/** @type {Entry["deliberation"]} */ (id));
      found.owed += owedIn(entries, { reactors, owes });
      if (arm !== "critic") continue;
      found.preferences += entries.filter(({ type }) => type === "preference-given").length;
      for (const entry of entries) {
        if (entry.type !== "answer-given") continue;
        const grades = entries.flatMap((one) =>
          one.type === "grade-given" && one.data.of === entry.id ? [one.data] : [],
        );
        found.answers += 1;
        if (grades.length !== 1) found.notOnce += 1;
        for (const { score, why } of grades) {
          if (score !== null) found.graded += 1;
          else if (!why) found.whyless += 1;
          else count(found.whys, why);
        }
        answers.push({ id: entry.id, user, grades: grades.filter(({ score }) => score !== null).length });
      }
    }
    await lookUp(store, answers, found);
  }
  return found;
}

/** How many events no reactor has said anything to that owes them an answer. @param {readonly Entry[]} entries @param {Pick<Parameters<typeof check>[0], "reactors" | "owes">} options */
function owedIn(entries, { reactors, owes }) {
  const said = new Set(
    entries.map(({ origin }) => (origin.by === "reactor" ? `${origin.reactor} ${origin.event}` : "")),
  );
  return reactors.flatMap((reactor) =>
    entries.filter(
      (entry, index) =>
        owes(reactor, entry, entries.slice(0, index + 1)) && !said.has(`${reactor.name} ${entry.id}`),
    ),
  ).length;
}

/** Whether each answer has its engram, and the engram its grade. @param {Store} store @param {readonly { id: string, user: string, grades: number }[]} answers @param {Checked} found */
async function lookUp({ engrams }, answers, found) {
  for (let from = 0; from < answers.length; from += AT_ONCE) {
    const some = answers.slice(from, from + AT_ONCE);
    const scope = /** @type {import("../src/kernel/index.ts").MemoryScope} */ ({
      organization: "local",
      user: some[0]?.user,
    });
    // An engram's id is its answer's.
    const ids = /** @type {import("../src/kernel/index.ts").EngramId[]} */ (some.map(({ id }) => id));
    const stored = new Map(
      (await engrams.get(scope, ids)).map(({ engram, annotations }) => [String(engram.id), annotations]),
    );
    for (const { id, grades } of some) {
      const annotations = stored.get(id);
      const own = annotations?.filter(({ what }) => what.kind === "grade").length ?? 0;
      if (annotations) found.engrams += 1;
      else found.unremembered += 1;
      found.annotated += own;
      if (own !== grades) found.unannotated += 1;
    }
  }
}

/** Figures and ports stand for all of their kind. @param {Record<string, number>} whys @param {string} why */
function count(whys, why) {
  const kind = why.replace(/\d+(\.\d+)?/g, "N").slice(0, 90);
  whys[kind] = (whys[kind] ?? 0) + 1;
}
