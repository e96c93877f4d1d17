// What history, league and contributions say, counted again from exported JSON Lines by a program that shares no code with them.

/**
 * @typedef {{ sessions: number, wins: number, ties: number, votes: number, rankSum: number }} Player
 * @typedef {{ n: number, sum: number }} Mean
 * @typedef {{ runs: number, claimed: Mean, measured: Record<string, Mean>, sessions: number, wins: number, ties: number }} Shares
 * @typedef {{ type: string, deliberation: string, origin: { by: string, step?: string }, data: any }} Line
 */

/** A recount to which deliberations are added one by one. */
export function createRecount() {
  /** @type {{ sessions: number, players: Record<string, Player>, cells: Record<string, Mean>, shares: Record<string, Shares> }} */
  const counts = { sessions: 0, players: {}, cells: {}, shares: {} };
  return {
    counts,
    /** Adds a deliberation's lines, in their order. @param {readonly Line[]} lines */
    add(lines) {
      const opened = lines.find(({ type }) => type === "deliberation-opened");
      if (!opened) return;
      /** @type {Record<string, string>} */
      const persona = {};
      for (const { id, persona: pinned } of opened.data.participants) {
        const again = / (\d+)$/.exec(pinned.name);
        persona[id] = again && id.endsWith(`-${again[1]}`) ? id.slice(0, id.lastIndexOf("-")) : id;
      }
      /** @type {Record<string, string>} */
      const author = {};
      for (const { type, origin, data } of lines)
        if (type === "answer-given" && origin.step !== undefined) author[origin.step] = data.by;
      const ballots = lines.filter(
        ({ type, origin, data }) => type === "review-given" && origin.by !== "adopted" && data.ranking.ok,
      );
      const places = lines.findLast(({ type }) => type === "standing-reached")?.data.places ?? [];
      const firsts = places.filter((/** @type {any} */ { place }) => place === 1);
      if (ballots.length > 0) {
        counts.sessions += 1;
        for (const one of new Set(places.map((/** @type {any} */ { id }) => persona[id]))) {
          const player = playerOf(counts.players, String(one));
          const first = new Set(firsts.map((/** @type {any} */ { id }) => persona[id]));
          player.sessions += 1;
          if (first.has(one) && first.size === 1) player.wins += 1;
          if (first.has(one) && first.size > 1) player.ties += 1;
        }
      }
      for (const { data } of ballots) {
        const ranked = data.ranking.steps.map((/** @type {string} */ step) => persona[author[step] ?? ""]);
        for (const [index, one] of ranked.entries()) {
          const player = playerOf(counts.players, one);
          player.votes += 1;
          player.rankSum += index + 1;
          const cell = (counts.cells[`${persona[data.by]} > ${one}`] ??= { n: 0, sum: 0 });
          cell.n += 1;
          cell.sum += ranked.length < 2 ? 0.5 : (ranked.length - 1 - index) / (ranked.length - 1);
        }
      }
      addShares(counts.shares, lines, { persona, places: ballots.length > 0 ? places : [] });
    },
  };
}

/** @param {Record<string, Player>} players @param {string} name */
const playerOf = (players, name) =>
  (players[name] ??= { sessions: 0, wins: 0, ties: 0, votes: 0, rankSum: 0 });

/**
 * @param {Record<string, Shares>} shares @param {readonly Line[]} lines
 * @param {{ persona: Record<string, string>, places: readonly { id: string, place: number | null }[] }} run
 */
function addShares(shares, lines, { persona, places }) {
  const given = lines.findLast(({ type }) => type === "synthesis-given");
  if (!given || given.origin.by === "adopted") return;
  const opened = lines.find(({ type }) => type === "deliberation-opened");
  const firsts = places.filter(({ place }) => place === 1);
  for (const { id, seat } of opened?.data.participants ?? []) {
    if (seat !== "member" && seat !== "agent") continue;
    const own = (shares[`${given.data.strategy ?? "none"} / ${persona[id]}`] ??= {
      ...{ runs: 0, claimed: { n: 0, sum: 0 }, measured: {} },
      ...{ sessions: 0, wins: 0, ties: 0 },
    });
    own.runs += 1;
    const isFirst = firsts.some((one) => one.id === id);
    if (places.some((one) => one.id === id)) own.sessions += 1;
    if (isFirst && firsts.length === 1) own.wins += 1;
    if (isFirst && firsts.length > 1) own.ties += 1;
    const { claims } = given.data;
    const claim = claims?.ok
      ? claims.contributors.find((/** @type {any} */ one) => one.id === id)
      : undefined;
    if (claim) {
      own.claimed.n += 1;
      own.claimed.sum += claim.weight;
    }
    /** @type {Record<string, number>} */
    const last = {};
    for (const { type, data } of lines)
      if (type === "contribution-measured")
        for (const one of data.contributions) if (one.id === id) last[data.method] = one.weight;
    for (const [method, weight] of Object.entries(last)) {
      const mean = (own.measured[method] ??= { n: 0, sum: 0 });
      mean.n += 1;
      mean.sum += weight;
    }
  }
}
