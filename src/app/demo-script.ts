/** Written for the demo by its authors: no model said any of this. */
export const DEMO_QUESTION = "Should our job queue move from Redis to Postgres?";

const ANALYST = `**Yes, in two steps.** The queue loses jobs today because a job and the row that it belongs to are written to two systems.

1. Write each job to an \`outbox\` table, in the transaction that needs it. A relay moves it to Redis. Lost jobs end here.
2. Later let workers read the table with \`SELECT … FOR UPDATE SKIP LOCKED\`, and switch Redis off.

Measure first: above some thousand jobs a second, table bloat costs more than it saves.`;

const PRAGMATIST = `Yes, if Postgres runs here anyway: one system fewer to operate, to back up and to be woken for.

| | Redis | Postgres |
| --- | --- | --- |
| job and data in one transaction | no | yes |
| throughput | very high | thousands a second |
| you run it already | no | yes |

Use a library for it rather than your own loop, and move the least important queue first.`;

const CHALLENGER = `**Not yet.** Moving a queue treats a symptom. If jobs are lost, a transactional outbox ends that without a migration, and it can be undone in an afternoon.

A full move trades a known problem for a new one: long transactions hold back vacuum, and a busy queue table grows. Decide after four weeks of figures: lost jobs, jobs a second, and how long a job waits.`;

const CHAIR = `**Add a transactional outbox now, and decide about the move after four weeks of figures.**

1. **This week:** write every job to an \`outbox\` table in the same transaction as its data; a relay hands it to Redis. That ends lost jobs, and can be undone.
2. **Measure** lost jobs, jobs a second, and waiting time.
3. **Then move** the least important queue, if Postgres is run here anyway and the load is below some thousand jobs a second. Workers take jobs with \`FOR UPDATE SKIP LOCKED\`, by way of a library.

Stay with Redis for a queue that is busier: vacuum and table bloat would become the new problem.

## Dissent
- One member would plan the whole move at once, because each system that is run costs attention every day.

## Unique insights
- Long transactions hold back vacuum, which makes a queue table grow.

\`\`\`json
{"contributors": [{"id": "C", "weight": 0.4, "reason": "the outbox as a first step"}, {"id": "B", "weight": 0.35, "reason": "figures before the move"}, {"id": "A", "weight": 0.25, "reason": "the least important queue first"}]}
\`\`\``;

/** A review of two answers, the better one first. */
const review = (ranking: readonly [string, string], strengths: string, weaknesses: string): string =>
  JSON.stringify({
    reviews: [
      { label: ranking[0], strengths: [strengths], weaknesses: [] },
      { label: ranking[1], strengths: [], weaknesses: [weaknesses] },
    ],
    ranking,
  });

/** What each model says, call by call. Labels are those of the demo's seed. */
export const DEMO_REPLIES: Readonly<Record<string, readonly string[]>> = {
  "demo/analyst": [
    ANALYST,
    review(
      ["B", "A"],
      "Names what to measure before deciding",
      "Does not say how jobs stop being lost today",
    ),
  ],
  "demo/pragmatist": [
    PRAGMATIST,
    review(
      ["C", "B"],
      "Ends lost jobs by a step that can be undone",
      "Leaves open what follows the four weeks",
    ),
  ],
  "demo/challenger": [
    CHALLENGER,
    review(["C", "A"], "Puts the outbox first", "Moves without a figure that asks for it"),
  ],
  "demo/chair": [CHAIR],
};
