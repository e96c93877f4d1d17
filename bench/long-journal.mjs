/** @typedef {import("../src/kernel/index.ts").Entry} Entry */

/**
 * A long journal: the events of a run that was really played, again and again between its opening and its closing, until there
 * are `count`. Steps, rounds, ids and times go on from one repetition to the next, and whatever refers to a step of the run
 * refers to the step of the same repetition.
 *
 * @param {readonly Entry[]} entries all of one closed run @param {number} count @returns {readonly Entry[]}
 */
export function repeatRun(entries, count) {
  const end = entries.findLastIndex(({ type }) => type === "deliberation-closed");
  const [opened] = entries;
  const closed = entries[end];
  if (opened?.type !== "deliberation-opened" || !closed || count < entries.length)
    throw new Error("only a closed run can be repeated, and only until it is longer");
  const body = entries.slice(1, end);
  const rounds = Math.max(0, ...entries.map(roundOf));
  const known = new Set(entries.flatMap(({ id, origin }) => ["step" in origin ? origin.step : id, id]));
  const lengthMs = Date.parse(closed.at) - Date.parse(opened.at) + 1;
  const after = entries.slice(end);
  /** @type {Entry[]} */
  const long = [opened];
  let repetition = 0;
  for (; long.length + after.length < count; repetition += 1) {
    const again = shifted({ known, rounds, repetition, lengthMs });
    long.push(...body.slice(0, count - long.length - after.length).map(again));
  }
  // What closed the run names the answer of the last repetition that has all its events.
  const whole = Math.max(0, Math.floor((count - 1 - after.length) / body.length) - 1);
  const last = shifted({ known, rounds, repetition: whole, lengthMs });
  long.push(...after.map((entry) => ({ ...last(entry), at: long.at(-1)?.at ?? entry.at })));
  return long.map((entry, index) => ({ ...entry, seq: index + 1, cursor: /** @type {any} */ (index + 1) }));
}

/** @param {Entry} entry */
function roundOf({ origin }) {
  return "work" in origin ? (origin.work?.round ?? 0) : 0;
}

/** @param {{ known: ReadonlySet<string>, rounds: number, repetition: number, lengthMs: number }} options @returns {(entry: Entry) => Entry} */
function shifted({ known, rounds, repetition, lengthMs }) {
  const renamed = (/** @type {string} */ key) => {
    const later = key.replace(/\bround-(\d+)/, (_, round) => `round-${Number(round) + repetition * rounds}`);
    return later === key ? key.replace(/(?=#\d+$)|(?<!#\d+)$/, `/again-${repetition}`) : later;
  };
  /** @param {any} value @returns {any} */
  const visit = (value) => {
    if (typeof value === "string") return known.has(value) ? renamed(value) : value;
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) =>
        name === "round" && typeof one === "number" ? [name, one + repetition * rounds] : [name, visit(one)],
      ),
    );
  };
  return (entry) =>
    repetition === 0
      ? entry
      : { ...visit(entry), at: new Date(Date.parse(entry.at) + repetition * lengthMs).toISOString() };
}
